"""Bring what an earlier castad has left to the form of this one."""

import os
from pathlib import Path

from castad.stack.output import print_result, print_status
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import open_database
from resources.process.setting_types import rename_variables
from resources.process.settings import settings


def migrate_ledger() -> None:
    """Open the ledger, which takes the rows of an earlier one over."""
    open_database(settings().ledger_url)
    print_status("the ledger has this castad's form")


def rename_settings(file: Path) -> None:
    """Rename the settings of a file in place, and print each. Raises InvalidInputError for an unusable file."""
    try:
        text, renamed = rename_variables(file.read_text("utf-8"))
        if renamed:
            _replace_text(file, text)
    except (OSError, UnicodeDecodeError):
        raise InvalidInputError(
            "--env", "expected a file of UTF-8 text that may be written"
        ) from None
    for former, today in renamed.items():
        print_result(f"{former} is {today}")
    print_status(f"{len(renamed)} settings renamed in {file}")


def _replace_text(file: Path, text: str) -> None:
    """Write the text so that a crash leaves the old file or the new one, with the old one's mode."""
    file = file.resolve()
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    try:
        draft.write_text(text, "utf-8")
        draft.chmod(file.stat().st_mode & 0o777)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
