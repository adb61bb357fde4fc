"""The frames of a film, drawn on a few threads and handed out in order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from studio.camera.areas import Box, TextArea
from studio.camera.contrast import MOST, WHITE, brightest_ground, grey_of
from studio.camera.fitting import Fitted
from studio.camera.grounds import FORMS
from studio.camera.motion import Square, Subject, in_pixels
from studio.camera.moving import Moving, stirred
from studio.camera.palettes import Colour
from studio.camera.pictures import Planes, Source, Tone, blended, source, window
from studio.camera.shade import Patch, Shade, presence
from studio.camera.shots import FPS, Look, Shot, look_at, square_at

# numpy lets go of the interpreter while it computes: two threads keep up with the encoder on two cores.
# Pictures are made one at a time, by a thread of their own: each takes as much memory as all frames do.
THREADS = 2
AHEAD = 2
# Pictures that come again are kept, which is quicker than to make them anew; each takes 5 MB in a full film.
KEPT = 10
# How often the ground behind a text is looked at while a shot lasts.
LOOKS = 7
# So many rows around a text what moves fades out.
AROUND = 30
BRIGHTEST_UNDER_WHITE = brightest_ground(WHITE)

Painter = Callable[[int], Fitted]


@dataclass(frozen=True)
class Scene:
    """What frames are drawn from.

    `painter` gives the picture of a number in the size of the canvas. Behind the letters of the `areas` that have
    a ground, of the colour `ink`, nothing is too bright for them but the few pixels that `contrast.MOST` leaves
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
class _Print:
    """A picture that is ready, and how bright it is behind each text; filled in when first asked for."""

    source: Source
    subject: Subject
    moving: tuple[Moving, ...] = ()
    behind: dict[tuple[float, TextArea], float] = field(default_factory=dict)


def draw_frames(scene: Scene) -> Iterator[Planes]:
    """Every frame, in order. At most `KEPT` pictures are in memory, and the one that is made."""
    with ThreadPoolExecutor(1, "pictures") as easel, ThreadPoolExecutor(THREADS, "frames") as pool:
        album, shade = _Album(scene, easel), Shade(scene.frame, scene.ink)
        waiting: deque[Future[Planes]] = deque()
        for number in range(round(scene.seconds * FPS)):
            moment = number / FPS
            look = look_at(scene.shots, moment)
            prints = album.prints([shot for shot, _ in look.seen])
            patches = _patches(scene, look, prints, moment)
            waiting.append(pool.submit(_frame, scene, moment, look, prints, shade, patches))
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

    def prints(self, seen: Sequence[Shot]) -> list[_Print]:
        """The pictures of these shots, made now if need be; the next shot's is begun."""
        following = self._scene.shots.index(seen[-1]) + 1
        coming = [shot.picture for shot in (*seen, *self._scene.shots[following:])]
        for number in coming[: len(seen) + 1]:
            if number not in self._ready:
                self._forget(coming)
                self._ready[number] = self._begun(number)
        return [self._ready[shot.picture].result() for shot in seen]

    def _forget(self, coming: Sequence[int]) -> None:
        """There is room for one more: what is not seen again goes, and then what is seen again last."""
        first = {number: turn for turn, number in reversed(list(enumerate(coming)))}
        again = sorted(set(self._ready) & set(first), key=first.__getitem__)
        self._ready = {number: self._ready[number] for number in again[: KEPT - 1]}

    def _begun(self, number: int) -> Future[_Print]:
        return self._easel.submit(self._made, number)

    def _made(self, number: int) -> _Print:
        fitted = self._scene.painter(number)
        return _Print(source(fitted.picture), fitted.subject, fitted.moving)


def _frame(
    scene: Scene,
    moment: float,
    look: Look,
    prints: Sequence[_Print],
    shade: Shade,
    patches: Sequence[Patch],
) -> Planes:
    tone = _tone(scene, look, moment)
    free = _free(scene, moment)
    views = []
    for (shot, _), made in zip(look.seen, prints, strict=True):
        square = square_at(shot, moment, made.subject)
        seen = window(made.source, in_pixels(square, made.source.size), scene.frame, tone)
        stirred(seen, made.moving, square, moment, free, tone.kept)
        views.append(seen)
    view = views[0] if len(views) == 1 else blended(views[0], views[1], look.seen[1][1])
    shade.lay(view, patches)
    return view


def _free(scene: Scene, moment: float) -> np.ndarray:
    """How free every row is of text, [0, 1]."""
    free = np.ones(scene.frame[1])
    for area in scene.areas:
        there = presence(area, moment)
        if there:
            rows = slice(max(0, int(area.top) - AROUND), int(area.bottom) + AROUND)
            free[rows] = np.minimum(free[rows], 1 - there)
    soft = np.pad(free, AROUND, mode="edge")
    return np.convolve(soft, np.full(2 * AROUND + 1, 1 / (2 * AROUND + 1)), "valid")


def _tone(scene: Scene, look: Look, moment: float) -> Tone:
    """The light of a frame: whole, but for a flash or a dip."""
    light, every_row = _light(scene, look, moment), np.ones(scene.frame[1])
    return Tone(every_row * (1 - abs(light)), every_row * max(0.0, light))


def _light(scene: Scene, look: Look, moment: float) -> float:
    """The look's light, but none under a card: that is read in peace."""
    cards = (presence(area, moment) for area in scene.areas if area.ground == "panel")
    return look.light * (1 - max(cards, default=0.0))


def _patches(scene: Scene, look: Look, prints: Sequence[_Print], moment: float) -> list[Patch]:
    """The grounds that are there at a moment: no darker than their form, or the letters on them, ask for."""
    patches, light, ink = [], _light(scene, look, moment), grey_of(scene.ink)
    for area in scene.areas:
        there = presence(area, moment) if area.ground != "none" else 0.0
        if there:
            behind = sum(
                share * _ground(scene, shot, made, area)
                for (shot, share), made in zip(look.seen, prints, strict=True)
            )
            behind += (255 * (light > 0) - behind) * abs(light)
            allowed = scene.brightest if area.accented else BRIGHTEST_UNDER_WHITE
            needed = (behind - allowed) / (behind - ink) if behind > allowed else 0.0
            taken = max(FORMS[area.ground].least, needed)
            patches.append(Patch(area, there, there * taken))
    return patches


def _ground(scene: Scene, shot: Shot, made: _Print, area: TextArea) -> float:
    """The grey level that few pixels behind a text exceed during the shot, before anything is darkened."""
    key = shot.start, area
    if key not in made.behind:
        form = FORMS[area.ground]
        first = max(shot.seen_from, area.start - form.comes)
        last = max(first, min(shot.seen_to, area.end + form.stays))
        moments = [first + (last - first) * look / (LOOKS - 1) for look in range(LOOKS)]
        squares = [square_at(shot, moment, made.subject) for moment in moments]
        made.behind[key] = max(
            _level(made.source.greys, square, box, scene.frame)
            for square in squares
            for box in area.boxes
        )
    return made.behind[key]


def _level(greys: np.ndarray, square: Square, box: Box, frame: tuple[int, int]) -> float:
    rows, columns = greys.shape
    left, top, width = square
    x0, x1 = ((left + width * x / frame[0]) * columns for x in (box[0], box[2]))
    y0, y1 = ((top + width * y / frame[1]) * rows for y in (box[1], box[3]))
    behind = greys[_stretch(y0, y1, rows), _stretch(x0, x1, columns)]
    return float(np.percentile(behind, MOST))


def _stretch(low: float, high: float, limit: int) -> slice:
    """Whole places from `low` to `high`, at least one, inside the limit."""
    first = min(max(0, int(low)), limit - 1)
    return slice(first, max(first + 1, min(limit, int(high) + 1)))
