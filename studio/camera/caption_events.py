"""Captions and the name tag as events for libass, in the look that was chosen. Pure but for the font."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from studio.camera.ass import event, hue, hundredths, rounded
from studio.camera.cards import LEADING
from studio.camera.karaoke import Caption, Piece, Row, words_of
from studio.camera.lettering import INK, WHITE, Lettering
from studio.camera.looks import CaptionLook
from studio.camera.palettes import Colour
from studio.camera.staging import Tag, row_height, rows_top

FADE = 120
TAG_FADE = 300
# In em: how soft dark outlines are; how far the box of a sung word reaches beyond its letters, and its corners.
SOFT = 0.014
BOX_ACROSS, BOX_DOWN, BOX_RADIUS = 0.1, 0.52, 0.16
# A word's box comes and goes in so many milliseconds, and waits so many seconds for the next one.
BOX_MS, WAITS = 80, 0.25
EDGE_LAYER, BOX_LAYER, LETTER_LAYER = 3, 4, 5
GROWS = rf"\fscx88\fscy88\t(0,{BOX_MS},\fscx100\fscy100)"


@dataclass(frozen=True)
class CaptionPen:
    """Writes captions in a look, with the accent for what is sung."""

    lettering: Lettering
    look: CaptionLook
    accent: Colour

    def tag(self, tag: Tag) -> Iterator[str]:
        """The name, small."""
        size = tag.block.size
        for number, row in enumerate(tag.block.rows):
            placed = self.lettering.at(tag.top + (number + 0.5) * size * LEADING, size)
            tags = f"{placed}\\fad({TAG_FADE},{TAG_FADE}){self.lettering.sized(size)}"
            yield from self._edge(row, tags, size, (tag.start, tag.end))
            letters = f"{{{tags}\\bord{self.look.rim * size:.1f}}}{row}"
            yield event(LETTER_LAYER, tag.start, tag.end, "Tag", letters)

    def caption(self, caption: Caption) -> Iterator[str]:
        """Its rows, of which what is sung is told apart while it is."""
        layout = self.lettering.layout
        size, high = layout.caption_size * caption.scale, row_height(caption, layout)
        # Never while it is sung: the last syllable is the one that is looked at.
        going = max(0, min(FADE, round(1000 * (caption.end - caption.sung_end))))
        for number, (row, text) in enumerate(zip(caption.rows, caption.texts(), strict=True)):
            middle = rows_top(caption, layout) + (number + 0.5) * high
            placed = self.lettering.at(middle, size)
            tags = f"{placed}\\fad({FADE},{going}){self.lettering.sized(size)}"
            yield from self._edge(text, tags, size, (caption.start, caption.end))
            if self.look.boxed:
                words = _spoken(row)
                yield from self._boxes(words, text, middle, size)
                sung = self._in_turn(words, caption.start)
            else:
                sung = self._timed(row, caption.start)
            letters = f"{{{tags}\\bord{self.look.rim * size:.1f}}}{sung}"
            yield event(LETTER_LAYER, caption.start, caption.end, "Sung", letters)

    def _edge(self, text: str, tags: str, size: float, times: tuple[float, float]) -> Iterator[str]:
        """The dark copy of a row, wider by the outline."""
        if self.look.outline:
            wide = (self.look.rim + self.look.outline) * size
            shape = f"\\bord{wide:.1f}\\blur{SOFT * size:.1f}\\shad{self.look.shadow * size:.1f}"
            yield event(EDGE_LAYER, *times, "Edge", f"{{{tags}{shape}}}{text}")

    def _boxes(
        self, words: Sequence[Piece], text: str, middle: float, size: float
    ) -> Iterator[str]:
        """A box of the accent behind every word of a row while it is sung."""
        font, before = self.lettering.font, ""
        left = self.lettering.layout.middle - font.width(text) * size / 2
        high = 2 * BOX_DOWN * size
        for word in words:
            letters = word.text.strip()
            begins = before + word.text[: len(word.text) - len(word.text.lstrip())]
            before += word.text
            if letters:
                wide = font.width(letters) * size
                across = left + font.width(begins) * size + wide / 2
                shape = rounded(wide + 2 * BOX_ACROSS * size, high, BOX_RADIUS * size)
                tags = f"\\pos({across:.1f},{middle:.1f})\\fad({BOX_MS // 2},{BOX_MS}){GROWS}"
                yield event(BOX_LAYER, word.start, word.end, "Accent", f"{{{tags}}}{shape}")

    def _in_turn(self, words: Sequence[Piece], start: float) -> str:
        """The words, each dark while it stands on its box."""
        parts = []
        for word in words:
            begin = 10 * max(0, hundredths(word.start) - hundredths(start))
            end = max(begin + BOX_MS, 10 * (hundredths(word.end) - hundredths(start)))
            dark, white = (f"\\1c{hue(colour)}\\3c{hue(colour)}" for colour in (INK, WHITE))
            turning = (
                f"\\t({begin},{begin + BOX_MS // 2},{dark})\\t({end - BOX_MS // 2},{end},{white})"
            )
            parts.append(f"{{{white}{turning}}}{word.text}")
        return "".join(parts)

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


def _spoken(row: Row) -> list[Piece]:
    """The words of a row, without blanks around it; each lasts until the next one begins where that is soon."""
    words = [
        Piece("".join(piece.text for piece in word), word[0].start, word[-1].end)
        for word in words_of(row)
    ]
    words[0] = replace(words[0], text=words[0].text.lstrip())
    words[-1] = replace(words[-1], text=words[-1].text.rstrip())
    return [
        replace(word, end=following.start)
        if 0 <= following.start - word.end < WAITS
        else replace(word, end=max(word.start, word.end))
        for word, following in pairwise([*words, replace(words[-1], start=words[-1].end)])
    ]
