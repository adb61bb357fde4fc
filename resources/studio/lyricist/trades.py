"""Which trade a business is in, by words in its name and in what it tells of itself. Pure."""

import re

from resources.studio.lyricist.stock import LIVELY, TENDER

# The more particular trades come first: of words that are equally long the first one decides.
WORDS = {
    "pet": (
        "애견 애묘 반려 펫샵 펫호텔 강아지 고양이 동물병원 댕댕이 "
        "pet pets dog dogs puppy cat cats paw paws vet veterinary groomer"
    ),
    "dental": ("치과 교정치과 임플란트 dental dentist dentistry orthodontics"),
    "pharmacy": ("약국 pharmacy drugstore chemist"),
    "clinic": (
        "병원 의원 한의원 클리닉 내과 정형외과 소아과 안과 이비인후과 한방 "
        "clinic hospital doctor physio physiotherapy chiropractic"
    ),
    "academy": (
        "학원 교습소 공부방 유치원 어린이집 태권도 피아노 과외 키즈 스터디카페 "
        "academy kindergarten preschool daycare tutoring kids taekwondo"
    ),
    "photo": ("사진관 포토 스냅 촬영 사진작가 photo photos photography portrait portraits"),
    "nail": ("네일 네일샵 nail nails manicure"),
    "beauty": (
        "피부 에스테틱 왁싱 뷰티 속눈썹 메이크업 마사지 "
        "beauty skin skincare lash lashes waxing spa massage makeup"
    ),
    "hair": (
        "미용실 헤어 헤어샵 이발 바버 미장원 커트 hair salon barber barbershop haircut haircuts"
    ),
    "yoga": ("요가 필라테스 명상 yoga pilates barre meditation"),
    "gym": (
        "헬스 피트니스 휘트니스 크로스핏 복싱 체육관 클라이밍 헬스장 "
        "gym fitness crossfit boxing climbing workout"
    ),
    "flower": ("꽃집 꽃 플라워 화원 플로리스트 식물 flower flowers florist blooms bouquet"),
    "books": (
        "서점 책방 북카페 북스 문고 문구 문방구 헌책 "
        "book books bookshop bookstore stationery stationer"
    ),
    "stay": (
        "스테이 펜션 게스트하우스 호텔 모텔 민박 숙소 리조트 캠핑 글램핑 여관 독채 "
        "stay hotel pension guesthouse hostel inn lodge motel resort cottage"
    ),
    "car": (
        "카센터 정비 공업사 세차 타이어 자동차 모터스 바이크 자전거 렌터카 "
        "car cars auto garage motors tire tires repair carwash bike bikes mechanic"
    ),
    "bar": (
        "포차 호프 lp바 재즈바 이자카야 주점 펍 맥주 와인 와인바 칵테일 위스키 술집 막걸리 "
        "bar pub brewery taproom wine cocktail cocktails beer whisky tavern"
    ),
    "snack": (
        "분식 떡볶이 김밥 튀김 라볶이 핫도그 토스트 만두 "
        "tteokbokki gimbap kimbap toast dumpling dumplings snacks"
    ),
    "chicken": ("치킨 통닭 닭강정 피자 버거 햄버거 chicken pizza pizzeria burger burgers fries"),
    "seafood": (
        "횟집 생선회 활어 회센터 수산 초밥 스시 조개 해물 해산물 대게 꽃게 장어 모듬회 물회 "
        "sushi seafood fish oyster oysters crab sashimi"
    ),
    "grill": (
        "고기 고깃집 갈비 삼겹살 숯불 한우 곱창 막창 정육식당 돼지 구이 족발 보쌈 "
        "bbq barbecue grill steak steakhouse ribs smokehouse"
    ),
    "soup": (
        "국밥 순대국 해장국 설렁탕 곰탕 순댓국 감자탕 삼계탕 칼국수 국수 냉면 라멘 짬뽕 추어탕 찌개 "
        "면옥 "
        "soup ramen noodle noodles pho broth udon"
    ),
    "bakery": (
        "빵집 빵 베이커리 제과 제과점 케이크 디저트 마카롱 쿠키 도넛 베이글 떡집 "
        "bakery bakehouse bread sourdough cake cakes pastry patisserie donut donuts bagel "
        "bagels cookies"
    ),
    "cafe": (
        "카페 커피 로스터스 로스터리 다방 찻집 에스프레소 라떼 "
        "cafe café coffee roaster roasters roastery espresso tea teahouse latte"
    ),
    "restaurant": (
        "식당 밥집 한식 한정식 레스토랑 파스타 비스트로 키친 가정식 백반 돈까스 스테이크 "
        "중국집 뷔페 덮밥 비빔밥 쌈밥 "
        "restaurant bistro kitchen diner pasta trattoria eatery taqueria tacos curry brunch "
        "food"
    ),
    "market": (
        "마트 시장 슈퍼 상회 상점 편의점 소품샵 편집샵 옷가게 과일 정육점 반찬 방앗간 잡화 "
        "공방 가게 "
        "market shop store grocery grocer boutique goods gifts deli"
    ),
}
LATIN = re.compile(r"[a-zé]+")
# Words that many trades use; they decide where no other does.
BROAD = frozenset(("restaurant", "market"))
# What suits a trade where the music leaves it open.
QUIET = frozenset(
    (
        "books",
        "clinic",
        "dental",
        "pharmacy",
        "flower",
        "stay",
        "yoga",
        "beauty",
        "cafe",
        "soup",
        "photo",
    )
)
LOUD = frozenset(("gym", "chicken", "grill", "bar", "snack", "seafood", "car", "academy", "pet"))
NEARBY = re.compile(
    r"[^,.;\n]*(?:근처|옆|앞|맞은편|인근|near |next to|opposite|across from)[^,.;\n]*", re.I
)


def mood_of(trade: str | None) -> str | None:
    """The mood that suits a trade: quiet trades are sung of tenderly, some others are lively by nature."""
    return TENDER if trade in QUIET else LIVELY if trade in LOUD else None


def trade_of(name: str, detail: str) -> str | None:
    """The trade that the name tells, or else the detail; None where neither does.

    What the detail says to be nearby tells nothing of the business itself.
    """
    return _told_by(name) or _told_by(NEARBY.sub(" ", detail))


def _told_by(text: str) -> str | None:
    """The trade of the longest word found that is no part of another; two letters say as much as one of Hangul."""
    lowered = text.lower()
    latin = set(LATIN.findall(lowered))
    found = {
        word: trade
        for trade, words in WORDS.items()
        for word in words.split()
        if (word in latin if LATIN.fullmatch(word) else word in lowered)
    }
    whole = [word for word in found if not any(word in other for other in found if other != word)]
    ranked = [
        (
            found[word] not in BROAD,
            len(word) / 2 if LATIN.fullmatch(word) else len(word),
            found[word],
        )
        for word in whole
    ]
    return max(ranked, key=lambda item: item[:2])[2] if ranked else None
