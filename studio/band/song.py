"""A whole song from a lyric, a genre and a length: its samples, its score and when each line is sung. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from threading import Event

import numpy as np

from studio.band.melody import Note
from studio.band.mixing import (
    fade_edges,
    make_room,
    make_silence,
    master,
    measure_voice,
    play_tracks,
    produce_voice,
    ride,
)
from studio.band.score import Score, compose
from studio.errors import MissingPartError, StoppedError
from studio.genres import Genre, Style, Voice, read_timbres
from studio.singer.reading import Phrase, Spoken, Syllable
from studio.singer.singing import sing
from studio.sound import Samples
from studio.timeline import Grid, Line, arrange
from studio.trades import find_trade, get_trade
from studio.words import list_sung_lines, read_spoken_line

LONGEST_FADE = 2.0
FADE_BARS = 0.8
VOCALS_OVER_BAND = 9.0
DIP_DECIBELS = 6.0
VOICE_FADE = 0.3
"""Seconds: what is spoken at the end stays audible while the band fades."""
VOICE_HALL = 0.2
"""The voice's hall against the band's: words are understood near by."""
DIPPED = ("lead", "chords")
STEMS = ("vocals", "lead", "chords", "bass", "drums")


@dataclass(frozen=True)
class Song:
    """Samples float32 (n, 2) at 44.1 kHz, its form, the lines in it and every note.

    `stems`, if they were asked for, are those of `STEMS` that there are, as they are in the mix: their sum is
    what goes into the master's limiter, so it is the song but for the peaks that are turned down there.
    """

    samples: Samples
    grid: Grid
    lines: tuple[Line, ...]
    score: Score
    stems: Mapping[str, Samples] = field(default_factory=dict)
    remark: str | None = None


def play(
    lyric: str,
    genre: Genre,
    seconds: float,
    seed: str,
    *,
    language: str = "Korean",
    vocals: bool = True,
    stems: bool = False,
    voice_cache: Path | None = None,
    stop: Event | None = None,
) -> Song:
    """Play a song of exactly that length, sung or with a lead that plays the melody.

    The better voice keeps its model in `voice_cache`; without one the plain voice sings, and where neither can,
    the lead plays. The same arguments give the same samples on one machine. Raises TemporaryError `singer_failed`
    or `voice_failed`, StoppedError once `stop` was set, and OSError where the machine has no room for the singer.
    """
    grid, lines, score = compose_song(lyric, genre, seconds, seed)
    phrases = build_phrases(lines, score.melody)
    dry = remark = None
    if vocals:
        spoken = _place_spoken(lyric, grid, lines)
        try:
            voice = choose_voice(genre, lyric)
            dry, remark = sing(
                phrases, language, voice, seconds, spoken=spoken, cache=voice_cache, stop=stop
            )
        except MissingPartError as error:
            remark = f"an instrument plays the melody: {error.message}"
    mix, kept = make_silence(seconds), dict[str, Samples]()
    for name, track in _mix_tracks(mix, score, genre.style, grid, lines, dry):
        if stop is not None and stop.is_set():
            raise StoppedError("the song was stopped")
        if stems:
            kept[name] = track
    samples, gain = master(mix)
    for track in kept.values():
        track *= np.float32(gain)
    return Song(samples, grid, lines, score, kept, remark)


def _place_spoken(lyric: str, grid: Grid, lines: Sequence[Line]) -> Spoken | None:
    """Return what is said: over the end, or after the last line, or else in the longest pause."""
    text = read_spoken_line(lyric)
    if not text:
        return None
    edges = [0.0, *(edge for line in lines for edge in (line.start, line.end)), grid.seconds]
    *pauses, end = zip(edges[::2], edges[1::2], strict=True)
    outro = max(grid.sections[-1].first_bar * grid.bar, end[0]), end[1]
    longest = sorted(pauses, key=lambda pause: pause[0] - pause[1])
    breath = grid.beat / 4
    return Spoken(text, tuple((first + breath, last) for first, last in (outro, end, *longest)))


def compose_song(
    lyric: str, genre: Genre, seconds: float, seed: str
) -> tuple[Grid, tuple[Line, ...], Score]:
    """Return the song before it is played: its form, when its words are sung, and every note."""
    grid, lines = arrange(lyric, genre, seconds, seed)
    voice = choose_voice(genre, lyric)
    reach = voice.low, voice.high
    return grid, lines, compose(genre.style, grid, lines, f"{genre.name} {seed}", reach)


def choose_voice(genre: Genre, lyric: str) -> Voice:
    """Return the genre's voice, with the timbre that suits the trade which the lyric tells.

    The spoken name tells it, or else what is sung: the song is ordered without the business it is about.
    """
    trade = get_trade(find_trade(read_spoken_line(lyric), ". ".join(list_sung_lines(lyric))))
    timbre = read_timbres().get(trade.register) if trade else None
    return replace(genre.voice, **vars(timbre)) if timbre else genre.voice


def build_phrases(lines: Sequence[Line], melody: Sequence[Note]) -> tuple[Phrase, ...]:
    """Return what the singer sings: every chunk of every line on its note of the melody."""
    notes = iter(melody)
    return tuple(
        tuple(
            Syllable(chunk.text, note.start, note.seconds, note.pitch)
            for chunk, note in zip(line.chunks, islice(notes, len(line.chunks)), strict=True)
        )
        for line in lines
    )


def _mix_tracks(
    mix: Samples, score: Score, style: Style, grid: Grid, lines: Sequence[Line], dry: Samples | None
) -> Iterator[tuple[str, Samples]]:
    """Yield every track with its name after it was added to the mix; last the voice, over the band."""
    fade = min(LONGEST_FADE, grid.bar * FADE_BARS)
    for name, track in play_tracks(score, style, grid.seconds, sung=dry is not None):
        if dry is not None and name in DIPPED:
            make_room(track, dry, DIP_DECIBELS)
        fade_edges(track, fade)
        mix += track
        yield name, track
    if dry is not None:
        voice = produce_voice(dry, grid.beat, VOICE_HALL * style.echo)
        fade_edges(voice, VOICE_FADE)
        spans = [(line.start, line.end) for line in lines]
        ride(voice, mix, spans)
        over = measure_voice(voice, mix, spans)
        voice *= np.float32(10 ** ((VOCALS_OVER_BAND - over) / 20) if np.isfinite(over) else 1.0)
        mix += voice
        yield "vocals", voice
