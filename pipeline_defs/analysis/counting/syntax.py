"""A source file as a syntax tree: parsed within limits, and walked without recursion."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from tree_sitter import Node, Parser

from pipeline_defs.analysis.counting.found import CountedLanguage, grammar
from resources.contract.errors import CastadError

MAX_BYTES = 10 * 1024 * 1024
MAX_SECONDS = 2.0
MAX_NAME = 200
"""Characters of a source that become a test's name."""

_CHUNK = 65536
_LOOKS_AT_CLOCK_EVERY = 1024

Context = TypeVar("Context")


class UncountableSourceError(CastadError):
    """A source is too large, or takes too long, for its tests to be counted."""

    code = "source_uncountable"


class ParsedFile:
    """A parsed file. Raises UncountableSourceError after `seconds`, at once and from `walk`.

    A tree may be as deep as the file is long, so it is read through `walk`, `children` and fields only:
    a node's `parent` and siblings are searched for from the root.
    """

    def __init__(
        self,
        language: CountedLanguage,
        content: bytes,
        seconds: float = MAX_SECONDS,
        derived: frozenset[str] = frozenset(),
    ) -> None:
        """`derived` are the attributes of tests that the repository derives from a framework's."""
        self._content = content
        self.derived = derived
        self._ends = time.monotonic() + seconds
        self._seconds = seconds
        self.root = self._parsed(language)

    def _parsed(self, language: CountedLanguage) -> Node:
        # Only a parse that reads through a callback can be stopped. Node.text would read through it as well.
        def read(offset: int, _: object) -> bytes:
            return self._content[offset : offset + _CHUNK]

        def is_late(_: int, __: bool) -> bool:
            return time.monotonic() > self._ends

        try:
            return Parser(grammar(language)).parse(read, progress_callback=is_late).root_node
        except ValueError:
            raise self._too_slow() from None

    def text(self, node: Node, limit: int = MAX_NAME) -> str:
        """The first `limit` bytes of a node's source; what is no UTF-8 is replaced."""
        end = min(node.end_byte, node.start_byte + limit)
        return self._content[node.start_byte : end].decode(errors="replace")

    def field(self, node: Node, name: str) -> str:
        """The text of a node's field; empty without one."""
        found = node.child_by_field_name(name)
        return "" if found is None else self.text(found)

    def matches(self, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
        """Every place of the source that matches a pattern."""
        return pattern.finditer(self._content)

    def count_lines(self, start: int, end: int) -> int:
        """How many lines end between these bytes."""
        return self._content.count(b"\n", start, end)

    def walk(
        self,
        start: Node,
        context: Context,
        visit: Callable[[Node, Context], Sequence[tuple[Node, Context]]],
    ) -> None:
        """`start` is visited, then in order all that a visit returns: nodes with a context each."""
        waiting = [(start, context)]
        visited = 0
        while waiting:
            visited += 1
            if visited % _LOOKS_AT_CLOCK_EVERY == 0 and time.monotonic() > self._ends:
                raise self._too_slow()
            waiting.extend(reversed(visit(*waiting.pop())))

    def _too_slow(self) -> UncountableSourceError:
        return UncountableSourceError(
            f"source: expected to be counted within {self._seconds:g} seconds"
        )


def refuse_too_large(content: bytes) -> None:
    """Raises UncountableSourceError for more than a source may have."""
    if len(content) > MAX_BYTES:
        raise UncountableSourceError(f"source: expected at most {MAX_BYTES:,} bytes")


def below(node: Node, context: Context) -> list[tuple[Node, Context]]:
    """All named children of a node, to be visited with one context."""
    return [(child, context) for child in node.named_children]


def line_of(node: Node) -> int:
    """The line that a node begins on, from 1."""
    return int(node.start_point.row) + 1


def child_of_type(node: Node, *types: str) -> Node | None:
    """The first named child of one of the types."""
    return next((child for child in node.named_children if child.type in types), None)
