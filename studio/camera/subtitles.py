"""All text of a film as one .ass document for libass. Pure but for the font.

User text comes in through `drawn`, in `staging` and `karaoke`, so it can never become an override. There is no
bold face to be had: letters get a rim in their own colour, over a second, dark copy of themselves with a soft
edge.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from studio.camera.ass import event, head, hue, hundredths, rounded
from studio.camera.cards import CALL_SWELL, LEADING, NAME_LEADING, Card, button_size
from studio.camera.fonts import Font
from studio.camera.karaoke import Caption, Row
from studio.camera.layout import Layout
from studio.camera.palettes import Colour
from studio.camera.staging import Tag, row_height, rows_top, staged
from studio.camera.text import Text
from studio.camera.typesetting import Block

INK: Colour = (24, 10, 16)
WHITE: Colour = (255, 255, 255)
CLEAR = "&HFF000000&"
# In em: the rim that makes letters heavy, the dark edge beyond it, how soft that is, and the shadow.
RIM, EDGE, SOFT, SHADOW = 0.028, 0.05, 0.014, 0.03
RULE_LENGTH, RULE_WEIGHT = 0.7, 0.05
CARD_FADE, CALL_FADE, CAPTION_FADE = 300, 160, 120
RISE_SHARE, RISE_MS = 0.22, 420
# Seconds after the name at which the other parts of a card come.
PLACE_AFTER, CALL_AFTER = 0.1, 0.15
SWELL = round(100 * CALL_SWELL)
POP = rf"\fscx80\fscy80\t(0,160,\fscx{SWELL}\fscy{SWELL})\t(160,280,\fscx100\fscy100)"
PULSE = rf"\t(1100,1250,\fscx{SWELL}\fscy{SWELL})\t(1250,1450,\fscx100\fscy100)"


def document(text: Text, font: Font, layout: Layout, seconds: float, accent: Colour) -> str:
    """The .ass file: a title card, a name tag, karaoke lines, and an end card with a button."""
    stage = staged(text, font, layout, seconds)
    pen = _Pen(font, layout, accent, seconds)
    events = [
        *(line for shown in stage.cards for line in pen.card(shown)),
        *(line for tag in (stage.tag,) if tag for line in pen.tag(tag)),
        *(line for caption in stage.captions for line in pen.caption(caption)),
    ]
    return "\n".join(
        [*head(layout.width, layout.height, font.family, _styles(accent)), *events, ""]
    )


def _styles(accent: Colour) -> dict[str, tuple[str, str, str]]:
    ink, white, colour = hue(INK), hue(WHITE), hue(accent)
    return {
        "Sung": (colour, white, white),
        "Name": (white, white, white),
        "Place": (white, white, white),
        "Tag": (white, white, white),
        "Call": (ink, ink, ink),
        "Accent": (colour, colour, colour),
        # Nobody sees its letters under the others; clear ones cost libass less.
        "Edge": (CLEAR, CLEAR, ink),
    }


@dataclass(frozen=True)
class _Pen:
    """Writes what stands on a stage as events.

    What is there in the first frame or in the last one of the film's `seconds` does not fade: a player shows the
    first as the film's picture, and stops at the last.
    """

    font: Font
    layout: Layout
    accent: Colour
    seconds: float

    def card(self, shown: Card) -> Iterator[str]:
        """The name over its place, with a rule between, and the button under them."""
        times = (shown.start, shown.end)
        yield from self._rows("Name", shown.name, NAME_LEADING, shown.name_top, times)
        if shown.name.rows and shown.place.rows:
            yield self._rule(shown)
        after = PLACE_AFTER if shown.start else 0.0
        times = (min(shown.start + after, shown.end), shown.end)
        yield from self._rows("Place", shown.place, LEADING, shown.place_top, times)
        if shown.call.rows:
            yield from self._button(shown)

    def tag(self, tag: Tag) -> Iterator[str]:
        """The name, small."""
        yield from self._rows("Tag", tag.block, LEADING, tag.top, (tag.start, tag.end))

    def caption(self, caption: Caption) -> Iterator[str]:
        """Its rows, whose pieces change colour while they are sung."""
        size, high = self.layout.caption_size * caption.scale, row_height(caption, self.layout)
        # Never while it is sung: the last syllable is the one that is looked at.
        fade = f"\\fad({CAPTION_FADE},{max(0, min(CAPTION_FADE, round(1000 * (caption.end - caption.sung_end))))})"
        for number, (row, text) in enumerate(zip(caption.rows, caption.texts(), strict=True)):
            middle = rows_top(caption, self.layout) + (number + 0.5) * high
            placed = f"{self._at(middle, size)}{fade}{self._letters(size)}"
            edge = f"{{{placed}{_edge(size)}}}{text}"
            yield event(3, caption.start, caption.end, "Edge", edge)
            sung = f"{{{placed}\\bord{RIM * size:.1f}}}{self._timed(row, caption.start)}"
            yield event(4, caption.start, caption.end, "Sung", sung)

    def _rows(
        self, style: str, block: Block, leading: float, top: float, times: tuple[float, float]
    ) -> Iterator[str]:
        """Rows that rise and fade in, each over its dark edge."""
        size = block.size
        for number, row in enumerate(block.rows):
            middle = top + (number + 0.5) * size * leading
            tags = f"{self._rising(middle, size, times)}{self._letters(size)}"
            yield event(1, *times, "Edge", f"{{{tags}{_edge(size)}}}{row}")
            yield event(2, *times, style, f"{{{tags}\\bord{RIM * size:.1f}}}{row}")

    def _rule(self, shown: Card) -> str:
        size = self.layout.card_size
        bar = rounded(size * RULE_LENGTH, size * RULE_WEIGHT, 0)
        growing = "\\fscx0\\t(150,600,0.5,\\fscx100)" if shown.start else ""
        growing = f"{self._fading((shown.start, shown.end))}{growing}"
        tags = f"\\pos({self.layout.middle:.1f},{shown.rule:.1f}){growing}"
        return event(2, shown.start, shown.end, "Accent", f"{{{tags}}}{bar}")

    def _button(self, shown: Card) -> Iterator[str]:
        size = shown.call.size
        wide, high = button_size(shown.call, self.font)
        start = min(shown.start + CALL_AFTER, shown.end)
        moving = f"{self._fading((start, shown.end), CALL_FADE)}{POP}{PULSE}"
        at = f"\\pos({self.layout.middle:.1f},{shown.call_middle:.1f})"
        shape = f"{{{at}{moving}\\shad{SHADOW * 2 * size:.1f}}}{rounded(wide, high, min(high / 2, size))}"
        yield event(2, start, shown.end, "Accent", shape)
        for number, row in enumerate(shown.call.rows):
            middle = shown.call_middle + (number + 0.5 - len(shown.call.rows) / 2) * size * LEADING
            tags = f"{self._at(middle, size)}{moving}{self._letters(size)}\\bord{RIM * size:.1f}"
            yield event(3, start, shown.end, "Call", f"{{{tags}}}{row}")

    def _letters(self, size: float) -> str:
        return f"\\fs{size * self.font.line_height:.1f}"

    def _at(self, middle: float, size: float) -> str:
        return f"\\pos({self.layout.middle:.1f},{middle - self.font.rise * size:.1f})"

    def _rising(self, middle: float, size: float, times: tuple[float, float]) -> str:
        if not times[0]:
            return f"{self._at(middle, size)}{self._fading(times)}"
        x, y = self.layout.middle, middle - self.font.rise * size
        below = y + size * RISE_SHARE
        return f"\\move({x:.1f},{below:.1f},{x:.1f},{y:.1f},0,{RISE_MS}){self._fading(times)}"

    def _fading(self, times: tuple[float, float], coming: int = CARD_FADE) -> str:
        going = CARD_FADE if times[1] < self.seconds else 0
        return f"\\fad({coming if times[0] else 0},{going})"

    def _timed(self, row: Row, start: float) -> str:
        """The row's pieces with their times: exact to the hundredth, because each is counted from the start.

        The rim has no karaoke of its own, so it changes colour by a transformation of the same length.
        """
        first = moment = hundredths(start)
        parts = []
        for number, piece in enumerate(row):
            begin = max(moment, hundredths(piece.start))
            end = max(begin, hundredths(piece.end))
            if begin > moment:
                parts.append(f"{{\\k{begin - moment}}}")
            # libass takes an end of 0 for the end of the event.
            span = f"{10 * (begin - first)},{max(1, 10 * (end - first))}"
            rim = f"\\3c{hue(WHITE)}\\t({span},\\3c{hue(self.accent)})"
            text = piece.text.lstrip() if number == 0 else piece.text
            text = text.rstrip() if number == len(row) - 1 else text
            parts.append(f"{{\\kf{end - begin}{rim}}}{text}")
            moment = end
        return "".join(parts)


def _edge(size: float) -> str:
    return f"\\bord{(RIM + EDGE) * size:.1f}\\blur{SOFT * size:.1f}\\shad{SHADOW * size:.1f}"
