import pytest

from studio.lyricist.facts import get_mood
from studio.lyricist.stock import FOLDERS, get_stock
from studio.trades import find_trade, get_trades

FEWEST_HOOKS = 20


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
        ("햇살유치원", "kindergarten"),
        ("강아지 살롱", "pet"),
        ("추억사진관", "photo"),
        ("형제카센터", "car"),
        ("싱싱마트", "convenience"),
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
def test_a_name_tells_the_trade(name, trade):
    assert find_trade(name, "") == trade


@pytest.mark.parametrize(
    ("name", "detail", "trade"),
    [
        ("서울드림치과", "임플란트", "dental"),
        ("Dental clinic", "", "dental"),
        ("장안동 치과", "", "dental"),
        ("맑은 세차장", "", "carwash"),
        ("수학학원", "개별 지도", "academy"),
        ("오복떡집", "", "ricecake"),
        ("김밥천국", "", "snack"),
        ("원조 꽃게탕", "", "seafood"),
        ("바다", "살아 있는 물고기", "seafood"),
        ("봄날", "별미 국수", "soup"),
        ("봄날", "특별한 커피", "cafe"),
        ("봄날", "빵빵한 에어컨", None),
        ("빵빵", "", None),
        ("소금빵", "", "bakery"),
        ("봄날", "갓 구운 빵을 팝니다", "bakery"),
        ("봄날의 꽃", "", "flower"),
        ("불꽃", "", None),
        ("눈꽃", "", None),
        ("스마트", "", None),
        ("봄날", "편안과 쉼", None),
        ("헤어나올 수 없는", "", None),
        ("개별", "", None),
        ("별별", "", None),
        ("맑은 피부과", "", "clinic"),
        ("시루떡", "", "ricecake"),
        ("눈꽃빙수", "", "cafe"),
        ("물고기 수족관", "", "pet"),
        ("꼬마호떡", "", "snack"),
        ("만리장성", "중화요리", "restaurant"),
        ("머뭄", "애견 동반 카페", "cafe"),
        ("머뭄", "포토존이 있어요", None),
        ("Joe's", "the best hot dogs", None),
        ("Joe's", "free car park", None),
        ("Luna", "pet-friendly cafe", "cafe"),
        ("Luna", "Book online, fresh tacos", "restaurant"),
    ],
)
def test_a_word_inside_another_does_not_mislead(name, detail, trade):
    assert find_trade(name, detail) == trade


def test_the_name_says_more_than_the_detail():
    assert find_trade("스테이 머뭄", "초원사진관, 경암동 철길마을") == "stay"


def test_the_detail_tells_the_trade_where_the_name_does_not():
    assert find_trade("머뭄", "직접 내린 커피, 조용한 다락방") == "cafe"


@pytest.mark.parametrize("detail", ["초원사진관 맞은편", "next to the flower shop"])
def test_a_neighbour_does_not_tell_the_trade(detail):
    assert find_trade("머뭄", detail) is None


@pytest.mark.parametrize("language", FOLDERS)
def test_every_trade_has_twenty_hooks_with_those_of_its_group(language):
    stock = get_stock(language, calm=False)
    for trade in get_trades().values():
        hooks = {hook for lines in stock.read_own_lines(trade) for hook in lines["hooks"]}
        assert len(hooks) >= FEWEST_HOOKS, trade.name


def test_a_trade_gives_the_mood_that_suits_it():
    assert (get_mood("books"), get_mood("gym"), get_mood(None)) == ("tender", "lively", None)


@pytest.mark.parametrize(
    ("name", "detail", "trade"),
    [
        ("Solar Sam", "solar panels, tax credits", None),
        ("Sam", "tax-free shopping, tax refunds", None),
        ("Sam", "tax returns, tax refunds", "tax"),
        ("Tax Refund Pros", "", "tax"),
        ("Hair of the Dog", "craft beer", "bar"),
        ("The Hair of a Lifetime", "", "hair"),
        ("뷰티풀 데이 카페", "", "cafe"),
        ("뷰티풀데이카페", "", "cafe"),
        ("오늘 뷰티", "", "beauty"),
        ("Kitchen Fitters Ltd", "", "interior"),
        ("Kim's Kitchen", "", "restaurant"),
        ("무지개다리 반려동물 장례", "", "funeral"),
        ("무지개", "반려동물 장례", "funeral"),
        ("Rainbow Bridge Pet Cremation", "", "funeral"),
    ],
)
def test_an_idiom_or_an_aside_does_not_tell_the_trade(name, detail, trade):
    assert find_trade(name, detail) == trade


@pytest.mark.parametrize(
    ("name", "trade"),
    [
        ("Bear Paws Brewing", "bar"),
        ("Bear Paws Brewing Co.", "bar"),
        ("호텔조리 학원", "academy"),
        ("호텔조리학원", "academy"),
        ("세무사 시험 학원", "academy"),
        ("요양보호사 교육원", "academy"),
        ("요양보호사교육원 강남점", "academy"),
        ("피자 학원", "academy"),
        ("Barber Academy", "academy"),
        ("해장국 같은 책방", "books"),
        ("해장국 같은 책방 강남점", "books"),
        ("The Law of Attraction Yoga", "yoga"),
        ("Memorial Park Pizza", "chicken"),
        ("하루 발레 학원", "dance"),
        ("봄 피아노 학원", "music"),
        ("골프 아카데미", "golf"),
        ("Happy Dog School", "pet"),
        ("몽몽 애견카페", "pet"),
        ("몽몽 애견 카페", "pet"),
        ("하루 스터디 카페", "studycafe"),
        ("하루 스터디 카페 강남점", "studycafe"),
        ("비밀 방탈출 카페", "pcbang"),
        ("Luna Cat Cafe", "pet"),
        ("Luna Book Cafe", "books"),
        ("참 떡카페", "ricecake"),
        ("Elm Karaoke Bar", "karaoke"),
        ("Moon Sushi Bar", "seafood"),
        ("동네 서점", "books"),
    ],
)
def test_the_end_of_a_name_tells_more_than_what_stands_before_it(name, trade):
    assert find_trade(name, "") == trade


@pytest.mark.parametrize(
    ("name", "trade"),
    [
        ("미술학원 옆 카페", "cafe"),
        ("약국 앞 봄날", None),
        ("옆집 카페", "cafe"),
        ("꽃집 옆", "flower"),
        ("Coffee next to the Pharmacy", "cafe"),
        ("Luna, opposite the Church", None),
        ("Next to Nothing Books", "books"),
    ],
)
def test_a_neighbour_in_the_name_does_not_tell_the_trade(name, trade):
    assert find_trade(name, "") == trade
