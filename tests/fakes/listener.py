"""A server on 127.0.0.1 that can be closed at any moment and leaves no thread and no socket behind."""

import socket
import socketserver
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Respond = Callable[[BaseHTTPRequestHandler], None]


class Listener(ThreadingHTTPServer):
    """Hands every request to `respond`, in a thread of its own; `broken` holds what that raised."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(self, port: int, respond: Respond) -> None:
        self.respond = respond
        self.broken: list[BaseException] = []
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closing = False
        super().__init__(("127.0.0.1", port), _Handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,))

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def start(self) -> None:
        """From now on it answers."""
        self._thread.start()

    def close(self) -> None:
        """Hangs up on everybody and waits for the threads, which then end at once."""
        if self._thread.is_alive():
            self.shutdown()
            self._thread.join()
        with self._lock:
            self._closing = True
            for connection in self._open:
                _shut(connection)
        self.server_close()

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(
            self
        )  # HTTPServer's asks the DNS for a name nobody needs

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exception()
        if error is not None:
            self.broken.append(error)

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.add(connection)
            if self._closing:
                _shut(connection)

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.discard(connection)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Listener

    def setup(self) -> None:
        super().setup()
        self.server.opened(self.connection)

    def finish(self) -> None:
        self.server.closed(self.connection)
        with suppress(OSError):
            super().finish()

    def handle(self) -> None:
        with suppress(ConnectionError):
            super().handle()

    def do_GET(self) -> None:
        self.server.respond(self)

    do_POST = do_HEAD = do_PUT = do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
