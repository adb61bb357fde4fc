"""What can be measured of a studio's song: its loudness, its voice against the band, pitch and timing."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bench.pitch import find_onset, measure_pitches
from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.products import Lyric
from pipeline_defs.song_video.stage_inputs import build_song_input
from studio.band.mixing import measure_loudness, measure_peak, measure_voice
from studio.band.song import STEMS, build_phrases, choose_voice, compose_song
from studio.genres import Voice, choose_genre
from studio.singer.reading import Phrase, Spoken, Syllable
from studio.singer.singing import sing
from studio.sound import RATE, Samples, read_wav

SUSTAINED_SECONDS = 0.25
REST_SECONDS = 0.12
LINE = 12.0
"""Seconds in which a line can be spoken."""
SETTLED_SECONDS, RELEASED_SECONDS = 0.12, 0.06


@dataclass(frozen=True)
class Measures:
    """A song in figures: cents, milliseconds, decibels.

    Pitch is measured on notes of `SUSTAINED_SECONDS` and more, onsets where a rest comes before the note.
    """

    genre: str
    timbre: str
    lufs: float
    true_peak: float
    voice_over_band: float
    pitch_median: float
    notes_held: int
    onset_median: float
    onset_farthest: float
    notes_after_rests: int
    syllables_per_second: float

    def as_row(self) -> dict[str, Any]:
        """Return the figures as a table shows them."""
        return {
            "genre": self.genre,
            "LUFS": round(self.lufs, 1),
            "peak dBTP": round(self.true_peak, 1),
            "voice dB": round(self.voice_over_band, 1),
            "pitch cents": f"{self.pitch_median:.1f} ({self.notes_held})",
            "onset ms": f"{self.onset_median:.0f}, {self.onset_farthest:.0f} ({self.notes_after_rests})",
            "syllables/s": round(self.syllables_per_second, 1),
        }


@dataclass(frozen=True)
class Take:
    """A studio's song as it was planned: its words, its lines' times and what is sung on which note."""

    genre: str
    voice: Voice
    language: str
    seconds: float
    lines: tuple[str, ...]
    spans: tuple[tuple[float, float], ...]
    phrases: tuple[Phrase, ...]

    @property
    def words(self) -> str:
        """All words that are sung."""
        return " ".join(self.lines)


def compose_take(brief: Brief, task_id: str, lyric: Lyric) -> Take:
    """Compose the studio's song of this brief and these words."""
    wanted = build_song_input(brief, task_id, {"lyric": lyric})
    genre, _ = choose_genre(wanted["genre"])
    seconds = wanted["duration_seconds"]
    _, lines, score = compose_song(wanted["lyric"], genre, seconds, wanted["seed"])
    return Take(
        genre=genre.name,
        voice=choose_voice(genre, wanted["lyric"]),
        language=wanted["language"],
        seconds=seconds,
        lines=tuple(line.text for line in lines),
        spans=tuple((line.start, line.end) for line in lines),
        phrases=build_phrases(lines, score.melody),
    )


def sing_dry(take: Take, cache: Path) -> Samples:
    """Sing the voice again, without its hall."""
    return sing(take.phrases, take.language, take.voice, take.seconds, cache=cache)[0]


def speak_words(take: Take, cache: Path) -> Samples:
    """Speak the same words with the voice: what is not understood here is not the melody's fault."""
    lines = [
        sing((), take.language, take.voice, LINE, spoken=Spoken(line, ((0.2, LINE),)), cache=cache)
        for line in take.lines
    ]
    return np.concatenate([samples for samples, _ in lines])


def measure(take: Take, dry: Samples, folder: Path) -> Measures:
    """Measure the song that the studio has made of this take in `folder`, with stems.

    Loudness and levels are those of the files; pitch and timing those of the `dry` voice.
    """
    notes = [syllable for phrase in take.phrases for syllable in phrase]
    cents = [_measure_cents_off(dry, note) for note in notes if note.seconds >= SUSTAINED_SECONDS]
    cents = [value for value in cents if np.isfinite(value)]
    late = [1000 * (find_onset(dry, *span) - start) for start, span in _list_after_rests(notes)]
    song = read_wav(folder / "song.wav")
    return Measures(
        genre=take.genre,
        timbre=take.voice.timbre,
        lufs=measure_loudness(song, RATE),
        true_peak=float(20 * np.log10(measure_peak(song))),
        voice_over_band=measure_voice(*_read_voice_and_band(folder), take.spans),
        pitch_median=float(np.median(np.abs(cents))),
        notes_held=len(cents),
        onset_median=float(np.median(np.abs(late))),
        onset_farthest=max(late, key=abs),
        notes_after_rests=len(late),
        syllables_per_second=len(notes) / sum(end - start for start, end in take.spans),
    )


def _read_voice_and_band(folder: Path) -> tuple[Samples, Samples]:
    others = [read_wav(folder / f"stem-{name}.wav") for name in STEMS if name != "vocals"]
    return read_wav(folder / "stem-vocals.wav"), np.sum(others, axis=0)


def _measure_cents_off(voice: Samples, note: Syllable) -> float:
    heard = measure_pitches(
        voice, note.start + SETTLED_SECONDS, note.start + note.seconds - RELEASED_SECONDS
    )
    return float(100 * np.median(heard - note.pitch)) if len(heard) else float("nan")


def _list_after_rests(notes: list[Syllable]) -> Iterator[tuple[float, tuple[float, float]]]:
    """Yield when a note after a rest begins, and the span of the sound in which to look for it."""
    first = Syllable("", -1.0, 0.0, 0)
    for before, note in pairwise([first, *notes]):
        if note.start - before.start - before.seconds >= REST_SECONDS:
            yield note.start, (max(0.0, note.start - 0.08), note.start + min(note.seconds, 0.3))
