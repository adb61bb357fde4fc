"""The server process of an ASGI application."""

import asyncio
import gc
import math
import resource
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from castad.api.server.protocol import (
    ConnectionGate,
    ConnectionLimiter,
    GuardedProtocol,
    TrustedProxies,
)
from castad.stack.output import print_line

_LARGEST_HEAD = 64 * 1024
# A client that finds the queue full retries after a second.
_BACKLOG = 4096
# For databases, logs and files that are sent.
_RESERVED_DESCRIPTORS = 500
_FEWEST_CONNECTIONS = 100
_DRAIN_SECONDS = 0.2
_MOST_DRAINS = 10


@dataclass(frozen=True)
class ConnectionLimits:
    """The server's limits: connections per source and in all, seconds for a request's head and of keep-alive.

    A connection of a trusted proxy counts for the client that the proxy names. The paths `with_room` are answered
    when a source has used up its share too.
    """

    connections_per_source: int
    connections: int = 10_000
    head_seconds: float = 10
    idle_seconds: int = 15
    trusted_proxies: tuple[str, ...] = ()
    with_room: tuple[str, ...] = ()


def serve(config: uvicorn.Config, line: str, begin_stop: Callable[[], float] = lambda: 0.0) -> int:
    """Serve the application until a signal stops this process; return the exit code.

    `line` is printed once the server listens. `begin_stop` is called at the signal, and returns how long the
    application needs to end its work.
    """
    server = _AnnouncingServer(config, line, begin_stop)
    server.run()
    return 0 if server.started else 1


def build_guarded_config(
    app: ASGIApp,
    host: str,
    port: int,
    limits: ConnectionLimits,
    *,
    stop_seconds: int,
    websockets: bool = False,
) -> uvicorn.Config:
    """Configure a server with these limits, and at most as many connections as file descriptors.

    On shutdown, running requests have `stop_seconds` to finish.
    """
    room = max(_raise_descriptor_limit() - _RESERVED_DESCRIPTORS, _FEWEST_CONNECTIONS)
    connection_limiter: ConnectionLimiter[GuardedProtocol] = ConnectionLimiter(
        min(limits.connections, room), min(limits.connections_per_source, room)
    )
    gate = ConnectionGate(
        connection_limiter,
        TrustedProxies.parse(limits.trusted_proxies),
        tuple(path.encode() for path in limits.with_room),
    )
    protocol = partial(GuardedProtocol, gate=gate, head_seconds=limits.head_seconds)
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=protocol,  # type: ignore[arg-type] # uvicorn only calls it
        ws="auto" if websockets else "none",
        proxy_headers=False,  # the protocol reads them: uvicorn would believe any client on this machine
        h11_max_incomplete_event_size=_LARGEST_HEAD,
        backlog=_BACKLOG,
        timeout_keep_alive=limits.idle_seconds,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=stop_seconds,
    )


def format_address(host: str, port: int) -> str:
    """Format the URL of a server that listens there."""
    written = f"[{host}]" if ":" in host else host
    return f"http://{written}:{port}"


def _raise_descriptor_limit() -> int:
    """Raise this process' soft limit of open files to the hard limit, and return it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000_000 if allowed == resource.RLIM_INFINITY else allowed


class _AnnouncingServer(uvicorn.Server):
    """Prints a line once it listens."""

    def __init__(self, config: uvicorn.Config, line: str, begin_stop: Callable[[], float]) -> None:
        super().__init__(config)
        self._line = line
        self._begin_stop = begin_stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the server, and print its line once it listens."""
        await super().startup(sockets)
        # Objects that exist by now stay alive: walking over them in each collection would delay calls.
        gc.collect()
        gc.freeze()
        print_line(self._line)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let requests end, for as long as the application needs."""
        needed = math.ceil(self._begin_stop())
        # Who has connected by now is answered, if only by a refusal; a closed listener would reset it.
        for _ in range(_MOST_DRAINS):
            requests = self.server_state.total_requests
            await asyncio.sleep(_DRAIN_SECONDS)
            if self.server_state.total_requests == requests:
                break
        if needed:
            least = self.config.timeout_graceful_shutdown or 0
            self.config.timeout_graceful_shutdown = needed + least
        await super().shutdown(sockets)
