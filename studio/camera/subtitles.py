"""All text of a film as one .ass document for libass. Pure but for the font.

User text comes in through `drawn`, in `staging` and `karaoke`, so it can never become an override. There is no
bold face to be had: letters get a rim in their own colour.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from studio.camera.ass import event, head, hue, rounded
from studio.camera.brand_colours import letters_on
from studio.camera.caption_events import CaptionPen
from studio.camera.cards import CALL_SWELL, LEADING, NAME_LEADING, Card, button_size
from studio.camera.details import LEADING as DETAIL_LEADING
from studio.camera.details import Label
from studio.camera.emoji import with_emoji
from studio.camera.fonts import Font
from studio.camera.layout import Layout
from studio.camera.lettering import INK, WHITE, Lettering
from studio.camera.looks import LOOKS
from studio.camera.palettes import Colour
from studio.camera.staging import staged
from studio.camera.text import Text
from studio.camera.typesetting import Block

CLEAR = "&HFF000000&"
# In em: the rim that makes letters heavy, and the shadow of a button.
RIM, SHADOW = 0.028, 0.06
# A dark button has an edge of the colour of its letters: cards are dark, too.
BUTTON_EDGE = 0.05
RULE_LENGTH, RULE_WEIGHT = 0.7, 0.05
CARD_FADE, CALL_FADE = 300, 160
# Rows begin at their place instead of being centred there.
BEGINS = r"\an4"
RISE_SHARE, RISE_MS = 0.22, 420
# Seconds after the name at which the other parts of a card come.
PLACE_AFTER, CALL_AFTER = 0.1, 0.15
SWELL = round(100 * CALL_SWELL)
POP_MS = 280
POP = rf"\fscx80\fscy80\t(0,160,\fscx{SWELL}\fscy{SWELL})\t(160,{POP_MS},\fscx100\fscy100)"
PULSE = rf"\t(1100,1250,\fscx{SWELL}\fscy{SWELL})\t(1250,1450,\fscx100\fscy100)"


def document(
    text: Text,
    font: Font,
    layout: Layout,
    seconds: float,
    accent: Colour,
    button: Colour | None = None,
) -> str:
    """The .ass file: a title card, a name tag, karaoke lines, and an end card with a button.

    The button is of the accent, or of a colour of its own.
    """
    stage = staged(text, font, layout, seconds)
    lettering = Lettering(font, layout)
    cards = _CardPen(lettering, seconds, button or accent)
    pen = CaptionPen(lettering, LOOKS[text.caption_style], accent)
    events = [
        *(line for shown in stage.cards for line in cards.card(shown)),
        *(line for tag in (stage.tag,) if tag for line in pen.tag(tag)),
        *(line for caption in stage.captions for line in pen.caption(caption)),
    ]
    return "\n".join(
        [
            *head(layout.width, layout.height, font.family, _styles(accent, button or accent)),
            *(with_emoji(line, font) for line in events),
            "",
        ]
    )


def _styles(accent: Colour, button: Colour) -> dict[str, tuple[str, str, str]]:
    ink, white, colour, letters = hue(INK), hue(WHITE), hue(accent), hue(letters_on(button))
    return {
        "Sung": (colour, white, white),
        "Name": (white, white, white),
        "Place": (white, white, white),
        "Tag": (white, white, white),
        "Detail": (white, white, white),
        "Call": (letters, letters, letters),
        "Button": (hue(button), hue(button), letters),
        "Accent": (colour, colour, colour),
        # Its letters are hidden by the others; clear ones cost libass less.
        "Edge": (CLEAR, CLEAR, ink),
    }


@dataclass(frozen=True)
class _CardPen:
    """Writes cards as events.

    What is there in the first frame or in the last one of the film's `seconds` does not fade: a player shows the
    first as the film's picture, and stops at the last.
    """

    lettering: Lettering
    seconds: float
    button: Colour

    def card(self, shown: Card) -> Iterator[str]:
        """The name over its place, with a rule between, and the button under them."""
        times = (shown.start, shown.end)
        yield from self._rows("Name", shown.name, NAME_LEADING, shown.name_top, times)
        if shown.name.rows and (shown.place.rows or shown.details.height):
            yield self._rule(shown)
        after = PLACE_AFTER if shown.start else 0.0
        times = (min(shown.start + after, shown.end), shown.end)
        yield from self._rows("Place", shown.place, LEADING, shown.place_top, times)
        for label in shown.details.labels:
            yield from self._detail(label, times)
        if shown.call.rows:
            yield from self._button(shown)

    def _rows(
        self, style: str, block: Block, leading: float, top: float, times: tuple[float, float]
    ) -> Iterator[str]:
        """Rows that rise and fade in."""
        size = block.size
        for number, row in enumerate(block.rows):
            middle = top + (number + 0.5) * size * leading
            tags = f"{self._rising(middle, size, times)}{self.lettering.sized(size)}"
            yield event(2, *times, style, f"{{{tags}\\bord{RIM * size:.1f}}}{row}")

    def _detail(self, label: Label, times: tuple[float, float]) -> Iterator[str]:
        """Rows of what is read in peace: they fade in where they stay."""
        size = label.block.size
        for number, row in enumerate(label.block.rows):
            middle = label.top + (number + 0.5) * size * DETAIL_LEADING
            at = f"\\pos({label.x:.1f},{self.lettering.baseline(middle, size):.1f})"
            tags = f"{'' if label.centred else BEGINS}{at}{self._fading(times)}{self.lettering.sized(size)}"
            yield event(2, *times, "Detail", f"{{{tags}\\bord{RIM * size:.1f}}}{row}")

    def _rule(self, shown: Card) -> str:
        size = self.lettering.layout.card_size
        bar = rounded(size * RULE_LENGTH, size * RULE_WEIGHT, 0)
        growing = "\\fscx0\\t(150,600,0.5,\\fscx100)" if shown.start else ""
        growing = f"{self._fading((shown.start, shown.end))}{growing}"
        tags = f"\\pos({self.lettering.layout.middle:.1f},{shown.rule:.1f}){growing}"
        return event(2, shown.start, shown.end, "Accent", f"{{{tags}}}{bar}")

    def _button(self, shown: Card) -> Iterator[str]:
        size = shown.call.size
        wide, high = button_size(shown.call, self.lettering.font)
        start = min(shown.start + CALL_AFTER, shown.end)
        moving = f"{self._fading((start, shown.end), CALL_FADE)}{POP}{PULSE}"
        at = f"\\pos({self.lettering.layout.middle:.1f},{shown.call_middle:.1f})"
        edge = BUTTON_EDGE * size if letters_on(self.button) == WHITE else 0.0
        bar = rounded(wide, high, min(high / 2, size))
        shape = f"{{{at}{moving}\\bord{edge:.1f}\\shad{SHADOW * size:.1f}}}{bar}"
        yield event(2, start, shown.end, "Button", shape)
        for number, row in enumerate(shown.call.rows):
            middle = shown.call_middle + (number + 0.5 - len(shown.call.rows) / 2) * size * LEADING
            tags = f"{self.lettering.at(middle, size)}{moving}{self.lettering.sized(size)}\\bord{RIM * size:.1f}"
            yield event(3, start, shown.end, "Call", f"{{{tags}}}{row}")

    def _rising(self, middle: float, size: float, times: tuple[float, float]) -> str:
        if not times[0]:
            return f"{self.lettering.at(middle, size)}{self._fading(times)}"
        x, y = self.lettering.layout.middle, self.lettering.baseline(middle, size)
        below = y + size * RISE_SHARE
        return f"\\move({x:.1f},{below:.1f},{x:.1f},{y:.1f},0,{RISE_MS}){self._fading(times)}"

    def _fading(self, times: tuple[float, float], coming: int = CARD_FADE) -> str:
        going = CARD_FADE if times[1] < self.seconds else 0
        return f"\\fad({coming if times[0] else 0},{going})"
