"""Sockets on which an exchange as a whole ends in time, however slowly its bytes drip."""

import socket
import ssl
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore

from resources.process.boot_clock import boot_seconds


class Deadline:
    """A moment after which nothing is waited for."""

    def __init__(self, seconds: float) -> None:
        self._end = boot_seconds() + seconds

    def left(self, at_most: float | None = None) -> float:
        """Seconds until then. Raises TimeoutError where none are left."""
        left = self._end - boot_seconds()
        if left <= 0:
            raise TimeoutError("the time for the exchange is over")
        return left if at_most is None else min(left, at_most)


class TimedBackend(httpcore.NetworkBackend):
    """Connects to addresses, and gives no step more time than the exchange has left.

    `before_send` is called on each connection when its first byte is about to be written, after TLS; where it
    raises, nothing is.
    """

    def __init__(self, deadline: Deadline, before_send: Callable[[], None] = lambda: None) -> None:
        self._deadline = deadline
        self._before_send = before_send

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to an address; a `host` that is a name would be looked up without a limit."""
        with _translated_errors(httpcore.ConnectTimeout, httpcore.ConnectError):
            connection = socket.create_connection((host, port), self._deadline.left(timeout))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _TimedStream(connection, self._deadline, self._before_send)


class _TimedStream(httpcore.NetworkStream):
    """A connection on which every single read and write ends with the exchange."""

    def __init__(
        self, connection: socket.socket, deadline: Deadline, before_send: Callable[[], None]
    ) -> None:
        self._connection = connection
        self._deadline = deadline
        self._before_send = before_send
        self._may_write = False

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _translated_errors(httpcore.ReadTimeout, httpcore.ReadError):
            self._connection.settimeout(self._deadline.left(timeout))
            return self._connection.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        unsent = memoryview(buffer)
        self._allow_first_write()
        with _translated_errors(httpcore.WriteTimeout, httpcore.WriteError):
            while unsent:
                self._connection.settimeout(self._deadline.left(timeout))
                unsent = unsent[self._connection.send(unsent) :]

    def _allow_first_write(self) -> None:
        """The first byte may be written. Raises what proves that none was."""
        if self._may_write:
            return
        try:
            self._before_send()
        except Exception as error:
            raise httpcore.ConnectError(f"it was held back: {error}") from error
        with _translated_errors(httpcore.ConnectTimeout, httpcore.ConnectError):
            self._deadline.left()
        self._may_write = True

    def close(self) -> None:
        self._connection.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        with _translated_errors(httpcore.ConnectTimeout, httpcore.ConnectError):
            try:
                self._connection.settimeout(self._deadline.left(timeout))
                wrapped = ssl_context.wrap_socket(self._connection, server_hostname=server_hostname)
            except BaseException:
                self._connection.close()
                raise
        return _TimedStream(wrapped, self._deadline, self._before_send)


@contextmanager
def _translated_errors(late: type[Exception], failed: type[Exception]) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except (OSError, ValueError) as error:  # ValueError: a host's name that TLS cannot write
        raise failed(str(error)) from error
