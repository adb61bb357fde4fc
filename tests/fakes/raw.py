"""A server on 127.0.0.1 that puts exactly the bytes on the wire that it is told to."""

import re
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

_PIECE = 65_536
_PAUSE = 0.02
_MOST_SENT = 200_000_000


class RawServer:
    """Each connection is treated by the next of `acts`, the last of them by all that follow.

    `requests` are the bytes of each that came in, `names` the host names that TLS clients asked for, `sent`
    is how much was taken off the server's hands.
    """

    def __init__(self, *acts: "Act", tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[bytes] = []
        self.names: list[str | None] = []
        self.sent = 0
        self.closing = threading.Event()
        self._acts = acts
        self._tls = tls
        if tls is not None:
            tls.sni_callback = lambda _, name, __: self.names.append(name)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.netloc}"

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closing.set()
        for connection in (self._listener, *self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def put(self, connection: socket.socket, content: bytes) -> None:
        """All of it is sent. Raises OSError where nobody takes it."""
        unsent = memoryview(content)
        while unsent:
            size = connection.send(unsent)
            self.sent += size
            unsent = unsent[size:]

    def _accept(self) -> None:
        with suppress(OSError):
            while not self.closing.is_set():
                connection, _ = self._listener.accept()
                act = self._acts[min(len(self._open), len(self._acts) - 1)]
                self._open.append(connection)
                thread = threading.Thread(target=self._serve, args=(connection, act))
                self._threads.append(thread)
                thread.start()

    def _serve(self, connection: socket.socket, act: "Act") -> None:
        with suppress(OSError):
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
                self._open.append(connection)
            act(self, connection)
        connection.close()


Act = Callable[[RawServer, socket.socket], None]


def answer(
    body: bytes = b"{}", *headers: str, status: str = "200 OK", length: int | None = None
) -> bytes:
    """The bytes of an answer; `length` is what is promised where that is not the truth."""
    told = f"Content-Length: {len(body) if length is None else length}"
    return "\r\n".join([f"HTTP/1.1 {status}", told, *headers, "", ""]).encode("latin-1") + body


def say(content: bytes) -> Act:
    """Read the request, send this, hang up."""

    def act(server: RawServer, connection: socket.socket) -> None:
        _read(server, connection)
        server.put(connection, content)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1)

    return act


def hang(content: bytes = b"") -> Act:
    """Read the request, send this, and then nothing more."""

    def act(server: RawServer, connection: socket.socket) -> None:
        _read(server, connection)
        server.put(connection, content)
        server.closing.wait()

    return act


def ignore(server: RawServer, connection: socket.socket) -> None:
    """Never read a byte."""
    server.closing.wait()


def hang_up(server: RawServer, connection: socket.socket) -> None:
    """Read the request and close the connection."""
    _read(server, connection)


def reset(server: RawServer, connection: socket.socket) -> None:
    """Read the first byte of the request and close the connection: what is unread resets it."""
    connection.recv(1)


def drip(content: bytes, dripping: bytes) -> Act:
    """Send this, and then the dripping byte by byte, over and over."""

    def act(server: RawServer, connection: socket.socket) -> None:
        _read(server, connection)
        server.put(connection, content)
        while True:
            for byte in dripping:
                server.put(connection, bytes((byte,)))
                if server.closing.wait(_PAUSE):
                    return

    return act


def flood(content: bytes, piece: bytes = b"x" * _PIECE) -> Act:
    """Send this, and then the piece over and over, 200 MB in all."""

    def act(server: RawServer, connection: socket.socket) -> None:
        _read(server, connection)
        server.put(connection, content)
        while server.sent < _MOST_SENT and not server.closing.is_set():
            server.put(connection, piece)

    return act


def _read(server: RawServer, connection: socket.socket) -> None:
    request = b""
    while b"\r\n\r\n" not in request or len(request) < _length(request):
        piece = connection.recv(_PIECE)
        if not piece:
            break
        request += piece
    server.requests.append(request)


def _length(request: bytes) -> int:
    head, _, _ = request.partition(b"\r\n\r\n")
    told = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return len(head) + 4 + (int(told[1]) if told else 0)
