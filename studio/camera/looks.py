"""The three looks of captions, one of which an order chooses. Pure."""

from dataclasses import dataclass

from studio.camera.areas import Ground


@dataclass(frozen=True)
class CaptionLook:
    """How letters of captions and of the name tag are drawn: lengths are in em.

    `ground` lies behind them. `rim` makes letters heavier in their own colour, `outline` is their dark edge
    beyond it, `shadow` how far that falls. They are `scale` times as large as usual. The word that is sung stands
    on a box of the accent where they are `boxed`; else its syllables take the accent one by one.
    """

    ground: Ground
    rim: float
    outline: float
    shadow: float
    scale: float = 1.0
    boxed: bool = False


LOOKS = {
    "plate": CaptionLook("plate", rim=0.02, outline=0.0, shadow=0.0),
    "outline": CaptionLook("none", rim=0.028, outline=0.1, shadow=0.035, scale=1.06),
    "bold": CaptionLook("none", rim=0.034, outline=0.085, shadow=0.035, scale=1.22, boxed=True),
}
DEFAULT_LOOK = "plate"
