"""Everything the check looks at, read from where it lies. Nothing is written."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    MetaData,
    NullPool,
    Select,
    Table,
    create_engine,
    func,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DatabaseError

from resources.ledger.schema import tables
from resources.ledger.schema.tables import TERMINAL
from resources.providers.openai.completions import TOKEN_FIELD
from tests.chaos.history import Charge, File, Leftover, Run
from tests.fakes.charges import Charges

_MAKING = ".making-"
_RUNNING = "status NOT IN ('SUCCESS', 'FAILURE', 'CANCELED')"
_ENDS = ("PIPELINE_SUCCESS", "PIPELINE_FAILURE", "PIPELINE_CANCELED")


def ledger_rows(url: str) -> Mapping[str, Any]:
    """The ledger's tables by the names that a history calls them."""
    wanted = {
        "requests": tables.requests,
        "events": tables.events,
        "attempts": tables.attempts,
        "stages": tables.stages,
        "jobs": tables.provider_jobs,
        "artifacts": tables.artifacts,
        "orphans": tables.orphans,
    }
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            rows = {name: _rows(connection, table) for name, table in wanted.items()}
    finally:
        engine.dispose()
    events = [{**row, "data": json.loads(row["data"])} for row in rows["events"]]
    return {**rows, "events": events}


def dagster_runs(databases: Iterable[str]) -> Mapping[str, Run]:
    """Every run in Dagster's storage, which may be spread over several databases (SQLite keeps one a run)."""
    statuses: dict[str, str] = {}
    ends: dict[str, dict[int, str]] = defaultdict(dict)
    for url in databases:
        engine = create_engine(url)
        try:
            statuses.update(_statuses(engine))
            for run_id, key, kind in _ends(engine):
                ends[run_id][key] = kind
        finally:
            engine.dispose()
    return {
        run_id: Run(status, tuple(kind for _, kind in sorted(ends[run_id].items())))
        for run_id, status in statuses.items()
    }


def dagster_databases(home: Path, postgres: str | None) -> list[str]:
    """The addresses of the databases in which Dagster keeps runs and their events."""
    if postgres is not None:
        return [postgres]
    found = sorted((home / "dagster" / "history").rglob("*.db"))
    # The file beside those of the runs repeats the events that concern assets.
    return [f"sqlite:///file:{path}?mode=ro&uri=true" for path in found if path.stem != "index"]


def charges(folder: Path) -> list[Charge]:
    """What every vendor would have charged, from the books in this folder."""
    found = []
    for book in sorted(folder.glob("*.jsonl")):
        for line in Charges(book).read():
            at = datetime.fromisoformat(line["at"])
            found.append(Charge(book.stem, at, line["id"], _token(line["metadata"])))
    return found


def files(homes: Iterable[Path]) -> tuple[list[File], list[Leftover]]:
    """What lies in the artifact folders, and the folders in which something was being made."""
    kept: list[File] = []
    making: list[Leftover] = []
    for home in homes:
        root = home / "artifacts"
        for path in sorted(root.rglob("*")):
            below = path.relative_to(root)
            if below.parts[0].startswith(_MAKING):
                if len(below.parts) == 1:
                    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                    making.append(Leftover(str(path), changed))
            elif path.is_file():
                content = path.read_bytes()
                digest = hashlib.sha256(content).hexdigest()
                kept.append(File(home.name, str(below), digest, len(content)))
    return kept, making


def _rows(connection: Connection, table: Table) -> list[dict[str, Any]]:
    query = select(table).order_by(table.c.id)
    return [dict(row) for row in connection.execute(query).mappings()]


def _statuses(engine: Engine) -> Mapping[str, str]:
    table = _table(engine, "runs")
    if table is None:
        return {}
    with engine.connect() as connection:
        rows = connection.execute(select(table.c.run_id, table.c.status)).all()
    return {row.run_id: row.status for row in rows}


def _ends(engine: Engine) -> Iterator[tuple[str, int, str]]:
    table = _table(engine, "event_logs")
    if table is None:
        return
    query = select(table.c.run_id, table.c.id, table.c.dagster_event_type).where(
        table.c.dagster_event_type.in_(_ENDS)
    )
    with engine.connect() as connection:
        for row in connection.execute(query):
            yield row.run_id, row.id, row.dagster_event_type.removeprefix("PIPELINE_")


def _table(engine: Engine, name: str) -> Table | None:
    if not inspect(engine).has_table(name):
        return None
    return Table(name, MetaData(), autoload_with=engine)


def _token(metadata: object) -> str | None:
    """The token that an order carried: in a field of its own, as the whole, or at the end of an address."""
    if isinstance(metadata, Mapping):
        found = metadata.get(TOKEN_FIELD)
        return found if isinstance(found, str) else None
    return metadata.rpartition("/")[2] if isinstance(metadata, str) else None


class Quiet:
    """Quick looks at how far all is, without the patience of castad's own: None where nobody answers."""

    def __init__(self, ledger_url: str, home: Path, postgres: str | None) -> None:
        self._ledger = create_engine(ledger_url, poolclass=NullPool)
        runs = f"sqlite:///{home / 'dagster' / 'history' / 'runs.db'}"
        self._dagster = create_engine(postgres or runs, poolclass=NullPool)

    def close(self) -> None:
        """Nothing is held any more."""
        self._ledger.dispose()
        self._dagster.dispose()

    def states(self) -> Mapping[str, int] | None:
        """How many requests stand at each status."""
        column = tables.requests.c.status
        query = select(column, func.count()).group_by(column).order_by(column)
        rows = _asked(self._ledger, query)
        return None if rows is None else {str(status): int(number) for status, number in rows}

    def open_requests(self) -> int | None:
        """How many requests have not ended."""
        states = self.states()
        if states is None:
            return None
        return sum(number for status, number in states.items() if status not in TERMINAL)

    def is_quiet(self) -> bool:
        """Whether every request and every run has ended, and every event is mirrored."""
        unmirrored = select(func.count()).where(~tables.events.c.mirrored)
        running = select(func.count()).select_from(text("runs")).where(text(_RUNNING))
        return (
            self.open_requests() == 0
            and _asked(self._ledger, unmirrored) == [(0,)]
            and _asked(self._dagster, running) == [(0,)]
        )


def _asked(engine: Engine, query: Select[Any]) -> Sequence[Any] | None:
    try:
        with engine.connect() as connection:
            return connection.execute(query).all()
    except DatabaseError:
        return None
