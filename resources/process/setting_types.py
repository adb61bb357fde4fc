"""Check the values of settings, crash plans among them, and refuse names of variables that are none."""

import base64
import binascii
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
)
from pydantic_settings import NoDecode
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from resources.contract.errors import InvalidInputError

_FORM = re.compile(r"([a-z_]+\.[a-z_]+):(KILL|STOP|RAISE)(?::([1-9][0-9]{0,5}))?")

PAID_POINTS: Mapping[str, str] = {
    "before_stage": "the stage has not begun",
    "after_begin": "the stage has begun, the vendor has not been called",
    "before_intent": "the job is prepared, no intent is stored",
    "after_intent": "the intent is stored, nothing is sent",
    "before_send": "the lease was checked for the last time, nothing is sent",
    "after_post": "the vendor has answered, its id is not stored",
    "after_save": "the id is stored, nothing is polled",
    "after_poll": "the vendor has reported success, which is not stored",
    "after_answer": "the final status is stored, nothing is fetched",
    "after_fetch": "the files are downloaded, not stored as artifacts",
    "after_keep": "the files are stored as artifacts, the stage is not completed",
    "after_complete": "the stage is completed, Dagster has not saved it",
}
"""The steps of a paid stage, each as `<stage>.<point>`, and what is done by then."""

OTHER_POINTS: Mapping[str, str] = {
    "claim.after_claim": "the run holds the request, no op has begun",
    "requests_sensor.after_dispatch": "requests are dispatched, Dagster has no run of them",
    "rescue_sensor.after_take": "expired leases are rescued, the cursor is old",
    "outbox_sensor.after_report": "events are mirrored, not marked as mirrored",
}

RETENTION_POINTS: Mapping[str, str] = {
    "retention.before_commit": "requests are deleted, and the transaction is open",
    "retention.after_events": "the events of runs are deleted, the runs are stored",
    "retention.after_commit": "requests or their files are gone from the ledger, the files are there",
}


@dataclass(frozen=True)
class CrashPlan:
    """A plan of a fault test: do `action` (KILL, STOP or RAISE) at the `nth` passage of `point`."""

    text: str
    point: str
    action: str
    nth: int

    @staticmethod
    def parse(text: str) -> "CrashPlan":
        """Parse a plan `point:ACTION[:nth]`. Raises ValueError for another form or an unknown point."""
        form = _FORM.fullmatch(text)
        if form is None:
            raise ValueError(
                "expected name:KILL, name:STOP or name:RAISE, optionally followed by :nth"
            )
        point, action, nth = form.groups()
        others = (*OTHER_POINTS, *RETENTION_POINTS)
        if point not in others and point.partition(".")[2] not in PAID_POINTS:
            known = ", ".join([*(f"<stage>.{step}" for step in PAID_POINTS), *others])
            raise ValueError(f"expected one of {known}")
        return CrashPlan(text, point, action, int(nth or 1))


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


def _check_web_address(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("expected an address like https://host or https://host:port/path")
    return url.rstrip("/")


def _check_key(key: SecretStr) -> SecretStr:
    if not all("!" <= character <= "~" for character in key.get_secret_value()):
        raise ValueError("expected a key of printable ASCII characters without blanks")
    return key


WebAddress = Annotated[str, AfterValidator(_check_web_address)]
"""The address of a server, without a slash at its end."""

ApiKey = Annotated[SecretStr, AfterValidator(_check_key)]
"""A key that fits into a header; empty where none is set."""


def _make_absolute(folder: Path) -> Path:
    try:
        return folder.expanduser().absolute()
    except RuntimeError:
        raise ValueError("expected a folder; this user has no home folder") from None


def _check_database(url: str) -> str:
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


def _check_broker(url: str) -> str:
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


def _check_redis(url: str) -> str:
    if not url.startswith("redis"):
        raise ValueError("expected redis://user:password@host:port/0 or rediss://…, or unset")
    return url


def _split_names(names: object) -> object:
    if not isinstance(names, str):
        return names
    return tuple(name.strip().lower() for name in names.split(",") if name.strip())


def _check_hosts(hosts: tuple[str, ...]) -> tuple[str, ...]:
    if not all(map(_HOST.fullmatch, hosts)):
        raise ValueError("expected names as addresses have them: host, host:port or [::1]:port")
    return hosts


def _check_networks(names: tuple[str, ...]) -> tuple[str, ...]:
    try:
        for name in names:
            ip_network(name, strict=False)
    except ValueError:
        raise ValueError("expected addresses or networks, such as 10.0.0.7 or 10.0.0.0/8") from None
    return names


def _require_length(characters: int) -> AfterValidator:
    def check_length(secret: SecretStr) -> SecretStr:
        if len(secret.get_secret_value()) < characters:
            raise ValueError(f"expected at least {characters} characters")
        return secret

    return AfterValidator(check_length)


def _check_webhook_secret(secret: SecretStr) -> SecretStr:
    prefix, _, rest = secret.get_secret_value().partition("_")
    try:
        size = len(base64.b64decode(rest, validate=True))
    except (binascii.Error, ValueError):
        size = 0
    if prefix != "whsec" or not 24 <= size <= 64:
        raise ValueError("expected whsec_ and the base64 of 24 to 64 random bytes")
    return secret


def _check_mail_url(url: SecretStr) -> SecretStr:
    expected = "expected smtp://user:password@host:587?from=castad@shop.example, or smtps://"
    try:
        parts = urlsplit(url.get_secret_value())
        senders = parse_qs(parts.query, strict_parsing=True).get("from", [])
        usable = parts.scheme in ("smtp", "smtps") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise ValueError(expected) from None
    if not usable or len(senders) != 1 or not MAIL_ADDRESS.fullmatch(senders[0]):
        raise ValueError(expected)
    return url


MAIL_ADDRESS = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+"
)
"""An e-mail address with a domain of two parts or more, without `=` and `?`, which encode words in a header."""


def _split_waits(given: object) -> object:
    return tuple(given.split(",")) if isinstance(given, str) else given


Folder = Annotated[Path, AfterValidator(_make_absolute)]
"""A folder, as an absolute path."""

DatabaseUrl = Annotated[str, AfterValidator(_check_database)] | None
"""A Postgres address for psycopg2; None for SQLite."""

BrokerUrl = Annotated[str, AfterValidator(_check_broker)] | None
"""A Redis or RabbitMQ address; None for a folder."""

RedisUrl = Annotated[str, AfterValidator(_check_broker), AfterValidator(_check_redis)] | None
"""A Redis or Valkey address."""

PlannedCrash = Annotated[Annotated[CrashPlan, BeforeValidator(CrashPlan.parse)] | None, NoDecode]
"""A crash plan for tests."""

Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_names)]
"""Names from a comma-separated text, in small letters."""

UiHosts = Annotated[Names, AfterValidator(_check_hosts)]
"""Hosts as browsers send them."""

Networks = Annotated[Names, AfterValidator(_check_networks)]
"""Addresses and networks."""

Password = Annotated[SecretStr, _require_length(_SHORTEST_PASSWORD)] | None
SigningSecret = Annotated[SecretStr, _require_length(_SHORTEST_SECRET)] | None

WebhookSecret = Annotated[SecretStr, AfterValidator(_check_webhook_secret)] | None
"""A secret of Standard Webhooks."""

MailUrl = Annotated[SecretStr, AfterValidator(_check_mail_url)] | None
"""The server that sends e-mail, with its log-in and the sender's address."""

Waits = Annotated[
    tuple[Seconds, ...], NoDecode, BeforeValidator(_split_waits), Field(max_length=100)
]
"""Seconds, with commas between them."""


WORKSPACE_VARIABLE = "CASTAD_WORKSPACE"
"""The file of the workspace that the processes of `castad up` share."""
STOP_LOCK_VARIABLE = "CASTAD_STOP_LOCK"
"""The path of the stop lock."""
PROJECT_VARIABLE = "CASTAD_PROJECT"
"""The folder in which an installed castad was called: its processes find `.env` and the state there."""
_OF_PROCESSES = (WORKSPACE_VARIABLE, STOP_LOCK_VARIABLE, PROJECT_VARIABLE)

# Kubernetes gives every container the addresses of its services, and one may be called castad.
_OF_SERVICES = re.compile(r"CASTAD_(\w+_)?(SERVICE_HOST|SERVICE_PORT\w*|PORT(_\d+_(TCP|UDP)\w*)?)")

OWN_PREFIX = "CASTAD_"
_FORMER_BEGINNINGS = {"CASTAD_PLACES_": "CASTAD_SLOTS_", "COMFYUI_PLACES": "COMFYUI_SLOTS"}
"""How the names of variables began that have others now."""
_ASSIGNED = re.compile(r"^([#\s]*(?:export\s+)?)(\w+)(?=\s*=)", re.MULTILINE)
_OF_VENDORS = re.compile(r"CASTAD_[A-Z0-9]+_URLS")
_OF_STAGES = re.compile(r"CASTAD_(SLOTS|RETRY)_.+|.+_PROVIDER")


def is_stage_variable(name: str) -> bool:
    """Return whether the variable has the form of a stage's or pipeline's variable, such as CASTAD_SLOTS_…."""
    return bool(_OF_STAGES.fullmatch(name))


def get_current_name(name: str) -> str | None:
    """Return the new name of a renamed variable; None for any other."""
    for former, today in _FORMER_BEGINNINGS.items():
        if name.startswith(former):
            return today + name.removeprefix(former)
    return None


def rename_variables(text: str) -> tuple[str, Mapping[str, str]]:
    """Replace the old names of variables in a settings file's text, in comments too.

    Return the new text, and the new names by the old ones.
    """
    renamed: dict[str, str] = {}

    def rename(line: re.Match[str]) -> str:
        today = get_current_name(line[2])
        if today is None:
            return line[0]
        renamed[line[2]] = today
        return line[1] + today

    return _ASSIGNED.sub(rename, text), renamed


def check_no_renamed_variables(given: Iterable[str]) -> None:
    """Check that no variable has an old name. Raises InvalidInputError naming those, with their new names."""
    renamed = {name: today for name in sorted({*given}) if (today := get_current_name(name))}
    if renamed:
        expected = ", ".join(renamed.values())
        raise InvalidInputError(
            ", ".join(renamed),
            f"expected the new name, {expected}; `castad migrate --env .env` renames them in a file",
            code="invalid_setting",
        )


def check_no_unknown_variables(given: Iterable[str], settings: Collection[str]) -> None:
    """Check that every variable `CASTAD_…` is one of castad's: a setting, or one of processes, services or stages.

    `settings` are the names of all settings. Raises InvalidInputError naming one that is not.
    """
    for name in sorted(given):
        if not name.startswith(OWN_PREFIX) or name in settings or name in _OF_PROCESSES:
            continue
        if not (
            _OF_SERVICES.fullmatch(name) or is_stage_variable(name) or _OF_VENDORS.fullmatch(name)
        ):
            expected = "is no variable of castad; expected one of those in .env.example"
            raise InvalidInputError(name, expected, code="invalid_setting")
