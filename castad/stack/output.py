"""Output of commands: results on standard output, status lines on standard error."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

_UNWRAPPED_WIDTH = 1000


def print_result(renderable: RenderableType) -> None:
    """Print to standard output: in colour on a terminal, unwrapped elsewhere."""
    width = None if sys.stdout.isatty() else _UNWRAPPED_WIDTH
    Console(highlight=False, width=width).print(renderable)


def print_line(line: str) -> None:
    """Print one line of the result, unformatted."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def print_json(content: Mapping[str, Any]) -> None:
    """Print one JSON object on one line; convert values that JSON lacks, such as bytes, by `str`."""
    print_line(json.dumps(content, ensure_ascii=False, default=str))


def print_outcome(content: Mapping[str, Any], line: str, *, as_json: bool) -> None:
    """Print what a command has done: one JSON object, or a line."""
    if as_json:
        print_json(content)
    else:
        print_line(line)


def build_table(
    heads: Iterable[str], rows: Iterable[Sequence[str | Text]], head_style: str = "bold"
) -> Table:
    """Build a table without lines; a head that begins with `>` is over numbers, on their right."""
    table = Table(box=None, header_style=head_style, pad_edge=False)
    for head in heads:
        justify: Literal["left", "right"] = "right" if head.startswith(">") else "left"
        table.add_column(head.removeprefix(">"), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def print_status(line: str) -> None:
    """Print a status line to standard error."""
    Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print(line)
