"""HTTP clients with a deadline over the whole exchange and a check of every address they connect to.

They raise httpx's errors: the ConnectError family where nothing can have been sent, the others where something
may have been.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import cast

import httpcore
import httpx

from resources.http.addresses import Resolver, UnknownNameError, is_public, resolve_host
from resources.http.host_allowlist import PORTS, HostAllowlist
from resources.http.timed_sockets import ExchangeDeadline, TimedBackend
from resources.http.trust import TrustError, client_context

_CONNECT_SECONDS = 20.0
_LARGEST_PORT = 65_535


class RefusedAddressError(httpx.ConnectError):
    """The host has an address that is neither public nor allowed; nothing was sent."""


class UnknownHostError(httpx.ConnectError):
    """The resolver reports that there is no such host, or that it has no address."""


class RefusedSchemeError(httpx.ConnectError):
    """The link is not a web address, or one without TLS where TLS is required; nothing was sent."""


class TooLargeError(httpx.ReadError):
    """The response is longer than allowed; no more than the allowed bytes were read."""


class CompressedBodyError(httpx.RemoteProtocolError):
    """The response is compressed, which was not requested; decompressed it may have any size."""


def guarded_client(
    allowlist: HostAllowlist,
    *,
    deadline_seconds: float,
    max_response_bytes: int,
    before_send: Callable[[], None] = lambda: None,
) -> httpx.Client:
    """A client for one exchange: checked addresses, one deadline for everything, a limit on the response.

    The deadline counts from now. `before_send` is called right before a request's first byte is written: where it
    raises, nothing is sent and the client raises ConnectError. No redirect is followed, no proxy variable is
    read, and no connection is kept.
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


class GuardedTransport(httpx.HTTPTransport):
    """The transport of `guarded_client`.

    A host is resolved once, and connections go to the checked addresses; TLS is verified against the host's name.
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
            context = tls or client_context()
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
        """The response's head; its body may still be refused when it is read."""
        if self._distrust is not None and request.url.scheme == "https":
            raise httpx.ConnectError(str(self._distrust)) from self._distrust
        try:
            response = self._send_to_first_reachable(request, self._checked_addresses(request.url))
        except ValueError as error:
            # The HTTP parser raises it for a number with thousands of digits.
            raise httpx.RemoteProtocolError(str(error)) from None
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_LimitedBody(response, self._max_response_bytes),
            extensions=response.extensions,
        )

    def _checked_addresses(self, url: httpx.URL) -> list[str]:
        """The host's addresses, every one of them public or allowed."""
        if url.scheme not in PORTS or not url.host:
            raise RefusedSchemeError("expected an address that begins with https:// or http://")
        port = url.port or PORTS[url.scheme]
        if port > _LARGEST_PORT:
            raise RefusedAddressError("there is no such port")
        addresses = self._resolve_host(url, port)
        known = self._allowlist.allows_name(url.host, port)
        covered = [known or self._allowlist.allows_address(address) for address in addresses]
        if not all(ok or is_public(to) for ok, to in zip(covered, addresses, strict=True)):
            raise RefusedAddressError("the host has an address that is not public")
        if url.scheme == "http" and not (self._allowlist.plain_http or all(covered)):
            raise RefusedSchemeError("expected an address that begins with https://")
        return addresses

    def _resolve_host(self, url: httpx.URL, port: int) -> list[str]:
        host = url.raw_host.decode("ascii")
        try:
            seconds = self._deadline.left(_CONNECT_SECONDS)
            addresses = resolve_host(self._resolve, host, port, seconds)
        except TimeoutError as error:
            raise httpx.ConnectTimeout(str(error)) from None
        except UnknownNameError as error:
            raise UnknownHostError(str(error)) from None
        if not addresses:
            raise httpx.ConnectError("the host could not be resolved")
        return addresses

    def _send_to_first_reachable(
        self, request: httpx.Request, addresses: list[str]
    ) -> httpx.Response:
        """The head of the response from the first address that accepts the connection."""
        for left in range(len(addresses), 1, -1):
            with suppress(httpx.ConnectError, httpx.ConnectTimeout):
                return super().handle_request(self._request_to(request, addresses[-left], left))
        return super().handle_request(self._request_to(request, addresses[-1], 1))

    def _request_to(self, request: httpx.Request, address: str, share: int) -> httpx.Request:
        """The same request to one address of its host, with its share of the time to connect."""
        timeouts = dict(request.extensions.get("timeout") or {})
        with suppress(TimeoutError):
            timeouts["connect"] = self._deadline.left(timeouts.get("connect")) / share
        name = request.url.raw_host.decode("ascii")
        return httpx.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "timeout": timeouts, "sni_hostname": name},
        )


class _LimitedBody(httpx.SyncByteStream):
    """A body that raises where it is compressed or too long, whatever its headers declare."""

    def __init__(self, response: httpx.Response, max_response_bytes: int) -> None:
        self._response = response
        self._max_response_bytes = max_response_bytes

    def __iter__(self) -> Iterator[bytes]:
        self._check_head()
        size = 0
        for chunk in cast(httpx.SyncByteStream, self._response.stream):
            size += len(chunk)
            self._check_size(size)
            yield chunk

    def close(self) -> None:
        self._response.close()

    def _check_head(self) -> None:
        headers = self._response.headers
        if headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
            raise CompressedBodyError("the answer is compressed, which was not requested")
        length = headers.get("content-length", "")
        if length.isdecimal():
            self._check_size(int(length))

    def _check_size(self, size: int) -> None:
        if size > self._max_response_bytes:
            raise TooLargeError(f"the answer is longer than {self._max_response_bytes} bytes")
