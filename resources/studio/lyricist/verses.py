"""The words the lyricist chooses from.

`{name}`, `{region}` and `{fact}` are places for an order's own words; `{name|은/는}` adds the particle that
fits them.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """The lines of one language. Every hook names the business, every opening names the region."""

    nameless: str
    placeless: str
    titles: tuple[str, ...]
    openings: tuple[str, ...]
    facts: tuple[str, ...]
    verses: tuple[str, ...]
    hooks: tuple[str, ...]
    choruses: tuple[str, ...]


KOREAN = Words(
    nameless="우리 가게",
    placeless="우리 동네",
    titles=("{region}의 하루, {name}", "오늘은 {name}", "{name|으로/로} 가는 길", "{name}의 노래"),
    openings=(
        "{region} 골목에 햇살이 번지면",
        "{region}의 아침이 기지개를 켜면",
        "바람 따라 걷는 {region} 그 길에",
        "{region|이/가} 노을빛에 물들 때면",
        "{region} 하늘이 유난히 맑은 날",
        "설레는 마음 안고 {region|으로/로}",
        "{region} 어딘가 불빛이 켜지고",
    ),
    facts=(
        "{fact}, 그 이름에 설레는 맘",
        "{fact}, 언제나 그 자리에",
        "{fact}, 잊지 못할 이야기",
        "{fact}, 두고두고 생각나",
        "{fact}, 오늘 더 반짝여",
    ),
    verses=(
        "문을 열면 먼저 웃는 얼굴들",
        "익숙한 인사에 마음이 놓여",
        "천천히 걸어도 괜찮은 오후",
        "고단한 하루도 여기선 쉬어 가",
        "손끝에 담긴 정성이 말을 해",
        "작은 것 하나도 허투루 않지",
        "처음 온 날처럼 오늘도 설레",
        "좋은 사람과 또 오고 싶은 곳",
        "비 오는 날에도 눈부신 날에도",
        "늘 같은 마음으로 기다릴게요",
        "사진 한 장에 다 못 담을 순간",
        "가까이 있어서 더 고마운 사이",
        "멀리 돌아와도 여기가 좋아",
        "하나둘 쌓이는 우리의 이야기",
        "발걸음 가볍게 휘파람 불며",
        "저 모퉁이 돌면 금방이에요",
        "시간이 흘러도 변하지 않는 것",
        "따뜻한 그 마음 오래 남아서",
        "약속이 없어도 들르고 싶은 곳",
        "별이 뜨는 밤도 함께 있어요",
        "아침을 깨우는 반가운 목소리",
        "오늘의 행복은 가까이 있죠",
    ),
    hooks=(
        "여기는 {name}, 우리의 {name}",
        "오늘도 {name|으로/로} 와요",
        "{name|이/가} 있어서 좋은 날",
        "어서 와요, {name}, 기다렸어요",
        "노래해요 다 같이 {name}",
        "{name|과/와} 함께라면 매일이 축제",
        "마음이 먼저 아는 곳, {name}",
    ),
    choruses=(
        "랄랄라 손을 잡고 함께 가요",
        "지금 이 순간을 노래해 봐요",
        "누구라도 반가운 우리 동네 자랑",
        "언제든 두 팔 벌려 반겨 줄게요",
        "웃음꽃 피어나는 오늘이에요",
        "좋은 날엔 더 좋은 이곳이에요",
        "두근두근 가슴이 먼저 뛰어요",
        "활짝 핀 미소로 다시 만나요",
    ),
)

ENGLISH = Words(
    nameless="our place",
    placeless="our town",
    titles=("A day at {name}", "Meet me at {name}", "The song of {name}", "{region} sings {name}"),
    openings=(
        "Morning light is waking up {region}",
        "Walking through the streets of {region}",
        "There's a corner in {region} I know",
        "Golden hour is falling on {region}",
        "Every road leads back to {region}",
        "Blue sky over {region} today",
        "Lights are coming on in {region}",
    ),
    facts=(
        "{fact}, you know the way",
        "{fact}, always worth the stay",
        "{fact}, a story to be told",
        "{fact}, it never does grow old",
        "{fact}, and it's shining bright",
    ),
    verses=(
        "Open up the door to a friendly smile",
        "Take your time and stay for a while",
        "Made by hand and made with care",
        "You can feel the kindness in the air",
        "Rain or shine, we leave the light on",
        "Humming along to our favorite song",
        "Bring your friends and bring your heart",
        "Every good day has to start",
        "Just around the bend, not far away",
        "Little things that make the day",
        "We remember faces, we remember names",
        "Seasons come and go, it feels the same",
        "Leave your worries at the door",
        "Come on once and you'll come for more",
        "A story in every corner here",
        "The kind of place that keeps you near",
        "Whistle a tune on the way back home",
        "You will never have to walk alone",
        "Stars come out and we're still here",
        "Something to share with someone dear",
    ),
    hooks=(
        "Come on over to {name} today",
        "{name}, {name}, we're here to stay",
        "Oh, it feels like home at {name}",
        "Everybody's singing {name}",
        "Meet me, meet me at {name}",
        "There's no place like {name}",
        "With {name} every day is bright",
    ),
    choruses=(
        "La la la, let's sing it all night long",
        "Take my hand and sing along",
        "Right here in the heart of town",
        "Turn your frown the other way around",
        "The doors are open wide for you",
        "Everything we love is coming true",
        "Feel the rhythm, feel the light",
        "Smiles are blooming left and right",
    ),
)

WORDS = {"Korean": KOREAN, "English": ENGLISH}
