"""What a film says in writing, the looks of captions, and where text may stand in a frame. Pure.

Apps draw their own interface over the margins. On 1080x1920 Google (YouTube) asks for 288, 672, 48 and 192 pixels
at the top, the bottom, the left and the right, Meta (Reels) for 269, 672, 65 and 65, and others for less
(https://shotstack.io/learn/vertical-video-safe-zones/). The left equals the right because text is centred.
A horizontal film keeps 5 % on every side, the graphics safe area of EBU R 95.
"""

import random
from dataclasses import dataclass, replace
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field

from studio.camera.fonts import Font, make_drawable
from studio.content import STRICT, ContentError, cache_content, find_files, read_typed
from studio.timeline import Line

LONGEST_ADDRESS, LONGEST_PLACE = 40, 12
UPRIGHT = (192 / 1080, 288 / 1920, 1 - 192 / 1080, 1 - 672 / 1920)
WIDE = (0.05, 0.05, 0.95, 0.95)
# How far edge and shadow of letters reach beyond them, in em.
REACH = 0.14
# A panel is one dark pane of frosted glass, plates hug every row. Letters with an outline wide enough to be their
# ground need none.
Ground = Literal["panel", "plate", "none"]
Box = tuple[float, float, float, float]
Span = tuple[float, float]


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


@dataclass(frozen=True)
class Contact:
    """How to reach a business; `hours` has a line for each of its rows, `link` is what the QR code opens."""

    phone: str = ""
    address: str = ""
    hours: str = ""
    link: str = ""

    def make_drawable(self, font: Font) -> "Contact":
        """Write the same in what the font has; the link stays as it is."""
        hours = (make_drawable(line, font) for line in self.hours.splitlines())
        return replace(
            self,
            phone=make_drawable(self.phone, font).replace(" ", "\u00a0"),
            address=make_drawable(self.address, font),
            hours="\n".join(filter(None, hours)),
        )

    def shorten_link(self, font: Font) -> str:
        """Write the link as people read it: without what every link has, and its host alone where it is long."""
        if not self.link:
            return ""
        _, _, rest = self.link.partition("://")
        short = rest.removeprefix("www.").removesuffix("/")
        host = urlsplit(self.link).netloc.removeprefix("www.")
        return make_drawable(short if len(short) <= LONGEST_ADDRESS else host, font)


NO_CONTACT = Contact()


@dataclass(frozen=True)
class Text:
    """What a film says: the business, its place, the sung lines, and what the viewer is asked to do.

    Without a call to action none is shown; `call_for` chooses one. `caption_style` is one of `LOOKS`.
    Cards leave room for a logo of `logo_shape`, width to height, where there is one.
    """

    customer_name: str
    region: str
    lines: tuple[Line, ...]
    call_to_action: str = ""
    language: str = "Korean"
    caption_style: str = DEFAULT_LOOK
    contact: Contact = NO_CONTACT
    logo_shape: float | None = None

    @property
    def look(self) -> CaptionLook:
        """The look of its captions."""
        return LOOKS[self.caption_style]


@dataclass(frozen=True)
class Calls:
    """Calls to action of a language: of any business, and those that name a {region}."""

    __pydantic_config__ = STRICT

    anywhere: Annotated[tuple[str, ...], Field(min_length=1)]
    somewhere: tuple[str, ...]


@cache_content
def load_calls() -> dict[str, Calls]:
    """Return the calls to action by language; of one that is not there English ones are taken."""
    path = find_files("words", ".toml")["calls"]
    calls: dict[str, Calls] = read_typed(path, dict[str, Calls])
    if "English" not in calls:
        raise ContentError(path, 1, "calls in English", "none")
    return calls


def call_for(text: Text, seed: str) -> str:
    """Choose the text's own call to action, or one of the studio's: the same for the same text and seed."""
    if own := " ".join(text.call_to_action.split()):
        return own
    calls = load_calls().get(text.language, load_calls()["English"])
    region = " ".join(text.region.split())
    somewhere = calls.somewhere if 0 < len(region) <= LONGEST_PLACE else ()
    call = random.Random(f"call {seed}").choice((*calls.anywhere, *somewhere))  # noqa: S311
    return call.replace("{region}", region)


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
        """Lay out a frame: all text inside the safe margins, captions so many times as large as usual."""
        upright = height > width
        unit = min(width, height) / 1080
        left, top, right, bottom = UPRIGHT if upright else WIDE
        return Layout(
            width,
            height,
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
