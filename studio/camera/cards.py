"""Cards that say whose film it is: name, rule, place, and at the end what to do. Pure but for the font."""

import re
from dataclasses import dataclass

from studio.camera.areas import Box
from studio.camera.contact import NO_CONTACT, Contact
from studio.camera.details import NO_DETAILS, Details, details
from studio.camera.emblem import emblem_size
from studio.camera.fonts import Font
from studio.camera.layout import REACH, Layout
from studio.camera.typesetting import SHRINK, Block, fit

NAME_ROWS, PLACE_ROWS, CALL_ROWS = 4, 2, 3
PLACE_SHARE, CALL_SHARE = 0.44, 0.42
SMALLER_THAN_NAME = 0.8
NAME_BESIDE_DETAILS = 0.8
NAME_LEADING, LEADING = 1.16, 1.2
GAP = 0.4
CALL_PADDING = (0.85, 0.46)
# How much larger the button gets, for a moment.
CALL_SWELL = 1.05
# A blank inside a telephone number: a row must not end there.
INSIDE_NUMBER = re.compile(r"(?<=[\d)]) (?=[\d(])")


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

    def width(self, font: Font) -> float:
        """How wide its widest part is, in pixels."""
        return max(
            self.name.width(font) + 2 * REACH * self.name.size,
            self.place.width(font) + 2 * REACH * self.place.size,
            CALL_SWELL * button_size(self.call, font)[0] if self.call.rows else 0.0,
            self.details.width,
            self.logo[2] - self.logo[0] if self.logo else 0.0,
        )


@dataclass(frozen=True)
class Extras:
    """What a card shows besides its texts; a logo is so many of the card's size high, at most."""

    contact: Contact = NO_CONTACT
    logo_shape: float | None = None
    logo_size: float = 1.0


NO_EXTRAS = Extras()


def card(
    texts: tuple[str, str, str],
    font: Font,
    layout: Layout,
    span: tuple[float, float],
    zone: tuple[float, float],
    extras: Extras = NO_EXTRAS,
) -> Card:
    """The card of a name, a place and a call in the middle of the heights `zone`: as large as fits there.

    What does not get smaller, as a code does not, may leave no room for letters: they end at a pixel's height.
    """
    size = layout.card_size
    made = _of_size(texts, font, layout, size, span, zone, extras)
    while made.bottom - made.top > zone[1] - zone[0] and size > 1:
        size *= SHRINK
        made = _of_size(texts, font, layout, size, span, zone, extras)
    return made


def button_size(call: Block, font: Font) -> tuple[float, float]:
    """Width and height of the button around a call."""
    across, down = CALL_PADDING
    return (
        call.width(font) + 2 * across * call.size,
        height(call, LEADING) + 2 * down * call.size,
    )


def height(block: Block, leading: float) -> float:
    """How high the rows of a block are together."""
    return len(block.rows) * block.size * leading


def _of_size(
    texts: tuple[str, str, str],
    font: Font,
    layout: Layout,
    size: float,
    span: tuple[float, float],
    zone: tuple[float, float],
    extras: Extras,
) -> Card:
    given = details(extras.contact, font, layout, size)
    largest = size * NAME_BESIDE_DETAILS if given.height else size
    name = fit(texts[0], font, layout.text_width, largest, NAME_ROWS)
    lesser = min(largest * PLACE_SHARE, name.size * SMALLER_THAN_NAME)
    place = fit(texts[1], font, layout.text_width, lesser, PLACE_ROWS)
    inside = layout.text_width / CALL_SWELL - 2 * CALL_PADDING[0] * size * CALL_SHARE
    kept = INSIDE_NUMBER.sub("\u00a0", texts[2])
    call = fit(kept, font, inside, size * CALL_SHARE, CALL_ROWS)
    gap = size * GAP
    called = button_size(call, font)[1] + 1.5 * gap if call.rows else 0.0
    edge = REACH * size
    wide, high = 0, 0
    if extras.logo_shape:
        wide, high = emblem_size(extras.logo_shape, size * extras.logo_size, layout.text_width)
    above = high + gap if high else 0.0
    between = gap * (1.0 if place.rows else 0.3) if given.height else 0.0
    tall = above + height(name, NAME_LEADING) + 2 * gap + height(place, LEADING) + between
    tall += given.height + called + 2 * edge
    top = (zone[0] + zone[1] - tall) / 2
    rule = top + edge + above + height(name, NAME_LEADING) + gap
    place_top = rule + gap * 0.8
    details_top = place_top + height(place, LEADING) + between
    below = details_top + given.height
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
        details=given.moved(layout.middle - given.width / 2, details_top),
        logo=_even_box(layout.middle - wide / 2, top + edge, wide, high) if high else None,
    )


def _even_box(left: float, top: float, wide: int, high: int) -> Box:
    """A box on even whole pixels, as colour is kept."""
    left, top = 2 * round(left / 2), 2 * round(top / 2)
    return left, top, left + wide, top + high
