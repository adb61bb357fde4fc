"""Errors at the command line: one sentence on standard error and an exit code, never a traceback."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

import typer

from castad.stack.processes import StopRequested

FAILED = 1
USAGE = 2
WAITS_FOR_PERSON = 3
"""The order that was waited for needs a person's approval."""


def run(app: typer.Typer, arguments: Sequence[str]) -> int:
    """Run the command, print its error if there is one, and return the exit code."""
    _prepare_streams()
    try:
        _check_utf8(arguments)
        command = typer.main.get_command(app)
        return int(command.main(list(arguments), prog_name="castad", standalone_mode=False) or 0)
    except typer.TyperException as error:
        return _print_error(error.format_message(), "usage", error.exit_code)
    except (StopRequested, KeyboardInterrupt, typer.Abort) as stop:
        return 128 + getattr(stop, "signum", 2)
    except BrokenPipeError:
        sys.stdout = None  # its reader is gone; flushing it at exit would raise again
        return FAILED
    except Exception as error:  # noqa: BLE001 - the last resort: no error prints a traceback
        return _report_error(error)


def _report_error(error: Exception) -> int:
    try:
        # What knows the errors takes a quarter of a second to load: `castad --help` does without.
        from castad.cli.error_report import describe_error

        report = describe_error(error)
    except Exception as other:  # noqa: BLE001 - what knows the errors may be the file that is broken
        sentence = f"{type(other).__name__}: {' '.join(str(other).split())}"
        return _print_error(sentence, "internal_error", FAILED)
    status = USAGE if report.is_usage else FAILED
    return _print_error(report.sentence, report.code, status, report.details)


def _prepare_streams() -> None:
    """Streams escape characters that they cannot encode; a closed one discards its output."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - open as long as the process
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _check_utf8(arguments: Sequence[str]) -> None:
    from resources.contract.errors import InvalidInputError

    for number, argument in enumerate(arguments, start=1):
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise InvalidInputError(f"argument {number}", "expected UTF-8 text")


def _print_error(sentence: str, code: str, status: int, details: Sequence[str] = ()) -> int:
    sys.stdout.flush()
    sys.stderr.writelines(f"{detail}\n" for detail in details)
    sys.stderr.write(f"castad: {sentence} [{code}]\n")
    return status
