"""A score played by the band's instruments, track by track. Pure, numpy only."""

from collections.abc import Iterable, Iterator

from studio.band.drums import KITS
from studio.band.mixing import add_drums, add_hall, add_notes, amplify, pump, silence
from studio.band.notes import Note
from studio.band.score import Score
from studio.band.sounds import VOICES
from studio.band.style import Style
from studio.samples import Samples

LEAD_PAN, COMPING_PAN = 0.12, -0.2


def tracks(
    score: Score, style: Style, seconds: float, *, sung: bool
) -> Iterator[tuple[str, Samples]]:
    """Lead, chords, bass and drums, each (n, 2) at its level in the mix, made when it is asked for.

    The lead plays the melody where it is not sung.
    """
    lead = (*score.lead, *(() if sung else score.melody))
    yield "lead", _lead(silence(seconds), lead, style)
    yield "chords", _chords(silence(seconds), score, style)
    bass = silence(seconds)
    add_notes(bass, score.bass, VOICES[style.sounds["bass"]], style.levels["bass"])
    yield "bass", bass
    drums = silence(seconds)
    add_drums(drums, score.drums, KITS[style.kit], style.levels["drums"])
    yield "drums", drums


def _lead(track: Samples, notes: Iterable[Note], style: Style) -> Samples:
    add_notes(track, notes, VOICES[style.sounds["lead"]], style.levels["lead"], LEAD_PAN)
    add_hall(track, style.echo)
    return track


def _chords(track: Samples, score: Score, style: Style) -> Samples:
    sounds, levels = style.sounds, style.levels
    add_notes(track, score.comping, VOICES[sounds["comping"]], levels["comping"], COMPING_PAN)
    if style.drive:
        amplify(track)
    add_notes(track, score.chords, VOICES[sounds["pad"]], levels["pad"])
    kicks = [hit.start for hit in score.drums if hit.drum == "kick"]
    pump(track, kicks, style.pump)
    add_hall(track, style.echo)
    return track
