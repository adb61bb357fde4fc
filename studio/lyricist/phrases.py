"""Korean phrases as they are spoken: counted things, and several in a row. Pure."""

import re

from studio.lyricist.particles import final_sound, with_particle
from studio.trades import TRADE_WORDS

ONES = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
TENS = {0: "", 1: "열", 2: "스무"}
MOST_COUNTED = 20
# Counters that take Korean numbers, unlike 층, 분 or 원. Generations (3대째) are told from cars (3대) by a noun.
COUNTED = re.compile(
    r"(?<![\d.,:-])(\d{1,2})\s?(명|개(?!월)|가지|잔|그릇|마리|송이|권|곳|벌|켤레|시간|"
    r"팩|접시|쌍|팀|군데|살(?![가-힣])|자리|칸(?![가-힣]))"
)
MACHINES = re.compile(
    r"((?:차|트럭|버스|기계|컴퓨터|피시|PC|타석|오토바이|[가-힣]+기)\s?)(\d{1,2})\s?대(?![가-힣])"
)
# Hours have Korean numbers until twelve, unlike 14시 and 24시.
HOURS = re.compile(r"(?<![\d.,:~-])(\d{1,2})\s?(시)(?=$|[^가-힣\d~–-]|[에까부의반정])")
LAST_KOREAN_HOUR = 12
TOGETHER = re.compile(r"(?<=[가-힣\w])\s*(?:및|&|\+|＋)\s*(?=[가-힣])")
FEWEST_IN_LIST, SURELY_LIST = 3, 4
BARE_NOUN = re.compile(r"(?!(?:그|이|저|더|꼭|및|수|또|늘|잘)$)[가-힣]{1,6}")
# Endings of words that lean on the next: 볶은, 구운, 달콤한, 우리의, 집에서.
LEANING = re.compile(
    r"(?:[은는한운린된인친난쓴던의을를에와과로]|에서|부터|까지|하게|히|라는|같은|이런)$"
)
# Nouns that describe the one behind them.
DESCRIBED_BY = (
    "야간 주말 평일 당일 무료 수제 국내산 국산 천연 유기농 전문 맞춤 개인 단체 방문 출장 포장 온라인 매일 매주 "
    "새벽 아침 점심 저녁 신선 정통 원조 최신 고급 친환경 어린이 유아 성인 여성 남성 가족 커플 왕초보 초보 무통 "
    "통큰 지하 전용 제철 생 수입 일대일 소수 정예 실내 야외 대형 소형 미니 특수 긴급 응급 정기 직접"
)
# Behind these 까지 says how long, not what there is besides: 늦은 아침까지.
TIME = re.compile(
    r"(?:(?:^|\s)(?:아침|점심|저녁|밤|새벽|낮|오전|오후|주말|평일|휴일|공휴일|연휴|봄|여름|가을|겨울|하루|오늘|내일|날)"
    r"|시간|요일|계절|시즌|연중)$"
)
DESCRIBING = frozenset(DESCRIBED_BY.split())


def counted(text: str) -> str:
    """The text with the numbers before Korean counters as they are spoken: 3명 is 세 명, 11시 is 열한 시."""
    spoken = COUNTED.sub(lambda found: _spoken(found[1], found[2]) or found[0], text)
    spoken = HOURS.sub(lambda found: _hour(found) or found[0], spoken)
    return MACHINES.sub(lambda found: found[1] + (_spoken(found[2], "대") or ""), spoken)


def together(text: str) -> str:
    """Two things that a mark or 및 joins as they are spoken: 커트 및 염색 is 커트와 염색."""
    parts = TOGETHER.split(text)
    if len(parts) == 1 or any(final_sound(part) is None for part in parts):
        return text
    return " ".join([*(with_particle(part.strip(), "과/와") for part in parts[:-1]), parts[-1]])


def items_of(phrase: str) -> list[str]:
    """The things named in a row of nouns without a comma, each with what describes it; else the phrase."""
    words = phrase.split()
    nouns = [word for word in words if BARE_NOUN.fullmatch(word) and not LEANING.search(word)]
    items: list[str] = []
    for word in words:
        joins = bool(items) and items[-1].split()[-1] in DESCRIBING
        items[-1:] = [f"{items[-1]} {word}"] if joins else [*items[-1:], word]
    known = sum(any(named.text in item for named in TRADE_WORDS) for item in items)
    is_list = len(items) >= SURELY_LIST or (len(items) >= FEWEST_IN_LIST and known >= 2)
    return items if nouns == words and is_list else [phrase]


def ends_in_time(phrase: str) -> bool:
    """Whether the phrase ends in a word of time."""
    return bool(TIME.search(phrase))


def _hour(found: re.Match[str]) -> str:
    return _spoken(found[1], found[2]) if int(found[1]) <= LAST_KOREAN_HOUR else ""


def _spoken(number: str, counter: str) -> str:
    value = int(number)
    if not 0 < value <= MOST_COUNTED:
        return ""
    return f"{TENS[value // 10] if value != MOST_COUNTED else '스무'}{ONES[value % 10]} {counter}"
