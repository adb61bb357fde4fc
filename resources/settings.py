"""Everything that can be set, read from the environment (and `.env`), never from run config.

Every period is a setting, so that tests run on a fast clock.
"""

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from resources.errors import InvalidInputError

PROJECT_ROOT = Path(__file__).resolve().parent.parent

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Usd = Annotated[float, Field(ge=0, allow_inf_nan=False)]

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
        None, description="postgresql://…; unset: SQLite in CASTAD_HOME"
    )
    concurrent_runs: int = Field(2, ge=1, description="runs dispatched at once")

    lease_seconds: Seconds = Field(30, description="a worker silent for so long has lost its runs")
    beat_seconds: Seconds = Field(10, description="how often a worker renews its leases")
    watch_seconds: Seconds = Field(0.5, description="how often a waiting run looks for a cancel")
    poll_seconds: Seconds = Field(0.5, description="pause between two questions to a provider")
    dispatch_grace: Seconds = Field(
        120, description="a dispatched run that claimed nothing for so long is dispatched again"
    )
    stage_deadline: Seconds = Field(3600, description="an attempt waits for one stage at most")
    poison_deaths: int = Field(5, ge=1, description="workers lost in one stage until it is dead")

    retry_lyric: Seconds = Field(30, description="wait before the first retry, doubled per retry")
    retry_song: Seconds = Field(60, description="wait before the first retry, doubled per retry")
    retry_video: Seconds = Field(120, description="wait before the first retry, doubled per retry")
    step_retry_delay: Seconds = Field(1, description="wait before a step's own quick retry")
    unknown_grace: Seconds = Field(900, description="a lost submission is looked for so long")
    resubmit_below: Usd = Field(
        0.02, description="a lost submission cheaper than this (USD) is sent again"
    )
    credit_pause: Seconds = Field(300, description="wait after a provider ran out of credits")

    allow_private_addresses: bool = Field(
        False, description="let pictures be fetched from private and loopback addresses"
    )
    lyric_provider: Literal["studio"] = Field("studio", validation_alias="LYRIC_PROVIDER")
    song_provider: Literal["studio"] = Field("studio", validation_alias="SONG_PROVIDER")
    video_provider: Literal["studio"] = Field("studio", validation_alias="VIDEO_PROVIDER")

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
            make_url(known)
        except (ArgumentError, ValueError):
            # Its own sentence may repeat a piece of the password.
            raise ValueError(_DATABASE_EXPECTED) from None
        return known

    @property
    def ledger_url(self) -> str:
        """The SQLAlchemy URL of the ledger."""
        return self.database_url or f"sqlite:///{self.home / 'castad.db'}"

    def retry_seconds(self, stage: str) -> float:
        """The wait before the first retry of a stage."""
        return float(getattr(self, f"retry_{stage}", self.retry_lyric))


@lru_cache(maxsize=1)
def settings() -> Settings:
    """This process' settings; raises InvalidInputError naming the variable that cannot be used."""
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
    return read


def _variable(location: str) -> str:
    return location if location.isupper() else f"CASTAD_{location.upper()}"
