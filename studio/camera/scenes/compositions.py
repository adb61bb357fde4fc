"""Scenes put together of a room and things, as the files in `studio/data/scenes` say; how their takes differ."""

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from PIL import Image

from studio.camera.moving import Mirrored, Moving
from studio.camera.palettes import Colour, Palette
from studio.camera.scenes import rooms
from studio.camera.scenes.brush import Chance, Size
from studio.camera.scenes.drawings import find_drawings
from studio.camera.scenes.easel import Easel, View
from studio.camera.scenes.props.nature import draw_dust
from studio.content import ContentError, Items, Table, cache_content, find_files, read_yaml

# Takes of a scene: all of it; mirrored and nearer; nearer still from one side, from the other; ...
TAKES = (
    View(),
    View(1.22, 0.9, True),
    View(1.38, -1.1),
    View(1.12, -0.6, True),
    View(1.5, 0.4),
    View(1.28, 1.3),
)
# A trade's scenes are its main one and two others; a file of one scene is of no trade.
COUNTS = (3, 1)


@dataclass(frozen=True)
class Kind:
    """What a field expects, in words and as a test."""

    expected: str
    holds: Callable[[Any], bool]


def _is_colour(value: Any) -> bool:
    return (
        isinstance(value, Items)
        and len(value) == 3
        and all(type(part) is int and 0 <= part <= 255 for part in value)
    )


def _bound(low: float, high: float, *types: type) -> Kind:
    numbers = types or (int, float)
    expected = f"a {'whole ' if types else ''}number from {low} to {high}"
    return Kind(expected, lambda value: type(value) in numbers and low <= value <= high)


WORD = Kind("a word", lambda value: isinstance(value, str))
LIST = Kind("a list", lambda value: isinstance(value, Items))
COLOUR = Kind("a colour such as [96, 140, 76]", _is_colour)
LENGTH = _bound(0.1, 40)
PLACE = {
    "thing": WORD,
    "x": _bound(-40, 40),
    "size": _bound(0.1, 10),
    "lift": _bound(-20, 20),
    "hung": _bound(0, 1),
}
# What a file may say where a room or a thing has a parameter of such a type.
KINDS: dict[Any, Kind] = {
    **dict.fromkeys((float, float | None), LENGTH),
    **dict.fromkeys((Colour, Colour | None), COLOUR),
    int: _bound(1, 12, int),
    bool: Kind("true or false", lambda value: isinstance(value, bool)),
}


@dataclass(frozen=True)
class Put:
    """A thing that stands `x` units beside the middle, or hangs at a share `hung` of the height above."""

    thing: str
    draw: Callable[..., None]
    x: float = 0.0
    size: float = 1.0
    lift: float = 0.0
    hung: float | None = None


@dataclass(frozen=True)
class Composition:
    """A room with things in it, those behind first; `far` ones are out of focus."""

    room: Callable[..., None]
    things: tuple[Put, ...]
    far: tuple[Put, ...] = ()

    def paint(self, easel: Easel) -> None:
        """Paint it on the easel."""
        self.room(easel)
        if self.far:
            for put in self.far:
                _place(easel, put)
            easel.soften()
        for put in self.things:
            _place(easel, put)
        if not easel.moving:
            draw_dust(easel.pen(0, 1.5), 7.0, 5.0)


def _place(easel: Easel, put: Put) -> None:
    lift = put.lift if put.hung is None else put.hung * easel.top
    if put.hung is None and put.lift <= 0.3:
        easel.shadow(put.x + 0.2, put.lift, 1.5 * put.size, 0.3 * put.size)
    put.draw(easel.pen(put.x, lift, put.size))


def compose(
    composition: Composition, take: int, palette: Palette, size: Size, chance: Chance
) -> tuple[Image.Image, tuple[Moving, ...]]:
    """Paint a take of a composition; return the picture, and what moves in it."""
    easel = Easel(palette, size, chance, TAKES[take % len(TAKES)])
    composition.paint(easel)
    moving = tuple(easel.moving)
    if easel.view.mirrored:
        moving = tuple(Mirrored(piece) for piece in moving)
    return easel.finish(), moving


def list_scenes() -> list[str]:
    """Return the names of all composed scenes, in the order of the files.

    Raises:
        ContentError: a file does not say what a scene needs.
    """
    files = find_files("scenes", ".yaml")
    return [scene for trade, path in files.items() for scene in _name_scenes(trade, path)]


def find_scene(name: str) -> Composition | None:
    """Return the scene "bakery-2", the second of bakery.yaml, or "rain", the only one of rain.yaml.

    Raises:
        ContentError: its file does not say what a scene needs.
    """
    trade = name.rpartition("-")[0] or name
    path = find_files("scenes", ".yaml").get(trade)
    return _name_scenes(trade, path).get(name) if path else None


def _name_scenes(trade: str, path: Path) -> dict[str, Composition]:
    scenes = read_scenes(path)
    if len(scenes) == 1:
        return {trade: scenes[0]}
    return {f"{trade}-{number}": scene for number, scene in enumerate(scenes, 1)}


@cache_content
def read_scenes(path: Path) -> tuple[Composition, ...]:
    """Read the scenes of a file.

    Raises:
        ContentError: it names a room, a thing or a field that there is not, or a value of the wrong kind.
    """
    table = read_yaml(path)
    scenes = _read_fields(path, table, {"scenes": LIST}, ("scenes",))["scenes"]
    if len(scenes) not in COUNTS:
        found = f"{len(scenes)} scenes"
        raise ContentError(path, table.lines["scenes"], "three scenes, or one", found)
    return tuple(_read_composition(path, *item) for item in zip(scenes, scenes.lines, strict=True))


def _read_composition(path: Path, scene: Any, line: int) -> Composition:
    table = _check_table(path, scene, line, "a scene with its room and things")
    room = _find_function(path, table, "room", list_rooms())
    known = {"room": WORD, "far": LIST, "things": LIST}
    fields = _read_fields(path, table, known | list_options(room), ("room", "things"))
    far, things = (
        tuple(_read_put(path, *item) for item in zip(items, items.lines, strict=True))
        if items
        else ()
        for items in (fields.get("far"), fields["things"])
    )
    options = {name: value for name, value in fields.items() if name not in known}
    return Composition(partial(room, **options), things, far)


def _read_put(path: Path, thing: Any, line: int) -> Put:
    table = _check_table(path, thing, line, "a thing such as {thing: window, x: 0, lift: 2.4}")
    draw = _find_function(path, table, "thing", list_things())
    needed = [each.name for each in _list_parameters(draw) if each.default is each.empty]
    fields = _read_fields(path, table, PLACE | list_options(draw), ("thing", *needed))
    if "lift" in fields and "hung" in fields:
        raise ContentError(path, table.lines["hung"], "either lift or hung", "both")
    options = {name: value for name, value in fields.items() if name not in PLACE}
    place = {name: fields[name] for name in PLACE if name in fields}
    return Put(draw=partial(draw, **options) if options else draw, **place)


def _check_table(path: Path, value: Any, line: int, expected: str) -> Table:
    if not isinstance(value, Table):
        raise ContentError(path, line, expected, str(value))
    return value


def _find_function(
    path: Path, table: Table, field: str, known: Mapping[str, Callable[..., None]]
) -> Callable[..., None]:
    name = table.get(field)
    if not isinstance(name, str) or name not in known:
        line = table.lines.get(field, table.line)
        near = difflib.get_close_matches(str(name), known, 3) or list(known)[:3]
        found = str(name) if field in table else ", ".join(table)
        raise ContentError(path, line, f"a {field} such as {', '.join(near)}", found)
    return known[name]


def _read_fields(
    path: Path, table: Table, known: Mapping[str, Kind], needed: Sequence[str]
) -> dict[str, Any]:
    """Return the values of a table; refuse fields that are missing, not known or of the wrong kind."""
    for name in needed:
        if name not in table:
            raise ContentError(
                path, table.line, f"{name}: {known[name].expected}", ", ".join(table)
            )
    for name, value in table.items():
        if name not in known:
            owner = next((f" of {table[each]}" for each in ("thing", "room") if each in known), "")
            expected = f"one of the fields{owner}: {', '.join(known)}"
            raise ContentError(path, table.lines[name], expected, name)
        if not known[name].holds(value):
            raise ContentError(
                path, table.lines[name], f"{name}: {known[name].expected}", str(value)
            )
    return {name: tuple(value) if known[name] is COLOUR else value for name, value in table.items()}


@cache_content
def list_things() -> Mapping[str, Callable[..., None]]:
    """Return what scenes may hold: every drawing whose fields a file can say, but for parts of others."""
    found = find_drawings().items()
    return {name: draw for name, draw in found if not name.startswith("_") and _is_sayable(draw)}


@cache
def list_rooms() -> Mapping[str, Callable[..., None]]:
    """Return where things may stand: every public `paint_x` of `rooms` as x."""
    return {
        name.removeprefix("paint_"): function
        for name, function in vars(rooms).items()
        if name.startswith("paint_") and function.__module__ == rooms.__name__
    }


def _is_sayable(function: Callable[..., None]) -> bool:
    """Return whether a file can say all that a function asks for."""
    parameters = _list_parameters(function)
    return all(each.name not in PLACE and _find_kind(each.annotation) for each in parameters)


def list_options(function: Callable[..., None]) -> dict[str, Kind]:
    """Return the fields that a file may give a room or a thing, and what each of them expects."""
    kinds = {each.name: _find_kind(each.annotation) for each in _list_parameters(function)}
    return {name: kind for name, kind in kinds.items() if kind}


def _find_kind(annotation: Any) -> Kind | None:
    """Return what a parameter of a type expects, or None where a file cannot say it."""
    if get_origin(annotation) is not Literal:
        return KINDS.get(annotation)
    words = get_args(annotation)
    return Kind(f"one of {', '.join(words)}", words.__contains__)


def _list_parameters(function: Callable[..., None]) -> list[inspect.Parameter]:
    """Return the parameters after the easel or the pen."""
    return list(inspect.signature(function).parameters.values())[1:]
