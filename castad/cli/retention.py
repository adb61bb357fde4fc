"""`castad retention`: what is old is removed, or counted."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from castad.stack.output import print_json, print_line
from resources.contract.errors import StateUnavailableError
from resources.ledger.db.database import Database, open_database
from resources.process.settings import settings
from sensors.retention_job import Cycle, retain, summarize_cycle

_MAX_NAMED = 100
_LOCK_SECONDS = 30.0


def run_retention(
    *, dry_run: bool, gently: bool = False, shrink: bool = False, as_json: bool
) -> None:
    """What is old was removed, or only counted; the counts were printed."""
    from castad.stack.local_daemon import open_instance

    with open_instance(settings()) as instance:
        cycle = retain(instance, is_dry=dry_run, is_gentle=gently)
    sizes = _shrink() if shrink else {}
    if as_json:
        counts = {"dry_run": dry_run, **summarize_cycle(cycle), **sizes}
        print_json({**counts, "in_doubt": cycle.in_doubt[:_MAX_NAMED]})
        return
    _print_counts(cycle)
    if sizes:
        before, after = (size / 1_000_000 for size in sizes.values())
        print_line(f"database: {before:,.1f} MB before, {after:,.1f} MB now")


def _print_counts(cycle: Cycle) -> None:
    counts = summarize_cycle(cycle)
    are = "would be" if cycle.is_dry else "are"
    print_line(f"dead letters {are} tried once more: {counts['redriven']:,}")
    done = "would be removed" if cycle.is_dry else "removed"
    for name, count in counts.items():
        if name not in ("unfinished", "redriven", "kept_in_doubt"):
            print_line(f"{name.replace('_', ' ')} {done}: {count:,}")
    if cycle.in_doubt:
        named = ", ".join(cycle.in_doubt[:_MAX_NAMED])
        print_line(
            f"requests kept, whose submission has no final status: {len(cycle.in_doubt):,} ({named}); "
            "`castad history ID` shows it, `castad resolve ID` settles it, "
            "or `castad retry ID` where the vendor's job is known"
        )


def _shrink() -> dict[str, int]:
    """The bytes of the database, before and after its room was given back. Raises StateUnavailableError."""
    from castad.dagster_storage.home import make_dagster_home

    config = settings()
    files = make_dagster_home(config).glob("**/*.db")
    try:
        before, after = shrink_database(open_database(config.ledger_url), files)
    except (sqlite3.Error, SQLAlchemyError) as error:
        name = type(error).__name__
        message = f"database: expected no other process to use it for a while ({name}); run again"
        raise StateUnavailableError(message) from error
    return {"bytes_before": before, "bytes_after": after}


def shrink_database(db: Database, files: Iterable[Path]) -> tuple[int, int]:
    """Compact the database; return its size in bytes before and after.

    On SQLite the other `files` are compacted and counted too. Raises sqlite3.OperationalError if another
    process holds a lock for 30 s, and SQLAlchemyError.
    """
    if not db.is_sqlite:
        # The pool's connections have statement timeouts, and VACUUM runs in no transaction.
        engine = create_engine(db.url, isolation_level="AUTOCOMMIT")
        size = text("SELECT pg_database_size(current_database())")
        try:
            with engine.connect() as connection:
                before = int(connection.execute(size).scalar_one())
                connection.execute(text("VACUUM (FULL, ANALYZE)"))
                return before, int(connection.execute(size).scalar_one())
        finally:
            engine.dispose()
    found = [Path(str(db.url.database)), *files]
    before = sum(_measure_size(file) for file in found)
    for file in found:
        # VACUUM runs outside of a transaction, also of the driver's.
        with closing(sqlite3.connect(file, _LOCK_SECONDS, isolation_level=None)) as sqlite:
            sqlite.execute("VACUUM")
            sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return before, sum(_measure_size(file) for file in found)


def _measure_size(file: Path) -> int:
    """Return the size in bytes of the file and its write-ahead log."""
    parts = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())
