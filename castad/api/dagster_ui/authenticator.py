"""Authentication for a Dagster UI that other machines can reach."""

import base64
import binascii
from hmac import compare_digest

from pydantic import SecretStr

from castad.api.key_cache import ApiKeyCache
from resources.ledger.queries.access import Secret


class UiAuthenticator:
    """Accepts the configured password or an admin's key by HTTP Basic with any user name, a key as Bearer too."""

    def __init__(self, password: SecretStr | None, key_cache: ApiKeyCache) -> None:
        self._password = password
        self._key_cache = key_cache

    async def accepts(self, authorization: str) -> bool:
        """Whether this Authorization header is valid. A revoked key is refused after a second at most."""
        scheme, _, given = authorization.partition(" ")
        if scheme.lower() == "basic":
            text = _password_in(given.strip())
            return text is not None and (self._is_password(text) or await self._is_admins(text))
        return scheme.lower() == "bearer" and await self._is_admins(given.strip())

    def _is_password(self, text: str) -> bool:
        expected = self._password
        return expected is not None and compare_digest(
            expected.get_secret_value().encode(), text.encode()
        )

    async def _is_admins(self, text: str) -> bool:
        secret = Secret.read(text)
        key = None if secret is None else await self._key_cache.key_of(secret)
        return key is not None and key.is_admin


def _password_in(encoded: str) -> str | None:
    try:
        text = base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    _, colon, password = text.partition(":")
    return password if colon else None
