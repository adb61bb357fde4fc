"""Where text may stand in a frame, and how large it is. Pure.

Safe margins on 1080x1920, in pixels from the top, the bottom, the left and the right. The apps draw their own
interface over the rest, and its size changes:

* Google, vertical YouTube films: 288, 672, 48, 192; Meta, Reels: 14 %, 35 %, 6 % and 6 %: 269, 672, 65, 65 (both
  gathered at https://shotstack.io/learn/vertical-video-safe-zones/). They hold for films that are paid for, too,
  whose button takes the most room.
* Posts, measured on the apps in 2026 (https://blitzcutai.com/blog/best-caption-placement-short-form-video): Reels
  220, 450, -, 120; Shorts 120, 300, -, 120; TikTok, which publishes templates alone, 130, 350, 60, 164.
* Meta, stories: 270 and 380 (https://adsuploader.com/blog/meta-ads-safe-zones).

So 288, 672, 192, 192 are clear wherever a film is posted; the left equals the right because text is centred.
A horizontal film keeps 5 % on every side, the graphics safe area of EBU R 95.
"""

from dataclasses import dataclass

UPRIGHT = (192 / 1080, 288 / 1920, 1 - 192 / 1080, 1 - 672 / 1920)
WIDE = (0.05, 0.05, 0.95, 0.95)
# How far edge and shadow of letters reach beyond them, in em.
REACH = 0.14


@dataclass(frozen=True)
class Layout:
    """Where text goes in a frame, in pixels: sizes are em sizes, `safe` is left, top, right and bottom.

    Captions stand around `caption_middle`; a card that is seen together with them ends above `divide`.
    """

    width: int
    height: int
    safe: tuple[float, float, float, float]
    card_size: float
    caption_middle: float
    caption_size: float
    divide: float

    @staticmethod
    def of(width: int, height: int, caption_scale: float = 1.0) -> "Layout":
        """The layout of a frame: all text inside the safe margins of what it is made for.

        Captions are so many times as large as usual.
        """
        upright = height > width
        unit = min(width, height) / 1080
        left, top, right, bottom = UPRIGHT if upright else WIDE
        return Layout(
            width=width,
            height=height,
            safe=(left * width, top * height, right * width, bottom * height),
            card_size=136 * unit,
            caption_middle=height * (0.585 if upright else 0.83),
            caption_size=76 * unit * caption_scale,
            divide=height * (0.52 if upright else 0.7),
        )

    @property
    def middle(self) -> float:
        """Where text is centred across."""
        return (self.safe[0] + self.safe[2]) / 2

    @property
    def text_width(self) -> float:
        """How wide a row of letters may be, so that its edge stays inside, too."""
        widest = 1.0 if self.height > self.width else 0.86
        return (self.safe[2] - self.safe[0]) * widest - 2 * REACH * self.card_size
