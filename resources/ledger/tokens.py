"""Random texts that give access: of a session, of a link. The ledger stores only their hashes."""

import hashlib
import re
import secrets
from dataclasses import dataclass, field

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class Token:
    """A text of 256 random bits."""

    text: str = field(repr=False)

    @classmethod
    def new(cls) -> "Token":
        """A token that nobody knows yet."""
        return cls(secrets.token_urlsafe(32))

    @classmethod
    def read(cls, text: str) -> "Token | None":
        """The token in a text from a client; None where it is malformed."""
        return cls(text) if _TOKEN.fullmatch(text) else None

    @property
    def hash(self) -> str:
        """The stored hash. For a long random text SHA-256 is as safe as a slow hash."""
        return hashlib.sha256(self.text.encode()).hexdigest()
