"""The facts of an order as sung lines, each told once and in its order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.lyricist.facts import Fact
from studio.lyricist.meter import Meter, syllables_in
from studio.lyricist.template import HANGUL, fillings

# Where a phrase is parted, the second line does not begin after one of these words.
LEANING = re.compile(
    r"(?:an?|the|and|or|of|in|on|at|by|for|from|with|to|our|your|my|및|수|그|이|저|한|두|세|더|꼭)",
    re.I,
)
# A phrase that is a line by itself may be sung this much faster than others.
HASTE = 1.2
BARE = "{fact}"


@dataclass
class Frames:
    """Lines that wait for a phrase, and those that wait for a sentence."""

    phrases: list[str]
    sentences: list[str]


class Telling:
    """The facts that wait to be told, and the frames that have not been used for one.

    `untold` is whether none has been told yet.
    """

    def __init__(self, facts: Sequence[Fact], frames: Frames, polite: bool) -> None:
        self._facts = list(facts)
        self._frames = frames
        self._polite = polite
        self.untold = True

    @property
    def waiting(self) -> bool:
        """Whether there is something left to tell."""
        return bool(self._facts)

    def next_lines(self, meter: Meter, room: int) -> tuple[str, ...]:
        """The next fact in one line, or in two where it is long and there is room for two."""
        fact = self._facts.pop(0)
        self.untold = False
        most = meter.target * HASTE
        longer = _shortened(fact.text, 2 * most)
        if room > 1 and " " in longer and syllables_in(longer) > most:
            first, second = _parted(longer)
            return _begun(first), self._told(Fact(second, fact.sentence), meter, begun=False)
        return (self._told(Fact(_shortened(fact.text, most), fact.sentence), meter),)

    def _told(self, fact: Fact, meter: Meter, begun: bool = True) -> str:
        """The fact in the frame that fits best, or bare where it fills the line."""
        values = {"fact": _begun(fact.text) if begun else fact.text}
        frames = self._frames.sentences if fact.sentence else self._frames.phrases
        framed = [
            (meter.misfit(line), number, frame, line)
            for number, frame in enumerate([*frames, BARE])
            if (line := self._best(frame, values, meter))
        ]
        _, _, frame, line = min(framed)
        if frame != BARE:
            frames.remove(frame)
        return line

    def _best(self, frame: str, values: Mapping[str, str], meter: Meter) -> str:
        filled = fillings(frame, values, self._polite)
        return meter.best(filled) if filled else ""


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


def _parted(phrase: str) -> tuple[str, str]:
    """A phrase in two at the blank nearest its middle, not behind a word that leans on the next."""
    words = phrase.split()
    cuts = [cut for cut in range(1, len(words)) if not LEANING.fullmatch(words[cut - 1])]
    middle = syllables_in(phrase) / 2
    cut = min(
        cuts or range(1, len(words)),
        key=lambda cut: abs(syllables_in(" ".join(words[:cut])) - middle),
    )
    return " ".join(words[:cut]), " ".join(words[cut:])


def _shortened(phrase: str, most: float) -> str:
    """The phrase without the words that are too many: a Korean one keeps its end, where its noun stands."""
    words = phrase.split()
    korean = HANGUL.search(phrase)
    while len(words) > 1 and syllables_in(" ".join(words)) > most:
        words = words[1:] if korean else words[:-1]
    while len(words) > 1 and not korean and LEANING.fullmatch(words[-1]):
        words.pop()
    return " ".join(words)
