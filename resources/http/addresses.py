"""Tell public addresses from others, and list the hosts to which connections are allowed."""

from __future__ import annotations

import ipaddress
import queue
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

# What IANA's registries of special-purpose addresses name, reachable or not, with multicast and what is reserved:
# https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry.
_SPECIAL_IPV4 = (
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
    *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24"),
    *("192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15"),
    *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"),
)
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_SPECIAL_IPV6 = ("2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20")
_SPECIAL = tuple(ipaddress.ip_network(each) for each in (*_SPECIAL_IPV4, *_SPECIAL_IPV6))
_NAT64 = ipaddress.ip_network("64:ff9b::/96")

Resolver = Callable[..., Iterable[tuple[Any, ...]]]
"""Has the signature of `socket.getaddrinfo`."""
_UNKNOWN = (socket.EAI_NONAME, socket.EAI_NODATA)
PORTS = {"http": 80, "https": 443}


class UnknownNameError(Exception):
    """Raised when the resolver reports that there is no such host or that it has no address."""


@dataclass(frozen=True)
class HostAllowlist:
    """The hosts to which connections are allowed.

    `hosts` are hosts (`name`, on any port, or `name:port`) and networks (`10.0.0.0/8`) that may be private and
    reached without TLS. Every other host needs a public address, and TLS unless `plain_http` is set.
    """

    hosts: tuple[str, ...] = ()
    plain_http: bool = False

    @staticmethod
    def for_base_url(base_url: str) -> HostAllowlist:
        """Build an allowlist with the host and port of a configured URL; public hosts stay allowed over TLS."""
        parts = urlsplit(base_url)
        host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else str(parts.hostname)
        return HostAllowlist((f"{host.lower()}:{parts.port or PORTS[parts.scheme]}",))

    def allows_name(self, host: str, port: int) -> bool:
        """Return whether `hosts` contains this host by name, with or without the port."""
        written = f"[{host}]" if ":" in host else host
        return not {host, written, f"{written}:{port}"}.isdisjoint(self.hosts)

    def allows_address(self, address: str) -> bool:
        """Return whether this IP address is in one of the networks in `hosts`."""
        ip = ipaddress.ip_address(address.partition("%")[0])
        for entry in self.hosts:
            with suppress(ValueError):
                if ip in ipaddress.ip_network(entry, strict=False):
                    return True
        return False

    def find_url_problem(self, url: str) -> str | None:
        """Return why a link is refused, as a sentence; None if it is accepted. Resolves no host.

        A name may still resolve to a private address: that is checked at every connection.
        """
        schemes = "https:// or http://" if self.plain_http else "https://"
        expected = f"expected a link that begins with {schemes}"
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            return expected
        if parts.scheme not in PORTS or not parts.hostname or port == 0:
            return expected
        if any(character.isspace() for character in url):
            return f"{expected} and has no blanks"
        if "%" in parts.netloc or not str(parts.hostname).isprintable():
            return f"{expected} and a host's name"
        if "@" in parts.netloc:
            return f"{expected} and has no user name"
        host = str(parts.hostname).rstrip(".")
        address = _parse_ip_address(host)
        known = self.allows_name(host, parts.port or PORTS[parts.scheme])
        if known or (address is not None and self.allows_address(address)):
            return None
        is_here = host == "localhost" or host.endswith(".localhost")
        if is_here or (address is not None and not is_public(address)):
            return "expected a link to the public internet; this address is private"
        if parts.scheme == "http" and not self.plain_http:
            return expected
        return None


def is_public(address: str) -> bool:
    """Return whether the IP address belongs to the public internet.

    Special-purpose addresses do not, nor IPv6 outside of global unicast (2000::/3). An IPv4 address that is mapped
    into IPv6, or reached by NAT64 or 6to4, is judged as IPv4.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if ip not in _GLOBAL_UNICAST:
            return False
    return not any(ip in network for network in _SPECIAL)


def _parse_ip_address(host: str) -> str | None:
    """Parse an IP address in any notation that resolvers accept (`127.1`, `0x7f.1`); return None for a name."""
    with suppress(ValueError):
        return str(ipaddress.ip_address(host.partition("%")[0]))
    with suppress(OSError, ValueError):
        return socket.inet_ntoa(socket.inet_aton(host))
    return None


def resolve_host(resolve: Resolver, host: str, port: int, seconds: float) -> list[str]:
    """Resolve a host to IP addresses within `seconds`; return [] if the lookup fails for another reason.

    The lookup runs in a thread, because the resolver accepts no time limit. Raises TimeoutError, UnknownNameError.
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
