"""The files below `studio/data` and in the user's own folder, read strictly.

Each reader takes a path from `find_files` and refuses what it cannot read with a `ContentError`. None of them
remembers anything: who reads a file does so in a function with `cache_content`.
"""

import os
import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, ParamSpec, TypeVar

import yaml

from studio.errors import MissingPartError

BUILT_IN = Path(__file__).with_name("data")
VARIABLE = "CASTAD_STUDIO_DATA"
HEADING = re.compile(r"\[([^\[\]|<>{}/]*)\]")
FIELD = re.compile(r"([A-Za-z][a-z-]*) ?: ?(.*)")
REMARK = re.compile(r"(?:^|\s)#(?:\s.*)?$")
TOML_LINE = re.compile(r"at line (\d+)")
INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
NUMBER = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,2})?")
CONSTANTS = {"true": True, "false": False, "null": None, "~": None, "": None}
DEEPEST = 30
MOST_REMEMBERED = 512
STRICT: Any = {"extra": "forbid"}
"""The `__pydantic_config__` of a dataclass that refuses keys which it does not know."""
_YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_P = ParamSpec("_P")
_T = TypeVar("_T")


class ContentError(MissingPartError):
    """A file of content says something that the studio does not know; it names file and line, if any."""

    code = "studio_content_invalid"

    def __init__(self, path: Path, line: int | None, expected: str, found: str) -> None:
        place = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{place}: expected {expected}, found {_shorten(found)}")
        self.path = path
        self.line = line


class Line(NamedTuple):
    """A text of a file, and the number of its line."""

    text: str
    number: int


@dataclass(frozen=True)
class Sections:
    """A `.txt` file: the fields before its first heading, and the lines below each heading."""

    path: Path
    fields: Mapping[str, Line]
    lines: Mapping[str, tuple[Line, ...]]

    def refuse(self, line: Line, expected: str) -> NoReturn:
        """Raise a ContentError for one of the lines."""
        raise ContentError(self.path, line.number, expected, line.text)


class Table(dict[str, Any]):
    """A mapping of a YAML file, with its line and that of each of its values."""

    line: int
    lines: dict[str, int]


class Items(list[Any]):
    """A list of a YAML file, with its line and that of each of its items."""

    line: int
    lines: list[int]


def own_folder() -> Path | None:
    """Return the user's folder of content, if there is one."""
    own = os.environ.get(VARIABLE, "").strip()
    return Path(own).expanduser() if own else None


def cache_content(read: Callable[_P, _T]) -> Callable[_P, _T]:
    """Remember what a function makes of content, apart for every folder of the user's."""

    def read_with(_own: Path | None, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return read(*args, **kwargs)

    remembered: Callable[..., _T] = lru_cache(MOST_REMEMBERED)(read_with)

    @wraps(read)
    def get(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        return remembered(own_folder(), *args, **kwargs)

    return get


def find_files(folder: str, suffix: str) -> dict[str, Path]:
    """Return the files of a folder of content by their names without the suffix, in the order of names.

    A file of the user's folder replaces the built-in one of the same name.

    Raises:
        ContentError: the user's folder is not a folder.
    """
    roots = [BUILT_IN]
    own = own_folder()
    if own:
        if not own.is_dir():
            raise ContentError(own, None, f"a folder, as {VARIABLE} names it", "none")
        roots.append(own)
    found = {path.stem: path for root in roots for path in (root / folder).glob(f"[!.]*{suffix}")}
    return dict(sorted(found.items()))


def read_text(path: Path) -> str:
    """Return a file's text in composed letters, without a byte order mark and carriage returns."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ContentError(path, None, "a file that can be read", str(error.strerror)) from None
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ContentError(
            path, line, "text in UTF-8", repr(error.object[error.start :][:4])
        ) from None
    return unicodedata.normalize("NFC", text)


def read_sections(path: Path, headings: Collection[str], fields: Collection[str] = ()) -> Sections:
    """Return a `.txt` file: `field: value` lines first, then lines below `[heading]` lines.

    Blank lines, lines that begin with "#" and what stands behind " # " do not count. Every heading is in the
    result. Blanks of any kind and number are read as one.

    Raises:
        ContentError: a field or heading that is not known or stands there twice, or a line above all headings.
    """
    values: dict[str, Line] = {}
    lines: dict[str, list[Line]] = {}
    below: list[Line] | None = None
    for number, written in enumerate(read_text(path).split("\n"), 1):
        text = " ".join(REMARK.sub("", written).split())
        if not text or text.startswith("#"):
            continue
        heading = HEADING.fullmatch(text)
        if heading:
            _check_name(path, number, heading[1], headings, lines, "[{}]")
            below = lines[heading[1]] = []
        elif below is not None:
            below.append(Line(text, number))
        else:
            field = FIELD.fullmatch(text)
            if not field:
                example = (
                    f"a field such as group: shop, or a heading such as [{next(iter(headings))}]"
                )
                raise ContentError(path, number, example, text)
            name = field[1].lower()
            _check_name(path, number, name, fields, values, "{}:")
            values[name] = Line(field[2], number)
    return Sections(path, values, {name: tuple(lines.get(name, ())) for name in headings})


def read_toml(path: Path) -> dict[str, Any]:
    """Return a TOML file as a mapping.

    Raises:
        ContentError: it is no TOML.
    """
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        place = TOML_LINE.search(str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        raise ContentError(path, line, "TOML", str(error)) from None


def read_words(name: str, check: Callable[[str], object] = str) -> dict[str, tuple[str, ...]]:
    """Return the file of this name in `words`: a TOML file with exactly the lists of words of the built-in one.

    Raises:
        ContentError: a list is missing, is not known, or holds something that is no text, or that `check` refuses.
    """
    path = find_files("words", ".toml")[name]
    found, lists = read_toml(path), read_toml(BUILT_IN / "words" / path.name)
    for key, words in found.items():
        _check_name(path, find_line(path, key), key, lists, (), "{}")
        if not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
            raise ContentError(path, find_line(path, key), f"{key}: a list of words", str(words))
        for word in words:
            try:
                check(word)
            except re.error as error:
                line = find_line(path, word)
                raise ContentError(path, line, f"a pattern ({error})", word) from None
    missing = [key for key in lists if key not in found]
    if missing:
        raise ContentError(path, 1, f"the list {missing[0]}", "none")
    return {key: tuple(words) for key, words in found.items()}


def read_typed(path: Path, kind: Any, **given: Any) -> Any:
    """Return a TOML file as a value of a type, such as a dataclass, with what is `given` besides.

    Raises:
        ContentError: a key is not there or not known, or has another kind of value.
    """
    from pydantic import ValidationError

    try:
        return _adapt(kind).validate_python({**read_toml(path), **given})
    except ValidationError as error:
        # A key that is misspelt is missing, too, by its right name.
        problem = min(error.errors(), key=lambda one: one["type"] == "missing")
        names = [str(name) for name in problem["loc"]]
        value = problem["input"]
        found = f'"{value}"' if isinstance(value, str) else str(value)
        key = next((name for name in reversed(names) if not name.isdecimal()), "")
        expected = problem["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
        line = find_line(path, f"{key} =", found)
        raise ContentError(path, line, f"{'.'.join(names)}: {expected}", found) from None


@cache
def _adapt(kind: Any) -> Any:
    """Return what checks values of a type; it takes milliseconds to make."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def find_line(path: Path, word: str, likely: str = "") -> int:
    """Return the number of the first line that holds the word, best one with what is likely too, or else 1."""
    lines = [line for line in enumerate(read_text(path).split("\n"), 1) if word in line[1]]
    return next((number for number, line in lines if likely in line), lines[0][0] if lines else 1)


def read_yaml(path: Path) -> Table:
    """Return a YAML file that is a mapping; its mappings are `Table`s and its lists are `Items`.

    Of the unquoted words only `true`, `false`, `null` and decimal numbers are no text: "on" is a word here.

    Raises:
        ContentError: it is no YAML, no mapping, has a key twice or a tag, or is nested too deep.
    """
    text = read_text(path)
    try:
        node = yaml.compose(text, Loader=_YAML)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        found = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        line = min(mark.line, text.count("\n")) + 1 if mark else 1
        raise ContentError(path, line, "YAML", found) from None
    value = _Builder(path).build(node, 0) if node else None
    if not isinstance(value, Table):
        raise ContentError(path, 1, "a mapping", "none" if value is None else str(value))
    return value


class _Builder:
    """Turns the nodes of one YAML file into values."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._built: dict[int, Any] = {}

    def build(self, node: yaml.Node, depth: int) -> Any:
        """Return the value of a node; that of an alias is built once."""
        if id(node) not in self._built:
            if depth > DEEPEST:
                self._refuse(node, f"at most {DEEPEST} levels", "more")
            self._built[id(node)] = self._value(node, depth)
        return self._built[id(node)]

    def _value(self, node: yaml.Node, depth: int) -> Any:
        if not str(node.tag).startswith("tag:yaml.org,2002:"):
            self._refuse(node, "no tag", node.tag)
        if isinstance(node, yaml.MappingNode):
            return self._table(node, depth)
        if isinstance(node, yaml.SequenceNode):
            items = Items(self.build(item, depth + 1) for item in node.value)
            items.line = node.start_mark.line + 1
            items.lines = [item.start_mark.line + 1 for item in node.value]
            return items
        plain = isinstance(node, yaml.ScalarNode) and not node.style
        return _plain(node.value) if plain else node.value

    def _table(self, node: yaml.MappingNode, depth: int) -> Table:
        table = Table()
        table.line, table.lines = node.start_mark.line + 1, {}
        for name, value in node.value:
            if not isinstance(name, yaml.ScalarNode):
                self._refuse(name, "a word as a key", "a list or a mapping")
            if name.value in table:
                self._refuse(name, "each key once", name.value)
            table[name.value] = self.build(value, depth + 1)
            table.lines[name.value] = value.start_mark.line + 1
        return table

    def _refuse(self, node: yaml.Node, expected: str, found: str) -> NoReturn:
        raise ContentError(self._path, node.start_mark.line + 1, expected, found)


def _plain(text: str) -> Any:
    """Return an unquoted word as what it means."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    if INTEGER.fullmatch(text):
        return int(text)
    return float(text) if NUMBER.fullmatch(text) else text


def _check_name(
    path: Path, line: int, name: str, known: Collection[str], seen: Collection[str], form: str
) -> None:
    if name not in known:
        names = ", ".join(map(form.format, known)) or "nothing"
        raise ContentError(path, line, f"one of {names}", form.format(name))
    if name in seen:
        raise ContentError(path, line, f"{form.format(name)} once", "a second one")


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"
