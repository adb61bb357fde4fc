"""A spoken sound taken apart into tone and colour, and put together again at any pitch and speed. numpy only.

Source of the method: pulse vocoders after STRAIGHT and WORLD (Morise 2016). The spectral envelope is what a window
of three periods shows, smoothed over two thirds of the pitch; each pulse of the new tone is the minimum-phase
response of the envelope at its moment.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.samples import RATE, Samples
from studio.singer.espeak import SPOKEN_RATE

HOP = 110
"""Samples of the spoken sound between two frames: 5 ms."""
PERIODS = 3
FINE = 1024
BINS = 512
"""Of the envelope, from 0 to half of `RATE`; a pulse is twice as many samples long."""
CEPSTRUM = 200
QUIET = 1e-4
FILL, FILL_HZ = 0.006, 900.0
HEARD_HZ = 10_300.0
"""Above it the spoken sound has nothing to copy."""
FALL_PER_KHZ = 4.0
BREATH_HZ = (2_500.0, 9_000.0)
PULSES_AT_ONCE = 1_024
LEAD = 16
"""Samples that a pulse waits, so that a part of a sample can be taken off."""

Frames = NDArray[np.float32]


@dataclass(frozen=True)
class Colour:
    """A sound's frames: `cepstra` (n, CEPSTRUM) of its minimum-phase envelopes, and `voiced` (n,) in [0, 1]."""

    cepstra: Frames
    voiced: Frames


def tone_of(samples: Samples, lowest: float, highest: float) -> float:
    """The constant pitch of a spoken sound, in hertz, by autocorrelation of the whole of it."""
    size = 1 << (2 * len(samples)).bit_length()
    alike = np.fft.irfft(np.abs(np.fft.rfft(samples, size)) ** 2)
    first, last = int(SPOKEN_RATE / highest), int(SPOKEN_RATE / lowest)
    place = first + int(np.argmax(alike[first:last]))
    left, middle, right = (float(alike[place + step]) for step in (-1, 0, 1))
    bend = left - 2 * middle + right
    return SPOKEN_RATE / (place + (0.5 * (left - right) / bend if bend else 0.0))


def analysed(samples: Samples, tone: float, size: float, even: float) -> Colour:
    """The colour of a sound spoken on `tone` hertz; `size` stretches the envelope, 1.1 is a smaller throat.

    `even` in (0, 1] flattens the hills of the envelope, 1 leaves them.
    """
    period = SPOKEN_RATE / tone
    width = 2 * round(PERIODS * period / 2)
    padded = np.pad(samples, (width // 2, width + FINE))
    starts = np.arange(0, len(samples) + HOP, HOP)
    window = np.hanning(width + 1)[:-1].astype(np.float32)
    pieces = padded[starts[:, None] + np.arange(width)] * window
    power = np.abs(np.fft.rfft(pieces, FINE, axis=1)) ** 2 / np.square(window).sum()
    cepstra = _cepstra(_smooth(power, tone), tone, size)
    cepstra[:, 1:] *= np.float32(even)
    return Colour(cepstra, _voiced(samples, starts, period))


def _smooth(power: Frames, tone: float) -> Frames:
    """The power without its harmonics, its valleys filled: no throat is as still as a formant synthesizer.

    Below the lowest harmonic it is mirrored, so that there is no valley at nothing.
    """
    step = SPOKEN_RATE / FINE
    lowest = round(tone / step)
    power = power.copy()
    power[:, :lowest] = np.maximum(power[:, :lowest], power[:, 2 * lowest : lowest : -1])
    smooth = _running_mean(power, max(1, round(tone / 3 / step)))
    return np.asarray(
        smooth + FILL * _running_mean(smooth, round(FILL_HZ / step)) + QUIET**2, np.float32
    )


def _running_mean(rows: Frames, reach: int) -> Frames:
    """The mean of each value and so many on either side of it."""
    sums = np.cumsum(np.pad(rows, ((0, 0), (reach + 1, reach)), mode="reflect"), axis=1)
    return np.asarray(
        (sums[:, 2 * reach + 1 :] - sums[:, : -2 * reach - 1]) / (2 * reach + 1), np.float32
    )


def _cepstra(power: Frames, tone: float, size: float) -> Frames:
    """Minimum-phase cepstra of the envelopes up to half of `RATE`, in amplitude."""
    hertz = np.arange(BINS + 1) * (RATE / 2 / BINS)
    sought = np.minimum(hertz / size, HEARD_HZ)
    places = sought * (FINE / SPOKEN_RATE)
    lower = np.minimum(places.astype(int), power.shape[1] - 2)
    part = (places - lower).astype(np.float32)
    logs = 0.5 * np.log(power)
    spread = logs[:, lower] * (1 - part) + logs[:, lower + 1] * part
    above = np.maximum(0.0, hertz / size - HEARD_HZ) / 1000
    spread -= (above * FALL_PER_KHZ * np.log(10) / 20).astype(np.float32)
    cepstra = np.fft.irfft(spread, axis=1)[:, :CEPSTRUM]
    times = np.arange(CEPSTRUM) / RATE
    lifter = np.sinc(tone * size * times) * (1.3 - 0.3 * np.cos(2 * np.pi * tone * size * times))
    lifter[1:] *= 2
    return np.asarray(cepstra * lifter, np.float32)


def _voiced(samples: Samples, starts: NDArray[np.int64], period: float) -> Frames:
    """How much each frame repeats itself after one period, below 2 kHz."""
    low = np.fft.rfft(samples)
    low[int(2000 * len(samples) / SPOKEN_RATE) :] = 0
    smooth = np.fft.irfft(low, len(samples)).astype(np.float32)
    width, lag = round(2 * period), round(period)
    padded = np.pad(smooth, ((width + lag) // 2, width + lag + HOP))
    pieces = padded[starts[:, None] + np.arange(width + lag)]
    first, second = pieces[:, :width], pieces[:, lag:]
    energy = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    alike = (first * second).sum(axis=1) / (energy + width * QUIET)
    return np.asarray(np.clip((alike - 0.45) / 0.35, 0, 1), np.float32)


def pulses(colour: Colour, tone: Samples, places: Samples, breath: float, seed: int) -> Samples:
    """A sound as long as `tone` (n,), hertz for each sample; `places` (n,) says which frame is heard there.

    `breath` in [0, 1] is how much of its highs is noise.
    """
    chance = np.random.default_rng(seed)
    phase = np.cumsum(tone, dtype=np.float64) / RATE
    count = int(phase[-1]) if len(phase) else 0
    beats = np.searchsorted(phase, np.arange(1, count + 1))
    out = np.zeros(len(tone) + 2 * BINS + LEAD, np.float32)
    for first in range(0, count, PULSES_AT_ONCE):
        group = beats[first : first + PULSES_AT_ONCE]
        late = phase[group] - np.arange(first + 1, first + 1 + len(group))
        delays = LEAD - late * (RATE / tone[group])
        spectra = _spectra(colour, places[group], delays)
        spectra *= np.exp(1j * _noise(len(group), breath, chance))
        spectra *= np.sqrt(RATE / tone[group])[:, None]
        for start, pulse in zip(group, np.fft.irfft(spectra, axis=1), strict=True):
            out[start : start + 2 * BINS] += pulse
    return out[LEAD : LEAD + len(tone)]


def _spectra(
    colour: Colour, places: Samples, delays: NDArray[np.floating]
) -> NDArray[np.complex64]:
    """The minimum-phase spectra between the frames, each delayed by so many samples."""
    lower = np.minimum(places.astype(int), len(colour.cepstra) - 2)
    part = (places - lower)[:, None].astype(np.float32)
    cepstra = colour.cepstra[lower] * (1 - part) + colour.cepstra[lower + 1] * part
    logs = np.fft.rfft(cepstra, 2 * BINS, axis=1).astype(np.complex64)
    turn = (-np.pi / BINS * np.arange(BINS + 1)).astype(np.float32)
    logs.imag += turn * delays[:, None].astype(np.float32)
    return np.asarray(np.exp(logs), np.complex64)


def _noise(count: int, breath: float, chance: np.random.Generator) -> Frames:
    """Phases at random, the more the higher."""
    hertz = np.arange(BINS + 1) * (RATE / 2 / BINS)
    rise = np.clip((hertz - BREATH_HZ[0]) / (BREATH_HZ[1] - BREATH_HZ[0]), 0, 1).astype(np.float32)
    return chance.standard_normal((count, BINS + 1), np.float32) * (np.pi * breath) * rise
