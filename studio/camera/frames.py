"""The frames of a film, drawn on a few threads and handed out in order; with grounds of one colour behind text."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from studio.camera.moving import Moving, Square, Subject, convert_to_pixels, lay_moving
from studio.camera.palettes import MOST, WHITE, Colour, find_brightest_ground, match_grey
from studio.camera.photos import Fitted
from studio.camera.pictures import Planes, Source, Tone, blend, in_video, prepare, take_window
from studio.camera.shots import FPS, Look, Shot, aim, look_at
from studio.camera.text import Box, Ground, TextArea

# numpy releases the interpreter while it computes: two threads keep up with the encoder on two cores.
# Pictures are made one at a time, by a thread of their own: each takes as much memory as all frames do.
THREADS = 2
AHEAD = 2
# Pictures that come again are kept, which is quicker than to make them again; each takes 5 MB in a full film.
KEPT = 10
# How often the ground behind a text is looked at while a shot lasts.
LOOKS = 7
# So many rows around a text what moves fades out.
AROUND = 30
BRIGHTEST_UNDER_WHITE = find_brightest_ground(WHITE)
# Rows whose sides differ by less than so many radii of their corners get plates of one width.
NEARLY = 2.0
# Spans begin and end at multiples of so many pixels, for colour is kept in larger ones than light.
BLOCK = 8
# How soft frosted glass is, in blocks of a frame whose shorter side is 1080.
FROST = 2.2
KEPT_SHAPES = 4

Painter = Callable[[int], Fitted]
Pixels = tuple[int, int, int, int]
Masks = tuple[Image.Image, Image.Image]


@dataclass(frozen=True)
class Form:
    """The shape of a ground: lengths are shares of the frame's shorter side.

    It reaches `across` and `down` beyond the text, and has corners of `radius`. At least `least` of the light is
    taken. It comes in `comes` seconds before its text, and goes in `goes` seconds, until `stays` after its text.
    """

    across: float = 0.0
    down: float = 0.0
    radius: float = 0.0
    least: float = 0.0
    comes: float = 0.1
    goes: float = 0.02
    stays: float = 0.0


FORMS: dict[Ground, Form] = {
    "panel": Form(
        across=0.042, down=0.03, radius=0.042, least=0.56, comes=0.25, goes=0.2, stays=0.2
    ),
    "plate": Form(across=0.014, down=0.003, radius=0.02, least=0.62),
    "none": Form(),
}


@dataclass(frozen=True)
class Scene:
    """What frames are drawn from.

    `painter` gives the picture of a number in the size of the canvas. Behind the letters of the `areas` that have
    a ground, of the colour `ink`, nothing is too bright for them but the few pixels that `palettes.MOST` leaves
    out; under the accented ones, nothing is brighter than the grey level `brightest`.
    """

    shots: Sequence[Shot]
    seconds: float
    frame: tuple[int, int]
    painter: Painter
    areas: Sequence[TextArea]
    brightest: float
    ink: Colour = (0, 0, 0)


@dataclass(frozen=True)
class Patch:
    """An area's ground at a moment: how far it has come, and how much light it takes, both in [0, 1]."""

    area: TextArea
    presence: float
    taken: float


@dataclass(frozen=True)
class _Print:
    """A picture that is ready, and how bright it is behind each text; filled in when first asked for."""

    source: Source
    subject: Subject
    moving: tuple[Moving, ...] = ()
    behind: dict[tuple[float, TextArea], float] = field(default_factory=dict)


def draw_frames(scene: Scene) -> Iterator[Planes]:
    """Draw every frame, in order. At most `KEPT` pictures are in memory, and the one that is made."""
    with ThreadPoolExecutor(1, "pictures") as easel, ThreadPoolExecutor(THREADS, "frames") as pool:
        album, shade = _Album(scene, easel), Shade(scene.frame, scene.ink)
        waiting: deque[Future[Planes]] = deque()
        for number in range(round(scene.seconds * FPS)):
            moment = number / FPS
            look = look_at(scene.shots, moment)
            prints = album.get([shot for shot, _ in look.seen])
            patches = _choose_patches(scene, look, prints, moment)
            waiting.append(pool.submit(_draw_frame, scene, moment, look, prints, shade, patches))
            if len(waiting) > AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class _Album:
    """The pictures of the shots that are seen now and next, and of those that come again."""

    def __init__(self, scene: Scene, easel: ThreadPoolExecutor) -> None:
        self._scene = scene
        self._easel = easel
        self._ready: dict[int, Future[_Print]] = {}

    def get(self, seen: Sequence[Shot]) -> list[_Print]:
        """Return the pictures of these shots, made now if need be; begin the next shot's."""
        following = self._scene.shots.index(seen[-1]) + 1
        coming = [shot.picture for shot in (*seen, *self._scene.shots[following:])]
        for number in coming[: len(seen) + 1]:
            if number not in self._ready:
                self._forget(coming)
                self._ready[number] = self._easel.submit(self._make, number)
        return [self._ready[shot.picture].result() for shot in seen]

    def _forget(self, coming: Sequence[int]) -> None:
        """Make room for one more: forget what is not seen again, and then what is seen again last."""
        first = {number: turn for turn, number in reversed(list(enumerate(coming)))}
        again = sorted(set(self._ready) & set(first), key=first.__getitem__)
        self._ready = {number: self._ready[number] for number in again[: KEPT - 1]}

    def _make(self, number: int) -> _Print:
        fitted = self._scene.painter(number)
        return _Print(prepare(fitted.picture), fitted.subject, fitted.moving)


def _draw_frame(
    scene: Scene,
    moment: float,
    look: Look,
    prints: Sequence[_Print],
    shade: "Shade",
    patches: Sequence[Patch],
) -> Planes:
    light, every_row = _find_light(scene, look, moment), np.ones(scene.frame[1])
    tone = Tone(every_row * (1 - abs(light)), every_row * max(0.0, light))
    free = _find_free_rows(scene, moment)
    views = []
    for (shot, _), made in zip(look.seen, prints, strict=True):
        square = aim(shot, moment, made.subject)
        box = convert_to_pixels(square, made.source.size)
        view = take_window(made.source, box, scene.frame, tone)
        lay_moving(view, made.moving, square, moment, free, tone.kept)
        views.append(view)
    view = views[0] if len(views) == 1 else blend(views[0], views[1], look.seen[1][1])
    shade.lay(view, patches)
    return view


def _find_free_rows(scene: Scene, moment: float) -> np.ndarray:
    """Return how free every row is of text, [0, 1]."""
    free = np.ones(scene.frame[1])
    for area in scene.areas:
        there = measure_presence(area, moment)
        if there:
            rows = slice(max(0, int(area.top) - AROUND), int(area.bottom) + AROUND)
            free[rows] = np.minimum(free[rows], 1 - there)
    soft = np.pad(free, AROUND, mode="edge")
    return np.convolve(soft, np.full(2 * AROUND + 1, 1 / (2 * AROUND + 1)), "valid")


def _find_light(scene: Scene, look: Look, moment: float) -> float:
    """Return the light of a flash or a dip, but none under a card: that is read in peace."""
    cards = (measure_presence(area, moment) for area in scene.areas if area.ground == "panel")
    return look.light * (1 - max(cards, default=0.0))


def _choose_patches(
    scene: Scene, look: Look, prints: Sequence[_Print], moment: float
) -> list[Patch]:
    """Choose the grounds of a moment: no darker than their form, or the letters on them, ask for."""
    patches, light, ink = [], _find_light(scene, look, moment), match_grey(scene.ink)
    for area in scene.areas:
        there = measure_presence(area, moment) if area.ground != "none" else 0.0
        if there:
            seen = zip(look.seen, prints, strict=True)
            behind = sum(
                share * _measure_ground(scene, shot, made, area) for (shot, share), made in seen
            )
            behind += (255 * (light > 0) - behind) * abs(light)
            allowed = scene.brightest if area.accented else BRIGHTEST_UNDER_WHITE
            needed = (behind - allowed) / (behind - ink) if behind > allowed else 0.0
            taken = max(FORMS[area.ground].least, needed)
            patches.append(Patch(area, there, there * taken))
    return patches


def _measure_ground(scene: Scene, shot: Shot, made: _Print, area: TextArea) -> float:
    """Return the grey level that few pixels behind a text exceed during the shot, before anything is darkened."""
    key = shot.start, area
    if key not in made.behind:
        form = FORMS[area.ground]
        first = max(shot.seen_from, area.start - form.comes)
        last = max(first, min(shot.seen_to, area.end + form.stays))
        moments = [first + (last - first) * look / (LOOKS - 1) for look in range(LOOKS)]
        squares = [aim(shot, moment, made.subject) for moment in moments]
        made.behind[key] = max(
            _measure_level(made.source.greys, square, box, scene.frame)
            for square in squares
            for box in area.boxes
        )
    return made.behind[key]


def _measure_level(greys: np.ndarray, square: Square, box: Box, frame: tuple[int, int]) -> float:
    rows, columns = greys.shape
    left, top, width = square
    x0, x1 = ((left + width * x / frame[0]) * columns for x in (box[0], box[2]))
    y0, y1 = ((top + width * y / frame[1]) * rows for y in (box[1], box[3]))
    behind = greys[_stretch(y0, y1, rows), _stretch(x0, x1, columns)]
    return float(np.percentile(behind, MOST))


def _stretch(low: float, high: float, limit: int) -> slice:
    """Return whole places from `low` to `high`, at least one, inside the limit."""
    first = min(max(0, int(low)), limit - 1)
    return slice(first, max(first + 1, min(limit, int(high) + 1)))


def measure_presence(area: TextArea, moment: float) -> float:
    """Return how much of its ground an area has at a moment: all of it in every frame that has its text."""
    form = FORMS[area.ground]
    coming = (moment - area.start) / form.comes + 1
    going = (area.end + form.stays - moment) / form.goes
    share = min(1.0, max(0.0, min(coming, going)))
    return share * share * (3 - 2 * share)


class Shade:
    """Lays grounds of a colour over frames of a size; what lies outside them stays as it is."""

    def __init__(self, frame: tuple[int, int], ink: Colour) -> None:
        self._frame = frame
        self._ink = tuple(map(round, in_video(ink)))
        self._draw = lru_cache(KEPT_SHAPES)(draw_shape)
        self._light = lru_cache(KEPT_SHAPES)(self._light_masks)

    def lay(self, planes: Planes, patches: Sequence[Patch]) -> None:
        """Lay these grounds over the frame. Where they meet, the greater counts: they do not add up."""
        for patch in patches:
            if patch.area.ground == "panel":
                self._frost(planes, patch)
        for group in _group([(patch, find_span(patch.area, self._frame)) for patch in patches]):
            self._tint(planes, group)

    def _frost(self, planes: Planes, patch: Patch) -> None:
        """Blur what lies under a panel."""
        masks = self._light(patch.area, round(255 * patch.presence))
        softness = FROST * min(self._frame) / 1080
        span = find_span(patch.area, self._frame)
        for plane, divided in planes.split():
            box = _slice(span, divided)
            clear = Image.fromarray(plane[box])
            few = clear.reduce(BLOCK // divided).filter(ImageFilter.GaussianBlur(softness))
            clear.paste(few.resize(clear.size, Image.Resampling.BILINEAR), mask=masks[divided - 1])
            plane[box] = np.asarray(clear)

    def _tint(self, planes: Planes, group: Sequence[tuple[Patch, Pixels]]) -> None:
        """Mix the ink into what lies under these patches."""
        lefts, tops, rights, bottoms = zip(*(span for _, span in group), strict=True)
        around = min(lefts), min(tops), max(rights), max(bottoms)
        masks = [self._light(patch.area, round(255 * patch.taken)) for patch, _ in group]
        for (plane, divided), tone in zip(planes.split(), self._ink, strict=True):
            box = _slice(around, divided)
            part = Image.fromarray(plane[box])
            placed = masks[0][divided - 1]
            if len(group) > 1:
                placed = Image.new("L", part.size)
                for each, (_, span) in zip(masks, group, strict=True):
                    corner = (span[0] - around[0]) // divided, (span[1] - around[1]) // divided
                    larger = Image.new("L", part.size)
                    larger.paste(each[divided - 1], corner)
                    placed = ImageChops.lighter(placed, larger)
            part.paste(tone, mask=placed, box=(0, 0))
            plane[box] = np.asarray(part)

    def _light_masks(self, area: TextArea, level: int) -> Masks:
        levels = [(level * part + 127) // 255 for part in range(256)]
        whole = Image.fromarray(self._draw(area, self._frame))
        return whole.point(levels), whole.reduce(2).point(levels)


def find_span(area: TextArea, frame: tuple[int, int]) -> Pixels:
    """Return the pixels of the frame that the ground of an area may reach: left, top, right and bottom."""
    form, unit = FORMS[area.ground], min(frame)
    across, down = unit * form.across, unit * form.down
    sides = [np.array(side) for side in zip(*area.boxes, strict=True)]
    left, top = sides[0].min() - across, sides[1].min() - down
    right, bottom = sides[2].max() + across, sides[3].max() + down
    return (
        max(0, int(left // BLOCK) * BLOCK),
        max(0, int(top // BLOCK) * BLOCK),
        min(frame[0], -int(-right // BLOCK) * BLOCK),
        min(frame[1], -int(-bottom // BLOCK) * BLOCK),
    )


def draw_shape(area: TextArea, frame: tuple[int, int]) -> np.ndarray:
    """Draw how much of the ground there is at every pixel of its span: (height, width) uint8, all behind text."""
    form, unit = FORMS[area.ground], min(frame)
    left, top, right, bottom = find_span(area, frame)
    x, y = (np.arange(*ends, dtype=np.float32) + 0.5 for ends in ((left, right), (top, bottom)))
    radius = form.radius * unit
    away = np.full((bottom - top, right - left), np.inf, np.float32)
    for core in _find_cores(area.boxes, (form.across * unit, form.down * unit), radius):
        across = np.maximum(0, np.maximum(core[0] - x, x - core[2]))
        down = np.maximum(0, np.maximum(core[1] - y, y - core[3]))
        distance = np.asarray(np.hypot(across[None, :], down[:, None]), np.float32)
        np.minimum(away, distance, out=away)
    return (255 * np.clip(radius + 0.5 - away, 0, 1) + 0.5).astype(np.uint8)


def _find_cores(boxes: Sequence[Box], reach: tuple[float, float], radius: float) -> Iterator[Box]:
    """Yield what lies at least a radius inside of the boxes of rows and what they reach beyond them.

    Rows join: a narrower one is extended into its neighbour, so that only outer corners are round.
    """
    wide = _make_even(boxes, NEARLY * radius)
    for number, (left, top, right, bottom) in enumerate(wide):
        sides = [top - reach[1] + radius, bottom + reach[1] - radius]
        for side, other in ((0, number - 1), (1, number + 1)):
            if 0 <= other < len(wide) and wide[other][2] - wide[other][0] >= right - left:
                sides[side] = (wide[other][1] + wide[other][3]) / 2
        yield left - reach[0] + radius, sides[0], right + reach[0] - radius, sides[1]


def _make_even(boxes: Sequence[Box], nearly: float) -> list[Box]:
    """Make the boxes of rows each as wide as a neighbour that is only a little wider."""
    even = list(boxes)
    for _ in boxes:
        for number, (one, other) in enumerate(pairwise(even)):
            if abs(one[0] - other[0]) < nearly:
                left, right = min(one[0], other[0]), max(one[2], other[2])
                even[number : number + 2] = [(left, box[1], right, box[3]) for box in (one, other)]
    return even


def _group(patches: Sequence[tuple[Patch, Pixels]]) -> list[list[tuple[Patch, Pixels]]]:
    """Put the patches into groups, of which none meets another."""
    groups: list[list[tuple[Patch, Pixels]]] = []
    for patch, span in patches:
        met = [group for group in groups if any(_meets(span, other) for _, other in group)]
        groups = [group for group in groups if group not in met]
        groups.append([(patch, span), *chain.from_iterable(met)])
    return groups


def _meets(one: Pixels, other: Pixels) -> bool:
    return all(one[side] < other[side + 2] and other[side] < one[side + 2] for side in (0, 1))


def _slice(span: Pixels, divided: int) -> tuple[slice, slice]:
    """Return where the span lies in a plane, of which a pixel is so many of the frame's."""
    left, top, right, bottom = (side // divided for side in span)
    return slice(top, bottom), slice(left, right)
