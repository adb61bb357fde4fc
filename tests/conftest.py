"""What every test starts from: no settings but its own, a state folder of its own, and two databases."""

import gc
import logging
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import settings as hypothesis_settings
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from pipeline_defs.scan.characters.catalogue import stop_catalogue
from resources.ledger.db.database import Database, database_of, open_database
from resources.process.settings import Settings, settings
from resources.providers.vendor import VENDORS, _make_checked_provider
from tests.compiled_statements import share_compiled_statements
from tests.ledger_steps import Steps
from tests.postgres_server import PostgresServer
from tests.short_writes import guard_writes
from tests.tracing import register_tracing

_OF_VENDORS = tuple(f"{name.upper()}_" for name in VENDORS)
_FOREIGN = ("CASTAD_", "LYRIC_", "SONG_", "VIDEO_", *_OF_VENDORS)
_FAST_CLOCK = {
    "lease_seconds": 20,
    "beat_seconds": 0.02,
    "watch_seconds": 0.005,
    "poll_seconds": 0.001,
    "dispatch_grace": 0.001,
    "stage_deadline": 20,
    "step_retry_delay": 0.001,
    "unknown_grace": 600,
    "credit_pause": 0.001,
}

MakeSettings = Callable[..., Settings]


class _GivenSettings(Settings):
    """The environment and .env are not read: that takes longer than many a test."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


# `make thorough` tries ten times as many examples; how long one takes says nothing on a busy machine.
hypothesis_settings.register_profile("castad", deadline=None, max_examples=50)
hypothesis_settings.register_profile("thorough", deadline=None, max_examples=500)

# Thousands of collected tests stay to the end: looking through them for garbage is a twelfth of all time.
gc.disable()


def pytest_collection_finish() -> None:
    """From now on garbage is collected, but only among what the tests themselves make."""
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """A suite that is told to stop stops its servers, as with Ctrl-C; no law is about how long it takes."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    hypothesis_settings.load_profile("castad")
    guard_writes()
    share_compiled_statements()
    register_tracing(config)


def forget_foreign_settings(patch: pytest.MonkeyPatch) -> None:
    """No variable and no .env of this machine is read."""
    for name in [name for name in os.environ if name.startswith(_FOREIGN)]:
        patch.delenv(name)
    patch.setitem(Settings.model_config, "env_file", None)


@pytest.fixture(scope="session", autouse=True)
def no_state_of_the_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What outlives a test has settings of its own too: importing the job has read them already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASTAD_HOME", str(tmp_path_factory.mktemp("home")))
        settings.cache_clear()
        yield


@pytest.fixture(autouse=True)
def only_own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No variable and no .env of this machine reaches a test, and no test reaches the project's state."""
    forget_foreign_settings(monkeypatch)
    monkeypatch.setenv("CASTAD_HOME", str(tmp_path / "home"))
    settings.cache_clear()
    database_of.cache_clear()
    yield
    stop_catalogue()
    settings.cache_clear()
    database_of.cache_clear()
    _make_checked_provider.cache_clear()


@pytest.fixture
def make_settings(tmp_path: Path) -> MakeSettings:
    """Settings on a fast clock; the lease is long, so that a busy machine loses none by accident."""

    def make(**overrides: Any) -> Settings:
        return _GivenSettings(**{"home": tmp_path / "home", **_FAST_CLOCK, **overrides})

    return make


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A real Postgres for the whole session."""
    server = PostgresServer(tmp_path_factory.getbasetemp())
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def shared_ledger(postgres_server: PostgresServer) -> Iterator[Database]:
    """A migrated ledger that tests use one after the other, emptied before each: no test waits for DDL."""
    ledger = Database(postgres_server.create("shared_ledger"))
    yield ledger
    ledger.close()


@pytest.fixture(scope="session")
def new_ledger_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite ledger to copy, for the same reason."""
    file = tmp_path_factory.mktemp("ledger") / "castad.db"
    Database(f"sqlite:///{file}").close()
    return file


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """An empty Postgres database of this test's own."""
    name = f"test_{uuid4().hex}"
    yield postgres_server.create(name)
    postgres_server.drop(name)


@pytest.fixture(scope="session")
def new_postgres_ledger(postgres_server: PostgresServer) -> str:
    """The name of a migrated Postgres ledger to copy."""
    name = "new_ledger"
    Database(postgres_server.create(name)).close()
    return name


@pytest.fixture
def own_postgres_ledger_url(
    postgres_server: PostgresServer, new_postgres_ledger: str
) -> Iterator[str]:
    """The URL of an empty Postgres ledger of this test's own, in a database that Dagster may share."""
    name = f"test_{uuid4().hex}"
    yield postgres_server.create(name, new_postgres_ledger)
    postgres_server.drop(name)


@pytest.fixture
def postgres_ledger_url(shared_ledger: Database) -> str:
    """The URL of an empty Postgres ledger."""
    Steps(shared_ledger).empty()
    return shared_ledger.url.render_as_string(hide_password=False)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A SQLite file of this test's own, not made yet."""
    return f"sqlite:///{tmp_path / 'castad.db'}"


@pytest.fixture
def sqlite_ledger_url(new_ledger_file: Path, tmp_path: Path) -> str:
    """The URL of an empty SQLite ledger: the one to which this test's settings lead."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    shutil.copy(new_ledger_file, home)
    return f"sqlite:///{home / new_ledger_file.name}"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database, once of each kind."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture(params=["sqlite", "postgres"])
def ledger_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty ledger, once of each kind."""
    return str(request.getfixturevalue(f"{request.param}_ledger_url"))


@pytest.fixture(params=["sqlite", "postgres"])
def own_ledger(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Database]:
    """The empty ledger that the settings lead to, once of each kind, in a database that Dagster may share."""
    if request.param == "postgres":
        url = request.getfixturevalue("own_postgres_ledger_url")
        monkeypatch.setenv("CASTAD_DATABASE_URL", url)
    else:
        request.getfixturevalue("sqlite_ledger_url")
    settings.cache_clear()
    database = open_database(settings().ledger_url)
    yield database
    database.close()


@pytest.fixture(params=["sqlite", "postgres"])
def db(request: pytest.FixtureRequest) -> Iterator[Database]:
    """An empty ledger, once of each kind."""
    url = request.getfixturevalue(f"{request.param}_ledger_url")
    is_shared = request.param == "postgres"
    # One object for all tests keeps its connections: a new one costs more than a test's statements.
    database = request.getfixturevalue("shared_ledger") if is_shared else Database(url)
    yield database
    if not is_shared:
        database.close()


@pytest.fixture
def steps(db: Database) -> Steps:
    """Short words for what happens to requests."""
    return Steps(db)


@pytest.fixture
def root_logger_as_it_was() -> Iterator[None]:
    """Celery's worker takes the root logger for its own: later tests would not hear a warning."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
