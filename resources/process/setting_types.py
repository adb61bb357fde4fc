"""What values of settings may be."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Usd = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _web_address(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("expected an address like https://host or https://host:port/path")
    return url.rstrip("/")


def _can_be_sent(key: SecretStr) -> SecretStr:
    if not all("!" <= character <= "~" for character in key.get_secret_value()):
        raise ValueError("expected a key of printable ASCII characters without blanks")
    return key


WebAddress = Annotated[str, AfterValidator(_web_address)]
"""The address of a server, without a slash at its end."""

ApiKey = Annotated[SecretStr, AfterValidator(_can_be_sent)]
"""A key that fits into a header; empty where none is set."""
