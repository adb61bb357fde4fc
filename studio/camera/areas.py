"""Where and when text is on the screen, for whoever has to keep the ground behind it dark enough."""

from dataclasses import dataclass
from typing import Literal

# A panel is one dark pane of frosted glass, plates hug every row. Letters with an outline wide enough to be their
# ground need none.
Ground = Literal["panel", "plate", "none"]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class TextArea:
    """A rectangle in pixels of the frame that holds text from `start` to `end`, in seconds of the film.

    `rows` are the rectangles (left, top, right, bottom) of its rows, where they differ from it. Its letters are
    white, and some of them have the film's accent where it is `accented`; behind them is a `ground` of their own.
    """

    start: float
    end: float
    left: float
    top: float
    right: float
    bottom: float
    ground: Ground = "panel"
    rows: tuple[Box, ...] = ()
    accented: bool = False

    @property
    def boxes(self) -> tuple[Box, ...]:
        """What lies behind its letters."""
        return self.rows or ((self.left, self.top, self.right, self.bottom),)
