"""The voices of the studio, one per genre."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Voice:
    """How one singer sounds.

    `timbre` is the name of one of Kokoro's voices. `low` and `high` are the MIDI notes it sings with ease.
    Vibrato in cents and hertz, `glide` between two tied notes in seconds. `double` in [0, 1] is the share of a
    second take under it, `bright` its treble in dB.
    """

    timbre: str
    low: int
    high: int
    vibrato: float
    vibrato_hertz: float
    glide: float
    double: float
    bright: float


VOICES = {
    "pop": Voice("jm_kumo", 45, 55, 10, 5.6, 0.045, 0.04, 2.0),
    "ballad": Voice("jf_alpha", 55, 64, 22, 5.2, 0.060, 0.0, 1.0),
    "edm": Voice("jm_kumo", 45, 55, 6, 5.8, 0.035, 0.06, 2.5),
    "rock": Voice("jm_kumo", 45, 55, 12, 5.4, 0.045, 0.06, 2.0),
    "ambient": Voice("jf_nezumi", 53, 61, 16, 4.8, 0.060, 0.05, 1.0),
    "trot": Voice("jf_tebukuro", 57, 66, 26, 5.8, 0.060, 0.0, 1.5),
    "jazz": Voice("jm_kumo", 45, 55, 18, 5.2, 0.055, 0.0, 1.0),
    "hiphop": Voice("jm_kumo", 45, 54, 4, 5.4, 0.030, 0.06, 2.5),
    "bossa": Voice("jf_nezumi", 53, 61, 6, 5.0, 0.050, 0.0, 1.0),
    "acoustic": Voice("jf_gongitsune", 53, 62, 12, 5.2, 0.050, 0.0, 1.0),
}


def range_of(voice: str) -> tuple[int, int]:
    """The lowest and the highest MIDI note that a voice sings with ease."""
    return VOICES[voice].low, VOICES[voice].high
