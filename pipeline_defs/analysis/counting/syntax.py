"""A source file as a syntax tree, parsed within limits and walked without recursion."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tree_sitter import Node, Parser

from pipeline_defs.analysis.counting.found import Test, load_grammar
from resources.contract.errors import CastadError

MAX_BYTES = 10 * 1024 * 1024
MAX_SECONDS = 2.0
MAX_NAME = 200
"""Characters of a test's name at most."""

_CHUNK = 65536
_LOOKS_AT_CLOCK_EVERY = 1024

Context = TypeVar("Context")
Found = Sequence[Test | tuple[Node, Context]]
"""What a visit of a node finds: tests, and nodes to visit next, each with a context."""


@dataclass(frozen=True)
class MarkRules:
    """The annotations or attributes of a framework: of a test, of its cases, and of a skipped test.

    A class in a class has tests only with the annotation `nested`, if there is one. With `whole_class`, the public
    methods of a marked class are tests.
    """

    test: str
    skip: Sequence[str]
    case: str = ""
    skip_argument: str = ""
    nested: str = ""
    whole_class: bool = False


class UncountableSourceError(CastadError):
    """A source that is too large, or takes too long, for its tests to be counted."""

    code = "source_uncountable"


class ParsedFile:
    """A parsed file. The constructor and `find_tests` raise UncountableSourceError after `seconds`.

    A tree may be as deep as the file is long. Read it through `find_tests`, children and fields only: a node's
    `parent` and siblings are searched for from the root.
    """

    def __init__(
        self,
        language: str,
        content: bytes,
        seconds: float,
        derived: frozenset[str],
    ) -> None:
        """Parse the file; `derived` are test attributes that the repository derives from a framework's."""
        self._content = content
        self.derived = derived
        self._ends = time.monotonic() + seconds
        self._seconds = seconds
        self.root = self._parse(language)

    def _parse(self, language: str) -> Node:
        # Only a parse that reads through a callback can be stopped. Node.text would read through it as well.
        def read(offset: int, _: object) -> bytes:
            return self._content[offset : offset + _CHUNK]

        def is_late(_: int, __: bool) -> bool:
            return time.monotonic() > self._ends

        try:
            return Parser(load_grammar(language)).parse(read, progress_callback=is_late).root_node
        except ValueError:
            raise self._make_timeout_error() from None

    def get_text(self, node: Node, limit: int = MAX_NAME) -> str:
        """Return the first `limit` bytes of a node's source; invalid UTF-8 is replaced."""
        end = min(node.end_byte, node.start_byte + limit)
        return self._content[node.start_byte : end].decode(errors="replace")

    def get_field(self, node: Node, name: str) -> str:
        """Return the text of a node's field; empty without one."""
        found = node.child_by_field_name(name)
        return "" if found is None else self.get_text(found)

    def find_matches(self, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
        """Find every match of a pattern in the source."""
        return pattern.finditer(self._content)

    def count_lines(self, start: int, end: int) -> int:
        """Count the line ends between these bytes."""
        return self._content.count(b"\n", start, end)

    def find_tests(
        self,
        context: Context,
        visit: Callable[[Node, Context], Found[Context]],
        start: Node | None = None,
    ) -> list[Test]:
        """Visit the root or `start`, then in order the nodes that a visit returns; return the tests among them."""
        tests: list[Test] = []
        waiting = [(start or self.root, context)]
        visited = 0
        while waiting:
            visited += 1
            if visited % _LOOKS_AT_CLOCK_EVERY == 0 and time.monotonic() > self._ends:
                raise self._make_timeout_error()
            for each in reversed(visit(*waiting.pop())):
                if isinstance(each, Test):
                    tests.append(each)
                else:
                    waiting.append(each)
        return tests

    def _make_timeout_error(self) -> UncountableSourceError:
        return UncountableSourceError(
            f"source: expected to be counted within {self._seconds:g} seconds"
        )


def check_size(content: bytes) -> None:
    """Raise UncountableSourceError if the source is too large."""
    if len(content) > MAX_BYTES:
        raise UncountableSourceError(f"source: expected at most {MAX_BYTES:,} bytes")


def list_children(node: Node, context: Context) -> Found[Context]:
    """Return all named children of a node, each with this context."""
    return [(child, context) for child in node.named_children]


def get_line(node: Node) -> int:
    """Return the line on which a node begins, from 1."""
    return int(node.start_point.row) + 1


def find_child(node: Node, *types: str) -> Node | None:
    """Return the first named child of one of the types; None if there is none."""
    return next((child for child in node.named_children if child.type in types), None)
