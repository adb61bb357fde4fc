"""The linguist attributes of a repository's `.gitattributes`, read as git reads them. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

_SPECIAL = b"*?[\\"
_MOST_STARS = 4
"""Each star slows a regular expression down; patterns with more are matched in a bounded number of steps."""
_SLASH = ord("/")
_CLASSES = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"\x21-\x7e",
    b"lower": rb"a-z",
    b"print": rb"\x20-\x7e",
    b"punct": rb"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    b"space": rb"\t\n\v\f\r ",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}


@dataclass(frozen=True)
class _Step:
    """A piece of a pattern: one byte of `bytes`, or with `repeats` many; with `or_none` any folders."""

    bytes: frozenset[int]
    repeats: bool = False
    or_none: bool = False


_ANY = frozenset(range(256))
_IN_NAME = _ANY - {_SLASH}


class PathPattern:
    """A pattern of a file below a folder; a pattern that ends with `/` matches folders and no file."""

    def __init__(self, pattern: bytes) -> None:
        self._of_folders = pattern.endswith(b"/")
        self._is_name = b"/" not in pattern.removesuffix(b"/")
        pattern = pattern if self._is_name else pattern.removeprefix(b"/")
        length = next((i for i, byte in enumerate(pattern) if byte in _SPECIAL), len(pattern))
        # The rest behind the literal beginning is matched as a whole pattern, as git does.
        self._beginning, self._rest = pattern[:length], pattern[length:]

    def is_match(self, path: bytes) -> bool:
        """Return whether a path relative to the pattern's folder matches."""
        if self._of_folders:
            return False
        text = path.rpartition(b"/")[2] if self._is_name else path
        if not text.startswith(self._beginning):
            return False
        text = text[len(self._beginning) :]
        if not self._rest:
            return not text
        if self._expression is not None:
            return self._expression.fullmatch(text) is not None
        return self._steps is not None and _is_step_match(self._steps, text)

    @cached_property
    def _steps(self) -> list[_Step] | None:
        """The pieces; None if no path matches them."""
        try:
            return [*_parse_steps(self._rest, is_name=self._is_name)]
        except ValueError:
            return None

    @cached_property
    def _expression(self) -> re.Pattern[bytes] | None:
        """The regular expression; None if the steps have to be matched one by one."""
        if self._steps is None or sum(each.repeats for each in self._steps) > _MOST_STARS:
            return None
        return re.compile(b"".join(map(_write_expression, self._steps)), re.DOTALL)


def _write_expression(step: _Step) -> bytes:
    if step.or_none:
        return b"(?:.*/)?"
    if len(step.bytes) == 1:
        one = re.escape(bytes(step.bytes))
    elif step.bytes == _ANY:
        one = b"."
    elif step.bytes == _IN_NAME:
        one = b"[^/]"
    else:
        one = b"[" + b"".join(b"\\x%02x" % byte for byte in sorted(step.bytes)) + b"]"
        one = one if step.bytes else b"(?!)"
    return one + b"*" if step.repeats else one


def _is_step_match(steps: list[_Step], text: bytes) -> bool:
    """Return whether the text matches; each byte advances every reached step."""
    reached = _add_optional(steps, {0})
    for byte in text:
        following = set()
        for at in reached:
            if at < len(steps):
                step = steps[at]
                if step.or_none:
                    following |= {at, at + 1} if byte == _SLASH else {at + len(steps) + 1}
                elif byte in step.bytes:
                    following.add(at if step.repeats else at + 1)
            elif at > len(steps):
                # Within a folder that `**/` stands for.
                folder = at - len(steps) - 1
                following |= {at, folder + 1} if byte == _SLASH else {at}
        reached = _add_optional(steps, following)
    return len(steps) in reached


def _add_optional(steps: list[_Step], reached: set[int]) -> set[int]:
    """Add the steps behind those that may match nothing."""
    waiting = list(reached)
    while waiting:
        at = waiting.pop()
        is_optional = at < len(steps) and (steps[at].repeats or steps[at].or_none)
        if is_optional and at + 1 not in reached:
            reached.add(at + 1)
            waiting.append(at + 1)
    return reached


def _parse_steps(pattern: bytes, *, is_name: bool) -> Iterator[_Step]:
    """Parse the pattern into steps. Raise ValueError if it matches nothing."""
    one = _ANY if is_name else _IN_NAME
    at = 0
    while at < len(pattern):
        byte = pattern[at]
        if byte == ord("*"):
            end = at + len(pattern[at:]) - len(pattern[at:].lstrip(b"*"))
            is_alone = at == 0 or pattern[at - 1] == _SLASH
            follows = pattern[end:]
            if end - at > 1 and not is_name and is_alone and follows.startswith(b"/"):
                yield _Step(_ANY, repeats=True, or_none=True)
                at = end + 1
                continue
            spans = end - at > 1 and is_alone and (not follows or follows.startswith(b"\\/"))
            yield _Step(_ANY if spans else one, repeats=True)
            at = end
        elif byte == ord("["):
            found, at = _parse_bracket(pattern, at)
            yield _Step(found if is_name else found - {_SLASH})
        elif byte == ord("?"):
            yield _Step(one)
            at += 1
        else:
            at += byte == ord("\\")
            if at >= len(pattern):
                raise ValueError("it ends with a backslash")
            yield _Step(frozenset({pattern[at]}))
            at += 1


def _parse_bracket(pattern: bytes, start: int) -> tuple[frozenset[int], int]:
    """Return the bytes that `[…]` matches, and the index behind it."""
    at = start + 1
    is_negated = pattern[at : at + 1] in (b"!", b"^")
    at += is_negated
    found: set[int] = set()
    before: int | None = None
    is_first = True
    while is_first or pattern[at : at + 1] != b"]":
        is_first = False
        byte = _get_byte(pattern, at)
        if byte == ord("\\"):
            at += 1
            byte = _get_byte(pattern, at)
            found.add(byte)
            before = byte
        elif byte == ord("-") and before and pattern[at + 1 : at + 2] not in (b"", b"]"):
            at += 1
            last = _get_byte(pattern, at)
            if last == ord("\\"):
                at += 1
                last = _get_byte(pattern, at)
            found.update(range(before, last + 1))
            before = None
        elif pattern[at : at + 2] == b"[:":
            end = pattern.find(b"]", at + 2)
            if end < 0:
                raise ValueError("a class has no end")
            if end < at + 3 or pattern[end - 1] != ord(":"):
                found.add(byte)
                before = byte
            else:
                name = pattern[at + 2 : end - 1]
                if name not in _CLASSES:
                    raise ValueError("no class of this name")
                written = re.compile(b"[" + _CLASSES[name] + b"]")
                found.update(each for each in range(256) if written.match(bytes([each])))
                before = None
                at = end
        else:
            found.add(byte)
            before = byte
        at += 1
    return (_ANY - found if is_negated else frozenset(found)), at + 1


def _get_byte(pattern: bytes, at: int) -> int:
    if at >= len(pattern):
        raise ValueError("a bracket has no end")
    return pattern[at]


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
    """The attributes of one file; None if nothing is set."""

    vendored: bool | None = None
    generated: bool | None = None
    documentation: bool | None = None
    detectable: bool | None = None
    language: str | None = None


@dataclass(frozen=True)
class _Rule:
    """A line: the attributes of the files that match below a folder."""

    folder: bytes
    pattern: PathPattern
    states: _States

    def is_match(self, path: bytes) -> bool:
        return path.startswith(self.folder) and self.pattern.is_match(path[len(self.folder) :])


class AttributeRules:
    """The rules of all `.gitattributes` of a repository; those of deeper folders and later lines win."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """Read the files, path to content; use the last thousand rules that concern languages."""
        ordered = sorted(files, key=lambda path: (path.count("/"), path))
        self._macros: dict[bytes, _States] = {}
        rules: list[_Rule] = []
        for path in ordered:
            folder = path[: -len(FILE_NAME)].encode("utf-8", "surrogateescape")
            for first, states in _parse_lines(files[path]):
                if isinstance(first, PathPattern):
                    rules.append(_Rule(folder, first, states))
                elif not folder:
                    self._macros[first] = states
        heeded = self._find_heeded()
        kept = [rule for rule in rules if any(name in heeded for name, _ in rule.states)]
        self._rules = kept[: -_MOST_RULES - 1 : -1]

    def get_attributes(self, path: str) -> Attributes:
        """Return the attributes of the file."""
        said: dict[bytes, _Value] = {}
        if self._rules:
            name = path.encode("utf-8", "surrogateescape")
            for rule in self._rules:
                if rule.is_match(name):
                    self._add_states(said, rule.states)
        language = said.get(_PREFIX + b"language")
        return Attributes(
            vendored=_parse_flag(said.get(_PREFIX + b"vendored")),
            generated=_parse_flag(said.get(_PREFIX + b"generated")),
            documentation=_parse_flag(said.get(_PREFIX + b"documentation")),
            detectable=_parse_flag(said.get(_PREFIX + b"detectable")),
            language=language if isinstance(language, str) else None,
        )

    def _add_states(self, said: dict[bytes, _Value], states: _States) -> None:
        """Add the states that are not set yet, from last to first, with those of a macro that is set."""
        waiting = list(states)
        while waiting:
            name, value = waiting.pop()
            if name in said:
                continue
            said[name] = value
            if value is True:
                waiting.extend(self._macros.get(name, ()))

    def _find_heeded(self) -> frozenset[bytes]:
        """Return the attributes that languages depend on, and the macros that set one of them."""
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


def _parse_lines(content: bytes) -> Iterator[tuple[PathPattern | bytes, _States]]:
    """Yield the pattern, or the name of the defined macro, of each line with its states."""
    for line in content.removeprefix(_BOM).split(b"\n"):
        if len(line) >= _LONGEST_LINE:
            continue
        line = line.strip(_BLANK)
        if not line or line.startswith(b"#"):
            continue
        first, rest = _split_first_word(line)
        if len(first) > len(_MACRO) and first.startswith(_MACRO):
            words = line[len(_MACRO) :].split()
            if words and _is_name(words[0]):
                states = _parse_states(words[1:])
                if states is not None:
                    yield words[0], states
            continue
        states = _parse_states(rest.split())
        if states and not first.startswith(b"!"):
            yield PathPattern(first), states


def _split_first_word(line: bytes) -> tuple[bytes, bytes]:
    """Return the pattern, which may be quoted as in C, and the rest of the line."""
    if line.startswith(b'"'):
        quoted = _unquote(line)
        if quoted is not None:
            return quoted
    word = re.split(rb"[ \t\r]", line, maxsplit=1)[0]
    return word, line[len(word) :]


def _unquote(line: bytes) -> tuple[bytes, bytes] | None:
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


def _parse_states(words: Iterable[bytes]) -> _States | None:
    """Return the states in order; None if one word is invalid, which makes git ignore the line."""
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


def _parse_flag(value: _Value) -> bool | None:
    return None if value is None else value not in (False, "false")
