"""The voices of the studio, one per genre."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Voice:
    """How one singer sounds.

    `variant` is espeak-ng's, spoken on its pitch number `pitch`; `size` above 1 is a smaller throat. `low` and
    `high` are the MIDI notes it sings with ease. Vibrato in cents and hertz, `glide` between two tied notes in
    seconds. `breath` and `double` in [0, 1] are the share of air in its highs and of the second take under it;
    `bright` is its treble in dB. `even` in (0, 1] flattens the hills of its sound, 1 leaves them.
    """

    variant: str
    pitch: int
    size: float
    low: int
    high: int
    vibrato: float
    vibrato_hertz: float
    glide: float
    breath: float
    double: float
    bright: float
    even: float


VOICES = {
    "pop": Voice("steph", 55, 1.04, 57, 74, 22, 5.6, 0.045, 0.22, 0.20, 2.0, 0.86),
    "ballad": Voice("f2", 55, 1.0, 55, 72, 32, 5.2, 0.060, 0.30, 0.12, 0.0, 0.88),
    "edm": Voice("belinda", 40, 1.02, 58, 76, 14, 5.8, 0.035, 0.18, 0.28, 3.0, 0.86),
    "rock": Voice("m7", 90, 1.02, 50, 69, 20, 5.4, 0.045, 0.15, 0.20, 2.0, 0.86),
    "ambient": Voice("Annie", 50, 0.98, 55, 72, 26, 4.8, 0.060, 0.45, 0.24, -1.0, 0.88),
    "trot": Voice("steph", 50, 1.0, 55, 72, 40, 5.8, 0.060, 0.15, 0.16, 2.0, 0.86),
    "jazz": Voice("f2", 50, 0.98, 53, 70, 28, 5.2, 0.055, 0.34, 0.08, 0.0, 0.88),
    "hiphop": Voice("m7", 70, 1.0, 48, 65, 8, 5.4, 0.030, 0.12, 0.24, 2.5, 0.86),
    "bossa": Voice("Annie", 50, 1.0, 55, 71, 10, 5.0, 0.050, 0.42, 0.08, -0.5, 0.88),
    "acoustic": Voice("steph", 55, 1.0, 55, 72, 18, 5.2, 0.050, 0.26, 0.10, 0.5, 0.88),
}


def range_of(voice: str) -> tuple[int, int]:
    """The lowest and the highest MIDI note that a voice sings with ease."""
    return VOICES[voice].low, VOICES[voice].high
