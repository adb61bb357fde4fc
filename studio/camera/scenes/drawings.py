"""Drawings that stand in files of `studio/data/props`: what the pen draws, one call a line; docs/content.md.

A drawing is compiled when it is drawn for the first time. It may draw others, also those that are code: a
function `draw_x` of the modules of `props` is the drawing `x`.
"""

import importlib
import inspect
import pkgutil
import re
from collections import abc
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn, get_args, get_origin

from studio.camera.palettes import Colour, colour_of
from studio.camera.scenes import paints, props
from studio.camera.scenes.brush import mix
from studio.camera.scenes.pen import Pen, darken, lighten
from studio.content import (
    NUMBER,
    ContentError,
    Line,
    cache_content,
    find_files,
    find_line,
    read_sections,
)

HEADING = re.compile(r"(_?[a-z][a-z0-9_]*)((?: [a-z][a-z0-9]*(?:=[^= ]+)?)*)")
PAINT = re.compile(r"(#[0-9a-f]{6}|[a-z][a-z0-9_.]*)((?:[+-](?:1|0(?:\.[0-9]{1,9})?))*)")
NEW_PAINT = re.compile(r"([a-z][a-z0-9_]*) = (?:(mix|pick) )?(.+)")
CALLS = (
    "ball", "bands", "blink", "blob", "box", "curve", "fall", "glow", "lathe", "line", "oval",
    "poly", "spin", "swing",
)  # fmt: skip
SHARED = {name.lower(): value for name, value in vars(paints).items() if name.isupper()}
PALETTE = ("sky.high", "sky.middle", "sky.low", "ground.far", "ground.near", "light", "accent")
# How far a number lies from 0, how often lines are drawn, how deep drawings stand within each other.
FARTHEST, MOST, DEEPEST = 100.0, 300, 4
# What is more than nothing: it is divided by, or there is nothing to be seen.
POSITIVE = ("flat", "long", "period", "reach", "scale", "size")
# A paint that is known only when it is drawn has no colour yet.
Known = dict[str, Colour | None]
Draw = Callable[..., None]
Call = Callable[[Pen, dict[str, Colour]], None]
Place = tuple[float, ...]


class Paint(NamedTuple):
    """A colour that is known when it is drawn, and how far it is darkened (below 0) or lightened."""

    name: str
    shades: tuple[float, ...]


def _find_colour(value: Any, known: Mapping[str, Colour]) -> Any:
    """Return the colour of a paint, and any other value as it is."""
    return _shade(known[value.name], value.shades) if isinstance(value, Paint) else value


def _shade(colour: Colour, shades: Sequence[float]) -> Colour:
    for share in shades:
        colour = darken(colour, -share) if share < 0 else lighten(colour, share)
    return colour


class Drawing:
    """A drawing of a file. Its heading names it and the colours that it may be given."""

    def __init__(self, path: Path, heading: Line, lines: Sequence[Line]) -> None:
        self.path, self.lines = path, lines
        self._groups: list[tuple[list[Place], list[Call]]] | None = None
        found = HEADING.fullmatch(heading.text)
        if not found:
            self._refuse(heading, "a drawing's name and its colours, as cup colour=oak")
        self.name = found[1]
        self.options: Known = {}
        kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
        parameters = [inspect.Parameter("pen", kind)]
        for name, _, paint in (option.partition("=") for option in found[2].split()):
            colour: Any = self._read_paint(heading, paint, {**SHARED}) if paint else None
            self.options[name] = colour
            parameters.append(
                inspect.Parameter(name, kind, default=colour or empty, annotation=Colour)
            )
        try:
            self.__signature__ = inspect.Signature(parameters)
        except ValueError as error:
            self._refuse(heading, f"colours that go together ({error})")

    def __call__(self, pen: Pen, *given: Colour, **options: Colour) -> None:
        """Draw it."""
        palette = pen.palette
        colours = *palette.sky, *palette.ground, palette.light, palette.accent
        known = dict(zip(PALETTE, colours, strict=True))
        known |= {name: colour for name, colour in self.options.items() if colour}
        known |= {**dict(zip(self.options, given, strict=False)), **options}
        for places, calls in self.compile():
            for place in places:
                placed = pen.at(*place)
                for call in calls:
                    call(placed, known)

    def compile(self, within: tuple[str, ...] = ()) -> list[tuple[list[Place], list[Call]]]:
        """Return groups of calls, each with the places where they are made.

        Raises:
            ContentError: a line says something that the pen cannot draw.
        """
        # Read before the groups are asked for: another thread may compile at the same time.
        lines = self.lines
        if self._groups is None:
            known: Known = {**SHARED, **dict.fromkeys((*PALETTE, *self.options))}
            groups: list[tuple[list[Place], list[Call]]] = [([(0.0, 0.0)], [])]
            for line in lines:
                name, *words = line.text.split()
                if name in ("at", "repeat"):
                    groups.append((self._read_places(line, name, words), []))
                elif paint := NEW_PAINT.fullmatch(line.text):
                    groups[-1][1].append(self._read_new_paint(line, known, *paint.groups()))
                else:
                    call = self._read_call(line, known, name, words, (*within, self.name))
                    groups[-1][1].append(call)
            self._groups, self.lines = groups, ()
        return self._groups

    def _read_call(
        self, line: Line, known: Known, name: str, words: list[str], within: tuple[str, ...]
    ) -> Call:
        draw: Draw
        if name == "draw" and words:
            draw = self._find_part(line, words.pop(0), within)
        elif name in CALLS:
            draw = getattr(Pen, name)
        else:
            calls = f"at, repeat, draw, {', '.join(CALLS)} or a paint as tone = oak-0.2"
            self._refuse(line, calls, name)
        signature = _find_signature(draw)
        parameters = dict(list(signature.parameters.items())[1:])
        in_order = iter(parameters.values())
        each = None
        values: list[Any] = []
        named: dict[str, Any] = {}
        for word in words:
            option, equals, text = word.rpartition("=")
            if equals and option in parameters:
                named[option] = self._read_value(line, known, parameters[option], text, within)
                continue
            if each is None or each.kind is not each.VAR_POSITIONAL:
                each = next(in_order, None)
            if each is None or equals:
                self._refuse(line, f"the values {', '.join(parameters)}", word)
            values.append(self._read_value(line, known, each, word, within))
        try:
            signature.bind(None, *values, **named)
        except TypeError as error:
            self._refuse(line, f"the values {', '.join(parameters)} ({error})")
        if each and each.kind is each.VAR_POSITIONAL and len(values) <= len(parameters):
            self._refuse(line, "two points or more")

        def call(pen: Pen, colours: dict[str, Colour]) -> None:
            draw(
                pen,
                *[_find_colour(value, colours) for value in values],
                **{option: _find_colour(value, colours) for option, value in named.items()},
            )

        return call

    def _read_value(
        self,
        line: Line,
        known: Known,
        parameter: inspect.Parameter,
        word: str,
        within: tuple[str, ...],
    ) -> Any:
        """Return what a word means for a parameter of its type."""
        kind = parameter.annotation
        if kind in (Colour, Colour | None):
            return self._read_paint(line, word, known)
        if kind is int:
            return self._read_count(line, word)
        if kind in (float, float | None):
            return self._read_number(line, word, parameter.name in POSITIVE)
        if get_origin(kind) is tuple and set(get_args(kind)) == {float}:
            parts = word.split(",")
            if len(parts) == len(get_args(kind)):
                return tuple(self._read_number(line, part) for part in parts)
            self._refuse(line, f"{parameter.name}: {len(get_args(kind))} numbers as 0,1.5", word)
        if get_origin(kind) is abc.Callable:
            return self._find_part(line, word, within)
        choices = {"true": True, "false": False} if kind is bool else {}
        if get_origin(kind) is Literal:
            choices = {choice: choice for choice in get_args(kind)}
        if word not in choices:
            self._refuse(line, f"{parameter.name}: one of {', '.join(choices) or 'nothing'}", word)
        return choices[word]

    def _read_number(self, line: Line, word: str, positive: bool = False) -> float:
        number = float(word) if NUMBER.fullmatch(word) else FARTHEST + 1
        if abs(number) > FARTHEST or (positive and number <= 0):
            low = "above 0" if positive else f"from -{FARTHEST:g}"
            self._refuse(line, f"a number {low} to {FARTHEST:g}", word)
        return number

    def _read_paint(self, line: Line, word: str, known: Known) -> Colour | Paint:
        found = PAINT.fullmatch(word)
        if not found or (found[1] not in known and not found[1].startswith("#")):
            self._refuse(line, "a paint as ink, #f4ecde or oak-0.3", word)
        shades = tuple(map(float, re.findall(r"[+-][0-9.]+", found[2])))
        colour = known.get(found[1]) or (colour_of(found[1]) if found[1] not in known else None)
        return _shade(colour, shades) if colour else Paint(found[1], shades)

    def _read_new_paint(
        self, line: Line, known: Known, name: str, how: str | None, text: str
    ) -> Call:
        """Return what gives a paint its name; it is known from this line on."""
        words = text.split()
        share = self._read_number(line, words.pop()) if how == "mix" and words else 0.0
        if len(words) != {"mix": 2, None: 1}.get(how, len(words)):
            self._refuse(line, "one paint, mix PAINT PAINT SHARE, or pick PAINT PAINT")
        found = [self._read_paint(line, word, known) for word in words]
        known[name] = None

        def call(pen: Pen, colours: dict[str, Colour]) -> None:
            of: list[Colour] = [_find_colour(paint, colours) for paint in found]
            if how == "mix":
                colours[name] = mix(of[0], of[1], share)
            else:
                colours[name] = pen.pick(of) if how else of[0]

        return call

    def _read_places(self, line: Line, name: str, words: list[str]) -> list[Place]:
        """Return where the lines below stand: `at` each of some places, or `repeat` from one to another."""
        repeated = name == "repeat"
        count = self._read_count(line, words.pop(0) if words else "") if repeated else 0
        columns: dict[str, list[float]] = {
            "x": [], "y": [], "scale": [1.0], "turn": [0.0], "side": [1.0]
        }  # fmt: skip
        for word in words:
            option, equals, text = word.rpartition("=")
            parts = text.split(",")
            numbers = [self._read_number(line, part, option in POSITIVE) for part in parts]
            if equals and option in ("scale", "turn", "side"):
                columns[option] = numbers
            elif equals or len(numbers) != 2:
                self._refuse(line, "a place as 0,1.5, scale=, turn= or side=", word)
            else:
                columns["x"].append(numbers[0])
                columns["y"].append(numbers[1])
        count = count or max(map(len, columns.values()))
        if not all(len(numbers) in (1, 2 if repeated else count) for numbers in columns.values()):
            self._refuse(line, "places, and as many values or one")
        return list(zip(*(_spread(numbers, count) for numbers in columns.values()), strict=True))

    def _read_count(self, line: Line, word: str) -> int:
        number = self._read_number(line, word)
        if number not in range(1, MOST + 1):
            self._refuse(line, f"a whole number from 1 to {MOST}", word)
        return int(number)

    def _find_part(self, line: Line, name: str, within: tuple[str, ...]) -> Draw:
        """Return another drawing that this one draws; none may be a part of itself."""
        draw = find_drawings().get(name)
        if draw is None or name in within or len(within) > DEEPEST:
            self._refuse(line, "another drawing that there is, and that is no part of itself", name)
        if isinstance(draw, Drawing):
            draw.compile(within)
        return draw

    def _refuse(self, line: Line, expected: str, found: str = "") -> NoReturn:
        raise ContentError(self.path, line.number, expected, found or line.text)


@cache
def _find_signature(draw: Draw) -> inspect.Signature:
    return inspect.signature(draw)


def _spread(numbers: list[float], count: int) -> list[float]:
    """Return as many numbers as places: all of them, or those between the first and the last."""
    if len(numbers) == count:
        return numbers
    step = (numbers[-1] - numbers[0]) / max(1, count - 1)
    return [numbers[0] + step * number for number in range(count)]


def read_drawings(path: Path) -> list[Drawing]:
    """Return the drawings of a file, not yet compiled.

    Raises:
        ContentError: a heading names no drawing.
    """
    sections = read_sections(path)
    return [
        Drawing(path, Line(heading, find_line(path, f"[{heading}]")), lines)
        for heading, lines in sections.lines.items()
    ]


@cache_content
def find_drawings() -> Mapping[str, Draw]:
    """Return all drawings by name, those of the files and those that are code.

    Raises:
        ContentError: there are two of a name.
    """
    found: dict[str, Draw] = {}
    for module in pkgutil.iter_modules(props.__path__, f"{props.__name__}."):
        for name, draw in vars(importlib.import_module(module.name)).items():
            if name.lstrip("_").startswith("draw_") and draw.__module__ == module.name:
                found[name.replace("draw_", "", 1)] = draw
    for path in find_files("props", ".txt").values():
        for drawing in read_drawings(path):
            if drawing.name in found:
                line = find_line(path, f"[{drawing.name}")
                raise ContentError(path, line, "a name of its own", f"another {drawing.name}")
            found[drawing.name] = drawing
    return found


def draw_thing(name: str, pen: Pen, *given: object) -> None:
    """Draw the drawing of a name, also one of a file."""
    find_drawings()[name](pen, *given)
