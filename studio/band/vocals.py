"""The sung voice in the mix: evened out, given presence and room, and let through by the band. Pure."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.band.filters import convolved, high_pass, in_series, peaking
from studio.band.mixing import add_hall
from studio.samples import RATE, Samples

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
LOUD_PERCENTILE = 95
ECHO_LEVEL = 0.02
RIDDEN_SHARE, FARTHEST_RIDE = 0.75, 8.0

Spans = Sequence[tuple[float, float]]


def produced(dry: Samples, beat: float, room: float) -> Samples:
    """A voice (n,) ready for the mix, (n, 2): even words, no rumble, presence, echo and hall.

    The echo comes three quarters of a beat later; `room` is the hall's level.
    """
    voice = convolved(dry, _presence())
    voice *= _curve(_evening(_levels(voice)), len(voice))
    track = np.stack([voice, voice], axis=1)
    delay = round(0.75 * beat * RATE)
    for side, times in ((0, 1), (1, 2)):
        track[times * delay :, side] += np.float32(ECHO_LEVEL / times) * voice[: -times * delay]
    add_hall(track, room)
    return track


def make_room(track: Samples, dry: Samples, decibels: float) -> None:
    """Press the track down by so much while the voice sounds, gently in and out."""
    levels = _levels(dry)
    sounding = (levels > AUDIBLE_BELOW_LOUD * _loud(levels)) & (levels > 0)
    here = _followed(sounding.astype(np.float64), DIP_ATTACK, DIP_RELEASE)
    track *= _curve(10 ** (-decibels / 20 * here), len(dry))[:, None]


def ride(vocals: Samples, band: Samples, spans: Spans) -> None:
    """Bring the lines nearer to each other in how far they are over the band, moving between them."""
    over = [vocal_over_band(vocals, band, [span]) for span in spans]
    heard = [decibels for decibels in over if np.isfinite(decibels)]
    if not heard:
        return
    middle = float(np.median(heard))
    moves = [middle - here if np.isfinite(here) else 0.0 for here in over]
    gains = 10 ** (np.clip(moves, -FARTHEST_RIDE, FARTHEST_RIDE) * RIDDEN_SHARE / 20)
    moments = [moment * RATE / CONTROL for span in spans for moment in span]
    levels = np.interp(np.arange(-(-len(vocals) // CONTROL)), moments, np.repeat(gains, 2))
    vocals *= _curve(levels, len(vocals))[:, None]


def vocal_over_band(vocals: Samples, band: Samples, spans: Spans) -> float:
    """How many decibels the voice is over the rest between 300 and 3400 Hz while it sings.

    Both are (n, 2) at their level in the mix; `spans` are the sung lines' starts and ends in seconds. It is
    the ratio of their power over all of that time; -inf without a voice, inf without a band.
    """
    voice, rest = (_power(track, spans) for track in (vocals, band))
    if not voice:
        return float("-inf")
    return float(10 * np.log10(voice / rest)) if rest else float("inf")


def _power(track: Samples, spans: Spans) -> float:
    """The power in a voice's band, added up over windows that overlap by half."""
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


def _presence() -> NDArray[np.float64]:
    filters = (
        high_pass(100, 0.7, RATE),
        peaking(320, -2, 1.0, RATE),
        peaking(3_000, 3, 0.8, RATE),
    )
    return in_series(filters, 4096)


def _levels(samples: Samples) -> NDArray[np.float64]:
    """The RMS of every `CONTROL` samples."""
    count = -(-len(samples) // CONTROL)
    padded = np.pad(samples, (0, count * CONTROL - len(samples))).reshape(count, CONTROL)
    return np.sqrt(np.square(padded).mean(axis=1)).astype(np.float64)


def _loud(levels: NDArray[np.float64]) -> float:
    sounding = levels[levels > 0]
    return float(np.percentile(sounding, LOUD_PERCENTILE)) if len(sounding) else 0.0


def _evening(levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """The gains of a compressor for these levels."""
    threshold = THRESHOLD_BELOW_LOUD * _loud(levels)
    if not threshold:
        return np.ones_like(levels)
    followed = _followed(levels, ATTACK, RELEASE)
    over = np.maximum(1.0, followed / threshold)
    return np.asarray(over ** (1 / RATIO - 1))


def _followed(values: NDArray[np.float64], attack: float, release: float) -> NDArray[np.float64]:
    """The values smoothed: they rise within `attack` and fall within `release` seconds."""
    rise, fall = (1 - np.exp(-CONTROL / RATE / seconds) for seconds in (attack, release))
    here, followed = 0.0, []
    for value in values.tolist():
        here += (rise if value > here else fall) * (value - here)
        followed.append(here)
    return np.array(followed)


def _curve(gains: NDArray[np.float64], count: int) -> Samples:
    """The gains, one for every `CONTROL` samples, as one for every sample."""
    centres = (np.arange(len(gains)) + 0.5) * CONTROL
    return np.interp(np.arange(count), centres, gains).astype(np.float32)
