"""`castad retention`: what is old is removed, or counted."""

import sqlite3

from sqlalchemy.exc import SQLAlchemyError

from castad.stack.output import print_json, print_line
from resources.contract.errors import StateUnavailableError
from resources.process.settings import settings
from sensors.retention_job import Cycle, retain, summarize_cycle

_MAX_NAMED = 100


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
    from resources.ledger.db.database import open_database
    from sensors.retention_job import shrink_database

    config = settings()
    files = make_dagster_home(config).glob("**/*.db")
    try:
        before, after = shrink_database(open_database(config.ledger_url), files)
    except (sqlite3.Error, SQLAlchemyError) as error:
        name = type(error).__name__
        message = f"database: expected no other process to use it for a while ({name}); run again"
        raise StateUnavailableError(message) from error
    return {"bytes_before": before, "bytes_after": after}
