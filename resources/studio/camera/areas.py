"""Where and when text is on the screen, for whoever has to keep the ground behind it dark enough."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TextArea:
    """A rectangle in pixels of the frame that holds text from `start` to `end`, in seconds of the film."""

    start: float
    end: float
    left: float
    top: float
    right: float
    bottom: float
