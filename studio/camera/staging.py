"""What text stands where and when in a film, decided once for all who draw it. Pure but for the font.

Cards say whose film it is: name, rule, place, and at the end how to reach the business and what to do.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from studio.camera.fonts import SHRINK, Block, Font, fit, make_drawable
from studio.camera.graphics import QUIET, size_emblem, squares
from studio.camera.text import (
    NO_CONTACT,
    REACH,
    Box,
    Caption,
    CaptionLook,
    Contact,
    Layout,
    Span,
    Text,
    TextArea,
    make_captions,
)

SHORTEST_TITLE, LONGEST_TITLE = 2.0, 4.0
NAME_ROWS, PLACE_ROWS, CALL_ROWS = 4, 2, 3
PLACE_SHARE, CALL_SHARE = 0.44, 0.42
SMALLER_THAN_NAME = 0.8
NAME_BESIDE_DETAILS = 0.8
NAME_LEADING, LEADING, DETAIL_LEADING = 1.16, 1.2, 1.24
CARD_GAP, DETAIL_GAP, BESIDE = 0.4, 0.13, 0.22
CALL_PADDING = (0.85, 0.46)
# How much larger the button gets, for a moment.
CALL_SWELL = 1.05
# A blank inside a telephone number: a row must not end there.
INSIDE_NUMBER = re.compile(r"(?<=[\d)]) (?=[\d(])")
# Sizes of details as shares of the card's, and the rows that a text may take.
PHONE, ADDRESS, HOURS, WEB = 0.46, 0.33, 0.3, 0.28
ADDRESS_ROWS, HOURS_ROWS, WEB_ROWS = 4, 2, 2
# The least side of a QR code with its quiet zone in a frame whose shorter side is 1080.
CODE_SIDE = 300
# How high a logo is, in sizes of the card.
TITLE_LOGO, END_LOGO = 0.85, 1.15
SHORTEST_TAG, TAG_SHARE, TAG_ROWS = 1.2, 0.58, 2


@dataclass(frozen=True)
class EndTimes:
    """How long an end card lasts: at least this share of the film, between `shortest` and `enough`.

    Where the singing leaves less, the card is shown above the captions; where it leaves more, it is there until
    it has been there for the `longest` time.
    """

    share: float
    shortest: float
    enough: float
    longest: float


CALL_ALONE = EndTimes(0.27, 2.6, 3.2, 4.5)
WITH_DETAILS = EndTimes(0.27, 3.0, 6.0, 7.5)


@dataclass(frozen=True)
class Label:
    """Rows of text, the first from the height `top` on; they begin at `x`, or are centred there."""

    block: Block
    x: float
    top: float
    centred: bool


@dataclass(frozen=True)
class Details:
    """What a block of details shows: its labels, and where the QR code lies, with its quiet zone."""

    labels: tuple[Label, ...] = ()
    code: Box | None = None
    width: float = 0.0
    height: float = 0.0

    def move(self, across: float, down: float) -> "Details":
        """Move all of it; the code stays on even whole pixels, so that its squares stay sharp."""
        labels = tuple(
            replace(label, x=label.x + across, top=label.top + down) for label in self.labels
        )
        code = None
        if self.code:
            side = round(self.code[2] - self.code[0])
            code = _place(self.code[0] + across, self.code[1] + down, side, side)
        return replace(self, labels=labels, code=code)


NO_DETAILS = Details()


@dataclass(frozen=True)
class Card:
    """What a card shows from `start` to `end`, everything centred across; heights in pixels.

    `name_top` and `place_top` are where the first rows begin, `rule` and `call_middle` are middles. Without a
    call there is an empty block of it. `details` stand between place and call, the `logo` above the name.
    """

    start: float
    end: float
    top: float
    bottom: float
    name: Block
    name_top: float
    rule: float
    place: Block
    place_top: float
    call: Block
    call_middle: float
    details: Details = NO_DETAILS
    logo: Box | None = None

    def measure_width(self, font: Font) -> float:
        """Return how wide its widest part is, in pixels."""
        return max(
            self.name.measure_width(font) + 2 * REACH * self.name.size,
            self.place.measure_width(font) + 2 * REACH * self.place.size,
            CALL_SWELL * size_button(self.call, font)[0] if self.call.rows else 0.0,
            self.details.width,
            self.logo[2] - self.logo[0] if self.logo else 0.0,
        )


@dataclass(frozen=True)
class Extras:
    """What a card shows beside its texts; a logo is so many of the card's size high, at most."""

    contact: Contact = NO_CONTACT
    logo_shape: float | None = None
    logo_size: float = 1.0


NO_EXTRAS = Extras()


@dataclass(frozen=True)
class Tag:
    """The name, small, at the top while the song is sung: rows from the height `top` on."""

    start: float
    end: float
    block: Block
    top: float


@dataclass(frozen=True)
class Stage:
    """All text of a film, and what it is set in: captions may be seen under a card, the tag never."""

    look: CaptionLook
    font: Font
    layout: Layout
    seconds: float
    cards: tuple[Card, ...]
    tag: Tag | None
    captions: tuple[Caption, ...]


def stage_text(text: Text, font: Font, layout: Layout, seconds: float) -> Stage:
    """Place a title while the song has not begun, captions, and at the end a card that says what to do.

    Where the song begins at once or lasts until the end, card and captions share the frame: the card above. A
    film too short for two cards has one. Captions of lines outside the film are there, but never seen.
    """
    width = layout.text_width / layout.caption_size
    captions = make_captions(text.lines, text.customer_name, font, width, region=text.region)
    seen = [caption for caption in captions if caption.start < seconds]
    sung = (min(each.start for each in seen), max(each.sung_end for each in seen)) if seen else None
    times = CALL_ALONE if text.contact == NO_CONTACT else WITH_DETAILS
    title, end = time_cards(sung, seconds, times)
    # A caption gives way to the end card, but is shown until it has been sung.
    ends = [min(each.end, max(each.start, each.sung_end, end[0])) for each in captions]
    captions = [replace(each, end=cut) for each, cut in zip(captions, ends, strict=True)]
    written = text.customer_name, text.region, text.call_to_action
    name, place, call = (make_drawable(each, font) for each in written)
    contact = text.contact.make_drawable(font)
    # An address says the place, too.
    end_texts = name, "" if contact.address else place, call
    cards = [
        make_card(texts, font, layout, span, _find_zone(span, captions, layout), extras)
        for span, texts, extras in (
            (title, (name, place, ""), Extras(logo_shape=text.logo_shape, logo_size=TITLE_LOGO)),
            (end, end_texts, Extras(contact, text.logo_shape, END_LOGO)),
        )
        if span[0] < span[1]
    ]
    tag = None
    if name and end[0] - title[1] >= SHORTEST_TAG:
        block = fit(name, font, layout.text_width, layout.caption_size * TAG_SHARE, TAG_ROWS)
        tag = Tag(title[1], end[0], block, layout.safe[1] + REACH * block.size)
    return Stage(text.look, font, layout, seconds, tuple(cards), tag, tuple(captions))


def time_cards(sung: Span | None, seconds: float, times: EndTimes) -> tuple[Span, Span]:
    """Return when title and end card are there; the title is empty where there is time for one card only."""
    if seconds < SHORTEST_TITLE + times.shortest:
        return (0.0, 0.0), (0.0, seconds)
    first, last = sung or (LONGEST_TITLE, 0.0)
    latest = seconds - min(times.enough, max(times.shortest, times.share * seconds))
    opening = min(LONGEST_TITLE, latest, max(SHORTEST_TITLE, first))
    return (0.0, opening), (max(opening, min(last, latest), seconds - times.longest), seconds)


def find_areas(stage: Stage) -> tuple[TextArea, ...]:
    """Find every rectangle of the frame that holds text during the film: of cards, the tag, each caption."""
    font, layout, ground, found = stage.font, stage.layout, stage.look.ground, list[TextArea]()
    for card in stage.cards:
        half = card.measure_width(font) / 2
        left, right = layout.middle - half, layout.middle + half
        found.append(TextArea(card.start, card.end, left, card.top, right, card.bottom))
    if tag := stage.tag:
        size = tag.block.size
        area = TextArea(tag.start, tag.end, 0, 0, 0, 0, ground)
        found.append(_lay_around(area, tag.block.rows, tag.top, size, size * LEADING, stage))
    for caption in stage.captions:
        size, high = layout.caption_size * caption.scale, size_row(caption, layout)
        area = TextArea(caption.start, caption.end, 0, 0, 0, 0, ground, accented=True)
        top = find_rows_top(caption, layout)
        found.append(_lay_around(area, caption.texts, top, size, high, stage))
    last = stage.seconds
    cut = [replace(each, start=max(0.0, each.start), end=min(last, each.end)) for each in found]
    return tuple(area for area in cut if area.start < area.end)


def find_rows_top(caption: Caption, layout: Layout) -> float:
    """Return the height at which a caption's first row begins: around the layout's middle, never too low."""
    tall = len(caption.rows) * size_row(caption, layout)
    lowest = layout.safe[3] - REACH * layout.caption_size * caption.scale
    return min(layout.caption_middle - tall / 2, lowest - tall)


def size_row(caption: Caption, layout: Layout) -> float:
    """Return how high a row of a caption is, in pixels."""
    return layout.caption_size * caption.scale * LEADING


def size_button(call: Block, font: Font) -> tuple[float, float]:
    """Return width and height of the button around a call."""
    across, down = CALL_PADDING
    return (
        call.measure_width(font) + 2 * across * call.size,
        call.measure_height(LEADING) + 2 * down * call.size,
    )


def make_card(
    texts: tuple[str, str, str],
    font: Font,
    layout: Layout,
    span: Span,
    zone: tuple[float, float],
    extras: Extras = NO_EXTRAS,
) -> Card:
    """Set a name, a place and a call in the middle of the heights `zone`, as large as fits there.

    What does not get smaller, as a code does not, may leave no room for letters: they end at a pixel's height.
    """
    size = layout.card_size
    while True:
        card = _make_card_of_size(texts, font, layout, size, span, zone, extras)
        if card.bottom - card.top <= zone[1] - zone[0] or size <= 1:
            return card
        size *= SHRINK


def _make_card_of_size(
    texts: tuple[str, str, str],
    font: Font,
    layout: Layout,
    size: float,
    span: Span,
    zone: tuple[float, float],
    extras: Extras,
) -> Card:
    details = make_details(extras.contact, font, layout, size)
    largest = size * NAME_BESIDE_DETAILS if details.height else size
    name = fit(texts[0], font, layout.text_width, largest, NAME_ROWS)
    lesser = min(largest * PLACE_SHARE, name.size * SMALLER_THAN_NAME)
    place = fit(texts[1], font, layout.text_width, lesser, PLACE_ROWS)
    inside = layout.text_width / CALL_SWELL - 2 * CALL_PADDING[0] * size * CALL_SHARE
    call = fit(INSIDE_NUMBER.sub("\u00a0", texts[2]), font, inside, size * CALL_SHARE, CALL_ROWS)
    gap = size * CARD_GAP
    called = size_button(call, font)[1] + 1.5 * gap if call.rows else 0.0
    edge = REACH * size
    wide, high = 0, 0
    if extras.logo_shape:
        wide, high = size_emblem(extras.logo_shape, size * extras.logo_size, layout.text_width)
    above = high + gap if high else 0.0
    between = gap * (1.0 if place.rows else 0.3) if details.height else 0.0
    name_high, place_high = name.measure_height(NAME_LEADING), place.measure_height(LEADING)
    tall = above + name_high + 2 * gap + place_high + between
    tall += details.height + called + 2 * edge
    top = (zone[0] + zone[1] - tall) / 2
    rule = top + edge + above + name_high + gap
    place_top = rule + gap * 0.8
    details_top = place_top + place_high + between
    below = details_top + details.height
    return Card(
        start=span[0],
        end=span[1],
        top=top,
        bottom=top + tall,
        name=name,
        name_top=top + edge + above,
        rule=rule,
        place=place,
        place_top=place_top,
        call=call,
        call_middle=below + 1.5 * gap + (called - 1.5 * gap) / 2,
        details=details.move(layout.middle - details.width / 2, details_top),
        logo=_place(layout.middle - wide / 2, top + edge, wide, high) if high else None,
    )


def make_details(contact: Contact, font: Font, layout: Layout, size: float) -> Details:
    """Set phone, address, hours and QR code for a card of this size: the code to the left of the texts.

    Beside a code, texts are as large as its height allows; what is there alone is centred.
    """
    side = 0
    if contact.link:
        count = len(squares(contact.link)) + 2 * QUIET
        least = CODE_SIDE * min(layout.width, layout.height) / 1080
        side = max(1, math.ceil(least / count)) * count
    taken = side + BESIDE * layout.card_size if side else 0.0
    blocks = _set_details(contact, font, layout.text_width - taken, size)
    tall, gap = _stack(blocks, size)
    room, larger = max(side, tall), layout.card_size
    while side and larger > size:
        tried = _set_details(contact, font, layout.text_width - taken, larger)
        high, between = _stack(tried, larger)
        if high <= room:
            blocks, tall, gap = tried, high, between
            break
        larger *= SHRINK
    if not blocks:
        return Details((), (0.0, 0.0, side, side), side, side) if side else NO_DETAILS
    wide = max(block.measure_width(font) + 2 * REACH * block.size for block in blocks)
    height = max(tall, side)
    labels, top = [], (height - tall) / 2
    for block in blocks:
        labels.append(Label(block, taken if side else wide / 2, top, centred=not side))
        top = top + len(block.rows) * block.size * DETAIL_LEADING + gap
    code = (0.0, (height - side) / 2, float(side), (height + side) / 2) if side else None
    return Details(tuple(labels), code, taken + wide, height)


def _stack(blocks: Sequence[Block], size: float) -> tuple[float, float]:
    """Return how high the blocks are together, with the gap between two of them."""
    gap = DETAIL_GAP * size
    tall = sum(block.measure_height(DETAIL_LEADING) for block in blocks)
    return tall + gap * max(0, len(blocks) - 1), gap


def _set_details(contact: Contact, font: Font, width: float, size: float) -> list[Block]:
    """Set what is given of phone, address, hours and link; none in larger letters than the one before it."""
    width -= 2 * REACH * size * PHONE
    lesser = HOURS * size
    blocks = []
    if contact.phone:
        blocks.append(fit(contact.phone, font, width, PHONE * size, 1))
    if contact.address:
        blocks.append(fit(contact.address, font, width, ADDRESS * size, ADDRESS_ROWS))
        lesser = min(lesser, blocks[-1].size)
    if contact.hours:
        # Each line has rows of its own, all in letters of one size.
        lines, least = contact.hours.splitlines(), lesser
        for _ in lines:
            fitted = [fit(line, font, width, least, HOURS_ROWS) for line in lines]
            least = min(block.size for block in fitted)
        blocks.append(Block(tuple(row for block in fitted for row in block.rows), least))
    if web := contact.shorten_link(font):
        blocks.append(fit(web, font, width, min(WEB * size, lesser), WEB_ROWS))
    return blocks


def _place(left: float, top: float, wide: int, high: int) -> Box:
    """Return a box on even whole pixels, as colour is kept."""
    left, top = 2 * round(left / 2), 2 * round(top / 2)
    return left, top, left + wide, top + high


def _find_zone(span: Span, captions: Sequence[Caption], layout: Layout) -> tuple[float, float]:
    """Return the heights a card may use: all safe ones, or those above captions that are seen with it."""
    _, top, _, bottom = layout.safe
    shared = any(caption.start < span[1] and span[0] < caption.end for caption in captions)
    return (top, layout.divide if shared else bottom)


def _lay_around(
    area: TextArea, texts: Sequence[str], top: float, size: float, high: float, stage: Stage
) -> TextArea:
    """Lay the area around the rows of a text, their edges included."""
    middle, reach = stage.layout.middle, REACH * size
    halves = [stage.font.measure(text) * size / 2 + reach for text in texts]
    rows = tuple(
        (middle - half, top + number * high, middle + half, top + (number + 1) * high)
        for number, half in enumerate(halves)
    )
    left, right = middle - max(halves), middle + max(halves)
    return replace(
        area, left=left, top=top - reach, right=right, bottom=rows[-1][3] + reach, rows=rows
    )
