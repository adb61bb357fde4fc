"""Which trade a business is in, by words in its name and in what it tells of itself. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

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
    "hair of the dog", "law of attraction", "뷰티풀",
)  # fmt: skip
# What may follow a word of one syllable, which would otherwise be found inside of many that mean other things.
PARTICLE = "(?:[은는이가을를과와도의만]|으로)?(?![가-힣])"
NEARBY = re.compile(
    r"[^,.;\n]*(?:근처|옆|앞|맞은편|인근|near |next to|opposite|across from)[^,.;\n]*", re.I
)
# The same in a name: a Korean neighbour stands before what the business is, an English one after it.
NEARBY_IN_NAME = re.compile(
    r"^.*(?:근처|옆|앞|맞은편|인근)(?:에|의)?\s+(?=\S)|\b(?:near|next to|opposite|across from)\s.*$",
    re.I,
)
# What a customer may get back or need not pay.
ASIDE = re.compile(
    r"\btax[ -](?:credits?|refunds?|rebates?|relief|incentives?|deductions?|deductible|exempt\w*|free|included)\b"
    r"|\btax claims?\b",
    re.I,
)
# What a name ends in says what the business is, whatever stands before it.
ENDINGS = {
    "academy": "학원 교육원 교습소 아카데미 academy school",
    "cafe": "카페 커피 찻집 다방 로스터스 cafe café coffee roasters teahouse",
    "books": "책방 서점 books bookshop bookstore",
    "bakery": "베이커리 빵집 제과점 bakery bakehouse patisserie",
    "bar": "포차 호프 주점 술집 이자카야 brewing brewery taproom tavern",
    "chicken": "피자 치킨 통닭 버거 pizza pizzeria burgers",
    "yoga": "요가 필라테스 yoga pilates",
    "flower": "꽃집 화원 florist florists",
    "hair": "미용실 이발소 바버샵 barbershop",
    "pharmacy": "약국 pharmacy",
    "funeral": "장례 장례식장",
}
# Trades that an academy may be of.
TAUGHT = frozenset((*GROUPED["learn"].split(), *GROUPED["body"].split(), "pet"))
# What may follow such an ending: a branch, or the kind of company.
BRANCH = re.compile(r"[가-힣\d]+점|\(?주\)?|ltd|inc|llc|co|company|limited")


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

    def ends(self, text: str) -> bool:
        """Whether the text in small letters ends in it."""
        return any(found.end() == len(text) for found in self._pattern.finditer(text))


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

    What either says to be nearby tells nothing of the business itself, nor do the taxes that a detail says one
    saves. What a name ends in tells more than what stands before it.
    """
    own = NEARBY_IN_NAME.sub(" ", name)
    offered = ASIDE.sub(" ", NEARBY.sub(" ", detail))
    return _trade_of_name(own if own.strip() else name) or _trade_of(_telling(offered, "!"))


def _trade_of_name(name: str) -> str | None:
    """The trade of what a name ends in, if that is one of `ENDINGS`, or else of the word that tells most.

    A longer word that a name ends in goes before, as "study cafe" does before "cafe".
    """
    word, words = _telling(name, ""), _words_before_branch(name)
    last = f" {words[-1]}" if words else ""
    ending = next((trade for trade in ENDINGS if last.endswith(_endings(trade))), None)
    if ending is None or (word and word.ends(" ".join(words))):
        return _trade_of(word)
    if ending == "academy":
        return word.trade if word and word.trade in TAUGHT else ending
    return _trade_of(_telling(last, "")) or ending


def _trade_of(word: Word | None) -> str | None:
    return word.trade if word else None


@cache
def _endings(trade: str) -> tuple[str, ...]:
    """What a name's last word may end in; an English one is all of it."""
    return tuple(f" {word}" if ENGLISH.fullmatch(word) else word for word in ENDINGS[trade].split())


def _words_before_branch(name: str) -> list[str]:
    """A name's words in small letters, but for a branch or a kind of company at its end that tells no trade."""
    words = [word.strip(".,!") for word in name.lower().split()]
    while len(words) > 1 and BRANCH.fullmatch(words[-1]) and not _telling(words[-1], ""):
        words.pop()
    return words


def _telling(text: str, ignored: str) -> Word | None:
    """The longest word found that is no part of another, of words without an ignored mark."""
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
    return telling[ranked.index(max(ranked))] if telling else None
