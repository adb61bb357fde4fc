"""A whole song from a lyric, a genre and a length: its samples and when each line is sung. Pure, numpy only."""

from dataclasses import dataclass

from resources.studio.band.mixing import add_drums, add_notes, duck, mastered, silence, with_echo
from resources.studio.band.score import Score, compose
from resources.studio.band.sounds import LEADS, PADS, bass, pluck
from resources.studio.form import BEATS_PER_BAR, Grid
from resources.studio.genres import Genre
from resources.studio.samples import Samples
from resources.studio.timeline import Line, arranged

PUMP = {"edm": 0.75, "pop": 0.3}
PAD_LEVEL = {"guitar": 0.10, "super": 0.11}
LONGEST_FADE = 2.0


@dataclass(frozen=True)
class Song:
    """Samples float32 (n, 2) at 44.1 kHz, its form, and the lines in it."""

    samples: Samples
    grid: Grid
    lines: tuple[Line, ...]


def play(lyric: str, genre: Genre, seconds: float, seed: str) -> Song:
    """A song of exactly that length; the same arguments give the same samples."""
    grid, lines = arranged(lyric, genre, seconds)
    score = compose(genre, grid, lines, seed)
    fade = min(LONGEST_FADE, grid.beat * BEATS_PER_BAR * 0.8)
    return Song(mastered(_mixed(score, genre, seconds), fade), grid, lines)


def _mixed(score: Score, genre: Genre, seconds: float) -> Samples:
    music = silence(seconds)
    add_notes(music, score.chords, PADS[genre.pad], PAD_LEVEL.get(genre.pad, 0.13))
    add_notes(music, score.comping, pluck, 0.16, pan=-0.3)
    kicks = [hit.start for hit in score.drums if hit.drum == "kick"]
    duck(music, kicks, PUMP.get(genre.name, 0.0))
    add_notes(music, score.lead, LEADS[genre.lead], 0.34, pan=0.08)
    track = with_echo(music, genre.echo)
    add_notes(track, score.bass, bass, 0.34)
    add_drums(track, score.drums, 0.55)
    return track
