"""The frames of a film, drawn on a few threads and handed out in order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from PIL import Image

from resources.studio.camera.pictures import Planes, blended, canvas_size, darkened, planes, window
from resources.studio.camera.shots import FPS, Shot, box_at, seen_at

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
            sources = album.pictures([shot for shot, _ in seen])
            waiting.append(pool.submit(_frame, scene, number / FPS, seen, sources))
            if len(waiting) > AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class _Album:
    """The painted pictures of the shots that are seen now and next."""

    def __init__(self, scene: Scene, pool: ThreadPoolExecutor) -> None:
        self._scene = scene
        self._pool = pool
        self._painted: dict[int, Future[Planes]] = {}

    def pictures(self, seen: Sequence[Shot]) -> list[Planes]:
        """The pictures of these shots, painted now if need be; the next shot's is begun."""
        following = self._scene.shots.index(seen[-1]) + 1
        wanted = [shot.picture for shot in (*seen, *self._scene.shots[following : following + 1])]
        self._painted = {
            number: self._painted.get(number) or self._begun(number) for number in wanted
        }
        return [self._painted[shot.picture].result() for shot in seen]

    def _begun(self, number: int) -> Future[Planes]:
        return self._pool.submit(lambda: planes(self._scene.painter(number)))


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
