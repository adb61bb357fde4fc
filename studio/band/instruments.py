"""Plucked strings with a body of wood: guitars and an upright bass. Pure, numpy only."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from studio.band.tones import (
    TABLE,
    TOP_HZ,
    list_times,
    make_cycle,
    make_decay,
    make_ensemble,
    make_noise,
    make_tone,
    modulate,
    shape_tone,
    sum_partials,
)
from studio.sound import RATE, Samples, to_hertz

CYCLE = 512
STRING_HARMONICS = 90
Resonance = tuple[float, float, float]
"""A resonance of a body, or a formant: hertz, width in hertz, and how much it adds."""
GUITAR_BODY = ((105.0, 26.0, 0.9), (205.0, 45.0, 1.1), (400.0, 110.0, 0.5))
NYLON_BODY = ((105.0, 26.0, 0.5), (205.0, 45.0, 0.5), (420.0, 140.0, 0.6), (1_100.0, 500.0, 0.5))
PALMED_SECONDS = 0.18
PIPE_HARMONICS = 60
TURN_SECONDS = 0.34
"""Notes of this length and more have room for a turn."""
Bend = NDArray[np.float64]
"""Semitones over the pitch, for every sample."""
Instrument = Callable[[int, float], Samples]
MUTED_SECONDS = 0.3
"""Guitar notes that are shorter are struck with the palm on the strings."""
INHARMONICITY = 0.0004


@dataclass(frozen=True)
class String:
    """A kind of string. `plucked` is where, as a share of its length; `tilt` how soon its harmonics get weak.

    Its sound dies at `loss` per second, and `highs` more for every square of a kilohertz.
    """

    plucked: float
    tilt: float
    loss: float
    highs: float
    body: tuple[Resonance, ...]


NYLON = String(0.24, 1.15, 1.6, 3.2, NYLON_BODY)
STEEL = String(0.13, 0.92, 0.9, 0.55, GUITAR_BODY)
MUTED_STEEL = String(0.13, 1.0, 11.0, 3.0, GUITAR_BODY)
GUT = String(0.30, 1.15, 1.5, 9.0, ((62.0, 18.0, 0.5), (110.0, 35.0, 0.9), (210.0, 70.0, 0.5)))


def play_nylon_guitar(pitch: int, seconds: float) -> Samples:
    """Play a classical guitar with fingers."""
    sound = _pluck_string(NYLON, to_hertz(pitch), seconds + 0.12)
    return shape_tone(sound + _make_touch(len(sound), pitch, 0.025, 260), 0.002, 0.12)


def play_steel_guitar(pitch: int, seconds: float) -> Samples:
    """Play a western guitar, two strings a little apart; short notes are stopped with the palm."""
    kind = MUTED_STEEL if seconds < PALMED_SECONDS else STEEL
    sides = [
        _pluck_string(kind, to_hertz(pitch) * detune, seconds + 0.1) for detune in (0.9994, 1.0006)
    ]
    touch = _make_touch(len(sides[0]), pitch, 0.05, 420)
    return shape_tone(np.stack([side + touch for side in sides], axis=1), 0.001, 0.1)


def play_upright_bass(pitch: int, seconds: float) -> Samples:
    """Play a double bass, its string pulled by a finger."""
    sound = 1.1 * _pluck_string(GUT, to_hertz(pitch), seconds + 0.06)
    return shape_tone(np.tanh(sound) + _make_touch(len(sound), pitch, 0.03, 90), 0.006, 0.07)


def _pluck_string(kind: String, frequency: float, seconds: float) -> Samples:
    """Pluck a string (n,), peak 1, its filter applied once in every period.

    Source: K. Karplus and A. Strong, Digital Synthesis of Plucked-String and Drum Timbres, 1983; the loop is
    computed for all periods at once, harmonic by harmonic, so that it is in tune.
    """
    number = np.arange(1, max(2, min(STRING_HARMONICS, int(TOP_HZ / frequency))) + 1)
    at = number * frequency
    strengths = np.abs(np.sin(np.pi * number * kind.plucked)) / number**kind.tilt
    strengths *= 0.5 + sum(gain / (1 + ((at - top) / width) ** 2) for top, width, gain in kind.body)
    rates = kind.loss + kind.highs * (at / 1000) ** 2
    periods = int(seconds * frequency) + 2
    spectra = np.zeros((periods, CYCLE // 2 + 1), np.complex64)
    lasting = np.exp(-np.outer(np.arange(periods) / frequency, rates))
    spectra[:, 1 : len(number) + 1] = -1j * strengths * lasting
    cycles = np.fft.irfft(spectra, CYCLE).ravel()
    turns = np.arange(int(seconds * RATE)) * (frequency * CYCLE / RATE)
    sound = np.interp(turns, np.arange(len(cycles)), cycles)
    return (sound / np.abs(cycles).max()).astype(np.float32)


def _make_touch(length: int, seed: int, level: float, rate: float) -> Samples:
    """Make the noise of a finger or a nail that leaves the string."""
    sound = np.zeros(length, np.float32)
    click = level * make_noise(0.03, seed) * make_decay(0.03, rate)
    sound[: len(click)] = click[:length]
    return sound


@dataclass(frozen=True)
class Pipe:
    """The spectrum of a blown thing: harmonics that fall by `tilt`, raised by formants over a `floor`."""

    tilt: float
    floor: float
    formants: tuple[Resonance, ...]


HARMON = Pipe(0.75, 0.10, ((1_350.0, 420.0, 1.0), (2_500.0, 700.0, 0.75), (5_200.0, 900.0, 0.25)))
REED = Pipe(1.05, 0.25, ((560.0, 260.0, 1.0), (1_250.0, 380.0, 0.6), (2_600.0, 700.0, 0.3)))
FREE_REED = Pipe(0.62, 0.30, ((900.0, 500.0, 0.9), (2_300.0, 800.0, 0.6)))
BELLOWS = Pipe(0.70, 0.40, ((700.0, 450.0, 0.8), (1_900.0, 900.0, 0.7)))


def play_muted_trumpet(pitch: int, seconds: float) -> Samples:
    """Play a trumpet with a Harmon mute: thin, close and a little late on its pitch."""
    length = seconds + 0.06
    bend = _bend_scoop(length, -0.7, 0.05) + _bend_vibrato(length, 0.18, 5.2, 0.30)
    return shape_tone(0.62 * _blow(HARMON, pitch, bend), 0.018, 0.06, decay=0.5)


def play_saxophone(pitch: int, seconds: float) -> Samples:
    """Play a tenor saxophone, breathy and late with its vibrato."""
    length = seconds + 0.10
    bend = _bend_scoop(length, -0.9, 0.07) + _bend_vibrato(length, 0.14, 4.8, 0.35)
    breath = make_noise(length, pitch)
    breath = np.convolve(breath, np.full(6, 1 / 6, np.float32), "same").astype(np.float32)
    return shape_tone(0.6 * _blow(REED, pitch, bend) + 0.05 * breath, 0.045, 0.10)


def play_harmonica(pitch: int, seconds: float) -> Samples:
    """Play a blues harp: it bends up to its pitch, and the hand before it opens and closes."""
    length = seconds + 0.06
    sound = _blow(FREE_REED, pitch, _bend_scoop(length, -1.1, 0.06))
    time = np.arange(len(sound)) / RATE
    hand = 1 - 0.22 * np.clip(time / 0.4, 0, 1) * (1 - np.cos(2 * np.pi * 5.6 * time)) / 2
    return shape_tone(0.55 * sound * hand.astype(np.float32), 0.025, 0.07)


def play_accordion(pitch: int, seconds: float) -> Samples:
    """Play two reeds that beat against each other; long notes begin above their pitch and turn around it."""
    length = seconds + 0.05
    bend = _bend_turn(length, seconds)
    reeds = [_blow(BELLOWS, pitch + apart, bend) for apart in (-0.09, 0.10)]
    low = np.float32(0.35) * _blow(BELLOWS, pitch - 12, bend)
    sides = np.stack([reed + low for reed in reeds], axis=1)
    return shape_tone(sides * np.float32(0.5), 0.02, 0.05)


def _blow(pipe: Pipe, pitch: float, bend: Bend) -> Samples:
    """Blow the pipe's tone (n,), peak about 1, that bends from its pitch."""
    frequency = to_hertz(pitch)
    number = np.arange(1, max(2, min(PIPE_HARMONICS, int(TOP_HZ / frequency))) + 1)
    at = number * frequency
    gains = pipe.floor + sum(
        gain / (1 + ((at - middle) / width) ** 2) for middle, width, gain in pipe.formants
    )
    table = make_cycle(-1j * gains / number**pipe.tilt * np.exp(0.4j * number))
    turns = np.cumsum(frequency / RATE * 2 ** (bend / 12))
    return table[(turns * TABLE).astype(np.int64) % TABLE]


def _bend_scoop(seconds: float, semitones: float, within: float) -> Bend:
    """Bend a start beside the pitch to it within that many seconds, about."""
    return semitones * np.exp(-list_times(seconds) / (within / 3))


def _bend_vibrato(seconds: float, semitones: float, rate: float, after: float) -> Bend:
    time = list_times(seconds)
    grown = np.clip((time - after) / 0.25, 0, 1)
    return semitones * grown * np.sin(2 * np.pi * rate * (time - after))


def _bend_turn(seconds: float, sounding: float) -> Bend:
    """Bend down onto the pitch, and in long notes once over and under it before they end."""
    if sounding < TURN_SECONDS:
        return _bend_scoop(seconds, 0.5, 0.03)
    last = max(0.16, sounding - 0.30)
    turn = [last, last + 0.05, last + 0.10, last + 0.15, last + 0.20]
    moments = [0.0, 0.05, 0.08, *turn, seconds + 1]
    heights = [1.6, 1.6, 0.0, 0.0, 1.7, 0.0, -1.4, 0.0, 0.0]
    return np.interp(list_times(seconds), moments, heights)


def play_electric_piano(pitch: int, seconds: float) -> Samples:
    """Play tines: a bending sine with a short bright strike."""
    length = seconds + 0.25
    body = modulate(pitch, length, 1.0, 1.5, 3.5)
    tine = modulate(pitch + 24, length, 3.5, 0.8, 20) * make_decay(length, 22)
    return shape_tone(0.7 * body + 0.16 * tine, 0.003, 0.2, decay=1.9)


def play_piano(pitch: int, seconds: float) -> Samples:
    """Play stiff strings, struck at an eighth of their length; the upper ones die first.

    Source of the stretched partials: k f sqrt(1 + B k^2), Fletcher 1964.
    """
    registers = np.sqrt(to_hertz(pitch) / 261.6)
    strings = tuple(
        (
            k * float(np.sqrt(1 + INHARMONICITY * k * k)) * detune,
            0.5 * abs(float(np.sin(np.pi * k / 8.3))) / k**0.75,
            float((0.7 + 0.42 * k) * registers),
        )
        for k in range(1, 11)
        for detune in ((0.9997, 1.0004) if k < 4 else (1.0,))
    )
    struck = sum_partials(pitch, seconds + 0.3, strings)
    knock = make_noise(0.03, pitch) * make_decay(0.03, 160)
    struck[: len(knock)] += 0.10 * knock[: len(struck)]
    return shape_tone(struck, 0.002, 0.25)


def play_bell(pitch: int, seconds: float) -> Samples:
    """Play struck metal over a warm tone."""
    length = seconds + 0.35
    struck = modulate(pitch, length, 3.0, 1.1, 6.0)
    return shape_tone(
        0.5 * struck + 0.3 * make_tone("soft", to_hertz(pitch), length), 0.004, 0.3, decay=2.2
    )


def play_flute(pitch: int, seconds: float) -> Samples:
    """Play a soft breathy tone that swells."""
    sound = 0.75 * make_tone("mellow", to_hertz(pitch), seconds + 0.12, vibrato=0.006)
    breath = make_noise(seconds + 0.12, pitch)
    return shape_tone(sound + 0.02 * breath, 0.06, 0.15)


def play_saw(pitch: int, seconds: float) -> Samples:
    """Play detuned saws: the synthesizer lead of dance music."""
    detunes = (0.9955, 1.0045, 1.0, 1.002)
    return shape_tone(
        0.6 * make_ensemble("bowed", pitch, seconds + 0.1, detunes), 0.006, 0.1, decay=0.8
    )


def play_organ(pitch: int, seconds: float) -> Samples:
    """Play drawbars with a little growl."""
    drawn: Samples = np.tanh(1.1 * make_tone("organ", to_hertz(pitch), seconds + 0.05, 0.003))
    return shape_tone(drawn * np.float32(0.6), 0.01, 0.06)


def play_glass(pitch: int, seconds: float) -> Samples:
    """Play rubbed and struck glass with a long tail."""
    ringing = ((1.0, 0.7, 1.1), (2.0, 0.2, 1.8), (2.76, 0.14, 3.0), (5.4, 0.06, 5.0))
    return shape_tone(sum_partials(pitch, seconds + 1.2, ringing), 0.03, 0.9)


def play_music_box(pitch: int, seconds: float) -> Samples:
    """Pluck steel teeth."""
    teeth = ((1.0, 0.6, 2.0), (3.02, 0.16, 5.0), (5.95, 0.08, 11.0), (9.1, 0.04, 22.0))
    return shape_tone(sum_partials(pitch, seconds + 0.8, teeth), 0.003, 0.6)


def play_pluck_synth(pitch: int, seconds: float) -> Samples:
    """Play a short saw whose brightness falls at once."""
    length = seconds + 0.15
    open_, closed = (
        make_ensemble("saw", pitch, length, (0.996, 1.004), top) for top in (9_000.0, 1_400.0)
    )
    brightness = make_decay(length, 14)[:, None]
    swept: Samples = closed + (open_ - closed) * brightness
    return shape_tone(0.5 * swept, 0.002, 0.1, decay=6.0)


def play_warm(pitch: int, seconds: float) -> Samples:
    """Play a synthesizer pad."""
    detunes = (0.998, 1.002, 1.0005, 0.9992)
    return shape_tone(0.65 * make_ensemble("soft", pitch, seconds + 0.25, detunes), 0.08, 0.25)


def play_strings(pitch: int, seconds: float) -> Samples:
    """Play a string section that enters slowly, each player with another vibrato."""
    length = seconds + 0.5
    sides = np.zeros((int(length * RATE), 2), np.float32)
    for number, detune in enumerate((0.9978, 1.0, 1.0022, 0.9991)):
        sides[:, number % 2] += make_tone(
            "bowed",
            to_hertz(pitch) * detune,
            length,
            vibrato=0.003 + 0.0008 * number,
            phase=0.31 * number,
            top=5_500,
        )
    return shape_tone(0.42 * sides, 0.28, 0.5)


def play_wide_pad(pitch: int, seconds: float) -> Samples:
    """Play a slow cloud with its octave in it."""
    length = seconds + 1.0
    low = make_ensemble("soft", pitch, length, (0.9965, 1.0035, 0.9985, 1.0015))
    high = make_ensemble("mellow", pitch + 12, length, (1.003, 0.997))
    return shape_tone(0.6 * low + 0.2 * high, 0.7, 1.0)


def play_super_saw(pitch: int, seconds: float) -> Samples:
    """Play six saws against each other."""
    detunes = (0.992, 1.008, 0.996, 1.004, 0.999, 1.001)
    return shape_tone(0.6 * make_ensemble("saw", pitch, seconds, detunes, 10_000), 0.02, 0.05)


def play_guitar(pitch: int, seconds: float) -> Samples:
    """Play a steel string before its amplifier: see `amplify`."""
    muted = seconds < MUTED_SECONDS
    length = seconds + 0.03
    bright, dark = (
        make_ensemble("bowed", pitch, length, (0.9992, 1.0008), top)
        for top in ((2_500.0, 800.0) if muted else (6_000.0, 2_000.0))
    )
    brightness = make_decay(length, 9)[:, None]
    return shape_tone(dark + (bright - dark) * brightness, 0.003, 0.03, decay=7.0 if muted else 0.8)


def play_lead_guitar(pitch: int, seconds: float) -> Samples:
    """Play a singing distorted string."""
    string = make_tone("bowed", to_hertz(pitch), seconds + 0.1, vibrato=0.005, top=4_500)
    return shape_tone(np.tanh(2.4 * string) * np.float32(0.5), 0.01, 0.1, decay=0.5)


def play_saw_bass(pitch: int, seconds: float) -> Samples:
    """Play a synthesizer bass with a sine under it."""
    return 0.75 * _play_bass(pitch, seconds, top=2_600, fade=7.0, decay=0.6) + shape_tone(
        0.4 * make_tone("mellow", to_hertz(pitch), seconds, top=1.5 * to_hertz(pitch)), 0.004, 0.03
    )


def play_sub_bass(pitch: int, seconds: float) -> Samples:
    """Play a sine with just enough on top to be heard on a telephone."""
    low = make_tone("mellow", to_hertz(pitch), seconds + 0.1)
    return shape_tone(np.tanh(1.4 * low) * np.float32(0.8), 0.03, 0.12)


def _play_bass(pitch: int, seconds: float, top: float, fade: float, decay: float) -> Samples:
    """Play a low tone with an edge that fades at its own rate."""
    low = make_tone("mellow", to_hertz(pitch), seconds)
    edge = make_tone("bowed", to_hertz(pitch), seconds, top=top)
    edge *= 0.3 + 0.7 * make_decay(seconds, fade)
    return shape_tone(np.tanh(1.2 * (0.7 * low + 0.55 * edge)), 0.005, 0.04, decay=decay)


def play_vibraphone(pitch: int, seconds: float) -> Samples:
    """Strike bars of metal whose tubes open and close."""
    bars = ((1.0, 0.7, 1.2), (3.98, 0.16, 4.5), (10.2, 0.05, 14.0))
    sound = sum_partials(pitch, seconds + 0.5, bars)
    waving = 1 - 0.3 * (1 - np.cos(2 * np.pi * 4.6 * np.arange(len(sound)) / RATE)) / 2
    return shape_tone(sound * waving.astype(np.float32), 0.003, 0.4)


def play_sampled_piano(pitch: int, seconds: float) -> Samples:
    """Play a piano from an old record: dull, dry and cut off."""
    played = play_piano(pitch, seconds)[: int((seconds + 0.06) * RATE)]
    dull = np.convolve(played, np.hanning(26)[1:-1].astype(np.float32) / 12.5, "same")
    return shape_tone(np.tanh(1.8 * dull), 0.004, 0.04, decay=0.6)


INSTRUMENTS: dict[str, Instrument] = {
    "finger_bass": partial(_play_bass, top=1_800, fade=16.0, decay=1.4),
    "pick_bass": partial(_play_bass, top=3_200, fade=9.0, decay=1.8),
    "round_bass": partial(_play_bass, top=900, fade=10.0, decay=2.2),
}
INSTRUMENTS |= {
    name.removeprefix("play_"): play
    for name, play in tuple(vars().items())
    if name.startswith("play_")
}
