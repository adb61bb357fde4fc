import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise, product
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.genres import choose_genre, read_genres
from studio.lyricist.facts import is_solemn
from studio.lyricist.lyric import Facts, write_lyric
from studio.lyricist.stock import get_stock
from studio.lyricist.template import BETWEEN_CHOICES, CHOICES, count_syllables, fill
from studio.timeline import arrange, plan_grid
from studio.words import SHORTEST_LYRIC, list_sung_lines, read_spoken_line, read_stanzas
from tests.tables import rows_beside

STAY = Facts(
    "스테이 머뭄", "군산시", "초원사진관, 경암동 철길마을, 은파호수공원", "Korean", "pop", 20
)
BAKERY = Facts("Blue Door Bakery", "Portland", "Sourdough since 1983", "English", "rock", 20)
BUSINESSES = {
    "Korean": (
        ("봄날 베이커리", "전주 한옥마을", "매일 새벽에 굽는 쌀빵, 향긋한 커피"),
        ("스테이 머뭄", "군산", "초원사진관, 은파호수공원"),
        ("할매국밥", "부산 광안리", "진한 국물, 35년 전통"),
        ("카페 24시", "서울 성수동", "직접 볶은 원두, 조용한 다락방"),
        ("단골헤어", "대전", "꼼꼼한 상담"),
        ("튼튼치과", "수원", ""),
        ("달빛서점", "강릉", "늦은 밤 낭독회"),
        ("형제카센터", "광주", "정직한 견적"),
        ("꽃피는 날 꽃집", "제주", "제철 꽃다발"),
        ("바다 횟집", "속초", "바다가 보이는 창가"),
    ),
    "English": (
        ("Blue Door Bakery", "Portland", "sourdough, cinnamon rolls"),
        ("Iron House Gym", "Busan Gwangalli", "open mats, a boxing ring"),
        ("The Crooked Page Books", "Edinburgh", "a reading nook"),
        ("Moon Oyster Bar", "Gunsan", "sunset terrace"),
        ("Happy Paws", "Austin", "gentle grooming"),
        ("Kim's Barber", "Queens", "hot towel shave"),
        ("Rosewater Florist", "Bath", "seasonal bouquets"),
        ("Harbor Inn", "Cornwall", "sea view rooms"),
        ("Smile Dental", "Seoul", ""),
        ("Casa Verde", "Tulum", "shady garden"),
    ),
}
LENGTHS = (10, 12, 15, 20, 30, 45, 60, 90, 120)

any_facts = st.builds(
    Facts,
    customer_name=st.text(max_size=80),
    region=st.text(max_size=80),
    detail_region_info=st.text(max_size=200) | st.text("가각 bE1,.!\n", max_size=200),
    language=st.sampled_from(["Korean", "English"]),
    genre=st.sampled_from([*read_genres(), "polka", ""]),
    duration_seconds=st.integers(10, 120),
)
in_both_languages = pytest.mark.parametrize("facts", [STAY, BAKERY], ids=["Korean", "English"])
in_every_song = pytest.mark.parametrize("genre", sorted(read_genres()))


@cache
def texts_of(language: str, genre: str, seconds: int) -> list[str]:
    return [
        write_lyric("seed", Facts(*business, language, genre, seconds)).text
        for business in BUSINESSES[language]
    ]


def bigrams(text: str) -> set[tuple[str, str]]:
    words = re.findall(r"\w+", " ".join(list_sung_lines(text)).lower())
    return set(pairwise(words))


def common_share(
    texts: list[str], parts_of: Callable[[str], set[str] | set[tuple[str, str]]]
) -> list[float]:
    """For each two of the texts, which share of the shorter one's parts both have."""
    parts = [parts_of(text) for text in texts]
    return [len(one & other) / min(len(one), len(other)) for one, other in combinations(parts, 2)]


@settings(max_examples=60)
@given(any_facts, st.text(max_size=20))
def test_a_lyric_is_long_enough_for_any_facts(facts, seed):
    text = write_lyric(seed, facts).text
    assert len(text.strip()) >= SHORTEST_LYRIC
    if facts.duration_seconds >= 15:
        assert len("\n".join(list_sung_lines(text))) >= SHORTEST_LYRIC


@settings(max_examples=60)
@given(any_facts, st.text(max_size=20))
def test_a_lyric_has_the_lines_that_its_form_wants(facts, seed):
    genre, _ = choose_genre(facts.genre)
    wanted = [
        (section.kind, section.lines)
        for section in plan_grid(genre, facts.duration_seconds).sections
        if section.lines
    ]
    stanzas = read_stanzas(write_lyric(seed, facts).text)
    assert [(stanza.kind, len(stanza.lines)) for stanza in stanzas] == wanted


@settings(max_examples=40)
@given(any_facts, st.text(max_size=20))
def test_every_line_of_a_lyric_is_a_mark_or_sung_or_the_spoken_name(facts, seed):
    text = write_lyric(seed, facts).text
    lines = [line for line in text.split("\n") if line and not re.fullmatch(r"\[\w+( \d)?\]", line)]
    assert lines == [*list_sung_lines(text), read_spoken_line(text)]


@settings(max_examples=30)
@given(any_facts, st.text(max_size=20))
def test_a_lyric_is_the_same_for_the_same_seed_and_facts(facts, seed):
    assert write_lyric(seed, facts) == write_lyric(seed, facts)


@in_every_song
@pytest.mark.parametrize("seconds", LENGTHS)
@in_both_languages
def test_nothing_is_sung_twice_but_the_hook_which_begins_each_chorus_with_the_name(
    facts, seconds, genre
):
    text = write_lyric("a", replace(facts, genre=genre, duration_seconds=seconds)).text
    choruses = [stanza.lines for stanza in read_stanzas(text) if stanza.kind == "chorus"]
    [named] = {lines[0] for lines in choruses}
    counts = Counter(list_sung_lines(text))
    assert {line for line, count in counts.items() if count > 1} <= set(choruses[0][:2])
    assert facts.customer_name in named


@pytest.mark.parametrize("seconds", [20, 120])
@pytest.mark.parametrize("language", sorted(BUSINESSES))
def test_most_lines_are_sung_at_the_pace_of_a_melody(language, seconds):
    paces = [
        count_syllables(line.text) / (line.end - line.start)
        for genre in read_genres()
        for text in texts_of(language, genre, seconds)
        for line in arrange(text, read_genres()[genre], seconds)[1]
    ]
    assert sum(2.3 <= pace <= 5.2 for pace in paces) >= 0.95 * len(paces)


@in_every_song
@pytest.mark.parametrize("seconds", [10, 20, 60])
@pytest.mark.parametrize("language", sorted(BUSINESSES))
def test_two_of_ten_businesses_share_one_line_or_a_fifth_of_them(language, seconds, genre):
    lines = [set(list_sung_lines(text)) for text in texts_of(language, genre, seconds)]
    for one, other in combinations(lines, 2):
        assert len(one & other) <= max(1, 0.2 * min(len(one), len(other)))


@in_every_song
@pytest.mark.parametrize("language", sorted(BUSINESSES))
def test_ten_businesses_have_ten_long_texts_that_read_differently(language, genre):
    texts = texts_of(language, genre, 120)
    lines = common_share(texts, lambda text: set(list_sung_lines(text)))
    pairs = common_share(texts, bigrams)
    assert mean(lines) < 0.15
    assert max(lines) < 1 / 3
    assert mean(pairs) < 0.2


@pytest.mark.parametrize("seconds", [10, 20, 60])
@in_both_languages
def test_ten_seeds_give_one_business_nine_texts_or_ten(facts, seconds):
    order = replace(facts, duration_seconds=seconds)
    assert len({write_lyric(str(seed), order).text for seed in range(10)}) >= 9


@in_both_languages
@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
def test_a_lyric_names_the_business_and_its_region(facts, seed):
    text = write_lyric(seed, facts).text
    assert facts.customer_name in text
    assert facts.region in list_sung_lines(text)[0]


def test_facts_are_told_in_their_order():
    text = write_lyric("a", replace(STAY, duration_seconds=60)).text
    places = [text.index(fact) for fact in ("초원사진관", "경암동 철길마을", "은파호수공원")]
    assert places == sorted(places)


def test_a_fact_that_is_too_long_for_its_line_loses_whole_words():
    detail = "골목 끝 작은 마당에서 오후 내내 천천히 즐기는 따뜻하고 향긋한 핸드드립 커피"
    text = write_lyric("a", replace(STAY, detail_region_info=detail, genre="ballad")).text
    assert "핸드드립 커피" in text
    assert "골목 끝" not in text


@in_every_song
def test_a_fact_of_one_long_word_is_sung_whole(genre):
    facts = replace(STAY, detail_region_info="직접로스팅한스페셜티커피원두", genre=genre)
    assert facts.detail_region_info in write_lyric("a", facts).text


@pytest.mark.parametrize("genre", ["pop", "ballad", "ambient"])
def test_a_friendly_song_is_polite_throughout(genre):
    text = write_lyric("a", replace(STAY, genre=genre, duration_seconds=120)).text
    assert not re.search(r"(?:[해와봐줘]|있어|이야|거야)$", text, re.MULTILINE)


@pytest.mark.parametrize("genre", ["edm", "rock"])
def test_a_loud_song_is_never_polite(genre):
    text = write_lyric("a", replace(STAY, genre=genre, duration_seconds=120)).text
    assert not re.search(r"요$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "sung"),
    [
        ("[Chorus]", "Chorus"),
        ("{name} {0} %s \\N {\\an8}", "name 0 %s N an8"),
        ("☕ 봄날 🌸", "봄날"),
        ("(주)봄날!", "(주)봄날"),
        ("★★★", "우리 가게"),
        ("마실" * 40, "마실" * 40),
        ("مقهى القمر", "مقهى القمر"),
        ("a\u2028b\x85c", "a b c"),
    ],
)
@pytest.mark.parametrize("seconds", [10, 20])
def test_every_hook_holds_all_of_a_name_that_can_be_sung(name, sung, seconds):
    text = write_lyric("a", replace(STAY, customer_name=name, duration_seconds=seconds)).text
    assert sung in next(stanza for stanza in read_stanzas(text) if stanza.kind == "chorus").lines[0]


@in_both_languages
def test_a_title_is_one_line_with_no_place_left_open(facts):
    titles = {write_lyric(str(seed), facts).title for seed in range(20)}
    assert all("{" not in title and "\n" not in title for title in titles)


@rows_beside
def test_a_long_region_is_sung_by_its_nearest_part(region, sung):
    first = list_sung_lines(write_lyric("a", replace(STAY, region=region)).text)[0]
    assert sung in first
    assert not re.search(r"\d-|산 \d|221", first)


@pytest.mark.parametrize("mark", [",", ".", "!", "?", "…", ";", ":", "?!…", " ,"])
@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_marks_behind_a_name_or_a_region_are_not_sung(mark, seed):
    order = replace(STAY, customer_name=f"가람{mark}", region=f"제주{mark}", duration_seconds=60)
    lyric = write_lyric(seed, order)
    behind = re.findall(r"(?:가람|제주)( ?[.!?…;:,]+.?)", f"{lyric.title}\n{lyric.text}", re.DOTALL)
    assert set(behind) <= {", ", ",\n"}


TROUBLED = {
    "Korean": (
        ("바른 정형외과", "허리 통증", "도수 치료"),
        ("튼튼치과", "신경 치료", "사랑니 발치"),
        ("우리 동물병원", "24시간 응급", "수술 후 회복"),
        ("형제카센터", "사고 수리", "긴급 출동"),
        ("미림", "이혼 상담", "채무 상담"),
    ),
    "English": (
        ("Elm Clinic", "back pain", "knee surgery"),
        ("Smile Dental", "root canals", "wisdom teeth"),
        ("Oak Vet Hospital", "night emergencies", "aftercare"),
        ("Kim Auto Repair", "accident damage", "towing"),
        ("Halden", "divorce advice", "debt advice"),
    ),
}


def draws(template: str) -> list[str]:
    """Every text that can be drawn of a template."""
    choices = [BETWEEN_CHOICES.split(bracket) for bracket in CHOICES.findall(template)]
    gaps = CHOICES.sub("%s", template)
    return [gaps % drawn for drawn in product(*choices)]


@pytest.mark.parametrize("language", sorted(TROUBLED))
@pytest.mark.parametrize("seed", ["a", "b", "c"])
@pytest.mark.parametrize("genre", ["pop", "rock"])
def test_a_trouble_is_told_but_never_praised(language, seed, genre):
    stock = get_stock(language, calm=False)
    for name, *troubles in TROUBLED[language]:
        order = Facts(name, "Ulsan", ", ".join(troubles), language, genre, 60)
        text = write_lyric(seed, order).text.lower()
        praised = {
            line.lower()
            for trouble in troubles
            for frame in stock.frames["goods"]
            for drawn in draws(frame)
            for polite in (True, False)
            for line in fill(drawn, {"fact": trouble}, polite)
        }
        assert troubles[0] in text
        assert not [line for line in praised if line in text]


SOLEMN = {
    "Korean": (
        ("하늘 장례식장", "24시간 빈소, 넓은 주차장"),
        ("새벽 추모공원", ""),
        ("법률사무소 정도", "이혼 상담"),
        ("정도", "변호사 세 명, 상속 상담"),
    ),
    "English": (
        ("Hill Funeral Home", "chapel, quiet garden"),
        ("Park Law", "divorce advice"),
        ("Park & Lee", "attorneys since 1983, car accidents"),
    ),
}


MERRY = re.compile(
    r"콩닥|랄라|노래해|신나|외쳐|달려|춤|웃음|웃는|설레는|반가|주인공|자랑"
    r"|la la|danc|happy|shout|clap|laugh|\bloud|everybody|sing along|hello|humming|radio",
    re.I,
)


@pytest.mark.parametrize("language", sorted(SOLEMN))
@pytest.mark.parametrize("seconds", [10, 20, 60, 120])
@in_every_song
def test_grief_and_law_are_not_sung_merrily(language, seconds, genre):
    for name, detail in SOLEMN[language]:
        lyric = write_lyric("a", Facts(name, "Ulsan", detail, language, genre, seconds))
        assert not MERRY.search(f"{lyric.title}\n{lyric.text}")


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("봄날 카페", "장례식장 근처"),
        ("봄날", "법률사무소 옆, 영상조명"),
        ("Lawson Deli", "next to the law school"),
    ],
)
def test_a_solemn_neighbour_does_not_make_a_business_solemn(name, detail):
    assert not is_solemn(name, detail)


@pytest.mark.parametrize("seconds", [10, 20, 60])
@pytest.mark.parametrize(
    ("detail", "language"),
    [
        ("1987년부터 이 골목 끝 작은 가게에서 새벽마다 반죽하고 굽습니다", "Korean"),
        ("1987년, 이 자리에 문을 열었습니다", "Korean"),
        ("We have been baking bread for this town and its visitors since 1987", "English"),
        ("In 1987, we opened our doors", "English"),
    ],
)
def test_a_sentence_is_not_sung_without_its_year(detail, language, seconds):
    told = re.compile("반죽하고|굽습니다|열었습니다|baking bread|its visitors|opened our")
    for genre in ("pop", "ballad", "edm", "rock"):
        text = write_lyric("a", Facts("Luna", "Jeju", detail, language, genre, seconds)).text
        assert not told.search(text) or "1987" in text
