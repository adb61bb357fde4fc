"""The server process of an ASGI application."""

import gc
import resource
import socket
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from castad.api.server.connection_limiter import ConnectionLimiter
from castad.api.server.protocol import ConnectionGate, GuardedProtocol
from castad.stack.output import print_line

_LARGEST_HEAD = 64 * 1024
# A client that finds the queue full retries after a second.
_BACKLOG = 4096
# For databases, logs and files that are sent.
_RESERVED_DESCRIPTORS = 500
_FEWEST_CONNECTIONS = 100


@dataclass(frozen=True)
class Limits:
    """The server's limits: connections per source and in all, seconds for a request's head and of keep-alive."""

    connections_per_source: int
    connections: int = 10_000
    head_seconds: float = 10
    idle_seconds: int = 15


def serve(config: uvicorn.Config, line: str) -> int:
    """The application was served until a signal stopped this process; returns the exit code.

    `line` is printed once the server listens.
    """
    server = _AnnouncingServer(config, line)
    server.run()
    return 0 if server.started else 1


def guarded_config(
    app: ASGIApp,
    host: str,
    port: int,
    limits: Limits,
    *,
    stop_seconds: int,
    websockets: bool = False,
) -> uvicorn.Config:
    """A server with these limits, and with no more connections than this process has file descriptors for.

    On shutdown, running requests have `stop_seconds` to finish.
    """
    room = max(_allowed_descriptors() - _RESERVED_DESCRIPTORS, _FEWEST_CONNECTIONS)
    connection_limiter: ConnectionLimiter[GuardedProtocol] = ConnectionLimiter(
        min(limits.connections, room), min(limits.connections_per_source, room)
    )
    protocol = partial(
        GuardedProtocol, gate=ConnectionGate(connection_limiter), head_seconds=limits.head_seconds
    )
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=protocol,  # type: ignore[arg-type] # uvicorn only calls it
        ws="auto" if websockets else "none",
        h11_max_incomplete_event_size=_LARGEST_HEAD,
        backlog=_BACKLOG,
        timeout_keep_alive=limits.idle_seconds,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=stop_seconds,
    )


def address_of(host: str, port: int) -> str:
    """The URL of a server that listens there."""
    written = f"[{host}]" if ":" in host else host
    return f"http://{written}:{port}"


def _allowed_descriptors() -> int:
    """The hard limit of open files, which is this process' soft limit afterwards."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000_000 if allowed == resource.RLIM_INFINITY else allowed


class _AnnouncingServer(uvicorn.Server):
    """Prints a line once it listens."""

    def __init__(self, config: uvicorn.Config, line: str) -> None:
        super().__init__(config)
        self._line = line

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """The server listens, and its line is printed."""
        await super().startup(sockets)
        # Objects that exist by now stay alive: walking over them in each collection would delay calls.
        gc.collect()
        gc.freeze()
        print_line(self._line)
