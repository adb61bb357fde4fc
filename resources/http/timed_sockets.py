"""Sockets with one deadline for a whole exchange, however slowly its bytes arrive."""

import socket
import ssl
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore

from resources.process.boot_clock import boot_seconds


class ExchangeDeadline:
    """The end of the time that an exchange has."""

    def __init__(self, seconds: float) -> None:
        self._end = boot_seconds() + seconds

    def left(self, at_most: float | None = None) -> float:
        """Seconds until the deadline, at most `at_most`. Raises TimeoutError where none are left."""
        left = self._end - boot_seconds()
        if left <= 0:
            raise TimeoutError("the exchange took too long")
        return left if at_most is None else min(left, at_most)


class TimedBackend(httpcore.NetworkBackend):
    """Connects to addresses; no step takes longer than the exchange has left.

    `before_send` is called on each connection right before its first byte is written, after TLS; where it
    raises, nothing is written.
    """

    def __init__(
        self, deadline: ExchangeDeadline, before_send: Callable[[], None] = lambda: None
    ) -> None:
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
        """A connection to an IP address; a `host` that is a name would be resolved without a time limit."""
        with _translated_errors(httpcore.ConnectTimeout, httpcore.ConnectError):
            connection = socket.create_connection((host, port), self._deadline.left(timeout))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _TimedStream(connection, self._deadline, self._before_send)


class _TimedStream(httpcore.NetworkStream):
    """A connection whose every read and write ends at the exchange's deadline."""

    def __init__(
        self, connection: socket.socket, deadline: ExchangeDeadline, before_send: Callable[[], None]
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
        """The first byte may be written. Raises ConnectError or ConnectTimeout: nothing was sent."""
        if self._may_write:
            return
        try:
            self._before_send()
        except Exception as error:
            raise httpcore.ConnectError(f"the request was not sent: {error}") from error
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
    except (OSError, ValueError) as error:  # ValueError: a host name that TLS cannot encode
        raise failed(str(error)) from error
