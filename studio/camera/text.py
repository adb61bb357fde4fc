"""What a film says in writing, its sung lines as rows of timed pieces, and where text may stand. Pure.

Apps draw their own interface over the margins. On 1080x1920 Google (YouTube) asks for 288, 672, 48 and 192 pixels
at the top, the bottom, the left and the right, Meta (Reels) for 269, 672, 65 and 65, and others for less
(https://shotstack.io/learn/vertical-video-safe-zones/). The left equals the right because text is centred.
A horizontal film keeps 5 % on every side, the graphics safe area of EBU R 95.
"""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, zip_longest
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field

from studio.camera.fonts import Font, break_word, find_best_rows, find_breaks_inside, make_drawable
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

LEAD_IN, LEAD_OUT = 0.3, 0.5
MOST_ROWS = 3
# Sizes of letters and how many rows are good at that size, the best first.
SIZES = ((1.0, 2), (0.9, 2), (0.82, 2), (0.9, 3), (0.82, 3), (0.74, 3))
HOOK_SIZES = ((1.16, 2), (1.08, 2), *SIZES)
MARKED = re.compile(r"\S+\s*|\s+")


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
    calls = read_typed(path, dict[str, Calls])
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


@dataclass(frozen=True)
class Piece:
    """Text that is coloured during a stretch of time, in seconds of the film."""

    text: str
    start: float
    end: float


Row = tuple[Piece, ...]


@dataclass(frozen=True)
class Caption:
    """Rows shown together from `start` to `end`; `scale` is the size of the letters, 1 being normal."""

    start: float
    end: float
    rows: tuple[Row, ...]
    scale: float

    @property
    def sung_end(self) -> float:
        """When its last piece has been sung."""
        return self.rows[-1][-1].end

    @property
    def texts(self) -> list[str]:
        """What stands in each row, without the blanks around it."""
        return [_join(row).strip() for row in self.rows]


def make_captions(
    lines: Sequence[Line], name: str, font: Font, width: float, *, region: str = ""
) -> list[Caption]:
    """Make what is shown for the lines, in the order of time; `width` of a row is in em at scale 1.

    A line that would need more rows than there are, even in small letters, continues in a second caption. The
    hook is larger: lines that come again, or that name the business. Rows end at punctuation where they can, and
    not inside the name or the region. Where lines overlap, the one before gives way when the next one begins.
    """
    again = Counter(line.text for line in lines)
    called = name.strip().casefold()
    phrases = [make_drawable(phrase, font) for phrase in (name, region)]
    sung: list[Caption] = []
    for line in sorted(lines, key=lambda line: line.start):
        is_hook = again[line.text] > 1 or (called and called in line.text.casefold())
        sung += _caption_line(line, HOOK_SIZES if is_hook else SIZES, font, width, phrases)
    return _give_air(sung)


def split_words(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Yield the pieces of every word, which ends where a blank does."""
    word: list[Piece] = []
    for piece in pieces:
        if word and (word[-1].text.endswith(" ") or piece.text.startswith(" ")):
            yield word
            word = []
        word.append(piece)
    if word:
        yield word


def _caption_line(
    line: Line, sizes: Sequence[tuple[float, int]], font: Font, width: float, phrases: Sequence[str]
) -> Iterator[Caption]:
    """Set the line in the best size that tears no phrase, or no word, or else in as many rows as it takes."""
    found: tuple[float, list[list[Piece]]] | None = None
    scale, rows = 1.0, list[list[Piece]]()
    for scale, good in sizes:
        full = _fill_rows(_cut_pieces(line, font, width / scale), font, width / scale)
        rows = _balance(full, font, width / scale, phrases)
        if len(rows) <= good and not _cuts_words(rows):
            is_torn = any(find_breaks_inside([_join(row) for row in rows], phrases))
            found = found or (scale, rows) if is_torn else (scale, rows)
            if not is_torn:
                break
    scale, rows = found or (scale, rows)
    for first in range(0, len(rows), MOST_ROWS):
        page = tuple(tuple(row) for row in rows[first : first + MOST_ROWS])
        yield Caption(page[0][0].start, page[-1][-1].end, page, scale)


def _cuts_words(rows: Sequence[Sequence[Piece]]) -> bool:
    """Return whether a row ends inside a word."""
    return any(
        not (row[-1].text.endswith(" ") or following[0].text.startswith(" "))
        for row, following in pairwise(rows)
    )


def _balance(
    rows: list[list[Piece]], font: Font, width: float, phrases: Sequence[str]
) -> list[list[Piece]]:
    """Break into as many rows, but where it is best instead of full ones above a short one."""
    if not 1 < len(rows) <= 2 * MOST_ROWS or _cuts_words(rows):
        return rows
    words = list(split_words(piece for row in rows for piece in row))
    spans = find_best_rows([_join(word) for word in words], len(rows), font.measure, width, phrases)
    if spans is None:
        return rows
    return [[piece for word in words[first:end] for piece in word] for first, end in spans]


def _join(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def _cut_pieces(line: Line, font: Font, width: float) -> Iterator[Piece]:
    """Yield the line's chunks as drawn, those of several words or too wide for a row taken apart."""

    def measure(text: str) -> float:
        return font.measure(make_drawable(text, font))

    moment, after_blank = line.start, True
    for chunk, seconds in _compose(line):
        start, before = moment, 0
        words = (break_word(word, measure, width) for word in MARKED.findall(chunk))
        for part in chain.from_iterable(words):
            core = make_drawable(part, font)
            blank_before = " " if part[:1].isspace() and not after_blank else ""
            text = blank_before + core + (" " if core and part[-1:].isspace() else "")
            if text:
                after_blank = text.endswith(" ")
                begin = start + seconds * before / len(chunk)
                yield Piece(text, begin, begin + seconds * len(part) / len(chunk))
            before += len(part)
        moment += seconds


def _compose(line: Line) -> Iterator[tuple[str, float]]:
    """Yield the chunks of the line as one NFC text cut up: a vendor may cut between a letter and its accent."""
    whole = unicodedata.normalize("NFC", "".join(chunk.text for chunk in line.chunks))
    taken, raw = 0, ""
    for number, chunk in enumerate(line.chunks, 1):
        raw += chunk.text
        end = max(taken, len(unicodedata.normalize("NFC", raw)))
        yield whole[taken : end if number < len(line.chunks) else None], max(0.0, chunk.seconds)
        taken = end


def _fill_rows(pieces: Iterator[Piece], font: Font, width: float) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    for word in split_words(pieces):
        text, row = _join(word), _join(rows[-1]) if rows else ""
        if rows and font.measure((row + text).rstrip()) <= width:
            rows[-1] += word
        elif font.measure(text.strip()) <= width:
            rows.append(word)
        else:
            rows.append([])
            for piece in word:
                if rows[-1] and font.measure(_join((*rows[-1], piece)).rstrip()) > width:
                    rows.append([])
                rows[-1].append(piece)
    return rows


def _give_air(sung: Sequence[Caption]) -> list[Caption]:
    """Let captions come a little before they are sung and stay a little after, never two at once."""
    starts: list[float] = []
    shown, busy = 0.0, 0.0
    for caption in sung:
        shown = max(shown, min(caption.start, max(busy, caption.start - LEAD_IN)))
        busy = max(busy, caption.end)
        starts.append(shown)
    spans = zip_longest(starts, starts[1:], fillvalue=float("inf"))
    return [
        replace(caption, start=start, end=max(start, min(caption.end + LEAD_OUT, following)))
        for caption, (start, following) in zip(sung, spans, strict=True)
    ]
