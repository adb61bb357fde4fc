"""Log lines: one event a line, with what it is about, whatever text it holds."""

import logging
import sys
from datetime import UTC, datetime

_LONGEST = 2000


class OneLine(logging.Formatter):
    """`time level logger message name=value …`; `facts` of the record become the pairs, those of None left out."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; what would break it is escaped."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        facts = getattr(record, "facts", {})
        pairs = [f"{name}={value}" for name, value in facts.items() if value is not None]
        if record.exc_info:
            pairs.append(f"error={type(record.exc_info[1]).__name__}")
        line = " ".join([record.getMessage(), *pairs])
        return f"{at} {record.levelname.lower()} {record.name} {_unbroken(line)}"


def _unbroken(text: str) -> str:
    kept = text if text.isprintable() else "".join(map(_visible, text))
    return kept[:_LONGEST]


def _visible(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]


def log_lines(level: int = logging.INFO) -> None:
    """This process' log goes to standard error, castad's own from `level` on, others' warnings."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("castad").setLevel(level)
