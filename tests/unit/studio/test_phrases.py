import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.korean import spell_counts
from studio.lyricist.facts import get_times, spell_pair, split_items
from studio.lyricist.lyric import Facts, write_lyric
from tests.tables import rows_beside


@rows_beside
def test_counted_things_are_told_in_korean_numbers(written, spoken):
    assert spell_counts(written) == spoken


@rows_beside
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


@rows_beside
def test_one_thing_in_many_words_stays_one(phrase):
    assert split_items(phrase) == [phrase]


@given(st.text("가나다 는과커피빵", max_size=30))
def test_items_are_the_words_of_the_phrase_in_their_order(phrase):
    assert " ".join(split_items(phrase)).split() == phrase.split()


@rows_beside
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
