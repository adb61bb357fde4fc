"""The instruments: each turns a pitch and a length into samples. Pure, numpy only.

Tones are read from single-cycle tables that hold no harmonic above the top of hearing, so nothing aliases.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from resources.studio.samples import RATE, Samples, hertz

TABLE = 2048
TOP_HZ = 15_000.0

Voice = Callable[[int, float], Samples]


@lru_cache(maxsize=512)
def _table(shape: str, harmonics: int) -> Samples:
    """One cycle of a waveform with that many harmonics, peak 1."""
    number = np.arange(1, harmonics + 1)
    strengths = {
        "saw": 1.0 / number,
        "soft": 1.0 / number**1.9,
        "mellow": np.where(number <= 6, 1.0 / number**2.2, 0.0),
        "square": (number % 2) / number,
        "organ": np.where(np.isin(number, (1, 2, 3, 4, 6, 8)), 1.0 / np.sqrt(number), 0.0),
    }[shape]
    spectrum = np.zeros(TABLE // 2 + 1, np.complex128)
    spectrum[1 : harmonics + 1] = -1j * strengths
    cycle = np.fft.irfft(spectrum)
    return (cycle / np.abs(cycle).max()).astype(np.float32)


def tone(
    shape: str, frequency: float, seconds: float, vibrato: float = 0.0, phase: float = 0.0
) -> Samples:
    """A steady tone, float32 of shape (n,). `vibrato` is its depth as a share of the frequency."""
    count = int(seconds * RATE)
    harmonics = max(1, min(TABLE // 2 - 1, 60, int(TOP_HZ / frequency)))
    turns = np.arange(count, dtype=np.float64) * (frequency / RATE) + phase
    if vibrato:
        swing = np.sin(np.arange(count) * (2 * np.pi * 5.4 / RATE))
        grown = np.minimum(1.0, np.arange(count) / (0.35 * RATE))
        turns += swing * grown * vibrato * frequency / (2 * np.pi * 5.4)
    return _table(shape, harmonics)[(turns * TABLE).astype(np.int64) % TABLE]


def shaped(samples: Samples, attack: float, release: float, decay: float = 0.0) -> Samples:
    """The samples faded in and out, over seconds, and dying away at `decay` per second."""
    count = len(samples)
    seconds = np.arange(count, dtype=np.float32) / RATE
    rise = np.minimum(1.0, seconds / max(attack, 1e-3))
    fall = np.minimum(1.0, (count / RATE - seconds) / max(release, 1e-3))
    return (samples * rise * fall * np.exp(-decay * seconds)).astype(np.float32)


def _partials(
    pitch: int, seconds: float, ratios: tuple[tuple[float, float, float], ...]
) -> Samples:
    """Sines at (ratio, level, decay per second) of a struck thing."""
    moments = np.arange(int(seconds * RATE)) * (1 / RATE)
    total = np.zeros(len(moments))
    for ratio, level, decay in ratios:
        if hertz(pitch) * ratio < TOP_HZ:
            total += (
                level
                * np.exp(-decay * moments)
                * np.sin(2 * np.pi * hertz(pitch) * ratio * moments)
            )
    return total.astype(np.float32)


def bell(pitch: int, seconds: float) -> Samples:
    """An electric piano with a bright strike."""
    struck = _partials(
        pitch,
        seconds + 0.35,
        ((1, 0.7, 2.2), (2, 0.28, 3.5), (3, 0.16, 6), (4, 0.12, 9), (7, 0.08, 18)),
    )
    return shaped(struck, 0.004, 0.3)


def flute(pitch: int, seconds: float) -> Samples:
    """A soft breathy tone that swells."""
    return shaped(0.75 * tone("mellow", hertz(pitch), seconds + 0.12, vibrato=0.006), 0.05, 0.15)


def saw(pitch: int, seconds: float) -> Samples:
    """Two detuned saws: the synthesizer lead of dance music."""
    low, high = (
        tone("soft", hertz(pitch) * detune, seconds + 0.1, 0.004) for detune in (0.9965, 1.0035)
    )
    return shaped(0.45 * (low + high), 0.008, 0.12, decay=0.6)


def organ(pitch: int, seconds: float) -> Samples:
    """Drawbars with a little growl."""
    return shaped(
        np.tanh(1.1 * tone("organ", hertz(pitch), seconds + 0.05, 0.003)) * 0.6, 0.01, 0.06
    )


def glass(pitch: int, seconds: float) -> Samples:
    """Rubbed and struck glass with a long tail."""
    ringing = _partials(
        pitch, seconds + 1.2, ((1, 0.7, 1.1), (2.0, 0.2, 1.8), (2.76, 0.14, 3.0), (5.4, 0.06, 5.0))
    )
    return shaped(ringing, 0.03, 0.9)


def pluck(pitch: int, seconds: float) -> Samples:
    """A nylon string."""
    partials = tuple((float(k), 0.9 / k**1.3, 1.8 + 1.5 * k) for k in range(1, 9))
    return shaped(_partials(pitch, seconds + 0.4, partials) * 0.6, 0.003, 0.3)


def _ensemble(shape: str, pitch: int, seconds: float, detunes: tuple[float, ...]) -> Samples:
    """Several detuned tones, one after the other panned left and right: float32 of shape (n, 2)."""
    voices = [
        tone(shape, hertz(pitch) * detune, seconds, phase=0.37 * number)
        for number, detune in enumerate(detunes)
    ]
    return np.stack(
        [sum(voices[0::2], np.float32(0)), sum(voices[1::2], np.float32(0))], axis=1
    ) / np.float32(len(detunes) / 2)


def _faded(stereo: Samples, attack: float, release: float) -> Samples:
    return stereo * shaped(np.ones(len(stereo), np.float32), attack, release)[:, None]


def warm(pitch: int, seconds: float) -> Samples:
    """A synthesizer pad."""
    return _faded(_ensemble("soft", pitch, seconds + 0.25, (0.998, 1.002)) * 0.6, 0.08, 0.25)


def strings(pitch: int, seconds: float) -> Samples:
    """A string section that enters slowly."""
    return _faded(
        _ensemble("soft", pitch, seconds + 0.5, (0.9975, 1.0, 1.0025, 0.999)) * 0.7, 0.35, 0.5
    )


def super_saw(pitch: int, seconds: float) -> Samples:
    """Six saws against each other."""
    detunes = (0.992, 1.008, 0.996, 1.004, 0.999, 1.001)
    return _faded(_ensemble("saw", pitch, seconds, detunes) * 0.55, 0.02, 0.05)


def guitar(pitch: int, seconds: float) -> Samples:
    """A distorted guitar, one string and its fifth below the chord."""
    low = pitch - 12
    mixed = _ensemble("soft", low, seconds, (0.999, 1.001)) + 0.7 * _ensemble(
        "soft", low + 7, seconds, (1.001, 0.999)
    )
    return _faded(np.tanh(2.2 * mixed) * np.float32(0.42), 0.006, 0.05)


def bass(pitch: int, seconds: float) -> Samples:
    """A round electric bass."""
    low = tone("mellow", hertz(pitch), seconds) + 0.35 * tone("soft", hertz(pitch), seconds)
    return shaped(np.tanh(1.3 * low), 0.006, 0.04, decay=1.2)


LEADS: dict[str, Voice] = {"bell": bell, "flute": flute, "saw": saw, "organ": organ, "glass": glass}
PADS: dict[str, Voice] = {"warm": warm, "strings": strings, "super": super_saw, "guitar": guitar}
