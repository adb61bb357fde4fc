import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.korean import spell_counts
from studio.lyricist.facts import get_times, spell_pair, split_items
from studio.lyricist.lyric import Facts, write_lyric


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("변호사 3명", "변호사 세 명"),
        ("트럭 5대", "트럭 다섯 대"),
        ("세차기 2대", "세차기 두 대"),
        ("커피 2잔", "커피 두 잔"),
        ("반찬 12가지", "반찬 열두 가지"),
        ("룸 20개", "룸 스무 개"),
        ("3시간 끓인 국물", "세 시간 끓인 국물"),
        ("주일 11시 예배", "주일 열한 시 예배"),
        ("새벽 4시에 굽는 빵", "새벽 네 시에 굽는 빵"),
        ("오후 3시면 나오는 빵", "오후 세 시면 나오는 빵"),
    ],
)
def test_counted_things_are_told_in_korean_numbers(written, spoken):
    assert spell_counts(written) == spoken


@pytest.mark.parametrize(
    "text",
    [
        "3대째",
        "24시간 끓인 국물",
        "3개월 과정",
        "35년 전통",
        "1.5층 다락방",
        "2층",
        "100개",
        "0개",
        "3대 떡집",
        "14시 공연",
        "9시~18시",
        "10:30",
        "버스 45대",
        "3시장",
        "5시리즈",
    ],
)
def test_other_numbers_stay_as_they_are_written(text):
    assert spell_counts(text) == text


@given(st.text("0123456789 명개가지대살abc", max_size=20))
def test_counting_leaves_no_number_that_nobody_gave(text):
    assert sum(character.isdigit() for character in spell_counts(text)) <= sum(
        character.isdigit() for character in text
    )


@pytest.mark.parametrize(
    ("row", "items"),
    [
        ("임플란트 교정 야간진료 무통마취", ["임플란트", "교정", "야간진료", "무통마취"]),
        ("임플란트 교정 야간 진료 무통마취", ["임플란트", "교정", "야간 진료", "무통마취"]),
        ("떡볶이 순대 튀김", ["떡볶이", "순대", "튀김"]),
        ("커트 펌 염색 클리닉", ["커트", "펌", "염색", "클리닉"]),
    ],
)
def test_nouns_in_a_row_are_told_one_by_one(row, items):
    assert split_items(row) == items


@pytest.mark.parametrize(
    "phrase",
    [
        "생크림 딸기 케이크",
        "직접 볶은 원두",
        "매일 새벽에 굽는 쌀빵",
        "국내산 한우 갈비",
        "골목 끝 작은 마당에서 오후 내내 천천히 즐기는 따뜻하고 향긋한 핸드드립 커피",
        "fresh hand cut noodles daily",
    ],
)
def test_one_thing_in_many_words_stays_one(phrase):
    assert split_items(phrase) == [phrase]


@given(st.text("가나다 는과커피빵", max_size=30))
def test_items_are_the_words_of_the_phrase_in_their_order(phrase):
    assert " ".join(split_items(phrase)).split() == phrase.split()


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("커트 및 염색", "커트와 염색"),
        ("커피 & 디저트", "커피와 디저트"),
        ("빵+커피", "빵과 커피"),
        ("1+1 행사", "1+1 행사"),
        ("Kim's & Co", "Kim's & Co"),
    ],
)
def test_marks_between_two_things_are_told_as_a_particle(written, spoken):
    assert spell_pair(written) == spoken


@pytest.mark.parametrize(
    "phrase", ["늦은 아침", "아침", "심야 영업 시간", "매주 토요일", "따뜻한 저녁"]
)
def test_a_word_of_time_is_not_what_there_is_besides(phrase):
    assert get_times().search(phrase)


@pytest.mark.parametrize("phrase", ["아침 식사", "날개", "무료 시간표", "반가운 기분", "커피", ""])
def test_other_words_are_no_time(phrase):
    assert not get_times().search(phrase)


@pytest.mark.parametrize("seed", range(12))
def test_no_line_says_until_of_a_time_that_the_house_offers(seed):
    detail = "바다가 보이는 방, 늦은 아침"
    facts = Facts("스테이 머뭄", "군산", detail, "Korean", "ballad", 20)
    assert "늦은 아침까지" not in write_lyric(str(seed), facts).text
