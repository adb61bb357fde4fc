"""Which trade a business is in, by words in its name and in what it tells of itself. Pure."""

import re
from collections.abc import Set

# The more particular trades come first: of words that are equally long the first one decides.
WORDS = {
    "pet": (
        "애견 애묘 반려 펫샵 펫호텔 강아지 고양이 동물병원 수족관 댕댕이 "
        "pet pets dog dogs puppy cat cats paw paws vet veterinary groomer"
    ),
    "dental": ("치과 교정치과 임플란트 dental dentist dentistry orthodontics"),
    "pharmacy": ("약국 pharmacy drugstore chemist"),
    "clinic": (
        "병원 의원 한의원 클리닉 피부과 성형외과 산부인과 내과 정형외과 소아과 안과 이비인후과 한방 "
        "clinic hospital doctor physio physiotherapy chiropractic"
    ),
    "academy": (
        "학원 교습소 공부방 교실 유치원 어린이집 태권도 피아노 과외 키즈 스터디카페 "
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
    "flower": (
        "꽃집 꽃다발 꽃바구니 꽃배달 꽃가게 꽃 플라워 화원 플로리스트 식물 flower flowers florist blooms bouquet"
    ),
    "books": (
        "서점 책방 북카페 북스 문고 문구 문방구 헌책 "
        "book books bookshop bookstore stationery stationer"
    ),
    "stay": (
        "스테이 펜션 게스트하우스 호텔 모텔 민박 숙소 리조트 캠핑 글램핑 여관 독채 산장 "
        "stay hotel pension guesthouse hostel inn lodge motel resort cottage"
    ),
    "car": (
        "카센터 정비 공업사 세차 세차장 타이어 자동차 모터스 바이크 자전거 렌터카 "
        "car cars auto garage motors tire tires repair carwash bike bikes mechanic"
    ),
    "bar": (
        "포차 호프 lp바 재즈바 이자카야 주점 펍 맥주 와인 와인바 칵테일 위스키 술집 막걸리 "
        "bar pub brewery taproom wine cocktail cocktails beer whisky tavern"
    ),
    "snack": (
        "분식 호떡 떡볶이 김밥 튀김 라볶이 핫도그 토스트 만두 "
        "tteokbokki gimbap kimbap toast dumpling dumplings snacks"
    ),
    "chicken": ("치킨 통닭 닭강정 피자 버거 햄버거 chicken pizza pizzeria burger burgers fries"),
    "seafood": (
        "횟집 물고기 꽃게탕 게장 생선회 활어 회센터 수산 초밥 스시 조개 해물 해산물 대게 꽃게 장어 모듬회 물회 "
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
        "빵집 빵가게 빵공장 빵굽 빵 베이커리 제과 제과점 케이크 디저트 마카롱 쿠키 도넛 베이글 떡집 떡방 떡 "
        "bakery bakehouse bread sourdough cake cakes pastry patisserie donut donuts bagel "
        "bagels cookies"
    ),
    "cafe": (
        "카페 커피 로스터스 로스터리 다방 찻집 에스프레소 라떼 빙수 아이스크림 "
        "cafe café coffee roaster roasters roastery espresso tea teahouse latte"
    ),
    "restaurant": (
        "식당 밥집 한식 한정식 레스토랑 파스타 비스트로 키친 가정식 백반 돈까스 돈가스 스테이크 "
        "중국집 중화요리 뷔페 덮밥 비빔밥 쌈밥 "
        "restaurant bistro kitchen diner pasta trattoria eatery taqueria tacos curry brunch "
        "food"
    ),
    "market": (
        "마트 시장 슈퍼 상회 상점 편의점 소품샵 편집샵 옷가게 과일 정육점 반찬 방앗간 잡화 "
        "공방 가게 "
        "market shop store grocery grocer boutique goods gifts deli"
    ),
}
# The trades that are alike enough to sing of the same things.
GROUPED = {
    "drink": "cafe bar",
    "baked": "bakery ricecake",
    "table": "restaurant soup grill seafood chicken snack banchan",
    "shop": ("market butcher fruit convenience clothes jewelry phone books flower farm optician"),
    "looks": "hair nail beauty photo wedding",
    "body": "gym yoga dance martial swim golf bathhouse",
    "learn": "academy music art kindergarten studycafe",
    "health": "clinic dental pharmacy obgyn nursing",
    "home": "moving cleaning plumbing repair interior laundry realty",
    "road": "car carwash stay",
    "play": "pcbang karaoke pet",
    "desk": "law tax insurance",
    "solace": "funeral counseling faith",
}
GROUPS = {trade: group for group, trades in GROUPED.items() for trade in trades.split()}
TRADE_OF = {word: trade for trade, words in WORDS.items() for word in words.split()}
LATIN = re.compile(r"[a-zé]+")
# Words that many trades use; they decide where no other does.
BROAD = frozenset(("restaurant", "market"))
# Words in which another one stands that they do not mean.
MISLEADING = (
    "빵빵", "불꽃", "눈꽃", "벚꽃", "편안과", "불안과", "제안과", "해안과", "헤어나", "헤어지", "스마트", "포토존",
    "키즈존", "반려견 동반", "반려동물 동반", "애견 동반", "애견동반", "pet friendly", "pet-friendly",
    "dog friendly", "dog-friendly", "hot dog", "hot dogs", "car park", "photo spot",
    "book now", "book online", "book a ",
)  # fmt: skip
# What may follow a word of one syllable, which would otherwise be found inside of many that mean other things.
PARTICLE = "(?:[은는이가을를과와도의만]|으로)?(?![가-힣])"
NEARBY = re.compile(
    r"[^,.;\n]*(?:근처|옆|앞|맞은편|인근|near |next to|opposite|across from)[^,.;\n]*", re.I
)


def trade_of(name: str, detail: str) -> str | None:
    """The trade that the name tells, or else the detail; None where neither does.

    What the detail says to be nearby tells nothing of the business itself.
    """
    return _told_by(name) or _told_by(NEARBY.sub(" ", detail))


def _told_by(text: str) -> str | None:
    """The trade of the longest word found that is no part of another; two letters say as much as one of Hangul."""
    lowered = text.lower()
    latin = set(LATIN.findall(lowered))
    found = {word: trade for word, trade in TRADE_OF.items() if _is_in(word, lowered, latin)}
    others = [*found, *(word for word in MISLEADING if word in lowered)]
    whole = [word for word in found if not any(word in other for other in others if other != word)]
    ranked = [
        (
            found[word] not in BROAD,
            len(word) / 2 if LATIN.fullmatch(word) else len(word),
            found[word],
        )
        for word in whole
    ]
    return max(ranked, key=lambda item: item[:2])[2] if ranked else None


def _is_in(word: str, text: str, latin: Set[str]) -> bool:
    if LATIN.fullmatch(word):
        return word in latin
    return word in text if len(word) > 1 else bool(re.search(word + PARTICLE, text))
