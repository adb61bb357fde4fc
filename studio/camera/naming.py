"""The words of a line that name what a scene shows. Pure."""

from studio.camera.scenes.compositions import find_scene

# Words of one syllable stand alone or before a particle; an English one has to be all of a word.
SHORT = r"(?<![가-힣])(?:{0})(?=[은는이가을를과와도의만에로]|[^가-힣]|$)"
WHOLE = r"\b(?:{0})s?\b"
# What is said of what is seen: Korean words, short Korean words, English words.
NAMES: dict[str, tuple[str, str, str]] = {
    "sea": ("바다 파도 해변 바닷가", "", "sea ocean wave beach shore"),
    "night": ("한밤 별빛 달빛 밤하늘", "밤 달 별", "night moon star midnight"),
    "forest": ("숲길 숲속", "숲", "forest wood mountain"),
    "skyline": ("도시 도심 빌딩", "", "city downtown skyline"),
    "hills": ("언덕 노을 들판", "", "hill sunset field"),
    "flowers": ("꽃밭 꽃길", "", "meadow garden"),
    "lights": ("불빛 네온", "", "neon streetlight"),
    "market": ("시장 골목", "", "market alley"),
    "stage": ("무대 공연", "", "stage show"),
    "hanok": ("한옥 기와", "", "hanok"),
    "rain": ("빗소리 빗방울 장마 소나기", "비", "rain raindrop rainy"),
    "morning": ("아침 햇살 새벽", "", "morning sunrise dawn sunlight"),
}
# The same of the things that compositions are made of, by the names of their props.
OF_PROPS: dict[str, tuple[str, str, str]] = {
    "cup": ("커피 한잔 라떼 에스프레소", "잔", "coffee cup latte brew sip"),
    "espresso_machine": ("원두 바리스타 샷", "", "espresso barista bean"),
    "rainy_window": ("빗소리 빗방울 소나기 창가", "비 창", "rain window rainy"),
    "garden_window": ("창가 햇살 아침", "", "sunlight window morning"),
    "bread_case": ("진열 케이크 크루아상", "", "counter pastry croissant cake"),
    "loaf": ("식빵 반죽", "빵", "bread loaf dough sourdough flour"),
    "oven": ("오븐 화덕 갓구운", "", "oven bake baked fresh"),
    "beer": ("맥주 건배", "", "beer cheers pint"),
    "wine": ("와인 저녁", "", "wine dinner"),
    "pot": ("육수 국물 솥", "", "broth pot simmer"),
    "bowl": ("국밥 한그릇 그릇 국물", "", "bowl soup noodle"),
    "pan": ("불맛 주방", "", "kitchen pan chef"),
    "charcoal_grill": ("숯불 불판 연기", "", "grill smoke charcoal fire"),
    "fish_tank": ("수조 물고기 활어", "", "fish tank"),
    "sashimi": ("초밥 모듬", "회", "sushi sashimi"),
    "stall": ("시장 골목 포장마차", "", "market stall street"),
    "front": ("문앞 골목 가게 간판", "", "door street storefront"),
    "bouquet": ("꽃다발 선물", "", "bouquet gift ribbon"),
    "bucket": ("꽃향기 봄날", "꽃", "flower bloom petal tulip"),
    "scissors": ("가위 커트", "", "scissor cut snip"),
    "salon_chair": ("거울 의자", "", "mirror chair"),
    "barber_pole": ("이발 골목", "", "barber"),
    "rack": ("덤벨 근육", "", "dumbbell muscle"),
    "punchbag": ("샌드백 펀치", "", "punch bag box jab"),
    "treadmill": ("러닝 달려 달리", "", "run running mile treadmill"),
    "kettlebell": ("무게 들어", "", "weight lift kettlebell"),
    "law_books": ("법전 서재", "", "book law page"),
    "scales": ("저울 정의 균형", "", "scale justice balance fair"),
    "door": ("문을 문앞 열쇠", "문", "door home threshold"),
    "board": ("칠판 교실 수업", "", "board class lesson"),
    "open_book": ("책장 문제 노트", "책", "book page note"),
    "bookcase": ("서가 책장 책방", "", "shelf bookshelf bookshop"),
    "dancer": ("거울 발끝", "", "mirror pirouette tiptoe"),
    "street_dancer": ("리듬 비트", "춤", "dance beat rhythm"),
    "piano": ("피아노 건반", "", "piano key"),
    "drums": ("드럼 박자", "", "drum beat"),
    "guitar": ("기타", "", "guitar string chord"),
    "microphone": ("마이크 목소리 노래", "", "mic microphone voice sing"),
    "sink": ("수도 배관 물방울", "", "tap pipe sink leak drip"),
    "van": ("달려 출동", "", "van wheel drive"),
    "truck": ("트럭 이사", "", "truck road"),
    "boxes": ("상자 박스", "짐", "box pack"),
    "repair_stand": (
        "자전거 체인 기어 페달 브레이크 나사 펑크 안장 바퀴 수리 정비", "",
        "bike bicycle chain gear pedal brake spoke tube tire squeak wheel repair wrench",
    ),
    "helmets": ("헬멧", "", "helmet saddle handlebar"),
    "river": ("강변 강둑 강바람 들길 언덕 오르막", "강", "river towpath path hill lane breeze bench wind"),
    "washer": ("세탁기 빨래", "", "wash laundry spin"),
    "campfire": ("모닥불 캠프", "", "campfire fire"),
    "dog": ("강아지 산책 꼬리", "개", "dog paw tail puppy"),
    "cat": ("고양이", "", "cat kitten whisker"),
    "candles": ("촛불", "", "candle flame"),
    "chrysanthemums": ("국화 추모", "", "remember memory"),
    "tree": ("나무 그늘", "", "tree shade"),
    "apple_tree": ("사과 과수원", "", "apple orchard"),
    "crate": ("과일 제철", "", "fruit harvest crate"),
    "lanes": ("수영 물살", "물", "pool lane swim water"),
    "bath": ("온천 온탕", "물", "bath water warm"),
    "ring": ("반지 반짝", "", "ring diamond sparkle"),
    "tooth": ("미소 치아", "", "smile tooth teeth"),
}  # fmt: skip


def named(korean: str, short: str, english: str) -> str:
    """Return a pattern that finds any of these words in a line in small letters."""
    parts = [
        *korean.split(),
        *([SHORT.format("|".join(short.split()))] if short else ()),
        *([WHOLE.format("|".join(english.split()))] if english else ()),
    ]
    return "|".join(parts)


def find_words(scene: str) -> str:
    """Return a pattern that finds the words which name a scene, or nothing where none do."""
    if scene in NAMES:
        return named(*NAMES[scene])
    composition = find_scene(scene)
    things = dict.fromkeys(put.thing for put in composition.things) if composition else ()
    return "|".join(named(*OF_PROPS[thing]) for thing in things if thing in OF_PROPS)
