import pytest

from studio.trades import find_trade, get_trades

NAMES = {
    "pet": "강아지 살롱|몽실 애견미용|우리동물병원|냥이네 고양이호텔|"
    "Happy Paws|Oak Vet Hospital|Bella's Dog Grooming|Doggy Daycare",
    "dental": "서울드림치과|튼튼치과의원|바른이 교정치과|하얀미소치과|"
    "Smile Dental|Dr. Park Dentistry|Elm Dental Clinic|Lake Orthodontics",
    "pharmacy": "우리동네약국|온누리약국|새봄약국|초록약국|"
    "Corner Pharmacy|Elm Drugstore|Kim Pharmacy|Old Town Apothecary",
    "clinic": "바른 정형외과|맑은 피부과의원|김소아과|다봄 한의원|"
    "Elm Clinic|Harbor Physiotherapy|Spring Chiropractic|City Hospital",
    "academy": "수학의 힘 학원|별빛 영어학원|으뜸 공부방|코딩놀이 교습소|"
    "Bright Tutoring|Summit Academy|Kim's Learning Center|Maple Driving School",
    "photo": "추억사진관|하루 스냅|봄빛 포토|웨딩스냅 온|"
    "Luna Photography|Kim Photo|Rose Wedding Photography|Oak Portraits",
    "nail": "손톱달 네일샵|네일 하루|반짝네일|오늘네일아트|"
    "Luna Nails|Rosy Nail Salon|Tip Top Nail Bar|Gloss Manicure",
    "beauty": "고운피부 에스테틱|결 왁싱|속눈썹 모아|힐링 마사지|"
    "Glow Skin Studio|Lash Room|Pure Waxing|Dewy Facials",
    "hair": "단골헤어|미소 미용실|옛날 이발소|바버샵 정|Kim's Barber|Lily Hair|Old Town Barbershop|The Salon",
    "yoga": "숨 필라테스|마음요가|고요 명상원|봄 요가원|Still Yoga|Core Pilates|Barre House|Lake Meditation",
    "gym": "튼튼 헬스장|크로스핏 강남|바디 피트니스|챔피언 복싱|"
    "Iron House Gym|Bay Fitness|Granite Climbing|Lee Boxing",
    "flower": "꽃피는 날 꽃집|봄날의 꽃|로즈 플라워|들꽃 화원|"
    "Rosewater Flower Shop|Blooms & Co|Wild Florist|Maple Garden Center",
    "books": "달빛서점|골목책방|북카페 서랍|중앙문구|"
    "The Crooked Page Books|Corner Bookshop|Elm Bookstore|Ink Stationery",
    "stay": "스테이 머뭄|별빛 펜션|바다 게스트하우스|해오름 호텔|"
    "Harbor Inn|Pine Lodge|Moon Guesthouse|Cedar Cottage",
    "car": "형제카센터|한빛 공업사|달려 오토바이|믿음 자동차정비|"
    "Joe's Garage|Kim Auto Repair|Bay Tires|Lee Car Repair",
    "bike": "달려 자전거|온 바이크샵|강변 전기자전거|미니벨로 하루|"
    "Hilltop Bike Repair|Elm Bicycles|Bay Cycles|Old Mill Bike Shop",
    "bar": "달밤 포차|와인바 밤|골목 호프|이자카야 등|The Old Pub|Moon Cocktail Bar|Harbor Brewery|Pine Tavern",
    "snack": "엄마손 분식|꼬마김밥|시장 떡볶이|손만두 집|"
    "Seoul Gimbap|Lucky Dumplings|Mama Tteokbokki|Corner Toast",
    "chicken": "둘둘치킨|옛날통닭|화덕 피자|버거 하우스|"
    "Bay Pizza|Golden Fried Chicken|Joe's Burgers|Luna Pizzeria",
    "seafood": "통통회센터|싱싱 횟집|스시 온|풍천장어|Moon Oyster House|Bay Sushi|Captain Seafood|Lee Crab",
    "grill": "만석꾼 숯불갈비|우리 고기식당|왕삼겹살|참 곱창|"
    "Smoky Grill|Texas BBQ|Stone Steakhouse|Lee Korean Barbecue",
    "soup": "할매순대국밥|진한 설렁탕|바지락 칼국수|평양면옥|Pho Saigon|Ramen Ichi|Hearty Soup|Udon House",
    "bakery": "봄날 베이커리|오늘의 빵|달콤 케이크|동네 제과점|"
    "Blue Door Bakery|Rise Sourdough|Luna Cakes|Bagel Corner",
    "cafe": "카페 24시|모퉁이 커피|달 찻집|온 로스터스|CAFÉ LUNA|Corner Coffee|Harbor Roasters|Jade Teahouse",
    "restaurant": "어머니 식당|봄 한정식|오늘 파스타|만리 중화요리|"
    "Luna Bistro|Corner Diner|Casa Trattoria|Kim's Kitchen",
    "market": "중앙시장|형제상회|소품샵 모아|행복잡화|Corner Shop|General Store|Harbor Market|Lovely Gifts",
    "law": "법률사무소 정도|김바른 변호사|법무법인 다온|새길 법무사사무소|"
    "Park Law|Lee & Kim Attorneys|Elm Legal|Harbor Law Office",
    "tax": "바른세무사|한결 세무회계|정직 세무법인|김 회계사 사무소|"
    "Park Tax|Elm Accounting|Lee CPA|Honest Bookkeeping",
    "realty": "행복 공인중개사|한강 부동산|으뜸공인중개사사무소|새집 부동산중개|"
    "Park Realty|Elm Real Estate|Kim Realtors|Corner Lettings",
    "moving": "번개이사|착한 이삿짐센터|포장이사 으뜸|원룸이사 하루|"
    "Two Guys Moving|Swift Movers|Gentle Removals|Bay Relocation",
    "cleaning": "반짝 청소|새집 입주청소|맑은 홈클리닝|에어컨청소 바람|"
    "Sparkle Cleaning|Merry Maids|Bay House Cleaning|Elm Housekeeping",
    "plumbing": "한빛 설비|누수박사|시원 하수구|대성 배관|Kim Plumbing|Joe the Plumber|Bay Drains|Swift Sewer",
    "repair": "우리동네 집수리|중앙철물|번개열쇠|아이폰수리 고침|"
    "Kim's Phone Repair|Bay Handyman|Elm Locksmith|Corner Hardware",
    "interior": "온 인테리어|새벽 도배|나무결 가구|하루 리모델링|"
    "Park Interiors|Elm Furniture|Bay Flooring|Lee Renovations",
    "dance": "리듬 댄스스튜디오|봄 발레|우리춤 무용학원|줌바 플로우|"
    "Move Dance|Swan Ballet|Elm Dance Academy|Tango House",
    "music": "도레미 피아노|소리결 보컬학원|한울 실용음악학원|통기타 교실|"
    "Park Piano|Elm Music School|Bay Guitar|Lark Vocal Studio",
    "martial": "한빛 태권도|용인 합기도|청룡 유도관|강남 주짓수|Lee Taekwondo|Bay Judo|Elm Karate|Stone Jiu-Jitsu",
    "art": "그림숲 미술학원|흙 도예공방|손 뜨개방|별 화실|Elm Art Studio|Clay Pottery|Bay Ceramics|Atelier Kim",
    "kindergarten": "햇살유치원|숲속 어린이집|콩콩 키즈카페|방방 놀이학교|"
    "Sunny Kindergarten|Elm Preschool|Little Stars Daycare|Oak Montessori",
    "wedding": "로즈 웨딩홀|한빛예식장|순백 웨딩드레스|다온 돌잔치|"
    "Rose Weddings|Elm Bridal|White Wedding Hall|Bay Wedding Planner",
    "farm": "햇살농장|바람 농원|김씨네 과수원|언덕 목장|Sunny Farm|Elm Orchard|Hill Ranch|Bay Berry Picking",
    "carwash": "반짝 세차장|광택의 달인|셀프세차장 물결|번개 손세차|"
    "Sparkle Car Wash|Bay Carwash|Elm Detailing|Lee Auto Detailing",
    "studycafe": "집중 스터디카페|푸른 독서실|열공 스터디룸|하루 스터디 카페|"
    "Focus Study Cafe|Elm Study Room|Quiet Reading Room|Owl Study Hall",
    "pcbang": "번개 PC방|레벨업 피시방|보드게임카페 판|추억 오락실|"
    "Level Up PC Bang|Bay Gaming|Elm Esports|Board Game Cafe Roll",
    "karaoke": "별밤 노래방|코인노래방 락|싱싱 노래연습장|소리 노래방|"
    "Star Karaoke|Bay Noraebang|Elm Karaoke Bar|Echo Singing Rooms",
    "laundry": "하얀 세탁소|코인빨래방 물결|옷수선 바늘|운동화세탁 반짝|"
    "Bubble Laundry|Bay Laundromat|Park Dry Cleaners|Kim's Cleaners",
    "optician": "밝은 안경|으뜸안경원|눈빛 안경점|하나로 안경|"
    "Clear Opticians|Elm Eyewear|Bay Optical|Park Optometrist",
    "bathhouse": "황토 찜질방|맑은 사우나|동네 목욕탕|참숯불가마|"
    "Bay Sauna|Elm Bathhouse|Pine Hot Springs|Seoul Jjimjilbang",
    "golf": "굿샷 스크린골프|푸른 골프연습장|나이스 골프|하늘골프아카데미|"
    "Bay Golf|Elm Driving Range|Pine Golf Academy|Screen Golf One",
    "swim": "물개 수영교실|푸른 수영장|한빛 스포츠센터|아이 생존수영|"
    "Blue Swim School|Bay Swimming|Elm Aquatics|City Sports Center",
    "clothes": "옷가게 봄|골목 편집샵|단아 한복|맵시 맞춤정장|Luna Boutique|Elm Clothing|Bay Tailors|Seoul Hanbok",
    "jewelry": "황금 금은방|별 주얼리|한빛 귀금속|서울 시계|Luna Jewelry|Elm Jewelers|Bay Diamonds|Kim's Watches",
    "phone": "번개 휴대폰|하나 핸드폰|알뜰폰 마트|푸른통신|"
    "Bay Phones|Elm Mobile|Smart Phone Shop|Park Cell Phones",
    "ricecake": "오복떡집|고운 떡카페|참 방앗간|달 인절미|"
    "Seoul Rice Cakes|Moon Tteok|Elm Rice Cake|Jade Ricecakes",
    "banchan": "엄마손 반찬|오늘 반찬가게|정성 도시락|한끼 수제반찬|"
    "Mama Banchan|Elm Lunchbox|Bay Bento|Seoul Side Dishes",
    "butcher": "한우 정육점|으뜸정육|푸른 축산|착한 정육코너|"
    "Elm Butcher|Bay Butchers|Park Meat Market|Old Butchery",
    "fruit": "싱싱 과일가게|햇살청과|과일 한가득|새벽 과일|"
    "Elm Fruit|Bay Greengrocer|Sunny Fruits|Corner Fruit Stand",
    "convenience": "행복편의점|우리슈퍼|싱싱마트|으뜸 식자재마트|"
    "Elm Supermarket|Bay Mini Mart|Corner Grocery|Kim's Convenience",
    "insurance": "한결 보험|안심보험대리점|미래 재무설계|든든 보험설계사|"
    "Elm Insurance|Park Financial Planning|Bay Insurance Agency|Lee Insurance",
    "funeral": "하늘 장례식장|새벽 추모공원|평안상조|고운 봉안당|"
    "Hill Funeral Home|Elm Cemetery|Bay Crematorium|Park Undertakers",
    "counseling": "마음 심리상담|쉼 정신건강의학과|봄 상담센터|온 부부상담소|"
    "Elm Counseling|Bay Therapist|Park Psychiatry|Quiet Mental Health",
    "nursing": "효심 요양원|푸른 요양병원|은빛 주간보호|한결 재가복지|"
    "Elm Nursing Home|Bay Senior Care|Oak Assisted Living|Park Home Care",
    "faith": "새벽교회|명동성당|산들 사찰|은혜교회|Elm Church|St. Mary Cathedral|Hill Chapel|Jade Buddhist Temple",
    "obgyn": "미즈 산부인과|새봄 산후조리원|행복 여성의원|아이봄 난임센터|"
    "Elm Maternity|Bay Obstetrics|Spring Postpartum|Park Fertility",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "trade"), [(name, trade) for trade in NAMES for name in NAMES[trade].split("|")]
)
def test_the_usual_names_of_a_trade_tell_it(name, trade):
    assert find_trade(name, "") == trade


def test_every_trade_has_four_usual_names_in_both_languages():
    names = [NAMES[trade].split("|") for trade in get_trades()]
    assert all(
        sum(name.isascii() or "É" in name for name in own) >= 4
        and sum(not name.isascii() for name in own) >= 4
        for own in names
    )


@pytest.mark.parametrize(
    ("name", "detail", "trade"),
    [
        ("Joe the Plumber", "fast repair, honest prices", "plumbing"),
        ("Joe's", "plumber, boiler repair", "plumbing"),
        ("Joe's", "auto and tire repair", "car"),
        ("Joe's", "screen repair, battery swap", "repair"),
        ("대성", "누수 탐지, 배관 수리", "plumbing"),
        ("정도", "변호사 세 명, 상속 상담", "law"),
        ("봄날", "감성 인테리어, 커피", "cafe"),
        ("튼튼", "임플란트, 실비 보험 청구", "dental"),
        ("독수리", "", None),
        ("이사벨", "", None),
        ("친절한 하루", "", None),
        ("하늘", "수영구 맛집, 물회", "seafood"),
        ("봄날", "교회 앞, 생과일 빙수", "cafe"),
        ("Church Street Coffee", "", "cafe"),
        ("Temple Bar", "", "bar"),
        ("Luna", "live music, wine", "bar"),
        ("Luna", "latte art, quiet corner", "cafe"),
        ("웨딩 부케 꽃집", "", "flower"),
        ("리듬", "방송댄스, 왕초보 환영", "dance"),
        ("무지개", "반려동물 장례식장", "funeral"),
        ("Joe's", "bicycle repair, tubes while you wait", "bike"),
        ("한강", "자전거 수리, 펑크", "bike"),
        ("Kim Motorbikes", "", "car"),
        ("번개 오토바이", "", "car"),
        ("할리 바이크", "", "car"),
        ("Spin Cycle Laundry", "", "laundry"),
        ("Elm", "bike racks, coffee", "cafe"),
        ("머뭄", "자전거 보관소, 커피", "cafe"),
    ],
)
def test_a_word_of_several_trades_does_not_mislead(name, detail, trade):
    assert find_trade(name, detail) == trade
