"""What tells the studio's genres apart, measured in their sound: tempo, swing, colour, drums and lows."""

from dataclasses import astuple, dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from bench.look import draw_spectrogram
from studio.band.song import Song, play
from studio.genres import Genre, read_genres
from studio.sound import RATE, Samples, write_wav

LYRIC = (
    "[Verse]\nMorning light on the street\nCome and see\n[Chorus]\nSing along with me\nAll day long"
)
SECONDS = 16.0
WINDOW, HOP, BANDS = 2048, 256, 96
SLOWEST, FASTEST = 60.0, 180.0
LOW_HERTZ = 140.0
MEDIAN_FRAMES, MEDIAN_BANDS = 33, 11
FINE_WINDOW, FINE_HOP = 512, 64
PHASES = 96
OFF_BEAT = 38, 70
"""Where in a pair of notes the second one may begin, in `PHASES` of it."""
NEAR = 6
ON_THE_BEAT = 0.12


@dataclass(frozen=True)
class Profile:
    """A song in figures that a listener tells genres by.

    `tempo` is in beats per minute, between `SLOWEST` and `FASTEST`, as the onsets repeat. `swing` is how many
    times as long as the second of two notes the first one is. `centroid` is in hertz; `percussive` and `low` are
    shares of the power: of what is struck rather than sustained, and of what is under `LOW_HERTZ`. `even` is 0.5
    where the lows hit all four beats of a bar, and 0 where they hit the first and the third.
    """

    tempo: float
    swing: float
    centroid: float
    percussive: float
    low: float
    even: float


MARGINS = Profile(tempo=8.0, swing=0.15, centroid=400.0, percussive=0.05, low=0.08, even=0.10)
"""Differences that one hears."""


def play_short_song(genre: Genre, seconds: float = SECONDS, seed: str = "a") -> Song:
    """Play an instrumental song of this genre."""
    return play(LYRIC, genre, seconds, seed, language="English", vocals=False)


def measure_profile(song: Song) -> Profile:
    """Measure a song's sound; take only the positions of its beats from its form."""
    sound = song.samples.mean(axis=1)
    spectra = _compute_spectra(sound)
    power = np.square(spectra)
    hertz = np.fft.rfftfreq(WINDOW, 1 / RATE)
    strength = _measure_onset_strength(spectra)
    return Profile(
        tempo=_measure_tempo(strength),
        swing=_measure_swing(sound, song.grid.beat * song.grid.swung / 2),
        centroid=float((spectra * hertz).sum() / spectra.sum()),
        percussive=_measure_percussive(spectra),
        low=float(power[:, hertz < LOW_HERTZ].sum() / power.sum()),
        even=_measure_evenness(spectra, song.grid.beat),
    )


def compute_distance(one: Profile, other: Profile) -> float:
    """Return how many times their margin the two differ, in the figure in which they differ most."""
    return max(
        abs(a - b) / margin
        for a, b, margin in zip(astuple(one), astuple(other), astuple(MARGINS), strict=True)
    )


def _compute_spectra(sound: Samples, hop: int = HOP, window: int = WINDOW) -> NDArray[np.float64]:
    """Return the magnitudes of overlapping windows, of shape (windows, frequencies)."""
    frames = np.lib.stride_tricks.sliding_window_view(sound, window)[::hop]
    return np.abs(np.fft.rfft(frames * np.hanning(window).astype(np.float32), axis=1))


def _measure_onset_strength(
    spectra: NDArray[np.float64], least: float | None = None
) -> NDArray[np.float64]:
    """Return each window's rise in loudness in logarithms, less `least` or else less its mean."""
    rising = np.diff(np.log1p(30 * spectra / spectra.max()), axis=0, prepend=0.0)
    strength = np.maximum(0, rising).mean(axis=1)
    return np.asarray(strength - (strength.mean() if least is None else least))


def _measure_tempo(strength: NDArray[np.float64]) -> float:
    """Return the tempo at which the onsets agree best with themselves one beat and four beats later."""
    count = 2 * len(strength)
    spectrum = np.fft.rfft(strength, count)
    alike = np.fft.irfft(np.abs(spectrum) ** 2, count)[: len(strength)]
    tempos = np.arange(SLOWEST, FASTEST, 0.25)
    lags = 60 / tempos * RATE / HOP
    places = np.arange(len(alike))
    agreement = sum(
        weight * np.interp(lags * beats, places, alike)
        for beats, weight in ((1, 1.0), (2, 0.7), (4, 1.0))
    )
    near_walking = np.exp(-0.5 * (np.log2(tempos / 110) / 0.9) ** 2)
    return float(tempos[np.argmax(agreement * near_walking)])


def _measure_swing(sound: Samples, pair: float) -> float:
    """Return the ratio of the first of two notes to the second, from onsets folded onto `pair` seconds."""
    strength = _measure_onset_strength(_compute_spectra(sound, FINE_HOP, FINE_WINDOW), least=0.0)
    moments = (np.arange(len(strength)) * FINE_HOP + FINE_WINDOW / 2) / RATE
    folded, _ = np.histogram(moments / pair % 1, PHASES, (0, 1), weights=strength)
    standing_out = np.maximum(0, folded - np.median(folded))
    smooth = np.convolve(np.tile(standing_out, 3), np.hanning(7)[1:-1], "same")
    lowest, highest = OFF_BEAT
    second = lowest + int(np.argmax(smooth[PHASES + lowest : PHASES + highest]))
    share = (_find_middle(smooth, second) - _find_middle(smooth, 0)) / PHASES
    return share / (1 - share)


def _find_middle(strength: NDArray[np.float64], phase: int) -> float:
    """Return the centre of the strength near a phase."""
    near = np.arange(phase - NEAR, phase + NEAR + 1)
    return float((near * strength[PHASES + near]).sum() / max(strength[PHASES + near].sum(), 1e-9))


def _measure_evenness(spectra: NDArray[np.float64], beat: float) -> float:
    """Return the share of the low onsets that falls on the second and fourth beats."""
    hertz = np.fft.rfftfreq(WINDOW, 1 / RATE)
    strength = _measure_onset_strength(spectra[:, hertz < LOW_HERTZ], least=0.0)
    beats = (np.arange(len(strength)) * HOP + WINDOW / 2) / RATE / beat
    near = np.abs(beats - np.round(beats)) < ON_THE_BEAT
    off, on = (strength[near & (np.round(beats) % 2 == odd)].sum() for odd in (1, 0))
    return float(off / max(off + on, 1e-9))


def _measure_percussive(spectra: NDArray[np.float64]) -> float:
    """Return the share of the sound that is percussive: short in time rather than narrow in frequency.

    Source: D. FitzGerald, Harmonic/Percussive Separation using Median Filtering, 2010.
    """
    edges = np.unique(np.geomspace(2, spectra.shape[1], BANDS).astype(int))
    bands = np.add.reduceat(np.square(spectra[::2]), edges[:-1], axis=1)
    along, across = (
        _compute_medians(bands.T, MEDIAN_FRAMES).T,
        _compute_medians(bands, MEDIAN_BANDS),
    )
    struck = np.square(across) / (np.square(across) + np.square(along) + 1e-12)
    return float((np.sqrt(bands) * struck).sum() / np.sqrt(bands).sum())


def _compute_medians(rows: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    padded = np.pad(rows, ((0, 0), (width // 2, width // 2)), mode="edge")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, width, axis=1), axis=2)


def bench_genres(
    folder: Annotated[Path | None, typer.Argument(help="Where songs and spectrograms go")] = None,
    seconds: Annotated[float, typer.Option(help="The songs' length")] = SECONDS,
) -> None:
    """Print every genre's figures, and the two nearest genres."""
    profiles: dict[str, Profile] = {}
    for genre in read_genres().values():
        song = play_short_song(genre, seconds)
        profiles[genre.name] = found = measure_profile(song)
        beat = 60 / song.grid.beat
        typer.echo(
            f"{genre.name:<9} plays {beat:5.1f}  heard {found.tempo:5.1f} bpm  swing {found.swing:4.2f}  "
            f"centroid {found.centroid:5.0f} Hz  percussive {found.percussive:4.2f}  "
            f"low {found.low:4.2f}  even {found.even:4.2f}"
        )
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            write_wav(folder / f"{genre.name}.wav", song.samples)
            draw_spectrogram(folder / f"{genre.name}.wav", folder / f"{genre.name}.png")
    pairs = sorted(
        combinations(profiles, 2),
        key=lambda pair: compute_distance(*(profiles[name] for name in pair)),
    )
    for pair in pairs[:8]:
        typer.echo(
            f"{' and '.join(pair)}: {compute_distance(*(profiles[name] for name in pair)):.1f} margins apart"
        )


if __name__ == "__main__":
    typer.run(bench_genres)
