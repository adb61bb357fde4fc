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
        try:
            text = file.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            expected = "expected a readable CSV file of UTF-8 text"
            raise InvalidInputError("--import", expected) from None
        version = replace_characters(text)
        typer.echo(f"characters replaced: version {version}")
        return
    try:
        snapshot = read_catalogue(get_character_url(settings())) or load_shipped_snapshot()
    except SQLAlchemyError:
        raise StateUnavailableError(
            "CASTAD_CHARACTER_DATABASE_URL: the database does not answer"
        ) from None
    if as_json:
        typer.echo(snapshot.to_json())
    elif as_csv:
        writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(each) for each in snapshot.characters)
    else:
        table = Table("code", "name", "class", "says", title=f"version {snapshot.version}")
        for each in snapshot.characters:
            named = f"{each.name} ({each.name_en})"
            table.add_row(each.code, named, each.match or "any other", each.dialog)
        Console(highlight=False, width=None if sys.stdout.isatty() else 200).print(table)
