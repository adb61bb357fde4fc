"""All text of a film as one .ass document for libass. Pure but for the font.

User text comes in through `make_drawable`, in `staging` and `text`, so it can never become an override.
There is no bold face to be had: letters get a rim in their own colour.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from studio.camera.fonts import EMOJI_FAMILY, Block, Font
from studio.camera.frames import FORMS
from studio.camera.palettes import INK, WHITE, Colour, choose_letters
from studio.camera.staging import (
    CALL_SWELL,
    DETAIL_LEADING,
    LEADING,
    NAME_LEADING,
    Card,
    Label,
    Stage,
    Tag,
    find_rows_top,
    size_button,
    size_row,
)
from studio.camera.text import Caption, CaptionLook, Ground, Layout, Piece, Row, Span, split_words

# How far the handles of a Bézier curve stand from its ends to make a quarter of a circle, in radii.
ROUND = 0.5523
CLEAR = "&HFF000000&"
# Emoji are set in a font of their own: libass would choose one of the machine, and does so letter by letter.
TAGS, SIZE, FIELDS = re.compile(r"(\{[^}]*\})"), re.compile(r"\\fs([\d.]+)"), 9
# In em: the rim that makes letters heavy, and the shadow of a button.
RIM, SHADOW = 0.028, 0.06
# A dark button has an edge of the colour of its letters: cards are dark, too.
BUTTON_EDGE = 0.05
RULE_LENGTH, RULE_WEIGHT = 0.7, 0.05
# Milliseconds in which texts come and go.
CARD_FADE, CALL_FADE, CAPTION_FADE, TAG_FADE = 300, 160, 120, 300
# Rows begin at their place instead of being centred there.
BEGINS = r"\an4"
RISE_SHARE, RISE_MS = 0.22, 420
# Seconds after the name at which the other parts of a card come.
PLACE_AFTER, CALL_AFTER = 0.1, 0.15
SWELL = round(100 * CALL_SWELL)
POP_MS = 280
POP = rf"\fscx80\fscy80\t(0,160,\fscx{SWELL}\fscy{SWELL})\t(160,{POP_MS},\fscx100\fscy100)"
PULSE = rf"\t(1100,1250,\fscx{SWELL}\fscy{SWELL})\t(1250,1450,\fscx100\fscy100)"
# In em: how soft dark outlines are; how far the box of a sung word reaches beyond its letters, and its corners.
SOFT = 0.014
BOX_ACROSS, BOX_DOWN, BOX_RADIUS = 0.1, 0.52, 0.16
# A word's box comes and goes in so many milliseconds, and waits so many seconds for the next one.
BOX_MS, WAITS = 80, 0.25
EDGE_LAYER, BOX_LAYER, LETTER_LAYER = 3, 4, 5
GROWS = rf"\fscx88\fscy88\t(0,{BOX_MS},\fscx100\fscy100)"


def write_document(stage: Stage, accent: Colour, button: Colour | None = None) -> str:
    """Write the .ass file: title card, name tag, karaoke, end card with a button, of the accent by default."""
    lettering = Lettering(stage.font, stage.layout)
    cards = _CardPen(lettering, stage.seconds, button or accent)
    pen = _CaptionPen(lettering, stage.look, accent)
    events = [
        *(line for card in stage.cards for line in cards.write_card(card)),
        *(pen.write_tag(stage.tag) if stage.tag else ()),
        *(line for caption in stage.captions for line in pen.write_caption(caption)),
    ]
    head = _write_head(stage, _list_styles(accent, button or accent))
    return "\n".join([*head, *(_tag_emoji(line, stage.font) for line in events), ""])


def find_fades(stage: Stage) -> tuple[Span, ...]:
    """Return the spans of the film in which a text, or the ground behind it, is not wholly there."""
    card_comes = max(PLACE_AFTER + RISE_MS / 1000, CALL_AFTER + POP_MS / 1000)
    tag_fade, caption_fade = TAG_FADE / 1000, CAPTION_FADE / 1000
    ground = stage.look.ground
    shown: list[tuple[Card | Tag | Caption, float, float, Ground]] = [
        *((card, card_comes, CARD_FADE / 1000, "panel") for card in stage.cards),
        *((tag, tag_fade, tag_fade, ground) for tag in (stage.tag,) if tag),
        *((caption, caption_fade, caption_fade, ground) for caption in stage.captions),
    ]
    fades: list[Span] = []
    for text, comes, goes, behind in shown:
        form = FORMS[behind]
        # What is there in the first frame or in the last one does not come or go.
        if text.start > 0:
            fades.append((text.start - form.comes, text.start + comes))
        if text.end < stage.seconds:
            fades.append((text.end - goes, text.end + form.stays))
    return tuple(span for span in fades if span[0] < stage.seconds)


def write_stamp(centiseconds: int) -> str:
    """Write a time as libass reads it: 0:00:02.50."""
    minutes, rest = divmod(centiseconds, 6000)
    return f"{minutes // 60}:{minutes % 60:02}:{rest // 100:02}.{rest % 100:02}"


@dataclass(frozen=True)
class Lettering:
    """The tags that place text of a font in a layout, in em sizes of pixels: libass centres lines, not letters."""

    font: Font
    layout: Layout

    def tag_size(self, size: float) -> str:
        """Write the tag of a size."""
        return f"\\fs{size * self.font.line_height:.1f}"

    def find_baseline(self, middle: float, size: float) -> float:
        """Return the height for libass at which the middles of letters are at `middle`."""
        return middle - self.font.rise * size

    def tag_place(self, middle: float, size: float) -> str:
        """Write the tag that centres a row across, with the middle of its letters at that height."""
        return f"\\pos({self.layout.middle:.1f},{self.find_baseline(middle, size):.1f})"


def _write_head(stage: Stage, styles: Mapping[str, tuple[str, str, str]]) -> Iterator[str]:
    """Yield what comes before the events: styles have a colour, one while not yet sung, and one of the outline."""
    yield "[Script Info]"
    yield "ScriptType: v4.00+"
    yield f"PlayResX: {stage.layout.width}"
    yield f"PlayResY: {stage.layout.height}"
    yield "WrapStyle: 2"
    yield "ScaledBorderAndShadow: yes"
    yield "YCbCr Matrix: TV.709"
    yield "[V4+ Styles]"
    yield (
        "Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold,"
        " Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow,"
        " Alignment, MarginL, MarginR, MarginV, Encoding"
    )
    for name, (fill, unsung, outline) in styles.items():
        yield (
            f"Style: {name},{stage.font.family},60,{fill},{unsung},{outline},&H70000000,"
            "0,0,0,0,100,100,0,0,1,0,0,5,0,0,0,1"
        )
    yield "[Events]"
    yield "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"


def _list_styles(accent: Colour, button: Colour) -> dict[str, tuple[str, str, str]]:
    ink, white, colour = _write_colour(INK), _write_colour(WHITE), _write_colour(accent)
    letters, ground = _write_colour(choose_letters(button)), _write_colour(button)
    return {
        "Sung": (colour, white, white),
        **dict.fromkeys(("Name", "Place", "Tag", "Detail"), (white, white, white)),
        "Call": (letters, letters, letters),
        "Button": (ground, ground, letters),
        "Accent": (colour, colour, colour),
        # Its letters are hidden by the others; clear ones cost libass less.
        "Edge": (CLEAR, CLEAR, ink),
    }


def _tag_emoji(event: str, font: Font) -> str:
    """Put tags around the emoji of an event, as large as its letters; without emoji it stays as it is."""
    *fields, text = event.split(",", FIELDS)
    size = SIZE.search(text)
    if not size or not any(map(font.is_emoji, text)):
        return event
    high = float(size[1])
    into = f"{{\\fn{EMOJI_FAMILY}\\fs{high * font.emoji_height:.1f}}}"
    back = f"{{\\fn{font.family}\\fs{high:.1f}}}"
    parts = (
        f"{into}{run}{back}" if in_emoji else run
        for part in TAGS.split(text)
        for run, in_emoji in ([(part, False)] if part.startswith("{") else font.split_runs(part))
    )
    return ",".join((*fields, "".join(parts)))


@dataclass(frozen=True)
class _CardPen:
    """Writes cards as events.

    What is there in the first frame or in the last one of the film's `seconds` does not fade: a player shows the
    first as the film's picture, and stops at the last.
    """

    lettering: Lettering
    seconds: float
    button: Colour

    def write_card(self, card: Card) -> Iterator[str]:
        """Write the name over its place, with a rule between, and the button under them."""
        times = (card.start, card.end)
        yield from self._write_rows("Name", card.name, NAME_LEADING, card.name_top, times)
        if card.name.rows and (card.place.rows or card.details.height):
            yield self._write_rule(card)
        after = PLACE_AFTER if card.start else 0.0
        times = (min(card.start + after, card.end), card.end)
        yield from self._write_rows("Place", card.place, LEADING, card.place_top, times)
        for label in card.details.labels:
            yield from self._write_detail(label, times)
        if card.call.rows:
            yield from self._write_button(card)

    def _write_rows(
        self, style: str, block: Block, leading: float, top: float, times: Span
    ) -> Iterator[str]:
        """Write rows that rise and fade in."""
        size = block.size
        for number, row in enumerate(block.rows):
            middle = top + (number + 0.5) * size * leading
            tags = f"{self._tag_rise(middle, size, times)}{self.lettering.tag_size(size)}"
            yield _write_event(2, *times, style, f"{{{tags}\\bord{RIM * size:.1f}}}{row}")

    def _write_detail(self, label: Label, times: Span) -> Iterator[str]:
        """Write rows of what is read in peace: they fade in where they stay."""
        size = label.block.size
        for number, row in enumerate(label.block.rows):
            middle = label.top + (number + 0.5) * size * DETAIL_LEADING
            at = f"\\pos({label.x:.1f},{self.lettering.find_baseline(middle, size):.1f})"
            begins = "" if label.centred else BEGINS
            tags = f"{begins}{at}{self._tag_fade(times)}{self.lettering.tag_size(size)}"
            yield _write_event(2, *times, "Detail", f"{{{tags}\\bord{RIM * size:.1f}}}{row}")

    def _write_rule(self, card: Card) -> str:
        size = self.lettering.layout.card_size
        bar = _draw_rounded(size * RULE_LENGTH, size * RULE_WEIGHT, 0)
        grows = "\\fscx0\\t(150,600,0.5,\\fscx100)" if card.start else ""
        fade = self._tag_fade((card.start, card.end))
        tags = f"\\pos({self.lettering.layout.middle:.1f},{card.rule:.1f}){fade}{grows}"
        return _write_event(2, card.start, card.end, "Accent", f"{{{tags}}}{bar}")

    def _write_button(self, card: Card) -> Iterator[str]:
        lettering, call, size = self.lettering, card.call, card.call.size
        wide, high = size_button(call, lettering.font)
        start = min(card.start + CALL_AFTER, card.end)
        moving = f"{self._tag_fade((start, card.end), CALL_FADE)}{POP}{PULSE}"
        at = f"\\pos({lettering.layout.middle:.1f},{card.call_middle:.1f})"
        edge = BUTTON_EDGE * size if choose_letters(self.button) == WHITE else 0.0
        bar = _draw_rounded(wide, high, min(high / 2, size))
        shape = f"{{{at}{moving}\\bord{edge:.1f}\\shad{SHADOW * size:.1f}}}{bar}"
        yield _write_event(2, start, card.end, "Button", shape)
        for number, row in enumerate(call.rows):
            middle = card.call_middle + (number + 0.5 - len(call.rows) / 2) * size * LEADING
            place = lettering.tag_place(middle, size)
            tags = f"{place}{moving}{lettering.tag_size(size)}\\bord{RIM * size:.1f}"
            yield _write_event(3, start, card.end, "Call", f"{{{tags}}}{row}")

    def _tag_rise(self, middle: float, size: float, times: Span) -> str:
        if not times[0]:
            return f"{self.lettering.tag_place(middle, size)}{self._tag_fade(times)}"
        x, y = self.lettering.layout.middle, self.lettering.find_baseline(middle, size)
        below = y + size * RISE_SHARE
        return f"\\move({x:.1f},{below:.1f},{x:.1f},{y:.1f},0,{RISE_MS}){self._tag_fade(times)}"

    def _tag_fade(self, times: Span, coming: int = CARD_FADE) -> str:
        going = CARD_FADE if times[1] < self.seconds else 0
        return f"\\fad({coming if times[0] else 0},{going})"


@dataclass(frozen=True)
class _CaptionPen:
    """Writes captions and the name tag in a look, with the accent for what is sung."""

    lettering: Lettering
    look: CaptionLook
    accent: Colour

    def write_tag(self, tag: Tag) -> Iterator[str]:
        """Write the name, small."""
        size = tag.block.size
        for number, row in enumerate(tag.block.rows):
            placed = self.lettering.tag_place(tag.top + (number + 0.5) * size * LEADING, size)
            tags = f"{placed}\\fad({TAG_FADE},{TAG_FADE}){self.lettering.tag_size(size)}"
            yield from self._write_edge(row, tags, size, (tag.start, tag.end))
            letters = f"{{{tags}\\bord{self.look.rim * size:.1f}}}{row}"
            yield _write_event(LETTER_LAYER, tag.start, tag.end, "Tag", letters)

    def write_caption(self, caption: Caption) -> Iterator[str]:
        """Write its rows, and mark what is sung while it is."""
        layout = self.lettering.layout
        size, high = layout.caption_size * caption.scale, size_row(caption, layout)
        # Never while it is sung: the last syllable is the one that is looked at.
        going = max(0, min(CAPTION_FADE, round(1000 * (caption.end - caption.sung_end))))
        for number, (row, text) in enumerate(zip(caption.rows, caption.texts, strict=True)):
            middle = find_rows_top(caption, layout) + (number + 0.5) * high
            placed = self.lettering.tag_place(middle, size)
            tags = f"{placed}\\fad({CAPTION_FADE},{going}){self.lettering.tag_size(size)}"
            yield from self._write_edge(text, tags, size, (caption.start, caption.end))
            if self.look.boxed:
                words = _join_spoken(row)
                yield from self._write_boxes(words, text, middle, size)
                sung = _colour_words(words, caption.start)
            else:
                sung = self._colour_pieces(row, caption.start)
            letters = f"{{{tags}\\bord{self.look.rim * size:.1f}}}{sung}"
            yield _write_event(LETTER_LAYER, caption.start, caption.end, "Sung", letters)

    def _write_edge(self, text: str, tags: str, size: float, times: Span) -> Iterator[str]:
        """Write the dark copy of a row, wider by the outline."""
        if self.look.outline:
            wide = (self.look.rim + self.look.outline) * size
            shape = f"\\bord{wide:.1f}\\blur{SOFT * size:.1f}\\shad{self.look.shadow * size:.1f}"
            yield _write_event(EDGE_LAYER, *times, "Edge", f"{{{tags}{shape}}}{text}")

    def _write_boxes(
        self, words: Sequence[Piece], text: str, middle: float, size: float
    ) -> Iterator[str]:
        """Write a box of the accent behind every word of a row while it is sung."""
        font, before = self.lettering.font, ""
        left = self.lettering.layout.middle - font.measure(text) * size / 2
        high = 2 * BOX_DOWN * size
        for word in words:
            letters = word.text.strip()
            begins = before + word.text[: len(word.text) - len(word.text.lstrip())]
            before += word.text
            if letters:
                wide = font.measure(letters) * size
                across = left + font.measure(begins) * size + wide / 2
                shape = _draw_rounded(wide + 2 * BOX_ACROSS * size, high, BOX_RADIUS * size)
                tags = f"\\pos({across:.1f},{middle:.1f})\\fad({BOX_MS // 2},{BOX_MS}){GROWS}"
                yield _write_event(BOX_LAYER, word.start, word.end, "Accent", f"{{{tags}}}{shape}")

    def _colour_pieces(self, row: Row, start: float) -> str:
        """Write the row's pieces with their times: exact to the hundredth, because each is counted from the start.

        The rim has no karaoke of its own, so it changes colour by a transformation of the same length.
        """
        first = moment = _count_hundredths(start)
        parts = []
        for number, piece in enumerate(row):
            begin = max(moment, _count_hundredths(piece.start))
            end = max(begin, _count_hundredths(piece.end))
            if begin > moment:
                parts.append(f"{{\\k{begin - moment}}}")
            # libass takes an end of 0 for the end of the event.
            span = f"{10 * (begin - first)},{max(1, 10 * (end - first))}"
            white, accent = _write_colour(WHITE), _write_colour(self.accent)
            text = piece.text.lstrip() if number == 0 else piece.text
            text = text.rstrip() if number == len(row) - 1 else text
            parts.append(f"{{\\kf{end - begin}\\3c{white}\\t({span},\\3c{accent})}}{text}")
            moment = end
        return "".join(parts)


def _colour_words(words: Sequence[Piece], start: float) -> str:
    """Write the words, each dark while it stands on its box."""
    parts = []
    for word in words:
        begin = 10 * max(0, _count_hundredths(word.start) - _count_hundredths(start))
        end = max(begin + BOX_MS, 10 * (_count_hundredths(word.end) - _count_hundredths(start)))
        dark, white = (f"\\1c{each}\\3c{each}" for each in map(_write_colour, (INK, WHITE)))
        darkens = f"\\t({begin},{begin + BOX_MS // 2},{dark})"
        parts.append(f"{{{white}{darkens}\\t({end - BOX_MS // 2},{end},{white})}}{word.text}")
    return "".join(parts)


def _join_spoken(row: Row) -> list[Piece]:
    """Join the words of a row, without blanks around it; each lasts until the next one where that is soon."""
    words = [
        Piece("".join(piece.text for piece in word), word[0].start, word[-1].end)
        for word in split_words(row)
    ]
    words[0] = replace(words[0], text=words[0].text.lstrip())
    words[-1] = replace(words[-1], text=words[-1].text.rstrip())
    starts = [*(word.start for word in words[1:]), words[-1].end]
    return [
        replace(word, end=start if 0 <= start - word.end < WAITS else max(word.start, word.end))
        for word, start in zip(words, starts, strict=True)
    ]


def _write_event(layer: int, start: float, end: float, style: str, text: str) -> str:
    """Write what is shown from `start` to `end`, in seconds; never before the film."""
    times = ",".join(write_stamp(_count_hundredths(each)) for each in (start, end))
    return f"Dialogue: {layer},{times},{style},,0,0,0,,{text}"


def _count_hundredths(seconds: float) -> int:
    return max(0, round(seconds * 100))


def _write_colour(colour: Colour) -> str:
    """Write an opaque colour: &HBBGGRR&."""
    red, green, blue = colour
    return f"&H{blue:02X}{green:02X}{red:02X}&"


def _draw_rounded(wide: float, high: float, radius: float) -> str:
    """Draw a rectangle with round corners, with the tag that begins a drawing."""
    arm = radius * (1 - ROUND)
    right, bottom = wide - radius, high - radius

    def corner(*points: tuple[float, float]) -> str:
        return "b " + " ".join(f"{x:.1f} {y:.1f}" for x, y in points)

    return " ".join(
        (
            f"{{\\p1}}m {radius:.1f} 0 l {right:.1f} 0",
            corner((wide - arm, 0), (wide, arm), (wide, radius)),
            f"l {wide:.1f} {bottom:.1f}",
            corner((wide, high - arm), (wide - arm, high), (right, high)),
            f"l {radius:.1f} {high:.1f}",
            corner((arm, high), (0, high - arm), (0, bottom)),
            f"l 0 {radius:.1f}",
            corner((0, arm), (arm, 0), (radius, 0)),
        )
    )
