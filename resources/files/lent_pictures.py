"""Pictures that an order brings along: its process lends them under their references, and no copy is kept."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

_lent: dict[tuple[str, str], list[Path]] = {}
_lending = Lock()


@contextmanager
def lent_picture(reference: Mapping[str, Any], path: Path) -> Iterator[None]:
    """In the block this process finds the reference's picture at the path; several may lend the same one."""
    name = _name_of(reference)
    with _lending:
        _lent.setdefault(name, []).append(path)
    try:
        yield
    finally:
        with _lending:
            _lent[name].remove(path)
            if not _lent[name]:
                del _lent[name]


def find_lent(reference: Mapping[str, Any]) -> Path | None:
    """Where the reference's picture is, None where it is not lent."""
    with _lending:
        return next(reversed(_lent.get(_name_of(reference), ())), None)


def _name_of(reference: Mapping[str, Any]) -> tuple[str, str]:
    return str(reference.get("order", "")), str(reference.get("url") or reference.get("where"))
