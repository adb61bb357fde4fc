"""The last line of a process: what was wrong, after everything that others print on the way out."""

import atexit
import sys

_sentence: list[str] = []


def last_words(sentence: str) -> None:
    """`dagster job execute` will end with this sentence on standard error, in place of any given before.

    By itself it ends a failed run with a line that names nothing but the run. Other processes show what
    went wrong in places of their own.
    """
    if sys.argv[1:3] != ["job", "execute"]:
        return
    if not _sentence:
        atexit.register(_speak)
    _sentence[:] = [sentence]


def _speak() -> None:
    sys.stderr.write(f"{_sentence[0]}\n")
