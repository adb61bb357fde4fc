"""What to paint for a business: scenes that its trade, its region and its music bring to mind. Pure."""

import random
import re
from collections.abc import Sequence

from studio.trades import trade_of

MOST_SCENES = 4
# What a trade is filmed in, the more fitting one first.
BY_TRADE: dict[str, tuple[str, ...]] = {
    "pet": ("flowers", "hills"),
    "dental": ("skyline", "hills"),
    "pharmacy": ("shopfront", "skyline"),
    "clinic": ("hills", "forest"),
    "academy": ("skyline", "lights"),
    "photo": ("lights", "flowers"),
    "nail": ("flowers", "lights"),
    "beauty": ("flowers", "lights"),
    "hair": ("shopfront", "lights"),
    "yoga": ("forest", "hills"),
    "gym": ("stage", "skyline"),
    "flower": ("flowers", "shopfront"),
    "books": ("shopfront", "cup"),
    "stay": ("night", "hills"),
    "car": ("skyline", "lights"),
    "bar": ("lights", "market"),
    "snack": ("market", "shopfront"),
    "chicken": ("market", "lights"),
    "seafood": ("sea", "market"),
    "grill": ("market", "lights"),
    "soup": ("market", "shopfront"),
    "bakery": ("shopfront", "cup"),
    "cafe": ("cup", "shopfront"),
    "restaurant": ("shopfront", "market"),
    "market": ("market", "shopfront"),
}
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
# Scenes that suit any business.
BY_GENRE = {
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


def scenes_for(name: str, region: str, detail: str, genre: str, seed: str) -> tuple[str, ...]:
    """Three or four scenes, the same for the same words and seed: trade's and place's first, then genre's."""
    chance = random.Random(f"scenes {seed}")  # noqa: S311
    trade = trade_of(name, detail)
    own = (*BY_TRADE.get(trade or "", ()), *_places(region)[:2])
    usual = list(BY_GENRE[genre])
    chance.shuffle(usual)
    found = list(dict.fromkeys((*own, *usual)))
    first, *rest = found[: max(3, min(MOST_SCENES, len(set(own)) + 1))]
    chance.shuffle(rest)
    return (first, *rest)


def moves_of(scenes: Sequence[str]) -> tuple[str, ...]:
    """The camera's movements that suit these scenes."""
    return tuple(dict.fromkeys(MOVES[scene] for scene in scenes if scene in MOVES))


def _places(region: str) -> list[str]:
    """The scenes that a region brings to mind, the one named first in front."""
    text = region.casefold()
    found = {scene: match.start() for scene in NAMES if (match := re.search(_pattern(scene), text))}
    return sorted(found, key=lambda scene: found[scene])


def _pattern(scene: str) -> str:
    """What finds any word of a scene; an English one has to be all of a word: "bay" is not meant by "Bayern"."""
    names, kinds = (words[scene].replace(" ", "|") for words in (NAMES, KINDS))
    return rf"\b(?:{names}){SUFFIXES}\b|{kinds}|\b(?:{'|'.join(ENGLISH[scene])})\b"
