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
_CHUNK = 1 << 16


def download(url: str, into: Path, *, field: str, max_bytes: int, allow_private: bool) -> None:
    """The linked file is at `into`, whole, and at most `max_bytes` long.

    Every hop of a redirect is resolved once, refused where any of its addresses is not public, and
    connected to by the address that was checked. Raises PermanentError where the link cannot be used,
    TransientError where it may work later; both name `field`.
    """
    deadline = time.monotonic() + _DEADLINE_SECONDS
    with httpx.Client(timeout=_TIMEOUT, trust_env=False, follow_redirects=False) as client:
        for _ in range(_REDIRECTS + 1):
            with _get(client, url, field, allow_private) as response:
                if not response.is_redirect:
                    _check_status(response, field)
                    _save(response, into, field, max_bytes, deadline)
                    return
                url = urljoin(url, response.headers.get("location", ""))
    raise PermanentError(
        f"{field}: the link redirects more than {_REDIRECTS} times", code="invalid_image"
    )


@contextmanager
def _get(
    client: httpx.Client, url: str, field: str, allow_private: bool
) -> Iterator[httpx.Response]:
    try:
        target = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise PermanentError(f"{field}: the link cannot be read", code="invalid_image") from error
    if target.scheme not in ("http", "https") or not target.host:
        raise PermanentError(
            f"{field}: expected a link that begins with https:// or http://", code="invalid_image"
        )
    address = _public_address(target, field, allow_private)
    request = client.build_request(
        "GET",
        target.copy_with(host=address),
        headers={"Host": target.netloc.decode()},
        extensions={"sni_hostname": target.host},
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
    """Whether an IP address belongs to the public internet, looking inside IPv6 wrappings of IPv4."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if inner is not None:
            return inner.is_global and not inner.is_multicast
    return ip.is_global and not ip.is_multicast


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
            for chunk in response.iter_bytes(_CHUNK):
                size += len(chunk)
                if size > max_bytes:
                    raise PermanentError(
                        f"{field}: the file is larger than {max_bytes // 1_000_000} MB",
                        code="invalid_image",
                    )
                if time.monotonic() > deadline:
                    raise _unreachable(field, f"not done after {_DEADLINE_SECONDS} s")
                file.write(chunk)
        partial.replace(into)
    except httpx.HTTPError as error:
        raise _unreachable(field, type(error).__name__) from error
    finally:
        partial.unlink(missing_ok=True)


def _unreachable(field: str, why: str) -> TransientError:
    return TransientError(
        f"{field}: the link could not be fetched ({why})", code="image_unreachable"
    )
