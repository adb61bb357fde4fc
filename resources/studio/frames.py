"""The frames of a film, drawn on a few threads and handed out in order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from PIL import Image

from resources.studio.pictures import Planes, blended, canvas_size, darkened, planes, window
from resources.studio.shots import FPS, Shot, box_at, seen_at

# Pillow lets go of the interpreter while it scales, so two threads keep up with the encoder on two cores.
THREADS = 2
AHEAD = 6

Painter = Callable[[int], Image.Image]


@dataclass(frozen=True)
class Scene:
    """What frames are drawn from: the shots, the frame's size, and a luma mask that darkens behind captions.

    `painter` gives the picture of a number, in the size of the canvas.
    """

    shots: Sequence[Shot]
    seconds: float
    frame: tuple[int, int]
    shade: Image.Image
    painter: Painter


def draw_frames(scene: Scene) -> Iterator[Planes]:
    """Every frame, in order. Only pictures that are seen, and the next one, are kept in memory."""
    with ThreadPoolExecutor(THREADS, "frames") as pool:
        album = _Album(scene, pool)
        waiting: deque[Future[Planes]] = deque()
        for number in range(round(scene.seconds * FPS)):
            seen = seen_at(scene.shots, number / FPS)
            sources = [album.picture(shot) for shot, _ in seen]
            waiting.append(pool.submit(_frame, scene, number / FPS, seen, sources))
            if len(waiting) > AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class _Album:
    """The painted pictures of the shots around the present one."""

    def __init__(self, scene: Scene, pool: ThreadPoolExecutor) -> None:
        self._scene = scene
        self._pool = pool
        self._painted: dict[int, Future[Planes]] = {}

    def picture(self, shot: Shot) -> Planes:
        """The shot's picture, painted now if need be; the next shot's is begun."""
        shots = self._scene.shots
        place = shots.index(shot)
        wanted = [near.picture for near in shots[max(0, place - 1) : place + 2]]
        for number in wanted:
            if number not in self._painted:
                self._painted[number] = self._pool.submit(lambda n: planes(self._scene.painter(n)), number)
        self._painted = {number: self._painted[number] for number in wanted}
        return self._painted[shot.picture].result()


def _frame(
    scene: Scene, moment: float, seen: Sequence[tuple[Shot, float]], sources: Sequence[Planes]
) -> Planes:
    canvas = canvas_size(scene.frame)
    views = [
        window(source, box_at(shot, moment, canvas, scene.frame), scene.frame)
        for (shot, _), source in zip(seen, sources, strict=True)
    ]
    picture = views[0] if len(views) == 1 else blended(views[0], views[1], seen[1][1])
    return darkened(picture, scene.shade)
