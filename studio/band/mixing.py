"""From a score and a dry voice to tracks at their level in the mix. Pure, numpy only."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from studio.band.drums import KITS, Stroke
from studio.band.instruments import INSTRUMENTS, Instrument
from studio.band.mastering import (
    chain_filters,
    convolve,
    design_bell,
    design_high_pass,
    design_low_pass,
)
from studio.band.melody import Hit, Note
from studio.band.score import Score
from studio.genres import Style
from studio.sound import RATE, Samples, add_at

LENGTHS_PER_SECOND = 50
HALL_SECONDS = 1.5
HALL_DELAY = 0.012
DRIVE = 5.0
DRUM_PANS = {
    "hat": 0.25, "open": 0.3, "shaker": -0.35, "crash": -0.15, "rim": 0.15, "tambourine": -0.3,
    "tom": 0.2, "low_tom": -0.2,
}  # fmt: skip
LOWEST_HERTZ, HIGHEST_HERTZ = 300.0, 3400.0
"""Where a voice is understood: the band of a telephone."""
WINDOW = 4096
CONTROL = 256
"""Samples per value of a gain curve."""
RATIO = 3.0
THRESHOLD_BELOW_LOUD = 10 ** (-12 / 20)
ATTACK, RELEASE = 0.012, 0.15
DIP_ATTACK, DIP_RELEASE = 0.04, 0.25
AUDIBLE_BELOW_LOUD = 10 ** (-26 / 20)
ECHO_LEVEL = 0.02
RIDDEN_SHARE, FARTHEST_RIDE = 0.75, 8.0
Spans = Sequence[tuple[float, float]]


def make_silence(seconds: float) -> Samples:
    """Return zeros of shape (n, 2), n the samples of that time, rounded."""
    return np.zeros((round(seconds * RATE), 2), np.float32)


def add_notes(
    track: Samples, notes: Iterable[Note], instrument: Instrument, level: float, pan: float = 0.0
) -> None:
    """Play the notes into `track`. `pan` is in [-1, 1]; stereo instruments keep their own width."""
    played: dict[tuple[int, int], Samples] = {}
    for note in notes:
        length = max(3, round(note.seconds * LENGTHS_PER_SECOND))
        key = (note.pitch, length)
        if key not in played:
            played[key] = _pan(instrument(note.pitch, length / LENGTHS_PER_SECOND), pan)
        sound = played[key] * np.float32(level * note.strength)
        add_at(track, round(note.start * RATE), sound)


def add_drums(track: Samples, hits: Iterable[Hit], kit: Mapping[str, Stroke], level: float) -> None:
    """Play the strokes into `track`."""
    played: dict[str, Samples] = {}
    for hit in hits:
        if hit.drum not in played:
            played[hit.drum] = _pan(kit[hit.drum](), DRUM_PANS.get(hit.drum, 0.0))
        sound = played[hit.drum] * np.float32(level * hit.strength)
        add_at(track, round(hit.start * RATE), sound)


def pump(track: Samples, kicks: Iterable[float], depth: float) -> None:
    """Press `track` down at every kick; it recovers within a quarter of a second."""
    dip = 1 - depth * np.linspace(1, 0, int(0.25 * RATE), dtype=np.float32) ** 2
    for moment in kicks:
        first = round(moment * RATE)
        part = track[first : first + len(dip)]
        part *= dip[: len(part), None]


def amplify(track: Samples) -> None:
    """Distort all strings together, as one amplifier does, and play it through its cabinet."""
    cabinet = chain_filters(
        (
            design_high_pass(90, 0.7),
            design_bell(2_200, 4, 0.9),
            design_low_pass(4_600, 0.8),
            design_low_pass(5_200, 0.7),
        ),
        4096,
    )
    for side in (0, 1):
        track[:, side] = convolve(np.tanh(DRIVE * track[:, side]), cabinet)


def add_hall(track: Samples, level: float) -> None:
    """Add the sound of a hall to the track, different left and right."""
    middle = track.mean(axis=1)
    for side, hall in enumerate(_compute_hall()):
        track[:, side] += np.float32(level) * convolve(middle, hall)


@lru_cache(maxsize=1)
def _compute_hall() -> tuple[Samples, Samples]:
    """Return two impulse responses of unit energy: noise whose highs die before its lows."""
    count = int(HALL_SECONDS * RATE)
    time = np.arange(count) / RATE
    white = np.random.default_rng(11).standard_normal((2, count)).astype(np.float32)
    dark = sum(np.roll(white, shift, axis=1) for shift in range(6)) / np.sqrt(6)
    tail = dark * np.exp(-3.4 * time) + 0.6 * white * np.exp(-9 * time)
    tail *= np.clip((time - HALL_DELAY) / HALL_DELAY, 0, 1)
    tail /= np.sqrt(np.square(tail).sum(axis=1, keepdims=True))
    left, right = tail.astype(np.float32)
    return left, right


def _pan(samples: Samples, pan: float) -> Samples:
    if samples.ndim == 2:
        return samples
    angle = (pan + 1) * np.pi / 4
    sides = np.array([np.cos(angle), np.sin(angle)], np.float32) * np.float32(np.sqrt(2))
    return samples[:, None] * sides


def play_tracks(
    score: Score, style: Style, seconds: float, *, sung: bool
) -> Iterator[tuple[str, Samples]]:
    """Play lead, chords, bass and drums: each (n, 2) at its level in the mix, made when it is asked for.

    The lead plays the melody where it is not sung.
    """
    levels = style.levels
    played = {part: INSTRUMENTS[name] for part, name in style.sounds.items()}
    lead = make_silence(seconds)
    tune = (*score.lead, *(() if sung else score.melody))
    add_notes(lead, tune, played["lead"], levels["lead"], pan=0.12)
    add_hall(lead, style.echo)
    yield "lead", lead
    chords = make_silence(seconds)
    add_notes(chords, score.comping, played["comping"], levels["comping"], pan=-0.2)
    if style.drive:
        amplify(chords)
    add_notes(chords, score.chords, played["pad"], levels["pad"])
    pump(chords, (hit.start for hit in score.drums if hit.drum == "kick"), style.pump)
    add_hall(chords, style.echo)
    yield "chords", chords
    bass = make_silence(seconds)
    add_notes(bass, score.bass, played["bass"], levels["bass"])
    yield "bass", bass
    drums = make_silence(seconds)
    add_drums(drums, score.drums, KITS[style.kit], levels["drums"])
    yield "drums", drums


def produce_voice(dry: Samples, beat: float, room: float) -> Samples:
    """Make a voice (n,) ready for the mix, (n, 2): even words, no rumble, presence, echo and hall.

    The echo comes three quarters of a beat later; `room` is the hall's level.
    """
    presence = (design_high_pass(100, 0.7), design_bell(320, -2, 1.0), design_bell(3_000, 3, 0.8))
    voice = convolve(dry, chain_filters(presence, 4096))
    voice *= _spread_gains(_compress(_measure_levels(voice)), len(voice))
    track = np.stack([voice, voice], axis=1)
    delay = round(0.75 * beat * RATE)
    for side, times in ((0, 1), (1, 2)):
        track[times * delay :, side] += np.float32(ECHO_LEVEL / times) * voice[: -times * delay]
    add_hall(track, room)
    return track


def make_room(track: Samples, dry: Samples, decibels: float) -> None:
    """Press the track down by that much while the voice sounds, gently in and out."""
    levels = _measure_levels(dry)
    sounding = (levels > AUDIBLE_BELOW_LOUD * _find_loud(levels)) & (levels > 0)
    here = _follow(sounding.astype(np.float64), DIP_ATTACK, DIP_RELEASE)
    track *= _spread_gains(10 ** (-decibels / 20 * here), len(dry))[:, None]


def ride(vocals: Samples, band: Samples, spans: Spans) -> None:
    """Bring the lines nearer to each other in how far they are over the band, moving between them."""
    over = [measure_voice(vocals, band, [span]) for span in spans]
    heard = [decibels for decibels in over if np.isfinite(decibels)]
    if not heard:
        return
    middle = float(np.median(heard))
    moves = [middle - here if np.isfinite(here) else 0.0 for here in over]
    gains = 10 ** (np.clip(moves, -FARTHEST_RIDE, FARTHEST_RIDE) * RIDDEN_SHARE / 20)
    moments = [moment * RATE / CONTROL for span in spans for moment in span]
    levels = np.interp(np.arange(-(-len(vocals) // CONTROL)), moments, np.repeat(gains, 2))
    vocals *= _spread_gains(levels, len(vocals))[:, None]


def measure_voice(vocals: Samples, band: Samples, spans: Spans) -> float:
    """Return how many decibels the voice is over the rest between 300 and 3400 Hz while it sings.

    Both are (n, 2) at their level in the mix; `spans` are the sung lines' starts and ends in seconds. It is
    the ratio of their power over all of that time; -inf without a voice, inf without a band.
    """
    voice, rest = (_measure_power(track, spans) for track in (vocals, band))
    if not voice:
        return float("-inf")
    return float(10 * np.log10(voice / rest)) if rest else float("inf")


def _measure_power(track: Samples, spans: Spans) -> float:
    """Add up the power in a voice's band over windows that overlap by half."""
    hertz = np.fft.rfftfreq(WINDOW, 1 / RATE)
    heard = (hertz >= LOWEST_HERTZ) & (hertz <= HIGHEST_HERTZ)
    window = np.hanning(WINDOW).astype(np.float32)[:, None]
    total = 0.0
    for start, end in spans:
        for first in range(round(start * RATE), round(end * RATE), WINDOW // 2):
            piece = track[first : first + WINDOW]
            spectrum = np.fft.rfft(piece * window[: len(piece)], WINDOW, axis=0)[heard]
            total += float(np.square(np.abs(spectrum)).sum())
    return total


def _measure_levels(samples: Samples) -> NDArray[np.float64]:
    """Return the RMS of every `CONTROL` samples."""
    count = -(-len(samples) // CONTROL)
    padded = np.pad(samples, (0, count * CONTROL - len(samples))).reshape(count, CONTROL)
    return np.sqrt(np.square(padded).mean(axis=1)).astype(np.float64)


def _find_loud(levels: NDArray[np.float64]) -> float:
    sounding = levels[levels > 0]
    return float(np.percentile(sounding, 95)) if len(sounding) else 0.0


def _compress(levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the gains of a compressor for these levels."""
    threshold = THRESHOLD_BELOW_LOUD * _find_loud(levels)
    if not threshold:
        return np.ones_like(levels)
    followed = _follow(levels, ATTACK, RELEASE)
    over = np.maximum(1.0, followed / threshold)
    return np.asarray(over ** (1 / RATIO - 1))


def _follow(values: NDArray[np.float64], attack: float, release: float) -> NDArray[np.float64]:
    """Smooth the values: they rise within `attack` and fall within `release` seconds."""
    rise, fall = (1 - np.exp(-CONTROL / RATE / seconds) for seconds in (attack, release))
    here, followed = 0.0, []
    for value in values.tolist():
        here += (rise if value > here else fall) * (value - here)
        followed.append(here)
    return np.array(followed)


def _spread_gains(gains: NDArray[np.float64], count: int) -> Samples:
    """Return the gains, one for every `CONTROL` samples, as one for every sample."""
    centres = (np.arange(len(gains)) + 0.5) * CONTROL
    return np.interp(np.arange(count), centres, gains).astype(np.float32)
