import pytest

from resources.studio.lyricist.english import ENGLISH
from resources.studio.lyricist.korean import KOREAN
from resources.studio.lyricist.trades import WORDS, mood_of, trade_of


@pytest.mark.parametrize(
    ("name", "trade"),
    [
        ("봄날 베이커리", "bakery"),
        ("카페 24시", "cafe"),
        ("할매순대국밥", "soup"),
        ("만석꾼 숯불갈비", "grill"),
        ("둘둘치킨", "chicken"),
        ("엄마손 분식", "snack"),
        ("통통회센터", "seafood"),
        ("달밤 포차", "bar"),
        ("단골헤어", "hair"),
        ("손톱달 네일샵", "nail"),
        ("고운피부 에스테틱", "beauty"),
        ("숨 필라테스", "yoga"),
        ("튼튼 헬스장", "gym"),
        ("꽃피는 날 꽃집", "flower"),
        ("스테이 머뭄", "stay"),
        ("달빛서점", "books"),
        ("바른 한의원", "clinic"),
        ("튼튼치과의원", "dental"),
        ("우리동네약국", "pharmacy"),
        ("햇살유치원", "academy"),
        ("강아지 살롱", "pet"),
        ("추억사진관", "photo"),
        ("형제카센터", "car"),
        ("싱싱마트", "market"),
        ("어머니 식당", "restaurant"),
        ("애견카페 몽몽", "pet"),
        ("북카페 서랍", "books"),
        ("우리 고기식당", "grill"),
        ("바다 스테이크", "restaurant"),
        ("Blue Door Bakery", "bakery"),
        ("Iron House Gym", "gym"),
        ("Kim's Barber", "hair"),
        ("Harbor Inn", "stay"),
        ("Rosewater Flower Shop", "flower"),
        ("Corner Shop", "market"),
        ("Joe's Garage", "car"),
        ("CAFÉ LUNA", "cafe"),
        ("Casa Verde", None),
        ("봄", None),
        ("", None),
        ("Barcelona", None),
        ("그냥", None),
        ("산책", None),
    ],
)
def test_a_name_tells_the_trade(name: str, trade: str | None) -> None:
    assert trade_of(name, "") == trade


def test_the_name_says_more_than_the_detail() -> None:
    assert trade_of("스테이 머뭄", "초원사진관, 경암동 철길마을") == "stay"


def test_the_detail_tells_the_trade_where_the_name_does_not() -> None:
    assert trade_of("머뭄", "직접 내린 커피, 조용한 다락방") == "cafe"


@pytest.mark.parametrize("detail", ["초원사진관 맞은편", "next to the flower shop"])
def test_a_neighbour_does_not_tell_the_trade(detail: str) -> None:
    assert trade_of("머뭄", detail) is None


@pytest.mark.parametrize("stock", [KOREAN, ENGLISH], ids=["Korean", "English"])
def test_every_trade_has_lines(stock) -> None:
    assert set(stock.trades) == set(WORDS)


def test_a_trade_gives_the_mood_that_suits_it() -> None:
    assert (mood_of("books"), mood_of("gym"), mood_of(None)) == ("tender", "lively", None)
