"""What many tests of the whole start from: a Dagster, the ledger that runs use, and an API over it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from dagster import DagsterInstance
from sqlalchemy import Connection, create_engine

from resources.ledger.db.database import Database, open_database
from tests.api_house import House, served, use_ledger
from tests.postgres_server import PostgresServer
from tests.quiet_dagster import quiet_instance


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[DagsterInstance]:
    with quiet_instance(tmp_path / "dagster") as made:
        yield made


@pytest.fixture
def ledger(sqlite_ledger_url: str) -> Database:
    """The ledger that runs of this test use."""
    return open_database(sqlite_ledger_url)


@pytest.fixture
def house(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """An API over SQLite, or over each kind of database where the test is marked `ON_BOTH`."""
    kind = getattr(request, "param", "sqlite")
    use_ledger(request.getfixturevalue(f"{kind}_ledger_url"), monkeypatch)
    with served() as house:
        yield house


@pytest.fixture
def client(house: House) -> httpx.Client:
    return house.as_("shop")


@pytest.fixture
def late(postgres_ledger_url: str) -> Iterator[Connection]:
    """A client whose transactions take their time."""
    engine = create_engine(postgres_ledger_url)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A Postgres that the tests of a file may stop."""
    server = PostgresServer(tmp_path_factory.mktemp("postgres"))
    server.start()
    yield server
    server.stop()
