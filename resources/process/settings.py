"""The settings, read from the environment (and `.env`), never from run config.

Every period is a setting, so that tests can shorten it.
"""

import os
import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import Field, PrivateAttr, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from resources.contract.errors import InvalidInputError
from resources.process.crash_plan import CrashPlan
from resources.process.setting_types import Seconds, Usd, WebAddress

PROJECT_ROOT = Path(__file__).resolve().parents[2]

M = TypeVar("M", bound=BaseSettings)

BROKERS = ("redis", "rediss", "amqp", "amqps")
"""The schemes of the brokers that CASTAD_BROKER_URL may name."""

_CODE = "invalid_setting"
# Named, not imported: vendors stand above this room, and their variables are refused at the start too.
_VENDORS = "resources.providers.registry"
_RUNS_AT_ONCE = 200
# A worker's threads share one core's worth of Python.
_MOST_WORKERS = 4
_SHORTEST_SECRET = 16
_SHORTEST_PASSWORD = 12

_STAGE_VARIABLE = re.compile(r"CASTAD_(PLACES|RETRY)_[A-Z0-9_]+|[A-Z0-9_]+_PROVIDER")
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


class _StageVariables(PydanticBaseSettingsSource):
    """The variables of the stages' form, by name; the first source that sets one decides."""

    def __init__(
        self, settings_cls: type[BaseSettings], sources: Iterable[PydanticBaseSettingsSource]
    ) -> None:
        super().__init__(settings_cls)
        self._sources = sources

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[object, str, bool]:
        """No single field is read from here."""
        return None, field_name, False

    def __call__(self) -> dict[str, object]:
        """The variables, sorted by name."""
        found: dict[str, str] = {}
        for source in self._sources:
            for name, value in getattr(source, "env_vars", {}).items():
                if value and _STAGE_VARIABLE.fullmatch(name.upper()):
                    found.setdefault(name.upper(), value)
        return {"stage_variables": tuple(sorted(found.items()))}


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

    public_url: WebAddress | None = Field(
        None, description="this castad's public address, from which vendors fetch files"
    )
    link_secret: SecretStr | None = Field(
        None,
        description="signs the links that vendors fetch files by; unset: made in CASTAD_HOME, for one machine",
    )
    link_seconds: Seconds = Field(86_400, description="how long such a link is valid")
    ui_url: WebAddress = Field(
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

    stage_variables: tuple[tuple[str, str], ...] = Field(
        (), description="the variables of the pipelines' stages, by name"
    )

    crash: str | None = Field(
        None,
        description="for fault tests: name:KILL|STOP|RAISE[:nth], see resources/process/crash_plan.py",
    )

    _of_models: dict[type[BaseSettings], BaseSettings] = PrivateAttr(default_factory=dict)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Variables of stages are gathered by their form: which stages there are, the pipelines know."""
        read = (env_settings, dotenv_settings)
        return (init_settings, *read, _StageVariables(settings_cls, read))

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

    def of(self, model: type[M]) -> M:
        """The settings that this model holds, read once.

        Raises InvalidInputError naming the variable that cannot be used.
        """
        if model not in self._of_models:
            self._of_models[model] = _read(model)
        return cast("M", self._of_models[model])

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


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process; raises InvalidInputError naming the variable that cannot be used."""
    read = _read(Settings)
    if read.beat_seconds > read.lease_seconds / 2:
        expected = f"expected at most half of CASTAD_LEASE_SECONDS, {read.lease_seconds / 2:g}"
        raise InvalidInputError("CASTAD_BEAT_SECONDS", expected, code=_CODE)
    import_module(_VENDORS).refuse_unusable(read)
    return read


def variable_of(model: type[BaseSettings], field: str) -> str:
    """The environment variable of a model's field."""
    alias = model.model_fields[field].validation_alias
    return str(alias or f"{model.model_config['env_prefix']}{field}".upper())


def _read(model: type[M]) -> M:
    try:
        return model(_env_file=Settings.model_config["env_file"])
    except ValidationError as error:
        first = error.errors()[0]
        where, expected = str(first["loc"][0]), str(first["msg"]).removeprefix("Value error, ")
        # Where a field has an alias, the error already names the variable.
        variable = variable_of(model, where) if where in model.model_fields else where
        raise InvalidInputError(variable, expected, code=_CODE) from None
    except (OSError, UnicodeDecodeError):
        raise InvalidInputError(
            ".env", "expected a readable file of UTF-8 text", code=_CODE
        ) from None
