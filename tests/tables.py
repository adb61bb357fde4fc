"""Tables of words and sources beside a test's file: `test_x.yaml` beside `test_x.py`."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml


@cache
def read_beside(file: str) -> dict[str, Any]:
    """Return what the YAML file beside this one says, by name."""
    content = Path(file).with_suffix(".yaml").read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.load(content, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return read


def rows_beside(test: Any) -> Any:
    """Run the test for each row of its name in the YAML file beside it; its first parameters are the columns.

    Rows may stand below the laws that they are examples of, which are then part of their ids.
    """
    table = read_beside(test.__code__.co_filename)[test.__name__.removeprefix("test_")]
    laws = table if isinstance(table, dict) else {None: table}
    rows = [(law, row if isinstance(row, list) else [row]) for law in laws for row in laws[law]]
    names = test.__code__.co_varnames[: test.__code__.co_argcount][: len(rows[0][1])]
    shown = [pytest.param(*row, id=law and _name_row(law, row)) for law, row in rows]
    return pytest.mark.parametrize(names, shown)(test)


def _name_row(law: str, row: list[Any]) -> str:
    return f"{law}: {row[0]}".splitlines()[0]
