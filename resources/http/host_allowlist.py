"""The hosts and networks to which connections are allowed."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from resources.http.addresses import is_public

PORTS = {"http": 80, "https": 443}


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
        """Allows the host and port of a configured address, private or not, and every public host."""
        parts = urlsplit(base_url)
        host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else str(parts.hostname)
        return HostAllowlist((f"{host.lower()}:{parts.port or PORTS[parts.scheme]}",))

    def allows_name(self, host: str, port: int) -> bool:
        """Whether this host is among `hosts` by its name."""
        written = f"[{host}]" if ":" in host else host
        return not {host, written, f"{written}:{port}"}.isdisjoint(self.hosts)

    def allows_address(self, address: str) -> bool:
        """Whether this IP address is in one of the networks among `hosts`."""
        ip = ipaddress.ip_address(address.partition("%")[0])
        for entry in self.hosts:
            with suppress(ValueError):
                if ip in ipaddress.ip_network(entry, strict=False):
                    return True
        return False

    def url_problem(self, url: str) -> str | None:
        """Why a link is refused, as a sentence; None where it is not. Nothing is resolved.

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
        return self._host_problem(parts, expected)

    def _host_problem(self, parts: SplitResult, expected: str) -> str | None:
        host = str(parts.hostname).rstrip(".")
        address = _literal(host)
        known = self.allows_name(host, parts.port or PORTS[parts.scheme])
        if known or (address is not None and self.allows_address(address)):
            return None
        is_here = host == "localhost" or host.endswith(".localhost")
        if is_here or (address is not None and not is_public(address)):
            return "expected a link to the public internet; this address is private"
        if parts.scheme == "http" and not self.plain_http:
            return expected
        return None


def _literal(host: str) -> str | None:
    """The host as an IP address, in any notation that a resolver accepts (`127.1`, `0x7f.1`); None for a name."""
    with suppress(ValueError):
        return str(ipaddress.ip_address(host.partition("%")[0]))
    with suppress(OSError, ValueError):
        return socket.inet_ntoa(socket.inet_aton(host))
    return None
