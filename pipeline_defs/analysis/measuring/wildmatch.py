"""Patterns of paths as git matches them in `.gitattributes` (its `wildmatch.c` and `dir.c`), on bytes. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_SPECIAL = b"*?[\\"
_MOST_STARS = 4
"""A regular expression takes longer with each; more are matched in steps of bounded number."""
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
    """A piece of a pattern: one byte of `bytes` or any number of them, or with `or_none` any folders."""

    bytes: frozenset[int]
    repeats: bool = False
    or_none: bool = False


_ANY = frozenset(range(256))
_IN_NAME = _ANY - {_SLASH}


class PathPattern:
    """A pattern of a file below a folder; one that ends with `/` is of folders and matches no file."""

    def __init__(self, pattern: bytes) -> None:
        self._of_folders = pattern.endswith(b"/")
        self._is_name = b"/" not in pattern.removesuffix(b"/")
        pattern = pattern if self._is_name else pattern.removeprefix(b"/")
        length = next((i for i, byte in enumerate(pattern) if byte in _SPECIAL), len(pattern))
        # What is behind the literal beginning is matched as if it were the whole pattern, as git does.
        self._beginning, self._rest = pattern[:length], pattern[length:]

    def matches(self, path: bytes) -> bool:
        """Whether the path of a file, relative to the folder of the pattern, matches."""
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
        return self._steps is not None and _in_steps(self._steps, text)

    @cached_property
    def _steps(self) -> list[_Step] | None:
        """The pieces; None where no path matches them."""
        try:
            return [*_steps_of(self._rest, is_name=self._is_name)]
        except ValueError:
            return None

    @cached_property
    def _expression(self) -> re.Pattern[bytes] | None:
        """The regular expression; None where the steps are matched one by one."""
        if self._steps is None or sum(each.repeats for each in self._steps) > _MOST_STARS:
            return None
        return re.compile(b"".join(map(_written, self._steps)), re.DOTALL)


def _written(step: _Step) -> bytes:
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


def _in_steps(steps: list[_Step], text: bytes) -> bool:
    """Each byte moves every reached step on."""
    reached = _closed(steps, {0})
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
        reached = _closed(steps, following)
    return len(steps) in reached


def _closed(steps: list[_Step], reached: set[int]) -> set[int]:
    """With the steps behind those that may stand for nothing."""
    waiting = list(reached)
    while waiting:
        at = waiting.pop()
        is_optional = at < len(steps) and (steps[at].repeats or steps[at].or_none)
        if is_optional and at + 1 not in reached:
            reached.add(at + 1)
            waiting.append(at + 1)
    return reached


def _steps_of(pattern: bytes, *, is_name: bool) -> Iterator[_Step]:
    """Raises ValueError for a pattern that matches nothing."""
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
            found, at = _bracket(pattern, at)
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


def _bracket(pattern: bytes, start: int) -> tuple[frozenset[int], int]:
    """The bytes that `[…]` stands for, and the place behind it."""
    at = start + 1
    is_negated = pattern[at : at + 1] in (b"!", b"^")
    at += is_negated
    found: set[int] = set()
    before: int | None = None
    is_first = True
    while is_first or pattern[at : at + 1] != b"]":
        is_first = False
        byte = _at(pattern, at)
        if byte == ord("\\"):
            at += 1
            byte = _at(pattern, at)
            found.add(byte)
            before = byte
        elif byte == ord("-") and before and pattern[at + 1 : at + 2] not in (b"", b"]"):
            at += 1
            last = _at(pattern, at)
            if last == ord("\\"):
                at += 1
                last = _at(pattern, at)
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
                found.update(_class(pattern[at + 2 : end - 1]))
                before = None
                at = end
        else:
            found.add(byte)
            before = byte
        at += 1
    return (_ANY - found if is_negated else frozenset(found)), at + 1


def _at(pattern: bytes, at: int) -> int:
    if at >= len(pattern):
        raise ValueError("a bracket has no end")
    return pattern[at]


def _class(name: bytes) -> Iterator[int]:
    if name not in _CLASSES:
        raise ValueError("no class of this name")
    written = re.compile(b"[" + _CLASSES[name] + b"]")
    return (byte for byte in range(256) if written.match(bytes([byte])))
