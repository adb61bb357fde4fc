"""What a score consists of."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """One note: `pitch` is a MIDI number, `strength` in (0, 1], times in seconds."""

    start: float
    seconds: float
    pitch: int
    strength: float


@dataclass(frozen=True)
class Hit:
    """One stroke on a drum; `strength` in (0, 1], `start` in seconds."""

    start: float
    drum: str
    strength: float
