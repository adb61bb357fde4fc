"""The settings, read from the environment (and `.env`), never from run config.

Every period is a setting, so that tests can shorten it.
"""

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from resources.contract.errors import InvalidInputError
from resources.process.crash_plan import CrashPlan

PROJECT_ROOT = Path(__file__).resolve().parents[2]

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Usd = Annotated[float, Field(ge=0, allow_inf_nan=False)]

VENDORS = {"lyric": "openai", "song": "suno", "video": "creatomate"}
"""The vendor of each stage; the studio can make every stage."""

BROKERS = ("redis", "rediss", "amqp", "amqps")
"""The schemes of the brokers that CASTAD_BROKER_URL may name."""

_RUNS_AT_ONCE = 200
# A worker's threads share one core's worth of Python.
_MOST_WORKERS = 4
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


class Settings(BaseSettings):
    """One value per environment variable; the variable is the field's name in capitals after `CASTAD_`."""

    model_config = SettingsConfigDict(
        env_prefix="CASTAD_",
        env_file=PROJECT_ROOT / ".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
    )

    home: Path = Field(PROJECT_ROOT / ".castad", description="the folder that holds all state")
    database_url: str | None = Field(
        None, repr=False, description="postgresql://…; unset: SQLite in CASTAD_HOME"
    )
    database_patience: Seconds = Field(
        300, description="how long a run waits for a database that does not answer"
    )
    broker_url: str | None = Field(
        None,
        repr=False,
        description="redis://…, rediss://…, amqp://… or amqps://…; unset: a folder in CASTAD_HOME",
    )
    concurrent_runs: int | None = Field(
        None, ge=1, description="runs at once in one worker; unset: 200"
    )
    workers: int | None = Field(
        None,
        ge=1,
        le=64,
        description="worker processes of `castad up` with Postgres and a broker; unset: the cores, at most 4",
    )
    places_lyric: int | None = Field(
        None, ge=1, description="lyrics made at once by all workers together; unset: no limit"
    )
    places_song: int | None = Field(
        None, ge=1, description="songs made at once by all workers together; unset: no limit"
    )
    places_video: int | None = Field(
        None, ge=1, description="videos made at once by all workers together; unset: no limit"
    )
    stop_grace: Seconds = Field(
        25,
        description="how long a stopping worker waits for its stages to finish or be requeued",
    )

    lease_seconds: Seconds = Field(30, description="how long a lease is held without a heartbeat")
    beat_seconds: Seconds = Field(10, description="how often a worker renews its leases")
    watch_seconds: Seconds = Field(0.5, description="how often a waiting run checks for a cancel")
    poll_seconds: Seconds = Field(0.5, description="shortest pause between two polls of a job")
    poll_longest: Seconds = Field(30, description="longest pause between two polls of a job")
    call_deadline: Seconds = Field(120, description="time limit of one exchange with a provider")
    download_deadline: Seconds = Field(900, description="time limit of one download")
    dispatch_grace: Seconds = Field(
        30, description="how long a dispatched run may take to claim before it is republished"
    )
    stage_deadline: Seconds = Field(3600, description="how long an attempt waits for one stage")
    poison_deaths: int = Field(
        5, ge=1, description="workers lost in one stage until the request is dead"
    )

    retry_lyric: Seconds = Field(
        30, description="wait before the first retry of the stage, doubled per retry"
    )
    retry_song: Seconds = Field(
        60, description="wait before the first retry of the stage, doubled per retry"
    )
    retry_video: Seconds = Field(
        120, description="wait before the first retry of the stage, doubled per retry"
    )
    step_retry_delay: Seconds = Field(1, description="wait before a step's own quick retry")
    unknown_grace: Seconds = Field(900, description="how long a lost submission is searched for")
    resubmit_below: Usd = Field(
        0.02, description="lost submissions of one stage are sent again below this sum (USD)"
    )
    credit_pause: Seconds = Field(
        300, description="how long a provider that ran out of credits is parked"
    )

    max_cost: Usd | None = Field(None, description="the most that one order may cost (USD)")
    daily_budget: Usd | None = Field(
        None, description="the most that all orders of a day (UTC) may cost (USD)"
    )

    public_url: str | None = Field(
        None, description="this castad's public address, from which vendors fetch files"
    )
    link_secret: SecretStr | None = Field(
        None,
        description="signs the links that vendors fetch files by; unset: made in CASTAD_HOME, for one machine",
    )
    link_seconds: Seconds = Field(86_400, description="how long such a link is valid")
    ui_url: str = Field(
        "http://127.0.0.1:3000",
        description="the Dagster UI's address, to which histories link",
    )
    connections_per_address: int = Field(
        1000,
        ge=1,
        le=100_000,
        description="connections that the API and the Dagster UI each accept from one address at once",
    )
    ui_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="names (comma-separated, port optional) by which the Dagster UI is reached from elsewhere",
    )
    ui_password: SecretStr | None = Field(
        None,
        description="the Dagster UI's password; unset: none on loopback, elsewhere an admin's key",
    )
    allow_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="private hosts and networks (comma-separated) from which files may be fetched",
    )

    lyric_provider: Literal["openai", "studio"] | None = Field(
        None, validation_alias="LYRIC_PROVIDER", description="openai or studio"
    )
    song_provider: Literal["suno", "studio"] | None = Field(
        None, validation_alias="SONG_PROVIDER", description="suno or studio"
    )
    video_provider: Literal["creatomate", "studio"] | None = Field(
        None, validation_alias="VIDEO_PROVIDER", description="creatomate or studio"
    )

    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str = Field("https://api.openai.com/v1", validation_alias="OPENAI_BASE_URL")
    openai_model: str = Field("gpt-4o-mini", validation_alias="OPENAI_MODEL")
    openai_store: bool = Field(
        True,
        validation_alias="OPENAI_STORE",
        description="the vendor keeps completions for 30 days, so that a lost one is found again",
    )
    openai_usd_in: Usd = Field(
        0.15, validation_alias="OPENAI_USD_IN", description="USD per million tokens sent"
    )
    openai_usd_out: Usd = Field(
        0.60, validation_alias="OPENAI_USD_OUT", description="USD per million tokens received"
    )
    suno_api_key: SecretStr | None = Field(None, validation_alias="SUNO_API_KEY")
    suno_base_url: str = Field("https://api.sunoapi.org", validation_alias="SUNO_BASE_URL")
    suno_model: str = Field("V4_5", validation_alias="SUNO_MODEL")
    suno_credits: int = Field(
        12, ge=0, validation_alias="SUNO_CREDITS", description="credits that one submission costs"
    )
    suno_usd_per_credit: Usd = Field(
        0.005,
        validation_alias="SUNO_USD_PER_CREDIT",
        description="price of one credit in your plan (USD)",
    )
    suno_calls: int = Field(
        20,
        ge=1,
        validation_alias="SUNO_CALLS_PER_10_SECONDS",
        description="calls of any kind that Suno allows in 10 s",
    )
    creatomate_api_key: SecretStr | None = Field(None, validation_alias="CREATOMATE_API_KEY")
    creatomate_base_url: str = Field(
        "https://api.creatomate.com", validation_alias="CREATOMATE_BASE_URL"
    )
    creatomate_template_id: str | None = Field(
        None,
        validation_alias="CREATOMATE_TEMPLATE_ID",
        description="unset: castad's own RenderScript",
    )
    creatomate_calls: int = Field(
        30,
        ge=1,
        validation_alias="CREATOMATE_CALLS_PER_10_SECONDS",
        description="calls of any kind that Creatomate allows in 10 s",
    )
    creatomate_usd_per_credit: Usd = Field(
        0.02,
        validation_alias="CREATOMATE_USD_PER_CREDIT",
        description="price of one credit in your plan (USD)",
    )

    crash: str | None = Field(
        None,
        description="for fault tests: name:KILL|STOP|RAISE[:nth], see resources/process/crash_plan.py",
    )

    @field_validator("home")
    @classmethod
    def _absolute(cls, home: Path) -> Path:
        try:
            return home.expanduser().absolute()
        except RuntimeError:
            raise ValueError("expected a folder; this user has no home folder") from None

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, url: str | None) -> str | None:
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

    @field_validator("broker_url")
    @classmethod
    def _known_broker(cls, url: str | None) -> str | None:
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
        if not separator or scheme not in BROKERS or not rest or not usable:
            raise ValueError(_BROKER_EXPECTED)
        return url

    @field_validator(
        "openai_base_url", "suno_base_url", "creatomate_base_url", "public_url", "ui_url"
    )
    @classmethod
    def _web_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        try:
            parts = urlsplit(url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable or "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError("expected an address like https://host or https://host:port/path")
        return url.rstrip("/")

    @field_validator("crash")
    @classmethod
    def _crash_point(cls, plan: str | None) -> str | None:
        if plan is not None:
            CrashPlan.read(plan)
        return plan

    @field_validator("allow_hosts", "ui_hosts", mode="before")
    @classmethod
    def _listed(cls, hosts: object) -> object:
        if not isinstance(hosts, str):
            return hosts
        return tuple(host.strip().lower() for host in hosts.split(",") if host.strip())

    @field_validator("ui_hosts")
    @classmethod
    def _as_browsers_say(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        if not all(map(_HOST.fullmatch, hosts)):
            raise ValueError("expected names as addresses have them: host, host:port or [::1]:port")
        return hosts

    @field_validator("ui_password")
    @classmethod
    def _hard_to_guess(cls, password: SecretStr | None) -> SecretStr | None:
        if password is not None and len(password.get_secret_value()) < _SHORTEST_PASSWORD:
            raise ValueError(f"expected at least {_SHORTEST_PASSWORD} characters")
        return password

    @field_validator("link_secret")
    @classmethod
    def _long_enough(cls, secret: SecretStr | None) -> SecretStr | None:
        if secret is not None and len(secret.get_secret_value()) < _SHORTEST_SECRET:
            raise ValueError(f"expected at least {_SHORTEST_SECRET} characters")
        return secret

    @field_validator("openai_api_key", "suno_api_key", "creatomate_api_key")
    @classmethod
    def _can_be_sent(cls, key: SecretStr | None) -> SecretStr | None:
        text = key.get_secret_value() if key else ""
        if not all("!" <= character <= "~" for character in text):
            raise ValueError("expected a key of printable ASCII characters without blanks")
        return key

    def provider(self, stage: str) -> str:
        """The name of this stage's provider: as set, else the vendor if its key is set, else the studio."""
        chosen = getattr(self, f"{stage}_provider")
        if chosen is not None:
            return str(chosen)
        vendor = VENDORS[stage]
        return vendor if getattr(self, f"{vendor}_api_key") else "studio"

    @property
    def ledger_url(self) -> str:
        """The SQLAlchemy URL of the ledger."""
        return self.database_url or f"sqlite:///{self.home / 'castad.db'}"

    @property
    def runs_at_once(self) -> int:
        """How many runs one worker executes at once."""
        return self.concurrent_runs or _RUNS_AT_ONCE

    @property
    def worker_processes(self) -> int:
        """How many workers `castad up` runs: one without a broker or without Postgres."""
        if self.broker_url is None or self.database_url is None:
            return 1
        return self.workers or min(os.cpu_count() or 1, _MOST_WORKERS)

    def places(self, stage: str) -> int | None:
        """How many stages of this kind all workers together may execute at once; None without limit."""
        limit: int | None = getattr(self, f"places_{stage}", None)
        return limit

    def retry_seconds(self, stage: str) -> float:
        """The wait before the first retry of a stage."""
        return float(getattr(self, f"retry_{stage}", self.retry_lyric))


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process; raises InvalidInputError naming the variable that cannot be used."""
    try:
        read = Settings()
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInputError(
            _variable(str(first["loc"][0])),
            str(first["msg"]).removeprefix("Value error, "),
            code="invalid_setting",
        ) from None
    except (OSError, UnicodeDecodeError):
        raise InvalidInputError(
            ".env", "expected a readable file of UTF-8 text", code="invalid_setting"
        ) from None
    if read.beat_seconds > read.lease_seconds / 2:
        expected = f"expected at most half of CASTAD_LEASE_SECONDS, {read.lease_seconds / 2:g}"
        raise InvalidInputError("CASTAD_BEAT_SECONDS", expected, code="invalid_setting")
    _refuse_missing_keys(read)
    return read


def _refuse_missing_keys(read: Settings) -> None:
    for stage, vendor in VENDORS.items():
        key = getattr(read, f"{vendor}_api_key")
        if read.provider(stage) == vendor and not key:
            expected = f"expected a key, since {stage.upper()}_PROVIDER is {vendor}"
            field = f"{vendor.upper()}_API_KEY"
            raise InvalidInputError(field, expected, code="invalid_setting")


def _variable(location: str) -> str:
    return location if location.isupper() else f"CASTAD_{location.upper()}"
