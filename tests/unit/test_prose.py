"""The docstrings and comments of the rewritten rooms speak the field's language, and no dialect."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from resources.process.settings import PROJECT_ROOT

ROOMS = (
    *("resources", "sensors"),
    *(f"castad/{name}" for name in ("dagster_storage", "direct", "engine", "saver")),
)
FILES = [
    *(path for room in ROOMS for path in sorted((PROJECT_ROOT / room).rglob("*.py"))),
    *sorted((PROJECT_ROOT / "pipeline_defs").glob("*.py")),
]
DIALECT = re.compile(
    r"\b(told|tells|anew|so many|besides|nobody|anybody|whoever|in vain|goes on|lets go|left alone"
    r"|of its own|lanes?|verdicts?|park(s|ed|ing)?|unpark(s|ed)?|is on record)\b",
    re.IGNORECASE,
)


def prose_of(text: str) -> Iterator[str]:
    """Yield the docstrings and the comments of a file, and the strings that stand below a name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PROJECT_ROOT)))
def test_prose_of_a_file_has_no_word_of_the_dialect(path):
    found = [
        word[0] for prose in prose_of(path.read_text("utf-8")) for word in DIALECT.finditer(prose)
    ]
    assert found == []
