"""All text of a video as one .ass document for libass. Pure but for the font.

User text comes in through `drawn`, here and in `karaoke`, so it can never become an override.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resources.studio.camera.fonts import Font
from resources.studio.camera.karaoke import Caption, Piece, captions
from resources.studio.camera.palettes import Colour
from resources.studio.camera.typesetting import Block, drawn, fit
from resources.studio.timeline import Line

CARD_ROWS, PLACE_ROWS = 4, 2
SHORTEST_CARD, LONGEST_CARD = 1.2, 4.0
CARD_FADE = 300
CAPTION_FADE = 120


@dataclass(frozen=True)
class Text:
    """What a video says: the business, its place, the sung lines."""

    customer_name: str
    region: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Layout:
    """Where text goes in a frame, in pixels: sizes are em sizes."""

    width: int
    height: int
    card_middle: float
    card_size: float
    caption_middle: float
    caption_size: float
    text_width: float

    @staticmethod
    def of(width: int, height: int) -> "Layout":
        """The layout of a frame: captions in the lower third, clear of what phones draw over the edge."""
        upright = height > width
        unit = min(width, height) / 1080
        return Layout(
            width=width,
            height=height,
            card_middle=height * (0.40 if upright else 0.45),
            card_size=112 * unit,
            caption_middle=height * (0.735 if upright else 0.82),
            caption_size=70 * unit,
            text_width=width * (0.84 if upright else 0.78),
        )


def document(text: Text, font: Font, layout: Layout, seconds: float, accent: Colour) -> str:
    """The .ass file: a title card, a name tag, karaoke lines and an end card; no two overlap in place."""
    name, region = drawn(text.customer_name, font), drawn(text.region, font)
    shown = captions(text.lines, font, layout.text_width / layout.caption_size)
    opening = min(LONGEST_CARD, max(SHORTEST_CARD, shown[0].start if shown else LONGEST_CARD))
    closing = max(shown[-1].end if shown else 0.0, opening, seconds - LONGEST_CARD)
    if seconds - closing < SHORTEST_CARD:
        closing = seconds
    events = [
        *_card(name, region, font, layout, (0.0, opening)),
        *(_card(name, region, font, layout, (closing, seconds)) if closing < seconds else ()),
        *_tag(name, font, layout, (opening, closing)),
        *(_karaoke(caption, font, layout) for caption in shown),
    ]
    return "\n".join([*_header(font, layout, accent), *events, ""])


def stamp(centiseconds: int) -> str:
    """A time as libass writes it: 0:00:02.50."""
    minutes, rest = divmod(centiseconds, 6000)
    return f"{minutes // 60}:{minutes % 60:02}:{rest // 100:02}.{rest % 100:02}"


def _header(font: Font, layout: Layout, accent: Colour) -> Iterator[str]:
    yield "[Script Info]"
    yield "ScriptType: v4.00+"
    yield f"PlayResX: {layout.width}"
    yield f"PlayResY: {layout.height}"
    yield "WrapStyle: 2"
    yield "ScaledBorderAndShadow: yes"
    yield "YCbCr Matrix: TV.709"
    yield "[V4+ Styles]"
    yield (
        "Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold,"
        " Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow,"
        " Alignment, MarginL, MarginR, MarginV, Encoding"
    )
    yield from _styles(font, layout, accent)
    yield "[Events]"
    yield "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"


def _styles(font: Font, layout: Layout, accent: Colour) -> Iterator[str]:
    unit = min(layout.width, layout.height) / 1080
    red, green, blue = accent
    sung = f"&H00{blue:02X}{green:02X}{red:02X}"
    for style, colour, edge, shadow, bold in (
        ("Sung", sung, 4.5, 2.5, -1),
        ("Name", "&H00FFFFFF", 2.5, 4.0, -1),
        ("Place", sung, 2.0, 3.0, -1),
        ("Tag", "&H28FFFFFF", 2.0, 1.5, -1),
        ("Shape", "&H00000000", 0.0, 0.0, 0),
    ):
        yield (
            f"Style: {style},{font.family},{round(layout.caption_size * font.line_height)},{colour},&H00FFFFFF,"
            f"&H18100A18,&H70000000,{bold},0,0,0,100,100,0,0,1,{edge * unit:.1f},{shadow * unit:.1f},5,0,0,0,1"
        )


def _event(layer: int, start: float, end: float, style: str, text: str) -> str:
    return f"Dialogue: {layer},{stamp(_hundredths(start))},{stamp(_hundredths(end))},{style},,0,0,0,,{text}"


def _hundredths(seconds: float) -> int:
    return round(seconds * 100)


def _placed(x: float, y: float, fade: int) -> str:
    return f"\\an5\\pos({x:.0f},{y:.0f})\\fad({fade},{fade})"


def _rows(block: Block, font: Font, tags: str) -> str:
    return f"{{{tags}\\fs{block.size * font.line_height:.0f}}}" + "\\N".join(block.rows)


def _card(
    name: str, region: str, font: Font, layout: Layout, span: tuple[float, float]
) -> Iterator[str]:
    """The name in large letters over its place, with a line between, on a soft dark ground."""
    title = fit(name, font, layout.text_width, layout.card_size, CARD_ROWS)
    place = fit(region, font, layout.text_width, layout.card_size * 0.46, PLACE_ROWS)
    gap = layout.card_size * 0.42
    tall = len(title.rows) * title.size * font.line_height
    low = len(place.rows) * place.size * font.line_height
    top = layout.card_middle - (tall + 2 * gap + low) / 2
    middle = layout.width / 2
    yield _shade(layout, top - gap, layout.card_middle * 2 - top + gap, span)
    yield _event(3, *span, "Name", _rows(title, font, _placed(middle, top + tall / 2, CARD_FADE)))
    rule = _bar(middle, top + tall + gap, layout.card_size * 0.9, max(2.0, layout.card_size * 0.05))
    yield _event(3, *span, "Place", rule)
    where = _placed(middle, top + tall + 2 * gap + low / 2, CARD_FADE)
    yield _event(3, *span, "Place", _rows(place, font, where))


def _bar(x: float, y: float, wide: float, high: float) -> str:
    shape = f"m 0 0 l {wide:.0f} 0 {wide:.0f} {high:.0f} 0 {high:.0f}"
    return f"{{{_placed(x, y, CARD_FADE)}\\bord0\\shad0\\p1}}{shape}"


def _shade(layout: Layout, top: float, bottom: float, span: tuple[float, float]) -> str:
    """A dark band over the whole width with a soft edge, behind text."""
    wide, high = layout.width * 1.4, bottom - top
    shape = f"m 0 0 l {wide:.0f} 0 {wide:.0f} {high:.0f} 0 {high:.0f}"
    tags = f"{_placed(layout.width / 2, (top + bottom) / 2, CARD_FADE)}\\blur{layout.card_size * 0.85:.0f}"
    return _event(0, *span, "Shape", f"{{{tags}\\alpha&H90&\\p1}}{shape}")


def _tag(name: str, font: Font, layout: Layout, span: tuple[float, float]) -> Iterator[str]:
    """The name, small, at the top while the song is sung."""
    if span[1] - span[0] < SHORTEST_CARD:
        return
    block = fit(name, font, layout.text_width, layout.caption_size * 0.6, 2)
    y = layout.height * (0.085 if layout.height > layout.width else 0.07)
    yield _event(2, *span, "Tag", _rows(block, font, _placed(layout.width / 2, y, CARD_FADE)))


def _karaoke(caption: Caption, font: Font, layout: Layout) -> str:
    """One caption whose pieces change colour when they are sung."""
    size = layout.caption_size * caption.scale * font.line_height
    tags = f"{_placed(layout.width / 2, layout.caption_middle, CAPTION_FADE)}\\fs{size:.0f}"
    first = _hundredths(caption.rows[0][0].start) - _hundredths(caption.start)
    wait = f"\\k{first}" if first > 0 else ""
    rows = "\\N".join("".join(_timed(piece, row) for piece in row) for row in caption.rows)
    return _event(4, caption.start, caption.end, "Sung", f"{{{tags}{wait}}}{rows}")


def _timed(piece: Piece, row: Sequence[Piece]) -> str:
    text = piece.text.rstrip() if piece is row[-1] else piece.text
    return f"{{\\kf{_hundredths(piece.end) - _hundredths(piece.start)}}}{text}"
