"""Errors at the command line: one sentence on standard error and an exit code, never a traceback."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

import typer
from sqlalchemy.exc import SQLAlchemyError, StatementError

from castad.stack.processes import StopRequested
from resources.contract.errors import CastadError, InvalidInputError
from resources.ledger.db.file_errors import DatabaseFileError
from resources.ledger.errors import (
    ConflictError,
    TakenIdError,
    UnknownKeyError,
    UnknownRequestError,
)
from resources.process.traceback_log import log_traceback

FAILED = 1
USAGE = 2
_USAGE_ERRORS = (
    InvalidInputError,
    ConflictError,
    TakenIdError,
    UnknownKeyError,
    UnknownRequestError,
)


def run(app: typer.Typer, arguments: Sequence[str]) -> int:
    """The command ran, and its error, if any, was printed; returns the exit code."""
    _prepare_streams()
    try:
        _refuse_surrogates(arguments)
        command = typer.main.get_command(app)
        return int(command.main(list(arguments), prog_name="castad", standalone_mode=False) or 0)
    except _USAGE_ERRORS as error:
        return _print_error(error.message, error.code, USAGE)
    except CastadError as error:
        return _print_error(error.message, error.code, FAILED)
    except typer.TyperException as error:
        return _print_error(error.format_message(), "usage", error.exit_code)
    except DatabaseFileError as error:
        return _print_error(error.sentence, error.error_code, FAILED)
    except SQLAlchemyError as error:
        return _print_error(
            f"the database reported an error: {_reason(error)}", "state_unavailable", FAILED
        )
    except (StopRequested, KeyboardInterrupt, typer.Abort) as stop:
        return 128 + getattr(stop, "signum", 2)
    except BrokenPipeError:
        sys.stdout = None  # its reader is gone; flushing it at exit would raise again
        return FAILED
    except Exception as error:  # noqa: BLE001 - the last resort: no error prints a traceback
        return _print_error(_unexpected(error), "internal_error", FAILED)


def _prepare_streams() -> None:
    """Streams escape characters that they cannot encode; a closed one discards its output."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - open as long as the process
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _refuse_surrogates(arguments: Sequence[str]) -> None:
    for number, argument in enumerate(arguments, start=1):
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise InvalidInputError(f"argument {number}", "expected UTF-8 text")


def _print_error(sentence: str, code: str, status: int) -> int:
    sys.stdout.flush()
    sys.stderr.write(f"castad: {sentence} [{code}]\n")
    return status


def _reason(error: SQLAlchemyError) -> str:
    """The driver's message, or SQLAlchemy's own where no driver was involved."""
    cause = error.orig if isinstance(error, StatementError) else (error.args or ("",))[0]
    lines = str(cause).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _unexpected(error: Exception) -> str:
    return f"unexpected {type(error).__name__}; the details are in {log_traceback(error)}"
