"""What a repository's `.gitattributes` say to GitHub's language statistics, read as git reads them. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline_defs.analysis.measuring.wildmatch import PathPattern

FILE_NAME = ".gitattributes"
_PREFIX = b"linguist-"
_NAMES = tuple(
    _PREFIX + name
    for name in (b"vendored", b"generated", b"documentation", b"detectable", b"language")
)
_MACRO = b"[attr]"
_MOST_RULES = 1_000
_LONGEST_LINE = 2_048
_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_NAME = re.compile(rb"(?!-)[-\w.]+", re.ASCII)
_ESCAPES = {
    **{ord(letter): ord(value) for letter, value in zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True)},
    **{ord(each): ord(each) for each in '"\\'},
}
_Value = str | bool | None
_States = Sequence[tuple[bytes, _Value]]


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
    """A line: what is said of the files that match below a folder."""

    folder: bytes
    pattern: PathPattern
    states: _States

    def matches(self, path: bytes) -> bool:
        return path.startswith(self.folder) and self.pattern.matches(path[len(self.folder) :])


class AttributeRules:
    """The rules of all `.gitattributes` of a repository; those of deeper folders and later lines win."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files`: path → content. The last thousand rules that concern languages are heeded."""
        ordered = sorted(files, key=lambda path: (path.count("/"), path))
        self._macros: dict[bytes, _States] = {}
        rules: list[_Rule] = []
        for path in ordered:
            folder = path[: -len(FILE_NAME)].encode("utf-8", "surrogateescape")
            for first, states in _lines(files[path]):
                if isinstance(first, PathPattern):
                    rules.append(_Rule(folder, first, states))
                elif not folder:
                    self._macros[first] = states
        heeded = self._heeded()
        kept = [rule for rule in rules if any(name in heeded for name, _ in rule.states)]
        self._rules = kept[: -_MOST_RULES - 1 : -1]

    def of(self, path: str) -> Attributes:
        """What the rules say of the file."""
        said: dict[bytes, _Value] = {}
        if self._rules:
            name = path.encode("utf-8", "surrogateescape")
            for rule in self._rules:
                if rule.matches(name):
                    self._fill(said, rule.states)
        language = said.get(_PREFIX + b"language")
        return Attributes(
            vendored=_flag(said.get(_PREFIX + b"vendored")),
            generated=_flag(said.get(_PREFIX + b"generated")),
            documentation=_flag(said.get(_PREFIX + b"documentation")),
            detectable=_flag(said.get(_PREFIX + b"detectable")),
            language=language if isinstance(language, str) else None,
        )

    def _fill(self, said: dict[bytes, _Value], states: _States) -> None:
        """Set what is not said yet, from the last to the first; a macro that is set says all of its own."""
        waiting = list(states)
        while waiting:
            name, value = waiting.pop()
            if name in said:
                continue
            said[name] = value
            if value is True:
                waiting.extend(self._macros.get(name, ()))

    def _heeded(self) -> frozenset[bytes]:
        """The attributes that languages depend on, and the macros that set one of them."""
        heeded = set(_NAMES)
        grows = True
        while grows:
            more = {
                macro
                for macro, states in self._macros.items()
                if macro not in heeded and any(name in heeded for name, _ in states)
            }
            heeded |= more
            grows = bool(more)
        return frozenset(heeded)


def _lines(content: bytes) -> Iterator[tuple[PathPattern | bytes, _States]]:
    """Each line's pattern, or the name of the macro that it defines, with what it says."""
    for line in content.removeprefix(_BOM).split(b"\n"):
        if len(line) >= _LONGEST_LINE:
            continue
        line = line.strip(_BLANK)
        if not line or line.startswith(b"#"):
            continue
        first, rest = _first_word(line)
        if len(first) > len(_MACRO) and first.startswith(_MACRO):
            words = line[len(_MACRO) :].split()
            if words and _is_name(words[0]):
                states = _states(words[1:])
                if states is not None:
                    yield words[0], states
            continue
        states = _states(rest.split())
        if states and not first.startswith(b"!"):
            yield PathPattern(first), states


def _first_word(line: bytes) -> tuple[bytes, bytes]:
    """The pattern, which may be quoted as C quotes, and the rest of the line."""
    if line.startswith(b'"'):
        quoted = _unquoted(line)
        if quoted is not None:
            return quoted
    word = re.split(rb"[ \t\r]", line, maxsplit=1)[0]
    return word, line[len(word) :]


def _unquoted(line: bytes) -> tuple[bytes, bytes] | None:
    made, at = bytearray(), 1
    while at < len(line):
        byte = line[at]
        at += 1
        if byte == ord('"'):
            return bytes(made), line[at:]
        if byte != ord("\\"):
            made.append(byte)
            continue
        octal = re.match(rb"[0-3][0-7]{2}", line[at : at + 3])
        if octal is not None:
            made.append(int(octal[0], 8))
            at += 3
        elif at < len(line) and line[at] in _ESCAPES:
            made.append(_ESCAPES[line[at]])
            at += 1
        else:
            return None
    return None


def _states(words: Iterable[bytes]) -> _States | None:
    """What the words say, in order; None where one of them is none that git knows: the line says nothing then."""
    states: list[tuple[bytes, _Value]] = []
    for word in words:
        name, equals, value = word.partition(b"=")
        sign = name[:1] if name[:1] in (b"-", b"!") else b""
        name = name.removeprefix(sign)
        if not _is_name(name):
            return None
        if sign:
            states.append((name, None if sign == b"!" else False))
        else:
            states.append((name, value.decode("utf-8", "replace") if equals else True))
    return states


def _is_name(word: bytes) -> bool:
    return _NAME.fullmatch(word) is not None


def _flag(value: _Value) -> bool | None:
    return None if value is None else value not in (False, "false")
