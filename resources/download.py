"""Fetch a file from a link that somebody else chose, without being led to places that are ours."""

import ipaddress
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin

import httpx

from resources.providers.errors import PermanentError, TransientError

_TIMEOUT = httpx.Timeout(20, connect=10)
_DEADLINE_SECONDS = 120
_REDIRECTS = 3
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def download(
    url: str,
    into: Path,
    *,
    field: str,
    max_bytes: int,
    allow_private: bool,
    deadline_seconds: float = _DEADLINE_SECONDS,
) -> None:
    """The linked file is at `into`, whole, and at most `max_bytes` long.

    Every hop of a redirect is resolved once, refused where any of its addresses is not public, and
    connected to by the address that was checked. Raises PermanentError where the link cannot be used,
    TransientError where it may work later; both name `field`.
    """
    deadline = time.monotonic() + deadline_seconds
    with httpx.Client(timeout=_TIMEOUT, trust_env=False, follow_redirects=False) as client:
        for _ in range(_REDIRECTS + 1):
            with _get(client, url, field, allow_private) as response:
                if not response.is_redirect:
                    _check_status(response, field)
                    _save(response, into, field, max_bytes, deadline)
                    return
                url = _next_hop(url, response, field)
    raise PermanentError(
        f"{field}: the link redirects more than {_REDIRECTS} times", code="invalid_image"
    )


def _next_hop(url: str, response: httpx.Response, field: str) -> str:
    try:
        return urljoin(url, response.headers.get("location", ""))
    except ValueError as error:
        raise _unreadable(field) from error


@contextmanager
def _get(
    client: httpx.Client, url: str, field: str, allow_private: bool
) -> Iterator[httpx.Response]:
    try:
        target = httpx.URL(url)
        host = target.host
    except (httpx.InvalidURL, UnicodeError) as error:
        raise _unreadable(field) from error
    if target.scheme not in ("http", "https") or not host:
        raise PermanentError(
            f"{field}: expected a link that begins with https:// or http://", code="invalid_image"
        )
    address = _public_address(target, field, allow_private)
    request = client.build_request(
        "GET",
        target.copy_with(host=address),
        headers={"Host": target.netloc.decode(), "Accept-Encoding": "identity"},
        extensions={"sni_hostname": host},
    )
    try:
        response = client.send(request, stream=True)
    except httpx.HTTPError as error:
        raise _unreachable(field, type(error).__name__) from error
    try:
        yield response
    finally:
        response.close()


def _public_address(target: httpx.URL, field: str, allow_private: bool) -> str:
    port = target.port or (443 if target.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(target.host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise _unreachable(field, "its host is not known") from error
    addresses = [str(entry[4][0]) for entry in found]
    if not allow_private and not all(is_public(address) for address in addresses):
        raise PermanentError(
            f"{field}: the link leads to a private address; expected a public one",
            code="private_address",
        )
    return addresses[0]


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, looking inside IPv6 wrappings of IPv4.

    Of IPv6 itself only what the registries hand out is public; Python's own table calls more than that
    global, `::127.0.0.1` and the old site-local `fec0::1` among it.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = _wrapped(ip)
        if inner is not None:
            return is_public(str(inner))
        if ip not in _GLOBAL_UNICAST:
            return False
    return ip.is_global and not ip.is_multicast


def _wrapped(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if ip in _NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour


def _check_status(response: httpx.Response, field: str) -> None:
    if response.status_code == 429 or response.status_code >= 500:
        raise _unreachable(field, f"HTTP status {response.status_code}")
    if response.status_code != 200:
        raise PermanentError(
            f"{field}: the link answers with HTTP status {response.status_code}; expected a picture",
            code="invalid_image",
        )


def _save(
    response: httpx.Response, into: Path, field: str, max_bytes: int, deadline: float
) -> None:
    partial = into.with_name(f"{into.name}.{os.getpid()}.part")
    size = 0
    try:
        with partial.open("wb") as file:
            # As it comes in: waiting for a full chunk would let a trickle outlive the deadline.
            for chunk in response.iter_bytes():
                size += len(chunk)
                if size > max_bytes:
                    raise PermanentError(
                        f"{field}: the file is larger than {max_bytes // 1_000_000} MB",
                        code="invalid_image",
                    )
                if time.monotonic() > deadline:
                    raise _unreachable(field, "it was not done in time")
                file.write(chunk)
        partial.replace(into)
    except httpx.HTTPError as error:
        raise _unreachable(field, type(error).__name__) from error
    finally:
        partial.unlink(missing_ok=True)


def _unreadable(field: str) -> PermanentError:
    return PermanentError(f"{field}: the link cannot be read", code="invalid_image")


def _unreachable(field: str, why: str) -> TransientError:
    return TransientError(
        f"{field}: the link could not be fetched ({why})", code="image_unreachable"
    )
