"""Which trade a business is in, by words in its name and in what it tells of itself. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from studio.trade_words import WORDS

# The trades that are alike enough to sing of the same things.
GROUPED = {
    "drink": "cafe bar",
    "baked": "bakery ricecake",
    "table": "restaurant soup grill seafood chicken snack banchan",
    "shop": "market butcher fruit convenience clothes jewelry phone books flower farm optician",
    "looks": "hair nail beauty photo wedding",
    "body": "gym yoga dance martial swim golf bathhouse",
    "learn": "academy music art kindergarten studycafe",
    "health": "clinic dental pharmacy obgyn nursing",
    "home": "moving cleaning plumbing repair interior laundry realty",
    "road": "car carwash stay",
    "ride": "bike",
    "play": "pcbang karaoke pet",
    "desk": "law tax insurance",
    "solace": "funeral counseling faith",
}
GROUPS = {trade: group for group, trades in GROUPED.items() for trade in trades.split()}
ENGLISH = re.compile(r"[a-zé -]+")
# Compounds of so many syllables are also written apart.
COMPOUND = 4
# Words in which another one stands that they do not mean.
MISLEADING = (
    "빵빵", "불꽃", "눈꽃", "벚꽃", "편안과", "불안과", "제안과", "해안과", "헤어나", "헤어지", "스마트", "포토존",
    "키즈존", "반려견 동반", "반려동물 동반", "애견 동반", "애견동반", "pet friendly", "pet-friendly",
    "dog friendly", "dog-friendly", "hot dog", "hot dogs", "car park", "photo spot", "book now",
    "book online", "book a ", "독수리", "영상조명", "자유도", "미술관", "시계탑", "농장 직송", "농장직송",
    "온천동", "온천천", "live music", "farm to table", "farm-to-table", "church street",
    "church st", "church road", "chapel street", "chapel hill",
    "자전거 보관", "자전거 주차", "자전거 거치", "자전거길", "자전거 도로", "자전거도로", "bike parking",
    "bike rack", "bike racks", "bike storage", "bike friendly", "bike-friendly",
    "dirt bike", "dirt bikes", "motor bike", "life cycle", "spin cycle",
)  # fmt: skip
# What may follow a word of one syllable, which would otherwise be found inside of many that mean other things.
PARTICLE = "(?:[은는이가을를과와도의만]|으로)?(?![가-힣])"
NEARBY = re.compile(
    r"[^,.;\n]*(?:근처|옆|앞|맞은편|인근|near |next to|opposite|across from)[^,.;\n]*", re.I
)


@dataclass(frozen=True)
class Word:
    """A word that tells a trade. See `trade_words` for its marks."""

    text: str
    trade: str
    marks: str

    @cached_property
    def length(self) -> float:
        """How much it tells: two letters say as much as one of Hangul."""
        return len(self.text) / 2 if ENGLISH.fullmatch(self.text) else len(self.text)

    @cached_property
    def _bare(self) -> str:
        return self.text.replace(" ", "")

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        text = re.escape(self.text)
        if ENGLISH.fullmatch(self.text):
            return re.compile(rf"(?<![a-zé]){text}(?![a-zé])")
        if len(self.text) >= COMPOUND:
            text = r"\s?".join(self.text)
        ends = len(self.text) == 1 or "." in self.marks
        return re.compile(text + PARTICLE if ends else text)

    def is_in(self, text: str, without_blanks: str) -> bool:
        """Whether the text in small letters has it; it is also given without its blanks."""
        return self._bare in without_blanks and bool(self._pattern.search(text))


def _words(table: Mapping[str, str]) -> list[Word]:
    marked = [(word, trade) for trade, words in table.items() for word in words.split()]
    return [
        Word(word.rstrip("?!.").replace("_", " "), trade, word[len(word.rstrip("?!.")) :])
        for word, trade in marked
    ]


TRADE_WORDS = _words(WORDS)


@lru_cache(maxsize=256)
def trade_of(name: str, detail: str) -> str | None:
    """The trade that the name tells, or else the detail; None where neither does.

    What the detail says to be nearby tells nothing of the business itself.
    """
    return _trade_named_in(name, "") or _trade_named_in(NEARBY.sub(" ", detail), "!")


def _trade_named_in(text: str, ignored: str) -> str | None:
    """The trade of the longest word found that is no part of another, of words without an ignored mark."""
    lowered = text.lower()
    without_blanks = "".join(lowered.split())
    found = [word for word in TRADE_WORDS if word.is_in(lowered, without_blanks)]
    known = [word.text for word in found] + [word for word in MISLEADING if word in lowered]
    telling = [
        word
        for word in found
        if not (ignored and ignored in word.marks)
        and not any(word.text in other for other in known if other != word.text)
    ]
    ranked = [("?" not in word.marks, word.length) for word in telling]
    return telling[ranked.index(max(ranked))].trade if telling else None
