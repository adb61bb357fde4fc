"""What a free description tells of a business, in words that can be sung, and with what tact. Pure."""

import re
from dataclasses import dataclass
from enum import Enum

from studio.content import cache_content, read_words
from studio.korean import add_particle, find_final, get_korean_words, spell_counts
from studio.lyricist.stock import LIVELY, TENDER
from studio.lyricist.template import keep_singable, lower_first
from studio.trades import NEARBY, Register, find_trade, get_trade, get_trade_words

SEPARATOR = re.compile(r"[\n\r;·•|、，。！？]+|/|[,.](?!\d)|(?<!\d)[,.]|[!?]+|\s[-–—]\s")
ITEM_NUMBER = re.compile(r"^\s*(?:\d{1,2}[.)]\s+|[-–—*~]\s*)")
LABEL = re.compile(r"^[^:：]{1,12}[:：]\s*(?=\D)")
ASIDE = re.compile(r"\([^()]*\)|（[^（）]*）")
# Digits that are shown on the end card, not sung.
LINK = re.compile(
    r"\S*(?:https?://|www\.|\w@\w)[^\s,;|]*|[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|kr|jp|uk|co|io|me|shop)\b[^\s,;|]*",
    re.I,
)
HANDLE = re.compile(r"(?:^|\s)@\w")
PHONE = re.compile(r"\+?\d[\d()\s.-]{6,}\d")
CLOCK = re.compile(
    r"\d{1,2}:\d{2}|\d{1,2}\s*시\s*(?:\d{1,2}\s*분)?\s*(?:~|-|–|부터|까지)|\d\s?[ap]\.?m\b", re.I
)
STREET_NUMBER = re.compile(
    r"(?:로|길)\s?\d+|^\d+\s+(?:\w+\s){1,3}(?:st|street|ave|avenue|rd|road)\b", re.I
)
PRICE = re.compile(
    r"\s*(?:단돈|각|개당|only|just|from|for|at)?\s*"
    r"(?:[$€£₩¥]\s?\d[\d,.]*|\d[\d,.]*\s*(?:천|만)?\s*(?:원|won\b|krw\b|usd\b|dollars?\b|euros?\b|[$€£₩¥]))",
    re.I,
)
KOREAN_SENTENCE = re.compile(
    r"(?:니다|어요|아요|해요|예요|에요|세요|네요|죠|까요|[했았었한된있없]다|드림|\s\S+요)$"
)
ENGLISH_SENTENCE = re.compile(
    r"^(?:back )?(?:in|since) \d{4} \w+"
    r"|^(?:we|you|it|it's|i|there's|come|try|enjoy|visit|get|let|let's|our \w+ (?:is|are))\b"
    r"|\b(?:is|are|has|have)\b",
    re.I,
)
LONGEST_WORD = 20
# A word in single marks at either end of a phrase; the marks at its ends go, and so does the other of such a pair.
QUOTED_FIRST = re.compile(r"^['‘]([^'‘’]+)['’](?!\w)")
QUOTED_LAST = re.compile(r"(?<!\w)['‘]([^'‘’]+)['’]$")
DOUBLE_MARK = re.compile(r'[“”]|(?<!\d)"')
# A year that a comma parts from its sentence.
YEAR_BEFORE = re.compile(
    r"(?P<before>^|[.;!?\n]\s*)(?P<year>(?:back )?(?:in|since|by) \d{4}|\d{4}년)\s*,\s*(?=\D)", re.I
)
# What is counted as only Korea does says nothing to an English listener.
KOREAN_UNIT = re.compile(r"\d\s?[가-힣]|\d\s?(?:won|krw|pyeong|geun)\b", re.I)
TOGETHER = re.compile(r"(?<=[가-힣\w])\s*(?:및|&|\+|＋)\s*(?=[가-힣])")
FEWEST_IN_LIST, SURELY_LIST = 3, 4
BARE_NOUN = re.compile(r"(?!(?:그|이|저|더|꼭|및|수|또|늘|잘)$)[가-힣]{1,6}")
# Endings of words that lean on the next: 볶은, 구운, 달콤한, 우리의, 집에서.
LEANING = re.compile(
    r"(?:[은는한운린된인친난쓴던의을를에와과로]|에서|부터|까지|하게|히|라는|같은|이런)$"
)

MOODS = {Register.CALM: TENDER, Register.GENTLE: TENDER, Register.MERRY: LIVELY}


class Kind(Enum):
    """What a fact is, which decides what may be said of it."""

    PLAIN = "plain"
    GOODS = "goods"
    SERVICE = "service"
    TREAT = "treat"
    TROUBLE = "trouble"
    GRAVE = "grave"


@dataclass(frozen=True)
class Fact:
    """One fact of a business; a sentence is sung as it is, a phrase may stand in a frame."""

    text: str
    sentence: bool
    kind: Kind = Kind.PLAIN


def find_facts(detail: str, named: str = "", korean: bool = True) -> list[Fact]:
    """Return the phrases of a free description in their order, none twice; nouns in a row are a phrase each.

    They stand as inside a sentence; words of `named` keep their capital. Left out are web and mail addresses,
    telephone numbers, times of day, street numbers, and prices with whatever is said behind them. What is counted
    in Korean units is told in Korean only, with the numbers spelled.
    """
    whole = YEAR_BEFORE.sub(r"\g<before>\g<year> ", LINK.sub(" @link ", detail))
    texts = filter(str.strip, SEPARATOR.split(whole))
    parts = lower_first([_find_phrase(part) for part in texts], named)
    items = [item for part in parts if part for item in split_items(part)]
    if korean:
        phrases = [spell_pair(spell_counts(item)) for item in items]
    else:
        phrases = [item for item in items if not KOREAN_UNIT.search(item)]
    return [Fact(phrase, _is_sentence(phrase)) for phrase in dict.fromkeys(phrases)]


def spell_pair(text: str) -> str:
    """Return two things that a mark or 및 joins as they are spoken: 커트 및 염색 is 커트와 염색."""
    parts = TOGETHER.split(text)
    if len(parts) == 1 or any(find_final(part) is None for part in parts):
        return text
    return " ".join([*(add_particle(part.strip(), "과/와") for part in parts[:-1]), parts[-1]])


def split_items(phrase: str) -> list[str]:
    """Return the things named in a row of nouns without a comma, each with what describes it; else the phrase."""
    words = phrase.split()
    nouns = [word for word in words if BARE_NOUN.fullmatch(word) and not LEANING.search(word)]
    describing = get_korean_words()["described-by"]
    items: list[str] = []
    for word in words:
        joins = bool(items) and items[-1].split()[-1] in describing
        items[-1:] = [f"{items[-1]} {word}"] if joins else [*items[-1:], word]
    known = sum(any(named.text in item for named in get_trade_words()) for item in items)
    is_list = len(items) >= SURELY_LIST or (len(items) >= FEWEST_IN_LIST and known >= 2)
    return items if nouns == words and is_list else [phrase]


@cache_content
def get_times() -> re.Pattern[str]:
    """Return what finds a word of time at an end; behind one 까지 says how long, as in 늦은 아침까지."""
    times, ends = ("|".join(get_korean_words()[name]) for name in ("times", "time-ends"))
    return re.compile(rf"(?:(?:^|\s)(?:{times})|{ends})$")


def _find_phrase(part: str) -> str:
    """Return what of one part is sung; "" where it is nothing."""
    plain = ASIDE.sub(" ", part).strip(" ()（）") or part
    if any(pattern.search(plain) for pattern in (HANDLE, PHONE, CLOCK, STREET_NUMBER)):
        return ""
    price = PRICE.search(plain)
    if price:
        plain = plain[: price.start()] if not plain[price.end() :].strip() else ""
    words = keep_singable(_strip_quotes(LABEL.sub("", ITEM_NUMBER.sub("", plain))))
    hopeless = any(len(word) > LONGEST_WORD for word in words.split())
    return "" if hopeless or words.isdigit() else words


def _strip_quotes(phrase: str) -> str:
    """Return the phrase without the quotation marks at its ends, and without those that have lost their other."""
    unquoted = QUOTED_LAST.sub(r"\1", QUOTED_FIRST.sub(r"\1", phrase.strip(" :")))
    bare = unquoted.strip(" \"'“”‘’:")
    in_pairs = bare.count("“") == bare.count("”") and len(DOUBLE_MARK.findall(bare)) % 2 == 0
    return bare if in_pairs else DOUBLE_MARK.sub("", bare)


def _is_sentence(phrase: str) -> bool:
    return bool(KOREAN_SENTENCE.search(phrase) or ENGLISH_SENTENCE.search(phrase))


def choose_kind(fact: Fact, trade: str | None, calm: bool) -> Kind | None:
    """Return what a fact of such a business is; None where it is better left unsung."""
    patterns = _get_patterns()
    if patterns["unsung"].search(fact.text):
        return None
    if patterns["grave"].search(fact.text):
        return Kind.GRAVE if calm else None
    if patterns["trouble"].search(fact.text):
        return Kind.TROUBLE
    known = get_trade(trade)
    if known is None or patterns["amenity"].search(fact.text):
        return Kind.SERVICE if calm and known is None else Kind.PLAIN
    return Kind(known.offers)


def is_solemn(name: str, detail: str) -> bool:
    """Return whether the name tells of grief or law, or the detail where the name tells no trade.

    A name of any other trade only borrows the words, as "Memorial Park Pizza" does. What the detail says to be
    nearby does not count. A detail that tells no trade is solemn if it is grave.
    """
    patterns = _get_patterns()
    named = get_trade(find_trade(name, ""))
    own = "" if named else NEARBY.sub(" ", detail)
    grave = find_trade(name, detail) is None and patterns["grave"].search(own)
    called = (named is None or named.solemn) and patterns["solemn"].search(name)
    return bool(called or patterns["solemn"].search(own) or grave)


def is_calm(name: str, detail: str, trade: str | None) -> bool:
    """Return whether a song about this business neither shouts nor jokes, whatever its music."""
    return get_register(trade) is Register.CALM or is_solemn(name, detail)


def get_register(trade: str | None) -> Register:
    """Return how a trade is sung of; an unknown one plainly."""
    known = get_trade(trade)
    return known.register if known else Register.PLAIN


def get_mood(trade: str | None) -> str | None:
    """Return the mood that suits a trade, where the music leaves it open; None where any does."""
    return MOODS.get(get_register(trade))


@cache_content
def _get_patterns() -> dict[str, re.Pattern[str]]:
    """Return the words of `words/tact.toml`, which says what each of them means."""
    found = {name: "|".join(words) for name, words in read_words("tact", re.compile).items()}
    patterns = {
        name: re.compile(rf"{found[f'{name}-korean']}|\b(?:{found[f'{name}-english']})\b", re.I)
        for name in ("solemn", "grave", "amenity", "unsung")
    }
    patterns["trouble"] = re.compile(
        rf"(?:{found['trouble-korean']})$"
        rf"|\b(?:{found['trouble-english']})\b(?! (?:{found['remedies-english']}))",
        re.I,
    )
    return patterns
