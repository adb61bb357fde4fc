"""HTTP/1.1 for who may be anybody: uvicorn's protocol (0.54, over h11), with bounds that it does not have."""

import asyncio
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from castad.api.server.crowd import Crowd, source_of

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n"
    b"Content-Length: 0\r\n\r\n"
)


# What has arrived together with its request is read by then.
_MOMENT = 0.1
# So many are closed at once, and then others are answered.
_CLOSED_AT_ONCE = 100
_PAUSE = 0.01


class Doorway:
    """Through which a server's connections come: the crowd says who may stay, and this closes the others."""

    def __init__(self, crowd: "Crowd[GuardedProtocol]") -> None:
        self.crowd = crowd
        self._clearing: set[str] = set()

    def enter(self, connection: "GuardedProtocol", loop: asyncio.AbstractEventLoop) -> bool:
        """Whether it may stay for now; of its source's surplus those that waited longest go in a moment."""
        source = source_of(connection.client and connection.client[0])
        is_kept, given_up = self.crowd.admit(connection, source, loop.time())
        if given_up is not None:
            given_up.give_up(_TOO_MANY)
        if self.crowd.has_surplus(source) and source not in self._clearing:
            self._clearing.add(source)
            loop.call_later(_MOMENT, self._clear, source, loop)
        return is_kept

    def _clear(self, source: str, loop: asyncio.AbstractEventLoop) -> None:
        surplus = self.crowd.take_surplus(source, loop.time() - _MOMENT, _CLOSED_AT_ONCE)
        for connection in surplus:
            connection.give_up(_TOO_MANY)
        if self.crowd.has_surplus(source):
            loop.call_later(_PAUSE if surplus else _MOMENT, self._clear, source, loop)
        else:
            self._clearing.discard(source)


class GuardedProtocol(H11Protocol):
    """One connection. The head of a request has to be there within `head_seconds`; `doorway` says who may stay."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        doorway: Doorway,
        head_seconds: float,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._parsed = self.conn.next_event
        self.conn.next_event = self._strictly_parsed  # type: ignore[method-assign]
        self._doorway = doorway
        self._crowd = doorway.crowd
        self._head_seconds = head_seconds
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It is kept and its head waited for, or told that there are too many."""
        super().connection_made(transport)
        if self._doorway.enter(self, self.loop):
            self._await_head()
        else:
            self.give_up(_TOO_MANY)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is counted no longer."""
        super().connection_lost(exc)
        self._forget()

    def data_received(self, data: bytes) -> None:
        """What has begun to come in is a head that has to be complete in time, unless a request is at work."""
        if self._head_timer is None and not self._is_at_work:
            self._await_head()
        super().data_received(data)

    def handle_events(self) -> None:
        """A request whose head is complete is passed on; with its body complete it is served to its end."""
        super().handle_events()
        if not self._is_at_work:
            return
        self._cancel_timer()
        if not self.cycle.more_body:
            self._crowd.serve(self)

    def on_response_complete(self) -> None:
        """It waits for another request, for as long as uvicorn's keep-alive lasts."""
        self._crowd.wait(self, self.loop.time())
        super().on_response_complete()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Another protocol has it from now on."""
        self._forget()
        super().handle_websocket_upgrade(event)

    def give_up(self, last_words: bytes) -> None:
        """It is closed; where no answer has been sent that these could be taken for, with a word about why."""
        self._cancel_timer()
        if self.transport.is_closing():
            return
        if self.cycle is None or not self.cycle.response_started:
            self.transport.write(last_words)
        self.transport.close()

    def _strictly_parsed(self) -> Any:
        """As h11 says; raises RemoteProtocolError for a message of two lengths.

        A proxy in front may have seen its end elsewhere (RFC 9112, section 6.1).
        """
        event = self._parsed()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("Content-Length together with Transfer-Encoding")
        return event

    @property
    def _is_at_work(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self._head_seconds, self.give_up, _TOO_SLOW)

    def _cancel_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _forget(self) -> None:
        self._cancel_timer()
        self._crowd.leave(self)
