"""Whose call it is that a proxy passes on: only a trusted one is believed, and nothing that a client wrote.

Each proxy appends the address that it was called from, so the list is read from its right end: up to the first
address that is no trusted proxy's. What stands left of it may come from anybody.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Headers = Iterable[tuple[bytes, bytes]]
_Address = IPv4Address | IPv6Address
_Network = IPv4Network | IPv6Network
_MOST_HOPS = 20


@dataclass(frozen=True)
class TrustedProxies:
    """The proxies that are believed, and who is also believed about TLS."""

    proxies: tuple[_Network, ...] = ()
    about_tls: tuple[_Network, ...] = ()

    @classmethod
    def of(cls, trusted: Sequence[str], about_tls: str | None = None) -> "TrustedProxies":
        """Return those of the settings; `about_tls` as uvicorn reads FORWARDED_ALLOW_IPS, unset: this machine."""
        proxies = tuple(ip_network(each, strict=False) for each in trusted)
        text = os.environ.get("FORWARDED_ALLOW_IPS") if about_tls is None else about_tls
        return cls(proxies, (*proxies, *_networks("127.0.0.1,::1" if text is None else text)))

    def __contains__(self, address: str | None) -> bool:
        return _is_in(_read(address or ""), self.proxies)

    def client_of(self, peer: str | None, headers: Headers) -> str | None:
        """Return the address of the client whose call came in from `peer`.

        Without a usable list it is the proxy's own; so it is with both, since a client may have written one.
        """
        if peer not in self:
            return peer
        given = [(name, value.decode("latin-1")) for name, value in headers]
        written, standard = (
            [value for name, value in given if name == header]
            for header in (b"x-forwarded-for", b"forwarded")
        )
        if written and standard:
            return peer
        hops = _from_right(written) if written else map(_for, _from_right(standard))
        client = peer
        for _, hop in zip(range(_MOST_HOPS), hops, strict=False):
            address = _read(_without_port(hop))
            if address is None:
                break
            client = str(address)
            if not _is_in(address, self.proxies):
                break
        return client

    def is_by_tls(self, peer: str | None, headers: Headers) -> bool:
        """Return whether who passed the call on says that the client came by TLS."""
        if not _is_in(_read(peer or ""), self.about_tls):
            return False
        said = [value for name, value in headers if name == b"x-forwarded-proto"]
        return bool(said) and said[-1].strip().lower() == b"https"


def _networks(text: str) -> Iterator[_Network]:
    for each in text.split(","):
        name = each.strip()
        try:
            yield from map(ip_network, ("0.0.0.0/0", "::/0") if name == "*" else (name,))
        except ValueError:
            continue  # uvicorn takes other names too, of sockets


@lru_cache(maxsize=1000)
def _read(text: str) -> _Address | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_in(address: _Address | None, networks: Iterable[_Network]) -> bool:
    return address is not None and any(address in network for network in networks)


def _from_right(lines: Sequence[str]) -> Iterator[str]:
    """Yield the elements of a header's lists, the last one first.

    A comma in quotes is no end. Quotes are read from the right too: none that a client has opened hides what was
    appended after it.
    """
    for line in reversed(lines):
        end, is_quoted = len(line), False
        for at in range(len(line) - 1, -1, -1):
            if line[at] == '"':
                is_quoted = not is_quoted
            elif line[at] == "," and not is_quoted:
                yield line[at + 1 : end].strip()
                end = at
        yield line[:end].strip()


def _for(element: str) -> str:
    """Return the `for` of an element of Forwarded (RFC 7239); empty where it has not one."""
    pairs = [pair.partition("=") for pair in element.split(";")]
    found = [value.strip() for name, _, value in pairs if name.strip().lower() == "for"]
    return found[0].strip('"') if len(found) == 1 else ""


def _without_port(text: str) -> str:
    """Return the address of `1.2.3.4:5`, `[::1]:5` and `[::1]`."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text
