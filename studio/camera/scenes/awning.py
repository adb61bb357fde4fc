"""An awning, as shops and stalls have it. Pure."""

from PIL import Image

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import bar, filled, oval, polygon

BLACK: Colour = (0, 0, 0)


def awning(
    picture: Image.Image, box: tuple[float, float, float, float], colours: tuple[Colour, Colour]
) -> None:
    """A striped awning with a scalloped edge; `box` is where it hangs."""
    left, top, right, bottom = box
    count = 9
    step, inset = (right - left) / count, (right - left) * 0.05
    hem = bottom - (bottom - top) * 0.28
    for colour, first in zip(colours, (0, 1), strict=True):
        shapes = []
        for stripe in range(first, count, 2):
            low = left + step * stripe
            high = left + inset + (right - left - 2 * inset) * stripe / count
            next_high = left + inset + (right - left - 2 * inset) * (stripe + 1) / count
            shapes.append(polygon((high, top), (next_high, top), (low + step, hem), (low, hem)))
            shapes.append(oval(low + step / 2, hem, step / 2, bottom - hem))
        filled(picture, colour, shapes)
    filled(picture, BLACK, [bar(left, hem - (bottom - top) * 0.04, right, hem)], blur=2, level=0.25)
