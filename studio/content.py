"""The files below `studio/data` and in the user's own folder, read strictly.

Each reader takes a path from `find_files` and refuses what it cannot read with a `ContentError`. None of them
remembers anything: who reads a file does so in a function with `cache_content`.
"""

import csv
import os
import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, ParamSpec, TypeVar, cast

import yaml

from studio.errors import MissingPartError

BUILT_IN = Path(__file__).with_name("data")
WORDS = BUILT_IN / "words"
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
    """A list of a YAML file, with the line of each of its items."""

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

    A file of the user's folder replaces the built-in one of the same name. Raises ContentError where that is none.
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


def read_rows(table: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file that is the studio's own, by the names in its first row."""
    with table.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def read_sections(
    path: Path, headings: Collection[str] | None = None, fields: Collection[str] = ()
) -> Sections:
    """Return a `.txt` file: `field: value` lines first, then lines below `[heading]` lines.

    Blank lines, lines that begin with "#" and what stands behind " # " do not count. Every heading is in the
    result, without `headings` those that there are. Blanks of any kind and number are read as one. Raises
    ContentError for a field or heading that is not known or stands there twice, and for a line above all headings.
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
            known = (heading[1],) if headings is None else headings
            _check_name(path, number, heading[1], known, lines, "[{}]")
            below = lines[heading[1]] = []
        elif below is not None:
            below.append(Line(text, number))
        else:
            field = FIELD.fullmatch(text)
            if not field:
                first = next(iter(headings or ("name",)))
                example = f"a field such as group: shop, or a heading such as [{first}]"
                raise ContentError(path, number, example, text)
            name = field[1].lower()
            _check_name(path, number, name, fields, values, "{}:")
            values[name] = Line(field[2], number)
    return Sections(path, values, {name: tuple(lines.get(name, ())) for name in headings or lines})


def read_toml(path: Path) -> dict[str, Any]:
    """Return a TOML file as a mapping, or raise a ContentError."""
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        place = TOML_LINE.search(str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        raise ContentError(path, line, "TOML", str(error)) from None


def read_words(name: str, check: Callable[[str], object] = str) -> dict[str, tuple[str, ...]]:
    """Return the file of this name in `words`: a TOML file with exactly the lists of words of the built-in one.

    Raises ContentError for a list that is missing or not known, and for a word that is no text or `check` refuses.
    """
    path = find_files("words", ".toml")[name]
    found = read_typed(path, dict[str, tuple[str, ...]])
    lists = read_toml(WORDS / path.name)
    for key in sorted(found.keys() ^ lists.keys()):
        there = key if key in found else f"no {key}"
        raise ContentError(path, find_line(path, key), f"the lists {', '.join(lists)}", there)
    for word in chain.from_iterable(found.values()):
        try:
            check(word)
        except re.error as error:
            line = find_line(path, word)
            raise ContentError(path, line, f"a pattern ({error})", word) from None
    return found


def read_typed(path: Path, kind: type[_T], **given: Any) -> _T:
    """Return a TOML file as a value of a type, such as a dataclass, with what is `given` besides.

    Raises ContentError for a key that is missing or not known, or has another kind of value.
    """
    from pydantic import ValidationError

    try:
        return cast(_T, _adapt(cast(Any, kind)).validate_python({**read_toml(path), **given}))
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

    Of the unquoted words only `true`, `false`, `null` and decimal numbers are no text: "on" is a word here. Raises
    ContentError for what is no YAML or no mapping, has a key twice or a tag, or is nested too deep.
    """
    text = read_text(path)
    try:
        node = yaml.compose(text, Loader=_YAML)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        found = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        line = min(mark.line, text.count("\n")) + 1 if mark else 1
        raise ContentError(path, line, "YAML", found) from None
    value = _build(path, node, 0, {}) if node else None
    if not isinstance(value, Table):
        raise ContentError(path, 1, "a mapping", "none" if value is None else str(value))
    return value


def _build(path: Path, node: yaml.Node, depth: int, built: dict[int, Any]) -> Any:
    """Return the value of a node; that of an alias is built once."""
    if id(node) in built:
        return built[id(node)]
    line = node.start_mark.line + 1
    if depth > DEEPEST:
        raise ContentError(path, line, f"at most {DEEPEST} levels", "more")
    if not str(node.tag).startswith("tag:yaml.org,2002:"):
        raise ContentError(path, line, "no tag", str(node.tag))
    value: Any = node.value
    if isinstance(node, yaml.MappingNode):
        value = _build_table(path, node, depth, built)
    elif isinstance(node, yaml.SequenceNode):
        value = Items(_build(path, item, depth + 1, built) for item in node.value)
        value.lines = [item.start_mark.line + 1 for item in node.value]
    elif isinstance(node, yaml.ScalarNode) and not node.style:
        value = _plain(node.value)
    built[id(node)] = value
    return value


def _build_table(path: Path, node: yaml.MappingNode, depth: int, built: dict[int, Any]) -> Table:
    table = Table()
    table.line, table.lines = node.start_mark.line + 1, {}
    for name, value in node.value:
        line = name.start_mark.line + 1
        if not isinstance(name, yaml.ScalarNode):
            raise ContentError(path, line, "a word as a key", "a list or a mapping")
        if name.value in table:
            raise ContentError(path, line, "each key once", name.value)
        table[name.value] = _build(path, value, depth + 1, built)
        table.lines[name.value] = value.start_mark.line + 1
    return table


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
