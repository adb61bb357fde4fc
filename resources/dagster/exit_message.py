"""The last line of a process: why its run failed, after everything that Dagster prints at exit."""

import atexit
import sys

from resources.process.dagster_command import is_job_execution

_message: list[str] = []


def set_exit_message(sentence: str) -> None:
    """`dagster job execute` ends with this sentence on standard error; it replaces an earlier one.

    Dagster's own last line of a failed run names only the run. In other processes this does nothing.
    """
    if not is_job_execution():
        return
    if not _message:
        atexit.register(_print_message)
    _message[:] = [sentence]


def _print_message() -> None:
    sys.stderr.write(f"{_message[0]}\n")
