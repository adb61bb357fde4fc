"""`castad characters`: the catalogue as a table or CSV, and its replacement."""

import csv
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError

from pipeline_defs.scan.characters.catalogue import get_character_url
from pipeline_defs.scan.characters.store import (
    COLUMNS,
    CharacterSnapshot,
    load_shipped_snapshot,
    read_catalogue,
)
from pipeline_defs.scan.listings import replace_characters
from resources.contract.errors import InvalidInputError, StateUnavailableError
from resources.process.settings import settings


def manage_characters(
    file: Annotated[
        Path | None, typer.Option("--import", help="Replace all characters by this CSV file")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, as --import reads it")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
) -> None:
    """List the characters that scans win, or replace them; every process knows them within a second."""
    if file is not None:
        version = replace_characters(_read_text(file))
        typer.echo(f"characters replaced: version {version}")
        return
    snapshot = _read_snapshot()
    if as_json:
        typer.echo(snapshot.to_json())
    elif as_csv:
        writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(each) for each in snapshot.characters)
    else:
        _print_table(snapshot)


def _read_snapshot() -> CharacterSnapshot:
    try:
        return read_catalogue(get_character_url(settings())) or load_shipped_snapshot()
    except SQLAlchemyError:
        raise StateUnavailableError(
            "CASTAD_CHARACTER_DATABASE_URL: the database does not answer"
        ) from None


def _read_text(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise InvalidInputError("--import", "expected a readable CSV file of UTF-8 text") from None


def _print_table(snapshot: CharacterSnapshot) -> None:
    table = Table("code", "name", "class", "says", title=f"version {snapshot.version}")
    for each in snapshot.characters:
        table.add_row(
            each.code, f"{each.name} ({each.name_en})", each.match or "any other", each.dialog
        )
    Console(highlight=False, width=None if sys.stdout.isatty() else 200).print(table)
