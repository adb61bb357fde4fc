"""HTTP connections that end in time and reach only whom they may."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx


@dataclass(frozen=True)
class Reach:
    """Whom a connection may lead to.

    `hosts` are the hosts (`name` or `name:port`) and networks (`10.0.0.0/8`) that may be private, and be
    spoken to without TLS; whoever else has a public address may be reached, without TLS only where
    `plain_http` says so.
    """

    hosts: tuple[str, ...] = ()
    plain_http: bool = False

    @staticmethod
    def of_service(base_url: str) -> Reach:
        """The host of a configured address, wherever it is, besides everybody public."""
        return Reach((urlsplit(base_url).netloc.lower(),))


def guarded_client(reach: Reach, *, deadline_seconds: float, most_bytes: int) -> httpx.Client:
    """A client for one exchange: checked addresses, one deadline over all of it, a limit on the answer."""
    raise NotImplementedError
