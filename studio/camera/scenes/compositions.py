"""Scenes put together of a room and things, as the files in `studio/data/scenes` say; how their takes differ."""

import importlib
import inspect
import pkgutil
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from PIL import Image

from studio.camera.moving import Mirrored, Moving
from studio.camera.palettes import Colour, Palette
from studio.camera.scenes import props, rooms
from studio.camera.scenes.brush import Size
from studio.camera.scenes.easel import WALL_TONES, Easel, View
from studio.camera.scenes.props.weather import draw_dust
from studio.content import ContentError, Items, Table, find_files, read_yaml

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
PLACE = ("x", "size", "lift", "hung")


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
    composition: Composition, take: int, palette: Palette, size: Size, chance: np.random.Generator
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


@cache
def read_scenes(path: Path) -> tuple[Composition, ...]:
    """Read the scenes of a file.

    Raises:
        ContentError: it names a room, a thing or a field that there is not, or a value of the wrong kind.
    """
    table = read_yaml(path)
    reader = _Reader(path)
    reader.check_fields(table, ("scenes",), needed=("scenes",))
    scenes = table["scenes"]
    if not isinstance(scenes, Items) or len(scenes) not in COUNTS:
        reader.refuse(table, "scenes", "a list of three scenes, or of one", scenes)
    return tuple(
        reader.read_composition(scene, line)
        for scene, line in zip(scenes, scenes.lines, strict=True)
    )


@cache
def list_things() -> Mapping[str, Callable[..., None]]:
    """Return what scenes may hold: every public `draw_x` of the modules of `props` as x."""
    found: dict[str, Callable[..., None]] = {}
    for module in pkgutil.iter_modules(props.__path__, f"{props.__name__}."):
        found |= _list_functions(importlib.import_module(module.name), "draw_")
    return found


@cache
def list_rooms() -> Mapping[str, Callable[..., None]]:
    """Return where things may stand: every public `paint_x` of `rooms` as x."""
    return _list_functions(rooms, "paint_")


def _list_functions(module: types.ModuleType, prefix: str) -> dict[str, Callable[..., None]]:
    """Return the functions that a module defines and a file can call, by their names without the prefix."""
    return {
        name.removeprefix(prefix): function
        for name, function in sorted(vars(module).items())
        if name.startswith(prefix)
        and function.__module__ == module.__name__
        and None not in list_options(function).values()
    }


@cache
def list_options(function: Callable[..., None]) -> Mapping[str, str | None]:
    """Return the parameters that a file may set, and what each expects; None for one that it cannot."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return {
        parameter.name: "a tone" if parameter.name == "tone" else KINDS.get(parameter.annotation)
        for parameter in parameters
    }


KINDS: dict[Any, str] = {
    float: "a number",
    float | None: "a number",
    int: "a number",
    int | None: "a number",
    str: "a word",
    bool: "true or false",
    Colour: "a colour",
    Colour | None: "a colour",
}


class _Reader:
    """Reads one file of scenes, and refuses what it does not know by its line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read_composition(self, scene: Any, line: int) -> Composition:
        """Read a room with its options, the things in it and those far away."""
        table = self._check_table(scene, line, "a scene with its room and things")
        self.check_fields(table, None, needed=("room", "things"))
        room = self._find(table, "room", list_rooms())
        own = list_options(room)
        self.check_fields(table, ("room", "far", "things", *own), needed=())
        options = {name: self._read_option(table, name, own[name]) for name in own if name in table}
        things, far = (
            tuple(map(self._read_thing, items, items.lines))
            for items in (self._check_list(table, "things"), self._check_list(table, "far"))
        )
        return Composition(partial(room, **options), things, far)

    def _read_thing(self, thing: Any, line: int) -> Put:
        table = self._check_table(thing, line, "a thing such as {thing: window, x: 0, lift: 2.4}")
        self.check_fields(table, None, needed=("thing",))
        draw = self._find(table, "thing", list_things())
        own = list_options(draw)
        needed = tuple(name for name, value in inspect.signature(draw).parameters.items()
                       if name in own and value.default is value.empty)  # fmt: skip
        self.check_fields(table, ("thing", *PLACE, *own), needed)
        place = {
            name: self._read_option(table, name, "a number") for name in PLACE if name in table
        }
        options = {name: self._read_option(table, name, own[name]) for name in own if name in table}
        return Put(table["thing"], partial(draw, **options) if options else draw, **place)

    def check_fields(
        self, table: Table, known: Sequence[str] | None, needed: Sequence[str]
    ) -> None:
        """Refuse a field that is not known, and a missing one."""
        for name in needed:
            if name not in table:
                raise ContentError(self._path, table.line, f"the field {name}", ", ".join(table))
        for name in table:
            if known is not None and name not in known:
                self.refuse(table, name, f"one of the fields {', '.join(known)}", name)

    def _find(
        self, table: Table, field: str, known: Mapping[str, Callable[..., None]]
    ) -> Callable[..., None]:
        name = table[field]
        if not isinstance(name, str) or name not in known:
            self.refuse(table, field, f"a {field} that there is", name)
        return known[name]

    def _read_option(self, table: Table, name: str, kind: str | None) -> Any:
        value = table[name]
        if kind == "a colour":
            if _is_colour(value):
                return tuple(value)
            kind = "a colour such as [96, 140, 76]"
        elif kind == "a tone":
            if value in WALL_TONES:
                return value
            kind = f"one of the tones {', '.join(WALL_TONES)}"
        elif kind == "true or false":
            if isinstance(value, bool):
                return value
        elif kind == "a word":
            if isinstance(value, str):
                return value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            return value
        return self.refuse(table, name, str(kind), value)

    def _check_table(self, value: Any, line: int, expected: str) -> Table:
        if not isinstance(value, Table):
            raise ContentError(self._path, line, expected, str(value))
        return value

    def _check_list(self, table: Table, field: str) -> Items:
        value = table.get(field)
        if value is None:
            value = Items()
            value.lines = []
        elif not isinstance(value, Items):
            self.refuse(table, field, "a list of things", value)
        return value

    def refuse(self, table: Table, field: str, expected: str, found: Any) -> NoReturn:
        """Raise a ContentError at the line of a field."""
        raise ContentError(self._path, table.lines[field], expected, str(found))


def _is_colour(value: Any) -> bool:
    return (
        isinstance(value, Items)
        and len(value) == 3
        and all(type(part) is int and 0 <= part <= 255 for part in value)
    )
