"""Output of commands: results on standard output, status lines on standard error."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console, RenderableType

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


def print_status(line: str) -> None:
    """Print a status line to standard error."""
    Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print(line)
