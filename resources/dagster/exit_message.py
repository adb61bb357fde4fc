"""The last line of a process: what was wrong, after everything that others print on the way out."""

import atexit
import sys

_message: list[str] = []


def set_exit_message(sentence: str) -> None:
    """`dagster job execute` will end with this sentence on standard error, in place of any given before.

    By itself it ends a failed run with a line that names nothing but the run. Other processes show what
    went wrong in places of their own.
    """
    if sys.argv[1:3] != ["job", "execute"]:
        return
    if not _message:
        atexit.register(_print_message)
    _message[:] = [sentence]


def _print_message() -> None:
    sys.stderr.write(f"{_message[0]}\n")
