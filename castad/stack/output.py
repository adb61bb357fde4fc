"""What commands print: results on standard output, talk on standard error."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console, RenderableType

_UNWRAPPED_WIDTH = 1000


def print_result(renderable: RenderableType) -> None:
    """Show it on standard output: in colour on a terminal, unbroken lines elsewhere."""
    width = None if sys.stdout.isatty() else _UNWRAPPED_WIDTH
    Console(highlight=False, width=width).print(renderable)


def print_line(line: str) -> None:
    """One line of result, exactly as it is."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def print_json(content: Mapping[str, Any]) -> None:
    """One JSON object on one line; what an operator stored as bytes is told as Python writes them."""
    print_line(json.dumps(content, ensure_ascii=False, default=str))


def print_status(line: str) -> None:
    """Say something beside the result."""
    Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print(line)
