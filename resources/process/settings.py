"""Read the settings from the environment (and `.env`), never from run config.

Every period is a setting, so that tests can shorten it.
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import TypeVar, cast

from pydantic import Field, PrivateAttr, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from resources.contract.errors import InvalidInputError, describe_expected
from resources.process.setting_types import (
    PROJECT_VARIABLE,
    BrokerUrl,
    DatabaseUrl,
    Days,
    Folder,
    MailUrl,
    Names,
    Networks,
    Password,
    PlannedCrash,
    RedisUrl,
    Seconds,
    SigningSecret,
    UiHosts,
    Usd,
    Waits,
    WebAddress,
    WebhookSecret,
    check_no_renamed_variables,
    check_no_unknown_variables,
    is_stage_variable,
)

CODE_ROOT = Path(__file__).resolve().parents[2]
"""The folder that castad is imported from: a checkout, or `site-packages`."""
_IS_CHECKOUT = (CODE_ROOT / "pyproject.toml").is_file()
PROJECT_ROOT = CODE_ROOT if _IS_CHECKOUT else Path(os.environ.get(PROJECT_VARIABLE) or Path.cwd())
"""The folder of `.env` and, by default, of the state: the checkout, or an installed castad's working folder."""


def find_project_file(name: str) -> Path:
    """Return the path of Procfile, dagster.yaml or workspace.yaml, in the checkout or the installed package."""
    return (CODE_ROOT if _IS_CHECKOUT else CODE_ROOT / "castad" / "project") / name


M = TypeVar("M", bound=BaseSettings)

_CODE = "invalid_setting"
_RUNS_AT_ONCE = 200
# A worker's threads share one core's worth of Python.
_MOST_WORKERS = 4


class Settings(BaseSettings):
    """The settings of castad: each field is read from the environment variable `CASTAD_<FIELD>`."""

    model_config = SettingsConfigDict(
        env_prefix="CASTAD_",
        env_file=PROJECT_ROOT / ".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
    )

    home: Folder = Field(PROJECT_ROOT / ".castad", description="the folder that holds all state")
    studio_data: Folder | None = Field(
        None, description="a folder of your own lyrics, scenes and words, see docs/content.md"
    )
    database_url: DatabaseUrl = Field(
        None, repr=False, description="postgresql://…; unset: SQLite in CASTAD_HOME"
    )
    database_patience: Seconds = Field(
        300, description="how long a run waits for a database that does not answer"
    )
    intake_url: RedisUrl = Field(
        None,
        repr=False,
        description="redis://… or rediss://…: where `castad intake` reads the stream castad:orders",
    )
    intake_owner: str | None = Field(
        None, max_length=128, description="the owner of the orders that `castad intake` takes in"
    )
    broker_url: BrokerUrl = Field(
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
        description="how long a stopping worker waits for its stages, and a stopping API for its scans",
    )

    lease_seconds: Seconds = Field(30, description="how long a lease is held without a heartbeat")
    beat_seconds: Seconds = Field(10, description="how often a worker renews its leases")
    watch_seconds: Seconds = Field(
        0.5,
        description="how often a waiting run checks for a cancel, and a working one saves its progress",
    )
    poll_seconds: Seconds = Field(
        0.5,
        description="shortest pause between two polls of a vendor's job, longest of one on this machine",
    )
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
        300, description="how long a provider that ran out of credits is paused"
    )

    max_cost: Usd | None = Field(None, description="the most that one order may cost (USD)")
    daily_budget: Usd | None = Field(
        None, description="the most that all orders of a day (UTC) may cost (USD)"
    )

    keys_offline: Seconds = Field(
        3600,
        description="how long scans are answered by the API keys this machine knows while the ledger is away",
    )
    public_url: WebAddress | None = Field(
        None, description="this castad's public address, from which vendors fetch files"
    )
    link_secret: SigningSecret = Field(
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
    streams_per_key: int = Field(
        200,
        ge=1,
        le=100_000,
        description="live streams and downloads that one key has open at once at one API process, "
        "and at most half of what one address may have",
    )
    upload_bytes_per_day: int = Field(
        1_000_000_000,
        ge=0,
        description="bytes of pictures that one key may upload in a day (UTC) at one API process",
    )
    trusted_proxies: Networks = Field(
        (),
        description="addresses and networks (comma-separated) of proxies that say whose call they pass on",
    )
    ui_hosts: UiHosts = Field(
        (),
        description="names (comma-separated, port optional) by which the Dagster UI is reached from elsewhere",
    )
    ui_password: Password = Field(
        None,
        description="the Dagster UI's password; unset: none on loopback, elsewhere an admin's key",
    )
    allow_hosts: Names = Field(
        (),
        description="private hosts and networks (comma-separated) that may be fetched from and called back",
    )

    webhook_secret: WebhookSecret = Field(
        None,
        repr=False,
        description="signs the webhooks of orders that no API key's owner submitted",
    )
    mail_url: MailUrl = Field(
        None,
        repr=False,
        description="the server that sends e-mail about orders with `notify`, such as "
        "smtp://user:password@host:587?from=castad@shop.example; unset: none is sent",
    )
    webhook_waits: Waits = Field(
        (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400),
        description="seconds before each further try of a webhook (comma-separated); after those it is dead",
    )
    webhook_deadline: Seconds = Field(20, description="time limit of one try of a webhook")
    webhook_seconds: Seconds = Field(
        1, description="how often the ledger is searched for webhooks that are due"
    )
    webhook_rotation: Seconds = Field(
        86_400, description="how long a key's former webhook secret signs beside its new one"
    )

    keep_runs: Days = Field(
        30, description="days that the Dagster runs and events of a completed order are kept"
    )
    keep_failed_runs: Days = Field(90, description="days that those of other ended orders are kept")
    keep_files: Days = Field(90, description="days that an ended order's files are kept")
    keep_dead: Days = Field(90, description="days that a settled dead letter is kept")
    keep_requests: Days = Field(
        400, description="days that other ended orders and the hourly reports are kept"
    )
    dead_redrive: bool = Field(
        False, description="whether dead letters of a passing cause are tried once more, hourly (1)"
    )
    retention_seconds: Seconds = Field(
        60, description="how long an hourly clean-up lasts; what is left waits for the next"
    )

    scan_rules: Folder | None = Field(
        None, description="a folder of disposal rules (JSON) in place of castad's own"
    )
    character_database_url: DatabaseUrl = Field(
        None,
        repr=False,
        description="postgresql://…: characters and owners; unset: SQLite in CASTAD_HOME",
    )
    my_database_url: DatabaseUrl = Field(
        None,
        repr=False,
        description="postgresql://…: the users' own lists; unset: SQLite in CASTAD_HOME",
    )
    direct_threads: int = Field(
        64, ge=1, le=1_000, description="orders that the API answers itself at once (scans)"
    )
    direct_waiting: int = Field(
        1_000, ge=1, le=100_000, description="such orders that wait for a thread; beyond, 429"
    )
    direct_per_key: int = Field(
        500,
        ge=1,
        le=100_000,
        description="such orders of one API key at work or waiting; beyond, 429",
    )

    stage_variables: tuple[tuple[str, str], ...] = Field(
        (), description="the variables of the pipelines' stages, by name"
    )

    crash: PlannedCrash = Field(
        None,
        description="for fault tests: name:KILL|STOP|RAISE[:nth], see resources/process/setting_types.py",
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
        """Return the sources of the settings: arguments, environment, `.env`, and the variables of stages.

        Raises InvalidInputError for any other variable `CASTAD_…`, or one with an old name.
        """
        read = (env_settings, dotenv_settings)
        known = {get_variable_name(cls, field) for field in cls.model_fields}
        known.remove("CASTAD_STAGE_VARIABLES")
        # The environment precedes `.env`.
        variables = {
            name.upper(): value
            for source in reversed(read)
            for name, value in getattr(source, "env_vars", {}).items()
            if value
        }
        check_no_renamed_variables(variables)
        check_no_unknown_variables(variables, known)
        of_stages = sorted(each for each in variables.items() if is_stage_variable(each[0]))
        stages = InitSettingsSource(settings_cls, {"stage_variables": tuple(of_stages)})
        return (init_settings, *read, stages)

    def of(self, model: type[M]) -> M:
        """Return the settings of another model, such as a vendor's, read once per process.

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
        """The number of runs that one worker executes at once."""
        return self.concurrent_runs or _RUNS_AT_ONCE

    @property
    def worker_processes(self) -> int:
        """The number of workers that `castad up` starts: one unless both a broker and Postgres are configured."""
        if self.broker_url is None or self.database_url is None:
            return 1
        return self.workers or min(os.cpu_count() or 1, _MOST_WORKERS)


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return this process's settings, read once. Raises InvalidInputError naming the unusable variable."""
    read = _read(Settings)
    if read.beat_seconds > read.lease_seconds / 2:
        expected = f"expected at most half of CASTAD_LEASE_SECONDS, {read.lease_seconds / 2:g}"
        raise InvalidInputError("CASTAD_BEAT_SECONDS", expected, code=_CODE)
    if read.studio_data is not None:
        # The studio knows no settings: it reads this one from the environment, also where .env gives it.
        os.environ["CASTAD_STUDIO_DATA"] = str(read.studio_data)
    return read


def get_variable_name(model: type[BaseSettings], field: str) -> str:
    """Return the name of the environment variable that sets a field of the model."""
    alias = model.model_fields[field].validation_alias
    return str(alias or f"{model.model_config['env_prefix']}{field}".upper())


def _read(model: type[M]) -> M:
    """Read the settings of a model from the environment and `.env`. Raises InvalidInputError."""
    try:
        return model(_env_file=Settings.model_config["env_file"])
    except ValidationError as error:
        first = error.errors()[0]
        where, expected = str(first["loc"][0]), describe_expected(first)
        # Where a field has an alias, the error already names the variable.
        variable = get_variable_name(model, where) if where in model.model_fields else where
        raise InvalidInputError(variable, expected, code=_CODE) from None
    except (OSError, UnicodeDecodeError):
        raise InvalidInputError(
            ".env", "expected a readable file of UTF-8 text", code=_CODE
        ) from None
