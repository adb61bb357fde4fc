"""What text stands where and when in a film, decided once for all who draw it. Pure but for the font."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from studio.camera.areas import Box, Ground, TextArea
from studio.camera.card_times import CALL_ALONE, WITH_DETAILS, Span, card_spans
from studio.camera.cards import LEADING, Card, Extras, card
from studio.camera.fonts import Font
from studio.camera.karaoke import Caption, captions
from studio.camera.layout import REACH, Layout
from studio.camera.looks import LOOKS
from studio.camera.text import Text
from studio.camera.typesetting import Block, drawn, fit

SHORTEST_TAG = 1.2
# How high a logo is, in sizes of the card.
TITLE_LOGO, END_LOGO = 0.85, 1.15
TAG_SHARE, TAG_ROWS = 0.58, 2


@dataclass(frozen=True)
class Tag:
    """The name, small, at the top while the song is sung: rows from the height `top` on."""

    start: float
    end: float
    block: Block
    top: float


@dataclass(frozen=True)
class Stage:
    """All text of a film. Cards and tag are never seen at once; captions may be seen under a card."""

    cards: tuple[Card, ...]
    tag: Tag | None
    captions: tuple[Caption, ...]


def staged(text: Text, font: Font, layout: Layout, seconds: float) -> Stage:
    """A title while the song has not begun, captions, and at the end a card that says what to do.

    Where the song begins at once or lasts until the end, card and captions share the frame: the card above. A
    film too short for two cards has one. Captions of lines outside the film are there, but never seen.
    """
    width = layout.text_width / layout.caption_size
    shown = captions(text.lines, text.customer_name, font, width, region=text.region)
    title, end = card_spans(
        _sung([caption for caption in shown if caption.start < seconds]),
        seconds,
        WITH_DETAILS if text.contact.is_given else CALL_ALONE,
    )
    shown = [_until(caption, end[0]) for caption in shown]
    name, place = drawn(text.customer_name, font), drawn(text.region, font)
    call, contact = drawn(text.call_to_action, font), text.contact.drawn(font)
    made = [
        card(texts, font, layout, span, _zone(span, shown, layout), extras)
        for span, texts, extras in (
            (title, (name, place, ""), Extras(logo_shape=text.logo_shape, logo_size=TITLE_LOGO)),
            (
                end,
                # An address says the place, too.
                (name, "" if contact.address else place, call),
                Extras(contact, text.logo_shape, END_LOGO),
            ),
        )
        if span[0] < span[1]
    ]
    return Stage(tuple(made), _tag(name, font, layout, (title[1], end[0])), tuple(shown))


def areas(text: Text, font: Font, layout: Layout, seconds: float) -> tuple[TextArea, ...]:
    """Every rectangle of the frame that holds text during the film: of cards, the tag, each caption."""
    stage, ground = staged(text, font, layout, seconds), LOOKS[text.caption_style].ground
    found = [
        *(_area_of_card(shown, font, layout) for shown in stage.cards),
        *(_area_of_tag(tag, font, layout, ground) for tag in (stage.tag,) if tag),
        *(_area_of_caption(caption, font, layout, ground) for caption in stage.captions),
    ]
    return tuple(_within(found, seconds))


def rows_top(caption: Caption, layout: Layout) -> float:
    """The height at which a caption's first row begins: around the layout's middle, but never too low."""
    tall = len(caption.rows) * row_height(caption, layout)
    lowest = layout.safe[3] - REACH * layout.caption_size * caption.scale
    return min(layout.caption_middle - tall / 2, lowest - tall)


def row_height(caption: Caption, layout: Layout) -> float:
    """How high a row of a caption is, in pixels."""
    return layout.caption_size * caption.scale * LEADING


def _sung(seen: Sequence[Caption]) -> Span | None:
    """From when until when there is singing."""
    if not seen:
        return None
    return min(caption.start for caption in seen), max(caption.sung_end for caption in seen)


def _until(caption: Caption, moment: float) -> Caption:
    """The caption, that ends at the moment at the latest, but is shown until it has been sung."""
    return replace(caption, end=min(caption.end, max(caption.start, caption.sung_end, moment)))


def _zone(
    span: tuple[float, float], shown: Sequence[Caption], layout: Layout
) -> tuple[float, float]:
    """The heights a card may use: all safe ones, or those above captions that are seen with it."""
    _, top, _, bottom = layout.safe
    shared = any(caption.start < span[1] and span[0] < caption.end for caption in shown)
    return (top, layout.divide if shared else bottom)


def _tag(name: str, font: Font, layout: Layout, span: tuple[float, float]) -> Tag | None:
    if not name or span[1] - span[0] < SHORTEST_TAG:
        return None
    block = fit(name, font, layout.text_width, layout.caption_size * TAG_SHARE, TAG_ROWS)
    return Tag(*span, block, layout.safe[1] + REACH * block.size)


def _area_of_card(shown: Card, font: Font, layout: Layout) -> TextArea:
    half = shown.width(font) / 2
    left, right = layout.middle - half, layout.middle + half
    return TextArea(shown.start, shown.end, left, shown.top, right, shown.bottom)


def _area_of_tag(tag: Tag, font: Font, layout: Layout, ground: Ground) -> TextArea:
    size = tag.block.size
    rows = _boxes(tag.block.rows, tag.top, size, size * LEADING, font, layout)
    return _area_of_rows(rows, REACH * size, TextArea(tag.start, tag.end, 0, 0, 0, 0, ground))


def _area_of_caption(caption: Caption, font: Font, layout: Layout, ground: Ground) -> TextArea:
    size, high = layout.caption_size * caption.scale, row_height(caption, layout)
    rows = _boxes(caption.texts(), rows_top(caption, layout), size, high, font, layout)
    area = TextArea(caption.start, caption.end, 0, 0, 0, 0, ground, accented=True)
    return _area_of_rows(rows, REACH * size, area)


def _boxes(
    rows: Sequence[str], top: float, size: float, high: float, font: Font, layout: Layout
) -> tuple[Box, ...]:
    """What the rows of a text take up, its edge at both sides included."""
    halves = [font.width(row) * size / 2 + REACH * size for row in rows]
    return tuple(
        (layout.middle - half, top + number * high, layout.middle + half, top + (number + 1) * high)
        for number, half in enumerate(halves)
    )


def _area_of_rows(rows: tuple[Box, ...], reach: float, area: TextArea) -> TextArea:
    """The area around its rows, and the edge above and below them."""
    lefts, tops, rights, bottoms = zip(*rows, strict=True)
    return replace(
        area,
        left=min(lefts),
        top=min(tops) - reach,
        right=max(rights),
        bottom=max(bottoms) + reach,
        rows=rows,
    )


def _within(found: Sequence[TextArea], seconds: float) -> Iterator[TextArea]:
    for area in found:
        start, end = max(0.0, area.start), min(seconds, area.end)
        if start < end:
            yield replace(area, start=start, end=end)
