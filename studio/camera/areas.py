"""Where and when text is on the screen, for whoever has to keep the ground behind it dark enough."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class TextArea:
    """A rectangle in pixels of the frame that holds text from `start` to `end`, in seconds of the film.

    Its ground is darkened on to the `edge` of the frame, or without one all over the frame. Its letters are white,
    and some of them have the film's accent where it is `accented`.
    """

    start: float
    end: float
    left: float
    top: float
    right: float
    bottom: float
    edge: Literal["top", "bottom"] | None = None
    accented: bool = False
