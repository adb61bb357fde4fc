import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.singer.reading import pronounce
from studio.words import split_syllables

HANGUL = st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1)


def spoken(text: str) -> str:
    return "".join(pronounce(split_syllables(text)))


@given(st.text())
def test_every_piece_of_a_line_keeps_its_place(line):
    pieces = split_syllables(line)
    assert len(pronounce(pieces)) == len(pieces)


@given(HANGUL)
def test_hangul_stays_hangul(word):
    assert all("가" <= letter <= "힣" for letter in spoken(word))


@pytest.mark.parametrize(
    ("written", "heard"),
    [
        ("음악이", "으마기"),
        ("있어", "이써"),
        ("밖에", "바께"),
        ("없어요", "업써요"),
        ("앉아", "안자"),
        ("강아지", "강아지"),
    ],
)
def test_a_final_consonant_goes_over_to_a_vowel(written, heard):
    assert spoken(written) == heard


@pytest.mark.parametrize(
    ("written", "heard"), [("같이", "가치"), ("굳이", "구지"), ("닫히다", "다치다")]
)
def test_d_and_t_become_palatal_before_i(written, heard):
    assert spoken(written) == heard


@pytest.mark.parametrize(
    ("written", "heard"),
    [
        ("합니다", "함니다"),
        ("국물", "궁물"),
        ("첫날", "천날"),
        ("협력", "혐녁"),
        ("정류장", "정뉴장"),
    ],
)
def test_stops_become_nasal_before_nasals(written, heard):
    assert spoken(written) == heard


@pytest.mark.parametrize(
    ("written", "heard"), [("설날", "설랄"), ("신라", "실라"), ("싫네", "실레")]
)
def test_n_becomes_l_beside_l(written, heard):
    assert spoken(written) == heard


@pytest.mark.parametrize(
    ("written", "heard"),
    [
        ("좋아", "조아"),
        ("많이", "마니"),
        ("싫어", "시러"),
        ("좋고", "조코"),
        ("축하", "추카"),
        ("앉히다", "안치다"),
        ("못해", "모태"),
    ],
)
def test_h_is_lost_before_vowels_and_joins_stops(written, heard):
    assert spoken(written) == heard


@pytest.mark.parametrize(
    ("written", "heard"), [("학교", "학꾜"), ("읽다", "익따"), ("맑게", "말께")]
)
def test_consonants_after_stops_are_tense(written, heard):
    assert spoken(written) == heard


@pytest.mark.parametrize(
    ("written", "heard"), [("꽃", "꼳"), ("값", "갑"), ("닭", "닥"), ("삶", "삼")]
)
def test_a_final_consonant_is_one_of_seven(written, heard):
    assert spoken(written) == heard


@pytest.mark.parametrize(
    ("written", "heard"),
    [("희망", "히망"), ("우리의", "우리에"), ("의사", "의사"), ("시계", "시게")],
)
def test_vowels_are_spoken_more_simply_than_they_are_written(written, heard):
    assert spoken(written) == heard


@pytest.mark.parametrize("line", ["음악 이", "음악, 이", "음악Cafe이"])
def test_nothing_goes_over_from_word_to_word(line):
    assert pronounce(split_syllables(line))[:2] == ["으", "막"]


@pytest.mark.parametrize(("written", "heard"), [("ㅋㅋ", "크크"), ("ㅠㅠ", "유유")])
def test_a_lone_consonant_or_vowel_can_be_read(written, heard):
    assert spoken(written) == heard
