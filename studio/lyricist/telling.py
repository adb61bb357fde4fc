"""The facts of an order as sung lines, each sung once and in their order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from studio.lyricist.facts import Fact, Kind, is_time
from studio.lyricist.particles import add_particle, find_final
from studio.lyricist.piles import Meter
from studio.lyricist.singable import HANGUL, count_syllables, drop_words
from studio.lyricist.template import fill

# Where a phrase is parted, the second line does not begin after one of these words.
LEANING = re.compile(
    r"(?:an?|the|and|or|of|in|on|at|by|for|from|with|to|our|your|my|및|수|그|이|저|한|두|세|더|꼭)",
    re.I,
)
# A phrase that is a line by itself may be sung this much faster than others.
HASTE = 1.2
# So many syllables too few or too many are less harm than a line that other songs of the same fact have too.
LENIENCE = 2.5
BARE = "{fact}"
# What is not left to stand by itself.
UNEASY = frozenset((Kind.GRAVE, Kind.TROUBLE))
# What names two things already.
JOINED = re.compile(r"[가-힣][와과] |\b(?:and|&|with)\b", re.I)
BEGINS_SENTENCE = re.compile(r"(?:^|[?.!] ){fact")


class Telling:
    """The facts that are still to be sung, and the frames that have not been used for one.

    There are frames for a phrase, by what it is; for a sentence; and for two phrases. `unused` is whether no fact
    has been sung yet.
    """

    def __init__(
        self,
        facts: Sequence[Fact],
        phrases: Mapping[Kind, Sequence[str]],
        sentences: Sequence[str],
        pairs: Sequence[str],
        polite: bool,
    ) -> None:
        self._facts = list(facts)
        self._phrases, self._sentences, self._pairs = phrases, sentences, pairs
        self._used: set[str] = set()
        self._polite = polite
        self.unused = True

    def tell_next(self, meter: Meter, room: int) -> tuple[str, ...]:
        """Tell the next fact, or two short ones, in one line; a long one in two where there is room.

        A fact that would lose its sense where it is shortened is left out. Nothing is told where none is left.
        """
        most = meter.target * HASTE
        while self._facts:
            first = self._facts.pop(0)
            if self._facts and (both := _join(first, self._facts[0], most)):
                self.unused = False
                return (self._tell_together(first, self._facts.pop(0), both, meter),)
            text = _shorten(first.text, 2 * most)
            is_long = room > 1 and " " in text and count_syllables(text) > most
            if not is_long:
                text = _shorten(first.text, most)
            if _loses_sense(first, text):
                continue
            self.unused = False
            if is_long:
                begin, end = _part(text)
                return _begin(begin), self._tell(replace(first, text=end), meter, begun=False)
            return (self._tell(replace(first, text=text), meter),)
        return ()

    def _tell(self, fact: Fact, meter: Meter, begun: bool = True) -> str:
        """Return the fact in the frame that fits best, or bare where it fills the line."""
        values = {"fact": fact.text}
        framed = self._fill_frames(self._find_frames(fact), values, meter, begun)
        return self._choose(framed or self._fill_frames([BARE], values, meter, begun))

    def _tell_together(self, first: Fact, second: Fact, both: str, meter: Meter) -> str:
        """Return two facts in the frame that fits best; one that is grave is not hung on another by the way."""
        pairs = () if first.kind in UNEASY else self._find_unused(self._pairs)
        values = {"fact": first.text, "more": second.text}
        apart = self._fill_frames(pairs, values, meter, begun=True)
        framing = self._find_frames(replace(first, text=both))
        joined = self._fill_frames(framing, {"fact": both}, meter, begun=True)
        either = [*apart, *joined]
        return self._choose(either or self._fill_frames([BARE], {"fact": both}, meter, begun=True))

    def _find_frames(self, fact: Fact) -> list[str]:
        frames = self._sentences if fact.sentence else self._phrases[fact.kind]
        unused = self._find_unused(frames)
        return unused if fact.kind in UNEASY else [*unused, BARE]

    def _find_unused(self, frames: Sequence[str]) -> list[str]:
        return [frame for frame in frames if frame not in self._used]

    def _fill_frames(
        self, frames: Sequence[str], values: Mapping[str, str], meter: Meter, begun: bool
    ) -> list[tuple[float, int, str, str]]:
        """Return the lines with how well they fit, in which place they are wanted, and their frames."""
        return [
            (max(0.0, meter.measure_misfit(line) - LENIENCE), number, frame, line)
            for number, frame in enumerate(frames)
            if (line := self._fill_frame(frame, values, meter, begun))
        ]

    def _choose(self, candidates: Sequence[tuple[float, int, str, str]]) -> str:
        _, _, frame, line = min(candidates)
        if frame != BARE:
            self._used.add(frame)
        return line

    def _fill_frame(self, frame: str, values: Mapping[str, str], meter: Meter, begun: bool) -> str:
        begins = begun and BEGINS_SENTENCE.search(frame)
        own = {**values, "fact": _begin(values["fact"])} if begins else values
        filled = [line for line in fill(frame, own, self._polite) if not _says_until(line, values)]
        return meter.choose(filled) if filled else ""


def _says_until(line: str, values: Mapping[str, str]) -> bool:
    """Return whether 까지 stands behind a time, where it would say how long."""
    more = values.get("more", "")
    return is_time(more) and f"{more}까지" in line


def _join(one: Fact, other: Fact, most: float) -> str:
    """Join two phrases where they go together and are short enough; else return ""."""
    if one.sentence or other.sentence or one.kind is not other.kind:
        return ""
    if JOINED.search(one.text) or JOINED.search(other.text):
        return ""
    korean = HANGUL.search(one.text + other.text)
    if korean and find_final(one.text) is None:
        return ""
    start = add_particle(one.text, "과/와") if korean else f"{one.text} and"
    both = f"{start} {other.text}"
    return both if count_syllables(both) <= most else ""


def _loses_sense(fact: Fact, text: str) -> bool:
    """Return whether a text lacks a number of the fact it is cut from, or is no English sentence any more."""
    cut = text != fact.text
    numbers = sum(map(str.isdigit, fact.text)) > sum(map(str.isdigit, text))
    return cut and (numbers or (fact.sentence and not HANGUL.search(text)))


def _begin(text: str) -> str:
    return text[:1].upper() + text[1:]


def _part(phrase: str) -> tuple[str, str]:
    """Part a phrase at the blank nearest its middle, not behind a word that leans on the next."""
    words = phrase.split()
    cuts = [cut for cut in range(1, len(words)) if not LEANING.fullmatch(words[cut - 1])]
    middle = count_syllables(phrase) / 2
    cut = min(
        cuts or range(1, len(words)),
        key=lambda cut: abs(count_syllables(" ".join(words[:cut])) - middle),
    )
    return " ".join(words[:cut]), " ".join(words[cut:])


def _shorten(phrase: str, most: float) -> str:
    """Return the phrase without the words that are too many: a Korean one keeps its end, where its noun stands."""
    words, korean = drop_words(phrase, most), HANGUL.search(phrase)
    while len(words) > 1 and not korean and LEANING.fullmatch(words[-1]):
        words.pop()
    return " ".join(words)
