"""Orders as the shops of a high street give them, to measure how much their songs differ."""

import random
from collections.abc import Iterator
from itertools import product

from studio.lyricist.lyric import Facts

FIRST = {
    "Korean": (
        "봄날 하늘 푸른 새벽 달빛 온 다온 한빛 누리 으뜸 바른 별 고운 참 모퉁이 느티나무 은하 소담 단골 해오름"
    ),
    "English": (
        "Luna Elm Harbor Maple Corner Kim's Bay Rose Oak Bright Park River Sunny Hill Pine Little Joe's Stone "
        "Old Blue"
    ),
}
REGIONS = {
    "Korean": (
        "전주 한옥마을|부산 광안리|서울 성수동|대전 유성|강릉|수원 행궁동|제주 애월|군산|광주 동명동|"
        "대구 수성못|속초|인천 송도"
    ),
    "English": (
        "Portland|Queens|Bath|Austin|Busan Gwangalli|Edinburgh|Cornwall|Seattle|Jeju|Brooklyn|Savannah|"
        "Leeds"
    ),
}
GENRES = ("pop", "ballad", "edm", "rock", "ambient")
# For each trade what its houses are called, and what they tell of themselves.
KOREAN = {
    "pet": ("애견미용 동물병원 강아지호텔", "가위컷, 유치원, 노령견 돌봄, 스파, 산책 대행, 넓은 놀이터"),
    "dental": ("치과 치과의원", "임플란트, 교정, 야간진료, 무통마취, 사랑니, 스케일링, 넓은 주차장"),
    "pharmacy": ("약국", "처방 조제, 영양제 상담, 한약, 주말 영업, 건강기능식품"),
    "clinic": ("한의원 정형외과 내과의원", "도수치료, 물리치료, 추나, 건강검진, 예방접종, 허리 통증, 야간진료"),
    "academy": ("수학학원 영어학원 공부방", "소수정예, 내신 대비, 일대일 첨삭, 초등 논술, 오답 관리, 자습실"),
    "photo": ("사진관 포토", "증명사진, 가족사진, 흑백 인물, 돌사진, 보정, 셀프 촬영"),
    "nail": ("네일샵 네일", "젤네일, 발 관리, 이달의 아트, 웨딩네일, 영양 케어"),
    "beauty": ("에스테틱 왁싱", "수분 관리, 등 관리, 속눈썹 펌, 눈썹 왁싱, 두피 케어"),
    "hair": ("헤어 미용실", "커트, 볼륨펌, 염색, 두피 스케일링, 꼼꼼한 상담, 예약제"),
    "yoga": ("요가 필라테스", "새벽 수련, 소그룹 수업, 임산부 요가, 기구 필라테스, 호흡 명상"),
    "gym": ("헬스장 피트니스", "일대일 피티, 인바디, 스피닝, 새벽 운동, 샤워실, 넓은 프리웨이트존"),
    "flower": ("꽃집 플라워", "제철 꽃다발, 드라이플라워, 화분 배달, 꽃바구니, 원데이 수업"),
    "books": ("책방 서점", "늦은 밤 낭독회, 독립출판, 그림책, 헌책, 창가 자리, 글쓰기 모임"),
    "stay": ("스테이 펜션", "바다가 보이는 창, 자쿠지, 바비큐, 조식, 작은 마당, 별 보는 옥상"),
    "car": ("카센터 공업사", "엔진오일, 타이어 교체, 정직한 견적, 브레이크 점검, 긴급 출동"),
    "bike": ("자전거 바이크샵", "펑크 수리, 체인 교체, 전기자전거, 휠 정렬, 안장 피팅, 헬멧, 시승"),
    "bar": ("포차 호프 와인바", "하우스 와인, 수제 맥주, 먹태, 오뎅탕, 창가 자리, 엘피 음악"),
    "snack": ("분식 김밥", "떡볶이, 모둠튀김, 꼬마김밥, 순대, 라볶이, 어묵 국물"),
    "chicken": ("치킨 통닭", "마늘치킨, 반반치킨, 바삭한 튀김옷, 생맥주, 치킨무, 포장"),
    "seafood": ("횟집 수산", "자연산 광어, 매운탕, 물회, 멍게, 바다가 보이는 창가, 모둠회"),
    "grill": ("숯불갈비 고깃집", "한우 등심, 돼지갈비, 냉면, 된장찌개, 참숯, 넓은 룸"),
    "soup": ("국밥 칼국수", "진한 국물, 수육, 겉절이, 깍두기, 35년 전통, 손칼국수"),
    "bakery": ("베이커리 빵집", "소금빵, 쌀빵, 천연발효종, 무화과 식빵, 매일 굽는 빵, 크루아상"),
    "cafe": ("카페 커피", "흑임자 라떼, 직접 볶은 원두, 수제 청, 당근케이크, 조용한 다락방, 테라스"),
    "restaurant": ("식당 한정식", "간장게장, 제철 나물, 돌솥밥, 가정식 백반, 묵은지찜, 룸 완비"),
    "market": ("상회 소품샵", "수공예 소품, 엽서, 그릇, 제철 나물, 참기름, 선물 포장"),
    "law": ("법률사무소 변호사사무소", "이혼, 상속, 부동산 계약, 형사, 무료 상담, 변호사 3명"),
    "tax": ("세무사 세무회계", "종합소득세, 부가세 신고, 법인 설립, 상속세, 절세 상담"),
    "realty": ("부동산 공인중개사", "전세, 원룸, 상가 임대, 아파트 매매, 토지, 계약 상담"),
    "moving": ("이삿짐센터 포장이사", "포장이사, 원룸이사, 보관이사, 사다리차, 트럭 5대, 사무실 이전"),
    "cleaning": ("청소 입주청소", "입주청소, 에어컨 분해 세척, 새집증후군, 정기 청소, 화장실 줄눈"),
    "plumbing": ("설비 배관", "누수 탐지, 하수구 막힘, 보일러 교체, 수전 교체, 24시간 출동"),
    "repair": ("철물 열쇠 집수리", "방충망, 도어락 설치, 액정 교체, 문짝 수리, 전등 교체"),
    "interior": ("인테리어 가구", "도배, 원목 가구, 주방 리모델링, 욕실 공사, 맞춤 책장, 무료 견적"),
    "dance": ("댄스스튜디오 발레", "방송댄스, 성인 발레, 왕초보반, 키즈 힙합, 넓은 거울 연습실"),
    "music": ("피아노학원 실용음악학원", "바이엘, 성인 취미반, 보컬 레슨, 연주회, 개인 연습실"),
    "martial": ("태권도 합기도", "품새, 호신술, 겨루기, 줄넘기, 여름 캠프, 차량 운행"),
    "art": ("미술학원 도예공방", "수채화, 물레 체험, 성인 취미반, 입시 미술, 그림책 만들기"),
    "kindergarten": ("유치원 어린이집 키즈카페", "숲 놀이, 텃밭, 유기농 급식, 볼풀장, 책 읽는 방"),
    "wedding": ("웨딩홀 예식장", "야외 예식, 생화 장식, 스몰웨딩, 뷔페, 넓은 주차장, 신부 대기실"),
    "farm": ("농장 과수원", "딸기 체험, 당일 수확, 사과, 모종, 토끼 먹이 주기, 꿀"),
    "carwash": ("세차장 손세차", "손세차, 광택, 유리막코팅, 실내 클리닝, 넓은 세차 베이"),
    "studycafe": ("스터디카페 독서실", "칸막이석, 24시간, 무료 커피, 스터디룸, 사물함"),
    "pcbang": ("PC방 보드게임카페", "최신 그래픽카드, 커플석, 라면, 볶음밥, 큰 모니터"),
    "karaoke": ("노래방 코인노래방", "최신곡, 넓은 룸, 탬버린, 무료 음료, 고음질 마이크"),
    "laundry": ("세탁소 빨래방", "이불 빨래, 운동화 세탁, 바지 수선, 대형 건조기, 배달"),
    "optician": ("안경 안경원", "시력 검사, 블루라이트 렌즈, 뿔테, 변색 렌즈, 어린이 안경"),
    "bathhouse": ("찜질방 사우나", "황토방, 소금방, 식혜, 맥반석 달걀, 노천탕, 세신"),
    "golf": ("스크린골프 골프연습장", "스윙 분석, 일대일 레슨, 넓은 타석, 퍼팅장, 주차"),
    "swim": ("수영교실 스포츠센터", "생존수영, 아쿠아로빅, 새벽반, 유아풀, 자유수영"),
    "clothes": ("옷가게 편집샵 한복", "리넨 원피스, 맞춤 정장, 생활한복, 수선, 매주 신상"),
    "jewelry": ("금은방 주얼리", "커플링, 돌반지, 순금, 시계 수리, 진주 귀걸이"),
    "phone": ("휴대폰 핸드폰", "최신폰, 알뜰 요금제, 액정 필름, 데이터 이전, 인터넷 가입"),
    "ricecake": ("떡집 방앗간", "인절미, 송편, 백설기, 답례떡, 가래떡, 참기름"),
    "banchan": ("반찬가게 도시락", "장조림, 나물, 멸치볶음, 매일 반찬, 단체 도시락, 김치"),
    "butcher": ("정육점 정육", "한우 등심, 삼겹살, 양념갈비, 국거리, 당일 작업"),
    "fruit": ("과일가게 청과", "딸기, 수박, 과일바구니, 샤인머스캣, 새벽 경매"),
    "convenience": ("편의점 슈퍼 마트", "컵라면, 원두커피, 도시락, 택배, 얼음, 배달"),
    "insurance": ("보험 재무설계", "실손, 암보험, 보장 분석, 연금, 운전자보험, 청구 대행"),
    "funeral": ("장례식장 추모공원", "24시간 빈소, 가족실, 수목장, 넓은 주차장, 장례 상담"),
    "counseling": ("심리상담 상담센터", "부부 상담, 청소년 상담, 우울, 불안, 놀이치료, 비밀 보장"),
    "nursing": ("요양원 요양병원", "치매 돌봄, 재활, 미술 수업, 텃밭, 방문 목욕, 가족 면회"),
    "faith": ("교회 성당", "주일 예배, 성가대, 어르신 급식, 새벽 기도, 주일학교"),
    "obgyn": ("산부인과 산후조리원", "산전 검사, 모유 수유실, 난임, 신생아실, 여의사, 산모 마사지"),
}  # fmt: skip
ENGLISH = {
    "pet": ("Dog_Grooming Vet_Clinic Paws", "gentle grooming, puppy school, nail trims, day care, senior dogs"),
    "dental": ("Dental Dentistry", "braces, implants, whitening, root canals, evening hours, kids welcome"),
    "pharmacy": ("Pharmacy Drugstore", "prescriptions, vitamins, flu shots, free delivery, kind advice"),
    "clinic": ("Clinic Physiotherapy", "back pain, check-ups, sports injuries, vaccinations, evening hours"),
    "academy": ("Tutoring Academy", "small classes, math help, essay coaching, exam prep, quiet desks"),
    "photo": ("Photography Portraits", "family portraits, passport photos, black and white, newborn sessions"),
    "nail": ("Nails Nail_Salon", "gel nails, pedicures, nail art, hand care, walk-ins"),
    "beauty": ("Skin_Studio Waxing", "facials, brow shaping, lash lifts, back massage, gentle waxing"),
    "hair": ("Hair Barbershop", "hot towel shave, balayage, kids cuts, beard trims, scalp care"),
    "yoga": ("Yoga Pilates", "sunrise classes, reformer pilates, prenatal yoga, breath work, small groups"),
    "gym": ("Gym Fitness", "open mats, spin classes, personal training, a boxing ring, hot showers"),
    "flower": ("Florist Flowers", "seasonal bouquets, dried flowers, potted herbs, workshops, free delivery"),
    "books": ("Books Bookshop", "a reading nook, used paperbacks, picture books, poetry nights, local authors"),
    "stay": ("Inn Guesthouse", "sea view rooms, homemade breakfast, a fire pit, hot tub, quiet garden"),
    "car": ("Garage Auto_Repair", "oil changes, new tires, brake checks, towing, honest quotes"),
    "bike": ("Bikes Bike_Repair", "wheels trued by hand, new tubes, test rides, brake tuning, helmets, frames"),
    "bar": ("Pub Taproom", "craft beer, house wine, pub quiz, late kitchen, window seats"),
    "snack": ("Dumplings Gimbap", "steamed dumplings, spicy rice cakes, fried seaweed rolls, fish cake soup"),
    "chicken": ("Fried_Chicken Burgers", "garlic chicken, curly fries, pickles, double burgers, cold beer"),
    "seafood": ("Seafood Oyster_House", "fresh oysters, grilled squid, crab legs, sunset terrace, daily catch"),
    "grill": ("Grill BBQ", "short ribs, brisket, cold noodles, charcoal pork, corn bread"),
    "soup": ("Ramen Noodles", "bone broth, hand-cut noodles, soft eggs, pickled radish, 30 years"),
    "bakery": ("Bakery Bread", "sourdough, cinnamon rolls, rye loaves, almond croissants, apple tarts"),
    "cafe": ("Cafe Coffee", "single origin coffee, carrot cake, oat latte, a sunny terrace, fresh scones"),
    "restaurant": ("Bistro Kitchen", "homemade pasta, Sunday roast, seasonal greens, long lunches, garden seats"),
    "market": ("Shop Goods", "handmade cards, local honey, ceramics, gift wrapping, small treasures"),
    "law": ("Law Attorneys", "divorce advice, inheritance, contracts, free first meeting, property"),
    "tax": ("Tax Accounting", "tax returns, payroll, small business books, company set-up, clear fees"),
    "realty": ("Realty Real_Estate", "family homes, first apartments, shop leases, valuations, quiet streets"),
    "moving": ("Moving Movers", "packing, small moves, storage, piano moving, office moves"),
    "cleaning": ("Cleaning Housekeeping", "deep cleaning, window washing, move-in cleaning, carpets, green soap"),
    "plumbing": ("Plumbing Drains", "leaks, blocked drains, boiler repair, new taps, night service"),
    "repair": ("Hardware Handyman", "screen repair, key cutting, door locks, shelf fitting, lamp repair"),
    "interior": ("Interiors Furniture", "oak tables, wallpaper, kitchen design, built-in shelves, free quotes"),
    "dance": ("Dance Ballet", "hip hop, adult ballet, first steps, kids classes, summer show"),
    "music": ("Music_School Piano", "first lessons, voice coaching, recitals, practice rooms, guitar nights"),
    "martial": ("Taekwondo Judo", "belt tests, self-defense, kids classes, summer camp, sparring"),
    "art": ("Art_Studio Pottery", "watercolor, wheel throwing, evening classes, picture books, clay mornings"),
    "kindergarten": ("Preschool Daycare", "forest play, a small garden, story time, homemade lunch, nap room"),
    "wedding": ("Weddings Bridal", "garden weddings, fresh flowers, small parties, silk gowns, live strings"),
    "farm": ("Farm Orchard", "apple picking, fresh eggs, strawberries, honey, pony rides"),
    "carwash": ("Car_Wash Detailing", "hand wash, wax and polish, leather care, seat cleaning, big bays"),
    "studycafe": ("Study_Cafe Study_Room", "quiet desks, free coffee, group rooms, lockers, soft lamps"),
    "pcbang": ("PC_Bang Gaming", "fast screens, couple seats, noodles, tournaments, soft chairs"),
    "karaoke": ("Karaoke Noraebang", "new songs, big rooms, tambourines, party lights, cold drinks"),
    "laundry": ("Laundry Dry_Cleaners", "duvets, sneaker cleaning, alterations, big dryers, free delivery"),
    "optician": ("Opticians Eyewear", "eye tests, kids glasses, sunglasses, thin lenses, round frames"),
    "bathhouse": ("Sauna Bathhouse", "salt room, clay room, hot stones, cold plunge, sweet rice drink"),
    "golf": ("Golf Driving_Range", "swing analysis, private lessons, putting green, night golf, wide bays"),
    "swim": ("Swim_School Swimming", "first strokes, water aerobics, early lanes, toddler pool, open swim"),
    "clothes": ("Boutique Clothing", "linen dresses, tailored suits, silk scarves, soft knits, alterations"),
    "jewelry": ("Jewelry Jewelers", "wedding bands, watch repair, pearl earrings, gold chains, engraving"),
    "phone": ("Phones Mobile", "new phones, fair plans, screen guards, data transfer, trade-ins"),
    "ricecake": ("Rice_Cakes Tteok", "honey rice cakes, sesame buns, gift boxes, mugwort cakes, sweet beans"),
    "banchan": ("Banchan Bento", "seasoned greens, braised beef, lunch boxes, rolled omelet, kimchi"),
    "butcher": ("Butcher Meat_Market", "dry-aged beef, pork belly, marinated ribs, sausages, soup bones"),
    "fruit": ("Fruit_Stand Greengrocer", "ripe peaches, fruit baskets, sweet melons, morning berries, oranges"),
    "convenience": ("Mini_Mart Grocery", "hot coffee, cup noodles, ice, late snacks, parcel pickup"),
    "insurance": ("Insurance Financial_Planning", "home cover, health plans, pensions, claims help, car cover"),
    "funeral": ("Funeral_Home Cemetery", "quiet rooms, a chapel, memorial trees, family care, day and night"),
    "counseling": ("Counseling Therapist", "couples, anxiety, grief, teenagers, evening hours, a quiet room"),
    "nursing": ("Nursing_Home Senior_Care", "dementia care, garden walks, art mornings, family visits, rehab"),
    "faith": ("Church Cathedral", "Sunday worship, choir, youth group, community lunch, quiet prayer"),
    "obgyn": ("Maternity Obstetrics", "check-ups, birth classes, feeding help, newborn care, fertility advice"),
}  # fmt: skip
HOUSES = {"Korean": KOREAN, "English": ENGLISH}


def make_orders(trade: str, language: str, count: int) -> Iterator[tuple[str, Facts]]:
    """Yield `count` orders of a trade, each with its seed; no two have the same name and region."""
    chance = random.Random(f"{trade} {language}")  # noqa: S311
    kinds, details = HOUSES[language][trade]
    names = list(product(FIRST[language].split(), kinds.split()))
    for number in range(count):
        first, kind = names[number % len(names)]
        facts = details.split(", ")
        yield (
            f"order-{number}",
            Facts(
                customer_name=f"{first} {kind.replace('_', ' ')}",
                region=chance.choice(REGIONS[language].split("|")),
                detail_region_info=", ".join(chance.sample(facts, chance.randint(1, 4))),
                language=language,
                genre=chance.choice(GENRES),
                duration_seconds=20 + number % 11,
            ),
        )
