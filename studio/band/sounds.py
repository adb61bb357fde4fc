"""The instruments: each turns a pitch and a length into samples (n,) or (n, 2). Pure, numpy only."""

from collections.abc import Callable

import numpy as np

from studio.band.blown import accordion, harmonica, muted_trumpet, saxophone
from studio.band.plucked import nylon_guitar, steel_guitar, upright_bass
from studio.band.tones import ensemble, fading, modulated, noise, partials, shaped, tone
from studio.samples import RATE, Samples, hertz

Voice = Callable[[int, float], Samples]

MUTED_SECONDS = 0.3
"""Guitar notes that are shorter are struck with the palm on the strings."""
INHARMONICITY = 0.0004


def electric_piano(pitch: int, seconds: float) -> Samples:
    """Tines: a bending sine with a short bright strike."""
    length = seconds + 0.25
    body = modulated(pitch, length, 1.0, 1.5, 3.5)
    tine = modulated(pitch + 24, length, 3.5, 0.8, 20) * fading(length, 22)
    return shaped(0.7 * body + 0.16 * tine, 0.003, 0.2, decay=1.9)


def piano(pitch: int, seconds: float) -> Samples:
    """Stiff strings, struck at an eighth of their length; the upper ones die first.

    Source of the stretched partials: k f sqrt(1 + B k^2), Fletcher 1964.
    """
    registers = np.sqrt(hertz(pitch) / 261.6)
    strings = tuple(
        (
            k * float(np.sqrt(1 + INHARMONICITY * k * k)) * detune,
            0.5 * abs(float(np.sin(np.pi * k / 8.3))) / k**0.75,
            float((0.7 + 0.42 * k) * registers),
        )
        for k in range(1, 11)
        for detune in ((0.9997, 1.0004) if k < 4 else (1.0,))
    )
    struck = partials(pitch, seconds + 0.3, strings)
    knock = noise(0.03, pitch) * fading(0.03, 160)
    struck[: len(knock)] += 0.10 * knock[: len(struck)]
    return shaped(struck, 0.002, 0.25)


def bell(pitch: int, seconds: float) -> Samples:
    """Struck metal over a warm tone."""
    length = seconds + 0.35
    struck = modulated(pitch, length, 3.0, 1.1, 6.0)
    return shaped(0.5 * struck + 0.3 * tone("soft", hertz(pitch), length), 0.004, 0.3, decay=2.2)


def flute(pitch: int, seconds: float) -> Samples:
    """A soft breathy tone that swells."""
    sound = 0.75 * tone("mellow", hertz(pitch), seconds + 0.12, vibrato=0.006)
    breath = noise(seconds + 0.12, pitch)
    return shaped(sound + 0.02 * breath, 0.06, 0.15)


def saw(pitch: int, seconds: float) -> Samples:
    """Detuned saws: the synthesizer lead of dance music."""
    detunes = (0.9955, 1.0045, 1.0, 1.002)
    return shaped(0.6 * ensemble("bowed", pitch, seconds + 0.1, detunes), 0.006, 0.1, decay=0.8)


def organ(pitch: int, seconds: float) -> Samples:
    """Drawbars with a little growl."""
    drawn: Samples = np.tanh(1.1 * tone("organ", hertz(pitch), seconds + 0.05, 0.003))
    return shaped(drawn * np.float32(0.6), 0.01, 0.06)


def glass(pitch: int, seconds: float) -> Samples:
    """Rubbed and struck glass with a long tail."""
    ringing = ((1.0, 0.7, 1.1), (2.0, 0.2, 1.8), (2.76, 0.14, 3.0), (5.4, 0.06, 5.0))
    return shaped(partials(pitch, seconds + 1.2, ringing), 0.03, 0.9)


def music_box(pitch: int, seconds: float) -> Samples:
    """Plucked steel teeth."""
    teeth = ((1.0, 0.6, 2.0), (3.02, 0.16, 5.0), (5.95, 0.08, 11.0), (9.1, 0.04, 22.0))
    return shaped(partials(pitch, seconds + 0.8, teeth), 0.003, 0.6)


def pluck_synth(pitch: int, seconds: float) -> Samples:
    """A short saw whose brightness falls at once."""
    length = seconds + 0.15
    open_, closed = (
        ensemble("saw", pitch, length, (0.996, 1.004), top) for top in (9_000.0, 1_400.0)
    )
    brightness = fading(length, 14)[:, None]
    swept: Samples = closed + (open_ - closed) * brightness
    return shaped(0.5 * swept, 0.002, 0.1, decay=6.0)


def warm(pitch: int, seconds: float) -> Samples:
    """A synthesizer pad."""
    detunes = (0.998, 1.002, 1.0005, 0.9992)
    return shaped(0.65 * ensemble("soft", pitch, seconds + 0.25, detunes), 0.08, 0.25)


def strings(pitch: int, seconds: float) -> Samples:
    """A string section that enters slowly, everybody with a vibrato of their own."""
    length = seconds + 0.5
    sides = np.zeros((int(length * RATE), 2), np.float32)
    for number, detune in enumerate((0.9978, 1.0, 1.0022, 0.9991)):
        sides[:, number % 2] += tone(
            "bowed",
            hertz(pitch) * detune,
            length,
            vibrato=0.003 + 0.0008 * number,
            phase=0.31 * number,
            top=5_500,
        )
    return shaped(0.42 * sides, 0.28, 0.5)


def wide_pad(pitch: int, seconds: float) -> Samples:
    """A slow cloud with its octave in it."""
    length = seconds + 1.0
    low = ensemble("soft", pitch, length, (0.9965, 1.0035, 0.9985, 1.0015))
    high = ensemble("mellow", pitch + 12, length, (1.003, 0.997))
    return shaped(0.6 * low + 0.2 * high, 0.7, 1.0)


def super_saw(pitch: int, seconds: float) -> Samples:
    """Six saws against each other."""
    detunes = (0.992, 1.008, 0.996, 1.004, 0.999, 1.001)
    return shaped(0.6 * ensemble("saw", pitch, seconds, detunes, 10_000), 0.02, 0.05)


def guitar(pitch: int, seconds: float) -> Samples:
    """A steel string before its amplifier: see `amplified`."""
    muted = seconds < MUTED_SECONDS
    length = seconds + 0.03
    bright, dark = (
        ensemble("bowed", pitch, length, (0.9992, 1.0008), top)
        for top in ((2_500.0, 800.0) if muted else (6_000.0, 2_000.0))
    )
    brightness = fading(length, 9)[:, None]
    return shaped(dark + (bright - dark) * brightness, 0.003, 0.03, decay=7.0 if muted else 0.8)


def lead_guitar(pitch: int, seconds: float) -> Samples:
    """A singing distorted string."""
    string = tone("bowed", hertz(pitch), seconds + 0.1, vibrato=0.005, top=4_500)
    return shaped(np.tanh(2.4 * string) * np.float32(0.5), 0.01, 0.1, decay=0.5)


def finger_bass(pitch: int, seconds: float) -> Samples:
    """An electric bass, its brightness gone soon after the finger."""
    return _bass(pitch, seconds, top=1_800, fade=16.0, decay=1.4)


def pick_bass(pitch: int, seconds: float) -> Samples:
    """An electric bass struck with a pick."""
    return _bass(pitch, seconds, top=3_200, fade=9.0, decay=1.8)


def round_bass(pitch: int, seconds: float) -> Samples:
    """An upright bass, about."""
    return _bass(pitch, seconds, top=900, fade=10.0, decay=2.2)


def saw_bass(pitch: int, seconds: float) -> Samples:
    """A synthesizer bass with a sine under it."""
    return 0.75 * _bass(pitch, seconds, top=2_600, fade=7.0, decay=0.6) + shaped(
        0.4 * tone("mellow", hertz(pitch), seconds, top=1.5 * hertz(pitch)), 0.004, 0.03
    )


def sub_bass(pitch: int, seconds: float) -> Samples:
    """A sine with just enough on top to be heard on a telephone."""
    low = tone("mellow", hertz(pitch), seconds + 0.1)
    return shaped(np.tanh(1.4 * low) * np.float32(0.8), 0.03, 0.12)


def _bass(pitch: int, seconds: float, top: float, fade: float, decay: float) -> Samples:
    """A low tone with an edge that fades at its own rate."""
    low = tone("mellow", hertz(pitch), seconds)
    edge = tone("bowed", hertz(pitch), seconds, top=top)
    edge *= 0.3 + 0.7 * fading(seconds, fade)
    return shaped(np.tanh(1.2 * (0.7 * low + 0.55 * edge)), 0.005, 0.04, decay=decay)


def vibraphone(pitch: int, seconds: float) -> Samples:
    """Struck bars of metal whose tubes open and close."""
    bars = ((1.0, 0.7, 1.2), (3.98, 0.16, 4.5), (10.2, 0.05, 14.0))
    sound = partials(pitch, seconds + 0.5, bars)
    waving = 1 - 0.3 * (1 - np.cos(2 * np.pi * 4.6 * np.arange(len(sound)) / RATE)) / 2
    return shaped(sound * waving.astype(np.float32), 0.003, 0.4)


def sampled_piano(pitch: int, seconds: float) -> Samples:
    """A piano from an old record: dull, dry and cut off."""
    played = piano(pitch, seconds)[: int((seconds + 0.06) * RATE)]
    dull = np.convolve(played, np.hanning(26)[1:-1].astype(np.float32) / 12.5, "same")
    return shaped(np.tanh(1.8 * dull), 0.004, 0.04, decay=0.6)


VOICES: dict[str, Voice] = {
    voice.__name__: voice
    for voice in (
        *(electric_piano, piano, bell, flute, saw, organ, glass, music_box, pluck_synth),
        *(warm, strings, wide_pad, super_saw, guitar, lead_guitar),
        *(finger_bass, pick_bass, round_bass, saw_bass, sub_bass, upright_bass),
        *(nylon_guitar, steel_guitar, vibraphone, sampled_piano),
        *(muted_trumpet, saxophone, harmonica, accordion),
    )
}
