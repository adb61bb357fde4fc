"""`castad retention`: what is old is removed, or counted."""

import sqlite3

from sqlalchemy.exc import SQLAlchemyError

from castad.stack.output import print_json, print_line
from resources.contract.errors import StateUnavailableError
from resources.process.settings import settings
from sensors.retention.job import retain, retained


def run_retention(
    *, dry_run: bool, gently: bool = False, shrink: bool = False, as_json: bool
) -> None:
    """What is old was removed, or only counted; the counts were printed."""
    from castad.stack.local_daemon import open_instance

    with open_instance(settings()) as instance:
        counts = retained(retain(instance, is_dry=dry_run, is_gentle=gently))
    sizes = _shrink() if shrink else {}
    if as_json:
        print_json({"dry_run": dry_run, **counts, **sizes})
        return
    are = "would be" if dry_run else "are"
    print_line(f"dead letters {are} tried once more: {counts['redriven']:,}")
    done = "would be removed" if dry_run else "removed"
    for name, count in counts.items():
        if name not in ("unfinished", "redriven"):
            print_line(f"{name.replace('_', ' ')} {done}: {count:,}")
    if sizes:
        before, after = (size / 1_000_000 for size in sizes.values())
        print_line(f"database: {before:,.1f} MB before, {after:,.1f} MB now")


def _shrink() -> dict[str, int]:
    """The bytes of the database, before and after its room was given back. Raises StateUnavailableError."""
    from castad.dagster_storage.home import dagster_home
    from resources.ledger.db.database import open_database
    from sensors.retention.shrink import shrink_database

    config = settings()
    files = dagster_home(config).glob("**/*.db")
    try:
        before, after = shrink_database(open_database(config.ledger_url), files)
    except (sqlite3.Error, SQLAlchemyError) as error:
        message = f"database: expected nobody to use it for a while ({type(error).__name__}); run this again"
        raise StateUnavailableError(message) from error
    return {"bytes_before": before, "bytes_after": after}
