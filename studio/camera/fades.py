"""When text comes and goes in a film: no cover is taken then. Pure but for the font."""

from collections.abc import Iterator
from dataclasses import dataclass

from studio.camera.areas import Ground
from studio.camera.caption_events import FADE, TAG_FADE
from studio.camera.card_times import Span
from studio.camera.fonts import Font
from studio.camera.grounds import FORMS
from studio.camera.layout import Layout
from studio.camera.looks import LOOKS
from studio.camera.staging import staged
from studio.camera.subtitles import CALL_AFTER, CARD_FADE, PLACE_AFTER, POP_MS, RISE_MS
from studio.camera.text import Text


@dataclass(frozen=True)
class _Fade:
    """How many seconds a text takes to come and to go, and the ground behind it."""

    comes: float
    goes: float
    ground: Ground

    def spans(self, start: float, end: float, seconds: float) -> Iterator[Span]:
        """Yield when it comes and goes; what is there in the first frame or in the last one does not."""
        form = FORMS[self.ground]
        if start > 0:
            yield start - form.comes, start + self.comes
        if end < seconds:
            yield end - self.goes, end + form.stays


def fades(text: Text, font: Font, layout: Layout, seconds: float) -> tuple[Span, ...]:
    """Return the spans of the film in which a text, or the ground behind it, is not wholly there."""
    stage, ground = staged(text, font, layout, seconds), LOOKS[text.caption_style].ground
    card_comes = max(PLACE_AFTER + RISE_MS / 1000, CALL_AFTER + POP_MS / 1000)
    card = _Fade(card_comes, CARD_FADE / 1000, "panel")
    tag = _Fade(TAG_FADE / 1000, TAG_FADE / 1000, ground)
    caption = _Fade(FADE / 1000, FADE / 1000, ground)
    shown = [
        *((card, each.start, each.end) for each in stage.cards),
        *((tag, each.start, each.end) for each in (stage.tag,) if each),
        *((caption, each.start, each.end) for each in stage.captions),
    ]
    found = (span for fade, start, end in shown for span in fade.spans(start, end, seconds))
    return tuple(span for span in found if span[0] < seconds)
