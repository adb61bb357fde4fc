"""Which addresses a host has, and which of them belong to the public internet."""

import ipaddress
import queue
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")

Resolver = Callable[..., Iterable[tuple[Any, ...]]]
"""Has the signature of `socket.getaddrinfo`."""
_UNKNOWN = (socket.EAI_NONAME, socket.EAI_NODATA)


class UnknownNameError(Exception):
    """The resolver reports that there is no such host or that it has no address."""


def resolve_host(resolve: Resolver, host: str, port: int, seconds: float) -> list[str]:
    """The addresses of a host; empty where they could not be resolved. Raises TimeoutError, UnknownNameError.

    The resolver runs in a thread of its own, since it takes no deadline.
    """
    answers: queue.SimpleQueue[list[str] | None] = queue.SimpleQueue()

    def ask() -> None:
        found: Iterable[tuple[Any, ...]] = ()
        try:
            with suppress(ValueError):
                found = resolve(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            if error.errno in _UNKNOWN:
                return answers.put(None)
        answers.put([str(entry[4][0]) for entry in found])

    threading.Thread(target=ask, name="look-up", daemon=True).start()
    try:
        addresses = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError("resolving the host took too long") from None
    if addresses is None:
        raise UnknownNameError("there is no host of this name")
    return addresses


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet; an IPv4 address inside IPv6 is judged as IPv4.

    Of IPv6 only global unicast (2000::/3) is public. Python's `is_global` includes more, such as `::127.0.0.1` and
    the old site-local `fec0::1`.
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
