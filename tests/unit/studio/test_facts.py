import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.lyricist.facts import find_facts
from studio.lyricist.template import keep_singable
from tests.tables import rows_beside


def texts(detail: str) -> list[str]:
    return [fact.text for fact in find_facts(detail)]


@rows_beside
def test_facts_are_the_phrases_in_their_order_none_twice(detail):
    assert texts(detail) == ["쌀빵", "향긋한 커피", "작은 마당"]


@rows_beside
def test_no_quotation_mark_is_left_without_its_other(detail):
    assert texts(detail) == ["home visits", "concert pitch A440"]


def test_an_apostrophe_is_no_quotation_mark():
    assert texts('Grandma\'s pie, the boys\' room, our "famous" buns, 12" pizza') == [
        "Grandma's pie",
        "the boys' room",
        'our "famous" buns',
        '12" pizza',
    ]


@rows_beside
def test_what_belongs_on_the_end_card_is_not_sung(unsung):
    assert texts(f"쌀빵, {unsung}, 작은 마당") == ["쌀빵", "작은 마당"]


@rows_beside
def test_a_price_is_left_out_and_what_it_is_for_is_sung(priced, sung):
    assert texts(priced) == [sung]


@pytest.mark.parametrize(
    "kept", ["sourdough since 1983", "35년 전통", "1.5층 다락방", "24시간 끓인 국물", "3대째"]
)
def test_other_numbers_are_sung(kept):
    assert texts(kept) == [kept]


@rows_beside
def test_a_phrase_loses_the_capital_that_only_began_the_orders_sentence(detail, first):
    assert find_facts(detail, "Harlow")[0].text == first


@rows_beside
def test_a_sentence_is_told_from_a_phrase(phrase, sentence):
    assert [fact.sentence for fact in find_facts(phrase)] == [sentence]


@pytest.mark.parametrize(
    ("text", "sung"),
    [
        ("봄날 ☕ 카페 🥐", "봄날 카페"),
        ("[Chorus]", "Chorus"),
        ("{\\an8}봄", "an8 봄"),
        ("Ｃａｆｅ 𝓑𝓵𝓾𝓮", "Cafe Blue"),
        ("a\u2028b\x85c\u200bd", "a b c d"),
        ("1️⃣호점", "1 호점"),
        ("★★★", ""),
        ("…!?", ""),
        ("\u3164", ""),
        ("Kim's & Co. (본점) 100%", "Kim's & Co. (본점) 100%"),
        ("\u0301a \u0301 b", "a b"),
    ],
)
def test_what_is_neither_read_nor_drawn_is_not_sung(text, sung):
    assert keep_singable(text) == sung


@given(st.text(max_size=200))
def test_a_fact_is_one_singable_line(detail):
    for text in texts(detail):
        assert text.splitlines() == [text] == [keep_singable(text)]


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("In 1987, we opened our doors", "in 1987 we opened our doors"),
        ("Rye bread. Since 1990, we bake at night", "since 1990 we bake at night"),
        ("1987년, 이 자리에 문을 열었습니다", "1987년 이 자리에 문을 열었습니다"),
    ],
)
def test_a_year_stays_with_its_sentence(detail, told):
    fact = find_facts(detail)[-1]
    assert fact.text.lower() == told.lower()
    assert fact.sentence


@pytest.mark.parametrize(
    "unit", ["변호사 3명", "24시간 영업", "35년 전통", "30 pyeong hall", "lunch for 9000 won too"]
)
def test_korean_units_are_not_told_in_an_english_song(unit):
    found = find_facts(f"strong tea, {unit}, 한옥마을", korean=False)
    assert [fact.text for fact in found] == ["strong tea", "한옥마을"]
