"""What to paint for a business: scenes that its trade, its region and its music bring to mind. Pure."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from studio.camera.casting import named_by
from studio.camera.cutting import LONG_SECONDS
from studio.camera.naming import find_words
from studio.trades import find_trade

# So many scenes has a film of no known trade that is not long.
FEWEST, MOST = 3, 4
# Of what it sings of a long film shows so many scenes before what suits any business.
MOST_SPOKEN = 3
# Scenes that suit any business; a long film has all of them, that no scene comes too often.
NEUTRAL = ("hills", "skyline", "forest", "night", "flowers", "morning", "sea", "rain")
# Scenes of no parts that suit a trade.
ALSO: dict[str, str] = {
    "cafe": "cup",
    "bakery": "shopfront",
    "restaurant": "shopfront",
    "books": "shopfront",
    "market": "market",
    "snack": "market",
    "seafood": "sea",
    "bar": "lights",
    "flower": "flowers",
    "karaoke": "stage",
    "music": "stage",
    "dance": "stage",
    "stay": "night",
}
# The words that name a faith's own house.
HOUSES = {
    "church": r"교회|성당|예배|미사|\b(?:church|chapel|cathedral|parish)\b",
    "temple": r"사찰|불교|법당|암자|[가-힣]{2}사(?:\s|$)|\b(?:temple|buddhist)\b",
}
# Scenes that a film has where its lines name them, whatever its trade.
SPOKEN = ("rain", "morning", "sea", "night", "forest")
# Names of places stand alone or before `SUFFIXES`: 안동 is not in 장안동.
NAMES: dict[str, str] = {
    "sea": (
        "부산 제주 강릉 속초 여수 통영 포항 목포 거제 남해 동해 울릉 해운대 광안리 군산 인천 양양 울산 태안 "
        "송정 기장 애월 서귀포 완도 삼척"
    ),
    "hanok": "전주 경주 북촌 서촌 인사동 안동 수원 공주 삼청동 익선동",
    "forest": "설악 설악산 지리산 한라산 북한산 평창 가평 양평 무주 인제 서울숲",
    "skyline": (
        "서울 강남 홍대 성수 이태원 명동 송도 판교 여의도 잠실 대구 대전 광주 을지로 마포 종로 분당"
    ),
}
SUFFIXES = (
    r"(?:특별자치도|특별자치시|특별시|광역시|시|군|구|도|동|면|읍|리|섬|역|입구|항|길|로|거리|시내|마을|"
    r"한옥마을|해변|해수욕장|해안|바다|앞바다|시장|공원|\d+가){0,3}"
)
# Words for a kind of place, which mean it wherever they stand.
KINDS: dict[str, str] = {
    "sea": "바다 바닷가 해변 해수욕장 해안 항구 포구",
    "hanok": "한옥 고궁",
    "forest": "숲속 숲길 계곡 수목원 휴양림 국립공원",
    "skyline": "도심 시내",
}
ENGLISH: dict[str, tuple[str, ...]] = {
    "sea": (
        "sea", "seaside", "beach", "ocean", "coast", "harbor", "harbour", "island", "busan", "jeju",
        "gangneung", "sokcho", "yeosu", "incheon", "marina", "bay",
    ),
    "hanok": ("hanok", "jeonju", "gyeongju", "bukchon", "insadong", "andong"),
    "forest": (
        "forest", "mountain", "mountains", "woods", "valley", "pyeongchang", "gapyeong",
    ),
    "skyline": (
        "seoul", "gangnam", "hongdae", "daegu", "daejeon", "gwangju", "city", "downtown", "new york",
        "london",
    ),
}  # fmt: skip
# Scenes that suit any business, those that a genre likes best.
BY_GENRE: dict[str, tuple[str, ...]] = {
    "pop": ("skyline", "hills", "lights"),
    "ballad": ("night", "hills", "lights"),
    "edm": ("lights", "skyline", "night"),
    "rock": ("skyline", "hills", "lights"),
    "ambient": ("forest", "hills", "night"),
    "trot": ("lights", "hills", "skyline"),
    "jazz": ("night", "lights", "skyline"),
    "hiphop": ("skyline", "night", "lights"),
    "bossa": ("hills", "lights", "forest"),
    "acoustic": ("hills", "forest", "lights"),
}
# Lights out of focus say nothing by day: there the morning is seen instead.
NIGHTLY = frozenset(("bar", "karaoke", "dance", "pcbang"))
OF_NIGHT = ("lights", "night")
# Which way the camera likes to go: along what is wide, up what is tall.
MOVES = {
    "sea": "pan",
    "hanok": "pan",
    "flowers": "pan",
    "market": "pan",
    "forest": "tilt",
    "skyline": "tilt",
    "stage": "tilt",
}


@dataclass(frozen=True)
class Brief:
    """What scenes are chosen by: the business, its place, what it tells of itself, and what is sung."""

    name: str
    region: str = ""
    detail: str = ""
    sung: str = ""


def scenes_for(brief: Brief, genre: str, seed: str, seconds: float = 20.0) -> tuple[str, ...]:
    """The scenes of a film, the same for the same words and seed: the trade's main scene first.

    A trade has three of its own; between and after them come the place's, what the lines name, and the genre's.
    A long film then has all scenes that suit any business.
    """
    chance = random.Random(f"scenes {seed}")  # noqa: S311
    trade = find_trade(brief.name, brief.detail)
    usual = _usual(genre, trade, brief.sung, chance)
    long = seconds > LONG_SECONDS
    if trade is None:
        found = _of_no_trade(brief, usual, chance)
    else:
        found = _of_a_trade(trade, brief, usual, chance, long=long)
    return _more(found, usual, trade) if long else found


def moves_of(scenes: Sequence[str]) -> tuple[str, ...]:
    """The camera's movements that suit these scenes."""
    return tuple(dict.fromkeys(MOVES[scene] for scene in scenes if scene in MOVES))


def _of_no_trade(brief: Brief, usual: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    places = _places(brief.region)
    scenes = dict.fromkeys((*places[:2], *usual))
    first, *rest = list(scenes)[: max(FEWEST, min(MOST, len(places) + 1))]
    chance.shuffle(rest)
    return (first, *rest)


def _of_a_trade(
    trade: str, brief: Brief, usual: Sequence[str], chance: random.Random, *, long: bool
) -> tuple[str, ...]:
    main, *others = (f"{trade}-{number}" for number in range(1, 4))
    chance.shuffle(others)
    also = [ALSO[trade]] if long and trade in ALSO else []
    spoken = _spoken(brief.sung)[: MOST_SPOKEN if long else 1]
    house = _house(brief) if trade == "faith" else []
    places = _places(brief.region)[:1]
    around = list(dict.fromkeys((*house, *places, *spoken, *also))) or usual[:1]
    return (main, others[0], *around[:1], others[1], *around[1:])


def _more(found: Sequence[str], usual: Sequence[str], trade: str | None) -> tuple[str, ...]:
    """The scenes, then the genre's and all others that suit any business; by night no morning."""
    neutral = [scene for scene in NEUTRAL if scene != "morning" or trade not in NIGHTLY]
    return tuple(dict.fromkeys((*found, *usual, *neutral)))


def _usual(genre: str, trade: str | None, sung: str, chance: random.Random) -> list[str]:
    """The genre's scenes in any order; by day the morning, last, in place of the lights."""
    usual = list(BY_GENRE[genre])
    chance.shuffle(usual)
    if "lights" not in usual or trade in NIGHTLY or named_by(sung, OF_NIGHT, find_words):
        return usual
    return [*(scene for scene in usual if scene != "lights"), "morning"]


def _house(brief: Brief) -> list[str]:
    """The house of the faith that the order names, if it names one."""
    text = f"{brief.name} {brief.detail}".casefold()
    return [house for house, words in HOUSES.items() if re.search(words, text)][:1]


def _spoken(sung: str) -> list[str]:
    """The scenes that belong to no trade and that the lines of a song name, those named first in front."""
    return [SPOKEN[place] for place in named_by(sung, SPOKEN, find_words)]


def _places(region: str) -> list[str]:
    """The scenes that a region brings to mind, the one named first in front."""
    text = region.casefold()
    found = {scene: match.start() for scene in NAMES if (match := re.search(_pattern(scene), text))}
    return sorted(found, key=lambda scene: found[scene])


def _pattern(scene: str) -> str:
    """What finds any word of a scene; an English one has to be all of a word: "bay" is not meant by "Bayern"."""
    names, kinds = (words[scene].replace(" ", "|") for words in (NAMES, KINDS))
    return rf"\b(?:{names}){SUFFIXES}\b|{kinds}|\b(?:{'|'.join(ENGLISH[scene])})\b"
