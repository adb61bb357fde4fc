"""Signed links to finished files for vendors: each gives access to one file until it expires."""

import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from hmac import compare_digest
from hmac import new as hmac
from pathlib import Path
from urllib.parse import quote

from resources.process.settings import Settings


@dataclass(frozen=True)
class SignedLinks:
    """Makes links that are valid for `lifetime_seconds`, and verifies them."""

    secret: bytes
    lifetime_seconds: float
    clock: Callable[[], float] = time.time

    def path_to(self, where: str) -> str:
        """The URL path of a stored file, with its expiry (Unix seconds) and signature."""
        expires = int(self.clock() + self.lifetime_seconds)
        return f"/artifacts/{quote(where)}?expires={expires}&signature={self._sign(where, expires)}"

    def is_valid(self, where: str, expires: int, signature: str) -> bool:
        """Whether the link was signed with this secret for this file and has not expired."""
        signed = compare_digest(self._sign(where, expires).encode(), signature.encode())
        return signed and self.clock() <= expires

    def _sign(self, where: str, expires: int) -> str:
        return hmac(self.secret, f"{expires}\n{where}".encode(), sha256).hexdigest()


@lru_cache(maxsize=4)
def signed_links(settings: Settings) -> SignedLinks:
    """The links of this castad. Machines that share orders must share CASTAD_LINK_SECRET."""
    given = settings.link_secret
    secret = given.get_secret_value().encode() if given else _own_secret(settings.home / "link.key")
    return SignedLinks(secret, settings.link_seconds)


def public_link_builder(settings: Settings) -> Callable[[str], str] | None:
    """Makes links to stored files that the API serves; None where the API has no public address."""
    public_url = settings.public_url
    if public_url is None:
        return None
    return lambda where: public_url + signed_links(settings).path_to(where)


def _own_secret(path: Path) -> bytes:
    """The state folder's own secret, made once by the first process that needs it."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_hex(32))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_bytes()
