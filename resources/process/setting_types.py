"""What values of settings may be."""

import base64
import binascii
import re
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from resources.process.crash_plan import CrashPlan

_BROKERS = ("redis", "rediss", "amqp", "amqps")
_SHORTEST_SECRET = 16
_SHORTEST_PASSWORD = 12

_HOST = re.compile(r"([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
_NUMBER_OR_NONE = re.compile("/?[0-9]*")
_BROKER_EXPECTED = (
    "expected redis://user:password@host:port/0, rediss://…, amqp://user:password@host:port/vhost "
    "or amqps://… (special characters of the password percent-encoded), or unset"
)
_DATABASE_EXPECTED = (
    "expected postgresql://user:password@host:port/database (special characters of the password "
    "percent-encoded), or unset"
)

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Days = Annotated[float, Field(gt=0, le=36_500, allow_inf_nan=False)]
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


def _absolute(folder: Path) -> Path:
    try:
        return folder.expanduser().absolute()
    except RuntimeError:
        raise ValueError("expected a folder; this user has no home folder") from None


def _known_database(url: str | None) -> str | None:
    if not url:
        return None
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in ("postgresql", "postgres", "postgresql+psycopg2"):
        raise ValueError(_DATABASE_EXPECTED)
    # SQLAlchemy 2.1 takes the bare scheme for psycopg 3; Dagster's storage needs psycopg2.
    known = f"postgresql+psycopg2://{rest}"
    try:
        host = make_url(known).host
    except (ArgumentError, ValueError):
        # SQLAlchemy's own message may repeat a piece of the password.
        raise ValueError(_DATABASE_EXPECTED) from None
    if host and "@" in host:
        # A password's own `@` was not encoded: messages would show a piece of it as the host.
        raise ValueError(_DATABASE_EXPECTED)
    return known


def _known_broker(url: str | None) -> str | None:
    if not url:
        return None
    scheme, separator, rest = url.partition("://")
    try:
        parts = urlsplit(url)
        # With an `@` or `/` that was not encoded, any part may be a piece of the password.
        is_whole = "@" not in f"{parts.path}{parts.query}{parts.fragment}"
        # Redis' databases are numbered.
        is_named = not scheme.startswith("redis") or bool(_NUMBER_OR_NONE.fullmatch(parts.path))
        usable = bool(parts.hostname) and parts.port != 0 and is_whole and is_named
    except ValueError:
        usable = False
    if not separator or scheme not in _BROKERS or not rest or not usable:
        raise ValueError(_BROKER_EXPECTED)
    return url


def _redis_only(url: str | None) -> str | None:
    if url is not None and not url.startswith("redis"):
        raise ValueError("expected redis://user:password@host:port/0 or rediss://…, or unset")
    return url


def _readable_plan(plan: str | None) -> str | None:
    if plan is not None:
        CrashPlan.read(plan)
    return plan


def _listed(names: object) -> object:
    if not isinstance(names, str):
        return names
    return tuple(name.strip().lower() for name in names.split(",") if name.strip())


def _as_browsers_say(hosts: tuple[str, ...]) -> tuple[str, ...]:
    if not all(map(_HOST.fullmatch, hosts)):
        raise ValueError("expected names as addresses have them: host, host:port or [::1]:port")
    return hosts


def _as_networks(names: tuple[str, ...]) -> tuple[str, ...]:
    try:
        for name in names:
            ip_network(name, strict=False)
    except ValueError:
        raise ValueError("expected addresses or networks, such as 10.0.0.7 or 10.0.0.0/8") from None
    return names


def _at_least(characters: int) -> AfterValidator:
    def long_enough(secret: SecretStr | None) -> SecretStr | None:
        if secret is not None and len(secret.get_secret_value()) < characters:
            raise ValueError(f"expected at least {characters} characters")
        return secret

    return AfterValidator(long_enough)


def _signs_webhooks(secret: SecretStr | None) -> SecretStr | None:
    if secret is not None:
        prefix, _, rest = secret.get_secret_value().partition("_")
        try:
            size = len(base64.b64decode(rest, validate=True))
        except (binascii.Error, ValueError):
            size = 0
        if prefix != "whsec" or not 24 <= size <= 64:
            raise ValueError("expected whsec_ and the base64 of 24 to 64 random bytes")
    return secret


def _waits(given: object) -> object:
    return tuple(given.split(",")) if isinstance(given, str) else given


Folder = Annotated[Path, AfterValidator(_absolute)]
"""A folder, as an absolute path."""

DatabaseUrl = Annotated[str | None, AfterValidator(_known_database)]
"""A Postgres address for psycopg2; None for SQLite."""

BrokerUrl = Annotated[str | None, AfterValidator(_known_broker)]
"""A Redis or RabbitMQ address; None for a folder."""

RedisUrl = Annotated[BrokerUrl, AfterValidator(_redis_only)]
"""A Redis or Valkey address."""

CrashPlanText = Annotated[str | None, AfterValidator(_readable_plan)]
"""A crash plan for tests."""

Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
"""Names from a comma-separated text, in small letters."""

UiHosts = Annotated[Names, AfterValidator(_as_browsers_say)]
"""Hosts as browsers send them."""

Networks = Annotated[Names, AfterValidator(_as_networks)]
"""Addresses and networks."""

Password = Annotated[SecretStr | None, _at_least(_SHORTEST_PASSWORD)]
SigningSecret = Annotated[SecretStr | None, _at_least(_SHORTEST_SECRET)]

WebhookSecret = Annotated[SecretStr | None, AfterValidator(_signs_webhooks)]
"""A secret of Standard Webhooks."""

Waits = Annotated[tuple[Seconds, ...], NoDecode, BeforeValidator(_waits), Field(max_length=100)]
"""Seconds, with commas between them."""
