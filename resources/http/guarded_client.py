"""Build HTTP clients that check every address they connect to, with a deadline over the whole exchange.

They raise httpx's errors: the ConnectError family where nothing can have been sent, the others where
something may have been. Trusted are the certificates of SSL_CERT_FILE and SSL_CERT_DIR (OpenSSL's variables:
a network that opens TLS connections has its own authority there), else those of the package `certifi`.
"""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import httpcore
import httpx

from resources.http.addresses import (
    PORTS,
    HostAllowlist,
    Resolver,
    UnknownNameError,
    is_public,
    resolve_host,
)
from resources.process.file_locks import read_boot_seconds

FILE, FOLDER = "SSL_CERT_FILE", "SSL_CERT_DIR"
_EXPIRED, _NOT_YET_VALID, _OTHER_HOST = 10, 9, 62
_OTHER_NAMES = (_OTHER_HOST, 63, 64)
"""OpenSSL's numbers of a wrong host, e-mail or IP address."""
_CONNECT_SECONDS = 20.0
_LARGEST_PORT = 65_535


class TrustError(ValueError):
    """Raised when the certificates named in the environment cannot be read; the message names the variable."""


class RefusedAddressError(httpx.ConnectError):
    """Raised before sending when the host has an address that is neither public nor allowed."""


class UnknownHostError(httpx.ConnectError):
    """Raised when the resolver reports that there is no such host, or that it has no address."""


class RefusedSchemeError(httpx.ConnectError):
    """Raised before sending when the link is no web address, or lacks TLS where TLS is required."""


class TooLargeError(httpx.ReadError):
    """Raised when the response is longer than allowed; no more than the allowed bytes were read."""


class CompressedBodyError(httpx.RemoteProtocolError):
    """Raised when the response is compressed although that was not requested: its size is then unlimited."""


class ExchangeDeadline:
    """The deadline of one HTTP exchange, `seconds` after its creation."""

    def __init__(self, seconds: float) -> None:
        self._end = read_boot_seconds() + seconds

    def compute_seconds_left(self, at_most: float | None = None) -> float:
        """Return the seconds until the deadline, capped at `at_most`. Raises TimeoutError if none are left."""
        left = self._end - read_boot_seconds()
        if left <= 0:
            raise TimeoutError("the exchange took too long")
        return left if at_most is None else min(left, at_most)


@dataclass(eq=False)
class TimedBackend(httpcore.NetworkBackend):
    """A network backend for httpcore whose every step ends at the exchange's deadline.

    `before_send` is called before the first byte is written; if it raises, nothing is sent.
    """

    deadline: ExchangeDeadline
    before_send: Callable[[], None]

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to an IP address. `host` must not be a name: that would be resolved without a time limit."""
        with _translate_socket_errors(httpcore.ConnectTimeout, httpcore.ConnectError):
            connection = socket.create_connection(
                (host, port), self.deadline.compute_seconds_left(timeout)
            )
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _TimedStream(connection, self.deadline, self.before_send)


@dataclass(eq=False)
class _TimedStream(httpcore.NetworkStream):
    """A connection whose every read and write ends at the exchange's deadline."""

    connection: socket.socket
    deadline: ExchangeDeadline
    before_send: Callable[[], None]
    may_write: bool = False

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _translate_socket_errors(httpcore.ReadTimeout, httpcore.ReadError):
            self.connection.settimeout(self.deadline.compute_seconds_left(timeout))
            return self.connection.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        unsent = memoryview(buffer)
        if not self.may_write:
            # Nothing is sent after one of these errors.
            try:
                self.before_send()
            except Exception as error:
                raise httpcore.ConnectError(f"the request was not sent: {error}") from error
            with _translate_socket_errors(httpcore.ConnectTimeout, httpcore.ConnectError):
                self.deadline.compute_seconds_left()
            self.may_write = True
        with _translate_socket_errors(httpcore.WriteTimeout, httpcore.WriteError):
            while unsent:
                self.connection.settimeout(self.deadline.compute_seconds_left(timeout))
                unsent = unsent[self.connection.send(unsent) :]

    def close(self) -> None:
        self.connection.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        with _translate_socket_errors(httpcore.ConnectTimeout, httpcore.ConnectError):
            try:
                self.connection.settimeout(self.deadline.compute_seconds_left(timeout))
                wrapped = ssl_context.wrap_socket(self.connection, server_hostname=server_hostname)
            except BaseException:
                self.connection.close()
                raise
        return _TimedStream(wrapped, self.deadline, self.before_send)


@contextmanager
def _translate_socket_errors(late: type[Exception], failed: type[Exception]) -> Iterator[None]:
    """Re-raise a timeout in the block as `late`, any other error of the socket as `failed`."""
    try:
        yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except (OSError, ValueError) as error:  # ValueError: a host name that TLS cannot encode
        raise failed(str(error)) from error


class GuardedTransport(httpx.HTTPTransport):
    """The httpx transport of `make_guarded_client`, for one exchange.

    The host is resolved once and connections go to the checked addresses. TLS is verified against the host's name.
    """

    def __init__(
        self,
        allowlist: HostAllowlist,
        *,
        deadline_seconds: float,
        max_response_bytes: int,
        resolve: Resolver = socket.getaddrinfo,
        tls: ssl.SSLContext | None = None,
        before_send: Callable[[], None] = lambda: None,
    ) -> None:
        self._distrust: TrustError | None = None
        try:
            context = tls or get_tls_context()
        except TrustError as error:
            self._distrust, context = error, ssl.create_default_context()
        super().__init__(verify=context, trust_env=False)
        self._allowlist = allowlist
        self._deadline = ExchangeDeadline(deadline_seconds)
        self._max_response_bytes = max_response_bytes
        self._resolve = resolve
        self._pool = httpcore.ConnectionPool(
            ssl_context=context,
            max_keepalive_connections=0,
            network_backend=TimedBackend(self._deadline, before_send),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request; return the response with its body unread. Reading the body may raise TooLargeError."""
        if self._distrust is not None and request.url.scheme == "https":
            raise httpx.ConnectError(str(self._distrust)) from self._distrust
        try:
            response = self._send_to_first_reachable(request, self._check_addresses(request.url))
        except ValueError as error:
            # The HTTP parser raises it for a number with thousands of digits.
            raise httpx.RemoteProtocolError(str(error)) from None
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_LimitedBody(response, self._max_response_bytes),
            extensions=response.extensions,
        )

    def _check_addresses(self, url: httpx.URL) -> list[str]:
        """Resolve the host and return its addresses, after checking that each is public or allowed."""
        if url.scheme not in PORTS or not url.host:
            raise RefusedSchemeError("expected an address that begins with https:// or http://")
        port = url.port or PORTS[url.scheme]
        if port > _LARGEST_PORT:
            raise RefusedAddressError("there is no such port")
        host = url.raw_host.decode("ascii")
        try:
            seconds = self._deadline.compute_seconds_left(_CONNECT_SECONDS)
            addresses = resolve_host(self._resolve, host, port, seconds)
        except TimeoutError as error:
            raise httpx.ConnectTimeout(str(error)) from None
        except UnknownNameError as error:
            raise UnknownHostError(str(error)) from None
        if not addresses:
            raise httpx.ConnectError("the host could not be resolved")
        known = self._allowlist.allows_name(url.host, port)
        covered = [known or self._allowlist.allows_address(address) for address in addresses]
        if not all(ok or is_public(to) for ok, to in zip(covered, addresses, strict=True)):
            raise RefusedAddressError("the host has an address that is not public")
        if url.scheme == "http" and not (self._allowlist.plain_http or all(covered)):
            raise RefusedSchemeError("expected an address that begins with https://")
        return addresses

    def _send_to_first_reachable(
        self, request: httpx.Request, addresses: list[str]
    ) -> httpx.Response:
        *others, last = addresses
        for number, address in enumerate(others):
            with suppress(httpx.ConnectError, httpx.ConnectTimeout):
                share = len(addresses) - number
                return super().handle_request(self._copy_request(request, address, share))
        return super().handle_request(self._copy_request(request, last, 1))

    def _copy_request(self, request: httpx.Request, address: str, share: int) -> httpx.Request:
        """Copy the request for one address of its host, which gets 1/`share` of the time left to connect."""
        timeouts = dict(request.extensions.get("timeout") or {})
        with suppress(TimeoutError):
            timeouts["connect"] = (
                self._deadline.compute_seconds_left(timeouts.get("connect")) / share
            )
        name = request.url.raw_host.decode("ascii")
        return httpx.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "timeout": timeouts, "sni_hostname": name},
        )


@dataclass(eq=False)
class _LimitedBody(httpx.SyncByteStream):
    """A response body that raises if it is compressed or longer than allowed, whatever its headers declare."""

    response: httpx.Response
    max_response_bytes: int

    def __iter__(self) -> Iterator[bytes]:
        headers = self.response.headers
        if headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
            raise CompressedBodyError("the answer is compressed, which was not requested")
        length = headers.get("content-length", "")
        if length.isdecimal():
            self._check_size(int(length))
        size = 0
        for chunk in cast(httpx.SyncByteStream, self.response.stream):
            size += len(chunk)
            self._check_size(size)
            yield chunk

    def close(self) -> None:
        self.response.close()

    def _check_size(self, size: int) -> None:
        if size > self.max_response_bytes:
            raise TooLargeError(f"the answer is longer than {self.max_response_bytes} bytes")


def make_guarded_client(
    allowlist: HostAllowlist,
    *,
    deadline_seconds: float,
    max_response_bytes: int,
    before_send: Callable[[], None] = lambda: None,
) -> httpx.Client:
    """Make an HTTP client for one exchange: checked addresses, one deadline from now on, a limited response.

    If `before_send` raises, nothing is sent and the client raises ConnectError.
    """
    return httpx.Client(
        transport=GuardedTransport(
            allowlist,
            deadline_seconds=deadline_seconds,
            max_response_bytes=max_response_bytes,
            before_send=before_send,
        ),
        timeout=httpx.Timeout(None, connect=_CONNECT_SECONDS),
        headers={"Accept-Encoding": "identity"},
        trust_env=False,
        follow_redirects=False,
    )


def get_tls_context() -> ssl.SSLContext:
    """Return the TLS context with the certificates that clients trust. Raises TrustError."""
    return _load_tls_context(os.environ.get(FILE, ""), os.environ.get(FOLDER, ""))


@lru_cache(maxsize=4)
def _load_tls_context(file: str, folder: str) -> ssl.SSLContext:
    """Build the TLS context of these certificates, once per process, because loading them is slow."""
    if not file and not folder:
        return httpx.create_ssl_context(trust_env=False)
    if folder and not any(Path(each).is_dir() for each in folder.split(os.pathsep)):
        raise TrustError(f"{FOLDER}: expected a folder of certificates (made by `openssl rehash`)")
    try:
        return ssl.create_default_context(cafile=file or None, capath=folder or None)
    except (OSError, ValueError):
        raise TrustError(f"{FILE}: expected a file with certificates in PEM") from None


def find_trust_problem(error: BaseException | None) -> str | None:
    """Return why the server's certificate is not trusted, and a remedy, as a sentence; None for other errors."""
    while error is not None:
        if isinstance(error, TrustError):
            return str(error)
        if isinstance(error, ssl.SSLCertVerificationError):
            if error.verify_code in (_EXPIRED, _NOT_YET_VALID):
                remedy = (
                    "check this machine's clock, or ask the server's operator for a new certificate"
                )
            elif error.verify_code in _OTHER_NAMES:
                remedy = "check the address: the server there has another name"
            else:
                remedy = (
                    "if your network or server has its own authority, "
                    f"set {FILE} to a file with its certificate"
                )
            return f"its certificate is not trusted ({error.verify_message}): {remedy}"
        error = error.__cause__ or error.__context__
    return None
