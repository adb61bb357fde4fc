"""What to paint for a business: scenes that its region, its trade and its music bring to mind. Pure."""

import random
import re
from collections.abc import Sequence

MOST_SCENES = 4
# Korean words are found wherever they stand, for particles follow them. English ones have to begin a word, and
# those of less than `LONG` letters have to be all of it: "bar" is not meant by "bargain".
LONG = 5
PLACES: dict[str, tuple[str, ...]] = {
    "sea": (
        "바다", "해변", "해수욕", "해안", "항구", "부산", "제주", "강릉", "속초", "여수", "통영", "포항",
        "목포", "거제", "남해", "동해", "울릉", "해운대", "광안리", "군산", "인천", "서핑", "횟집", "sea",
        "seaside", "beach",
        "ocean", "coast", "harbor", "harbour", "island", "busan", "jeju", "gangneung", "sokcho",
        "yeosu", "surf", "marina", "bay",
    ),
    "hanok": (
        "한옥", "전주", "경주", "북촌", "서촌", "인사동", "안동", "고궁", "전통", "한복", "한정식", "찻집",
        "수원", "공주", "hanok", "jeonju", "gyeongju", "bukchon", "insadong", "andong", "traditional", "palace",
        "temple",
    ),
    "forest": (
        "숲", "등산", "산장", "계곡", "설악", "지리산", "한라산", "북한산", "캠핑", "글램핑", "수목원",
        "휴양림", "평창", "가평", "양평", "무주", "forest", "mountain", "camp", "hike", "hiking", "woods",
        "trail", "cabin", "valley", "pyeongchang",
    ),
    "skyline": (
        "서울", "강남", "홍대", "성수", "이태원", "명동", "송도", "판교", "여의도", "잠실", "대구", "대전",
        "광주", "도심", "루프탑", "seoul", "gangnam", "hongdae", "city", "downtown", "rooftop", "urban",
        "tower", "new york", "london",
    ),
}  # fmt: skip
TRADES: dict[str, tuple[str, ...]] = {
    "cup": (
        "카페", "커피", "디저트", "브런치", "로스터", "찻집", "티룸", "cafe", "café", "coffee", "roaster",
        "espresso", "dessert", "brunch", "tea",
    ),
    "shopfront": (
        "카페", "커피", "베이커리", "빵", "제과", "디저트", "서점", "책방", "상점", "가게", "공방", "편집숍",
        "옷", "cafe", "café", "coffee", "baker", "bread", "bookstore", "bookshop", "shop", "store", "boutique",
        "deli",
    ),
    "flowers": (
        "꽃", "플라워", "정원", "식물", "화원", "화훼", "미용", "헤어", "네일", "뷰티", "피부", "웨딩", "농원",
        "농장", "flower", "florist", "garden", "plant", "bloom", "hair", "nail", "beauty", "salon", "spa",
        "wedding", "farm",
    ),
    "stage": (
        "헬스", "피트니스", "체육", "댄스", "필라테스", "요가", "공연", "클럽", "노래방", "음악", "태권도",
        "복싱", "크로스핏", "gym", "fitness", "dance", "pilates", "yoga", "concert", "club", "karaoke", "music",
        "boxing", "crossfit",
    ),
    "market": (
        "시장", "포차", "술집", "맥주", "호프", "와인", "이자카야", "치킨", "고기", "식당", "분식", "국밥",
        "갈비", "맛집", "주점", "바베큐", "market", "bar", "pub", "beer", "wine", "night", "food", "restaurant",
        "grill", "bbq", "bistro", "kitchen", "izakaya",
    ),
    "night": (
        "스테이", "펜션", "호텔", "게스트하우스", "민박", "숙소", "별", "글램핑", "stay", "hotel", "hostel",
        "guesthouse", "lodge", "star", "moon", "inn",
    ),
}  # fmt: skip
BY_GENRE = {
    "pop": ("skyline", "hills", "lights", "flowers"),
    "ballad": ("night", "hills", "lights", "sea"),
    "edm": ("lights", "skyline", "stage", "night"),
    "rock": ("stage", "skyline", "hills", "lights"),
    "ambient": ("forest", "hills", "night", "sea"),
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


def scenes_for(about: str, genre: str, seed: str) -> tuple[str, ...]:
    """Three or four scenes, the same for the same words and seed: trade's and place's first, then genre's."""
    chance = random.Random(f"scenes {seed}")  # noqa: S311
    trades, places = _named(about, TRADES), _named(about, PLACES)
    usual = list(BY_GENRE[genre])
    chance.shuffle(usual)
    found = list(dict.fromkeys((*trades[:2], *places[:2], *usual)))
    chosen = found[: max(3, min(MOST_SCENES, len(trades[:2]) + len(places[:2]) + 1))]
    first, rest = chosen[0], chosen[1:]
    chance.shuffle(rest)
    return (first, *rest)


def moves_of(scenes: Sequence[str]) -> tuple[str, ...]:
    """The camera's movements that suit these scenes."""
    return tuple(dict.fromkeys(MOVES[scene] for scene in scenes if scene in MOVES))


def _named(about: str, words: dict[str, tuple[str, ...]]) -> list[str]:
    """The scenes of which a word is in the text, the one named first in front."""
    text = about.casefold()
    found = {
        scene: place for scene, named in words.items() if (place := _first(text, named)) is not None
    }
    return sorted(found, key=lambda scene: found[scene])


def _first(text: str, words: Sequence[str]) -> int | None:
    places = [match.start() for word in words if (match := re.search(_pattern(word), text))]
    return min(places, default=None)


def _pattern(word: str) -> str:
    if not word.isascii():
        return re.escape(word)
    return rf"\b{re.escape(word)}" + ("" if len(word) >= LONG else r"(?:s|es|ing)?\b")
