"""The last line of a process: what was wrong, after everything that others print on the way out."""

import atexit
import sys

_sentence: list[str] = []


def last_words(sentence: str) -> None:
    """The sentence will be the last line on standard error, in place of any given before.

    `dagster job execute` ends a failed run with a line that names nothing but the run.
    """
    if not _sentence:
        atexit.register(_speak)
    _sentence[:] = [sentence]


def _speak() -> None:
    sys.stderr.write(f"{_sentence[0]}\n")
