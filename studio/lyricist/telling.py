"""In which order a song wants its lines, which of them it takes, and how it tells the facts of an order. Pure."""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import chain

from studio.korean import add_particle, find_final
from studio.lyricist.facts import Fact, Kind, get_times
from studio.lyricist.template import (
    HANGUL,
    count_syllables,
    count_ways,
    draw,
    drop_words,
    fill,
    split_couplet,
)

# Of so many songs one is led by a line that can be drawn in one way only, and three by one of three ways.
SONGS_PER_LINE = 400
SONGS_PER_HOOK = 170
# Lines that lean on the one before: "It is softer than…", "대신에 한 번 더…"; and Korean ones that do not end.
LEANING = re.compile(
    r"^(?:And|But|Or|So|Until|It|It's|They|Them|This|That|Then|Share|Hand it|Color it|Finds|Is|Are|Was)\b"
    r"|^(?:그(?:게|런|래서|러면|만큼|보다|대로|걸| )|대신|하지만|저마다|세 번째|두 모금|나머지|이만큼)|그보다"
    r"|(?:고|서|며|도|면|니까|으니|게|도록|채|[을를])$"
)
# So many syllables too few or too many per line are less harm than a line that says nothing of the trade.
GOOD_ENOUGH = 1.5
# A line that leans on another is worse alone than one that is too long.
ALONE = 10.0

# Where a phrase is parted, the second line does not begin after one of these words.
LEADING = re.compile(
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


@dataclass(frozen=True)
class Meter:
    """The syllables a line should have, and how many more or fewer do no harm."""

    target: float
    slack: float

    def choose(self, lines: Sequence[str]) -> str:
        """Return the line whose length is nearest to the target; there must be one."""
        return min(lines, key=lambda line: abs(count_syllables(line) - self.target))

    def measure_misfit(self, line: str) -> float:
        """Return how many syllables are too many or too few; 0 where the line fits."""
        return max(0.0, abs(count_syllables(line) - self.target) - self.slack)


class Drawing:
    """Draws the lines of one song by its chance.

    How one template falls depends on the song and on that template only, so a line that is added or changed
    leaves the draw of all others as it was.
    """

    def __init__(self, chance: random.Random) -> None:
        self._song = chance.randbytes(16)

    def shuffle(self, templates: Sequence[str]) -> list[str]:
        """Draw all of the templates; what can be drawn in many ways is more often near the front."""
        keys = {
            template: self._lot("place", template).random() ** (1 / min(count_ways(template)))
            for template in templates
        }
        return [self._draw(template) for template in sorted(keys, key=keys.__getitem__)[::-1]]

    def order_couplets(self, *piles: Sequence[str]) -> list[str]:
        """Draw all couplets: those of the first pile lead, then the second's, as often as they may."""
        return self._order(piles, (SONGS_PER_LINE, SONGS_PER_LINE))

    def order_hooks(self, *piles: Sequence[str]) -> list[str]:
        """Draw all hooks, as `order_couplets`; a hook may be in more songs than its answer."""
        return self._order(piles, (SONGS_PER_HOOK, SONGS_PER_LINE))

    def _order(self, piles: Sequence[Sequence[str]], songs: tuple[int, int]) -> list[str]:
        leading = [list(self._find_leaders(pile, songs)) for pile in piles]
        others = [
            template
            for pile, leaders in zip(piles, leading, strict=True)
            for template in pile
            if template not in leaders
        ]
        front = [self._draw(template) for template in chain(*map(self._mix, leading))]
        return front + self.shuffle(others)

    def _find_leaders(self, pile: Sequence[str], songs: tuple[int, int]) -> Iterator[str]:
        for template in pile:
            ways = count_ways(template)
            if self._lot("lead", template).random() < min(
                way / number for way, number in zip(ways, songs, strict=False)
            ):
                yield template

    def _mix(self, templates: Sequence[str]) -> list[str]:
        return sorted(templates, key=lambda template: self._lot("place", template).random())

    def _draw(self, template: str) -> str:
        return draw(template, self._lot("words", template).choice)

    def _lot(self, use: str, template: str) -> "_Lot":
        return _Lot(blake2b(f"{use} {template}".encode(), key=self._song).digest())


class _Lot:
    """What chance has for one template."""

    def __init__(self, digest: bytes) -> None:
        self._left = int.from_bytes(digest)

    def random(self) -> float:
        """Return a number from 0 up to 1."""
        return self._draw_below(2**53) / 2**53

    def choice(self, choices: Sequence[str]) -> str:
        """Return one of the choices."""
        return choices[self._draw_below(len(choices))]

    def _draw_below(self, count: int) -> int:
        self._left, number = divmod(self._left, count)
        return number


class Couplets:
    """The couplets that a song may still sing, as wanted; each, or single line, is taken at most once."""

    def __init__(self, couplets: Sequence[str], values: Mapping[str, str], polite: bool) -> None:
        self._pile = list(couplets)
        self._values = values
        self._polite = polite

    def take(self, meter: Meter, lines: int) -> tuple[str, ...]:
        """Take the first couplet that about fits the meter, else the one that fits it best.

        Of a couplet where only one line is wanted it is the second, if that says something without the first.
        """
        best: tuple[float, int, tuple[str, ...]] | None = None
        for number, couplet in enumerate(self._pile):
            wanted = split_couplet(couplet)[-lines:]
            sung = self._fill(wanted, meter)
            misfit = sum(map(meter.measure_misfit, sung))
            if sung and len(wanted) < len(split_couplet(couplet)) and LEANING.search(sung[0]):
                misfit += ALONE
            if sung and (best is None or misfit < best[0]):
                best = misfit, number, sung
            if best and best[0] <= GOOD_ENOUGH * lines:
                break
        if best is None:
            raise LookupError("no couplet is left that can be sung")
        del self._pile[best[1]]
        return best[2]

    def _fill(self, templates: Iterable[str], meter: Meter) -> tuple[str, ...]:
        """Return the templates' best fillings; nothing where one of them cannot be filled."""
        filled = [fill(template, self._values, self._polite) for template in templates]
        return tuple(map(meter.choose, filled)) if all(filled) else ()


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
    return bool(get_times().search(more)) and f"{more}까지" in line


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
    cuts = [cut for cut in range(1, len(words)) if not LEADING.fullmatch(words[cut - 1])]
    middle = count_syllables(phrase) / 2
    cut = min(
        cuts or range(1, len(words)),
        key=lambda cut: abs(count_syllables(" ".join(words[:cut])) - middle),
    )
    return " ".join(words[:cut]), " ".join(words[cut:])


def _shorten(phrase: str, most: float) -> str:
    """Return the phrase without the words that are too many: a Korean one keeps its end, where its noun stands."""
    words, korean = drop_words(phrase, most), HANGUL.search(phrase)
    while len(words) > 1 and not korean and LEADING.fullmatch(words[-1]):
        words.pop()
    return " ".join(words)
