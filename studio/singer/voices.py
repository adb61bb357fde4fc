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
    "pop": Voice("jf_gongitsune", 52, 67, 16, 5.6, 0.045, 0.06, 2.0),
    "ballad": Voice("jf_alpha", 52, 67, 26, 5.2, 0.060, 0.0, 1.0),
    "edm": Voice("jf_tebukuro", 53, 68, 10, 5.8, 0.035, 0.10, 3.0),
    "rock": Voice("jm_kumo", 43, 58, 14, 5.4, 0.045, 0.08, 2.0),
    "ambient": Voice("jf_nezumi", 52, 67, 20, 4.8, 0.060, 0.06, 0.0),
    "trot": Voice("jf_alpha", 52, 67, 34, 5.8, 0.060, 0.0, 2.0),
    "jazz": Voice("jm_kumo", 43, 58, 22, 5.2, 0.055, 0.0, 1.0),
    "hiphop": Voice("jm_kumo", 43, 56, 6, 5.4, 0.030, 0.08, 2.5),
    "bossa": Voice("jf_nezumi", 52, 66, 8, 5.0, 0.050, 0.0, 0.5),
    "acoustic": Voice("jf_tebukuro", 52, 67, 14, 5.2, 0.050, 0.0, 1.0),
}


def range_of(voice: str) -> tuple[int, int]:
    """The lowest and the highest MIDI note that a voice sings with ease."""
    return VOICES[voice].low, VOICES[voice].high
