"""Phone, address, hours and QR code as one block of an end card. Pure but for the font."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from studio.camera.areas import Box
from studio.camera.contact import Contact
from studio.camera.fonts import Font
from studio.camera.layout import REACH, Layout
from studio.camera.typesetting import SHRINK, Block, fit
from studio.qr_code import QUIET, squares

# Sizes as shares of the card's, and the rows that a text may take.
PHONE, ADDRESS, HOURS, WEB = 0.46, 0.33, 0.3, 0.28
ADDRESS_ROWS, HOURS_ROWS, WEB_ROWS = 4, 2, 2
LEADING, GAP, BESIDE = 1.24, 0.13, 0.22
# The least side of a QR code with its quiet zone in a frame whose shorter side is 1080.
CODE_SIDE = 300


@dataclass(frozen=True)
class Label:
    """Rows of text, the first from the height `top` on; they begin at `x`, or are centred there."""

    block: Block
    x: float
    top: float
    centred: bool

    @property
    def bottom(self) -> float:
        """Where its last row ends."""
        return self.top + len(self.block.rows) * self.block.size * LEADING


@dataclass(frozen=True)
class Details:
    """What a block shows: its labels, and where the QR code lies, with its quiet zone."""

    labels: tuple[Label, ...] = ()
    code: Box | None = None
    width: float = 0.0
    height: float = 0.0

    def moved(self, across: float, down: float) -> "Details":
        """The same elsewhere; the code on even whole pixels, so that its squares stay sharp."""
        labels = tuple(
            replace(label, x=label.x + across, top=label.top + down) for label in self.labels
        )
        if self.code is None:
            return replace(self, labels=labels)
        left, top, right, _ = self.code
        side = right - left
        left, top = 2 * round((left + across) / 2), 2 * round((top + down) / 2)
        return replace(self, labels=labels, code=(left, top, left + side, top + side))


NO_DETAILS = Details()


def square_size(link: str, layout: Layout) -> int:
    """How many pixels wide a square of the link's code is."""
    least = CODE_SIDE * min(layout.width, layout.height) / 1080
    return max(1, math.ceil(least / (len(squares(link)) + 2 * QUIET)))


def details(contact: Contact, font: Font, layout: Layout, size: float) -> Details:
    """The block for a card of this size: the code to the left of the texts, or what there is of both, centred.

    Beside a code, texts are as large as its height allows.
    """
    side = 0
    if contact.link:
        side = square_size(contact.link, layout) * (len(squares(contact.link)) + 2 * QUIET)
    taken = side + BESIDE * layout.card_size if side else 0.0
    texts = _texts(contact, font, layout.text_width - taken, size)
    room, larger = max(side, texts.height), layout.card_size
    while side and larger > size:
        tried = _texts(contact, font, layout.text_width - taken, larger)
        if tried.height <= room:
            texts = tried
            break
        larger *= SHRINK
    if not texts.blocks:
        return Details((), (0.0, 0.0, side, side), side, side) if side else NO_DETAILS
    wide = max(block.width(font) + 2 * REACH * block.size for block in texts.blocks)
    high = max(texts.height, side)
    labels, top = [], (high - texts.height) / 2
    for block in texts.blocks:
        label = Label(block, taken if side else wide / 2, top, centred=not side)
        labels.append(label)
        top = label.bottom + texts.gap
    code = (0.0, (high - side) / 2, float(side), (high + side) / 2) if side else None
    return Details(tuple(labels), code, taken + wide, high)


@dataclass(frozen=True)
class _Texts:
    blocks: tuple[Block, ...]
    gap: float

    @property
    def height(self) -> float:
        tall = sum(len(block.rows) * block.size * LEADING for block in self.blocks)
        return tall + self.gap * max(0, len(self.blocks) - 1)


def _texts(contact: Contact, font: Font, width: float, size: float) -> _Texts:
    return _Texts(tuple(_blocks(contact, font, width, size)), GAP * size)


def _blocks(contact: Contact, font: Font, width: float, size: float) -> Iterator[Block]:
    width -= 2 * REACH * size * PHONE
    lesser = HOURS * size
    if contact.phone:
        yield fit(contact.phone, font, width, PHONE * size, 1)
    if contact.address:
        address = fit(contact.address, font, width, ADDRESS * size, ADDRESS_ROWS)
        lesser = min(lesser, address.size)
        yield address
    if contact.hours:
        yield _lines(contact.hours.splitlines(), font, width, lesser)
    if web := contact.web_address(font):
        yield fit(web, font, width, min(WEB * size, lesser), WEB_ROWS)


def _lines(lines: Sequence[str], font: Font, width: float, size: float) -> Block:
    """Lines in letters of one size, each in rows of its own."""
    for _ in lines:
        fitted = [fit(line, font, width, size, HOURS_ROWS) for line in lines]
        size = min(block.size for block in fitted)
    return Block(tuple(row for block in fitted for row in block.rows), size)
