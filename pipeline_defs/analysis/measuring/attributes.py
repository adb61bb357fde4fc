"""What a repository's `.gitattributes` say to GitHub's language statistics. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

FILE_NAME = ".gitattributes"
_PREFIX = "linguist-"
_MOST_RULES = 1_000
_MOST_PATTERN = 200
_MOST_WILDCARDS = 4
"""The time that a pattern takes grows with each."""
_FOLDER_MATCHED = "ps_d"


@dataclass(frozen=True)
class Attributes:
    """What is said of one file; None where nothing is said."""

    vendored: bool | None = None
    generated: bool | None = None
    documentation: bool | None = None
    detectable: bool | None = None
    language: str | None = None


@dataclass(frozen=True)
class _Rule:
    folder: str
    pattern: GitIgnoreSpecPattern
    values: Mapping[str, str | bool | None]

    def matches(self, path: str) -> bool:
        """Whether it is about the file itself: unlike in .gitignore, a folder's name says nothing of its files."""
        if not path.startswith(self.folder):
            return False
        found = self.pattern.match_file(path[len(self.folder) :])
        return found is not None and found.match.groupdict().get(_FOLDER_MATCHED) is None


class AttributeRules:
    """The rules of all `.gitattributes` of a repository; those of deeper folders and later lines win."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files`: path → content. The first thousand rules are heeded, but for patterns of more than four `*`."""
        ordered = sorted(files, key=lambda path: (path.count("/"), path))
        rules = [rule for path in ordered for rule in _rules(path, files[path])]
        self._rules = rules[:_MOST_RULES]

    def of(self, path: str) -> Attributes:
        """What the rules say of the file."""
        said: dict[str, str | bool | None] = {}
        for rule in self._rules:
            if rule.matches(path):
                said |= rule.values
        language = said.get("language")
        return Attributes(
            vendored=_flag(said.get("vendored")),
            generated=_flag(said.get("generated")),
            documentation=_flag(said.get("documentation")),
            detectable=_flag(said.get("detectable")),
            language=language if isinstance(language, str) else None,
        )


def _rules(path: str, content: bytes) -> Iterator[_Rule]:
    folder = path[: -len(FILE_NAME)]
    for line in content.decode("utf-8", "replace").splitlines():
        words = line.split()
        values = dict(_value(word) for word in words[1:] if _PREFIX in word)
        if not values or not _is_pattern(words[0]):
            continue
        try:
            yield _Rule(folder, GitIgnoreSpecPattern(words[0]), values)
        except (ValueError, re.error):
            continue


def _is_pattern(word: str) -> bool:
    is_other = word.startswith(("#", "!", "[attr]"))
    wildcards = len(re.findall(r"\*+", word))
    return not is_other and len(word) <= _MOST_PATTERN and wildcards <= _MOST_WILDCARDS


def _value(word: str) -> tuple[str, str | bool | None]:
    name, equals, value = word.partition("=")
    key = name.lstrip("-!").removeprefix(_PREFIX)
    if name.startswith("!"):
        return key, None
    return key, value if equals else not name.startswith("-")


def _flag(value: str | bool | None) -> bool | None:
    return None if value is None else value not in (False, "false")
