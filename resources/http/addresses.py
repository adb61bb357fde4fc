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
"""Answers like `socket.getaddrinfo`."""
_UNKNOWN = (socket.EAI_NONAME, socket.EAI_NODATA)


class UnknownNameError(Exception):
    """The resolver has asked, and there is no such host or it has no address."""


def resolve_host(resolve: Resolver, host: str, port: int, seconds: float) -> list[str]:
    """The addresses of a host; none where they could not be found out. Raises TimeoutError, UnknownNameError.

    It is asked in a thread of its own, since the system's resolver takes no deadline.
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
        raise TimeoutError("looking up the host took too long") from None
    if addresses is None:
        raise UnknownNameError("there is no host of this name")
    return addresses


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
