from hypothesis import given, settings
from hypothesis import strategies as st

from studio.camera.fonts import ends_well, find_font, fit, make_drawable, wrap
from studio.camera.text import Layout
from tests.tables import rows_beside

FONT = find_font()
LAYOUTS = [Layout.of(1080, 1920), Layout.of(1920, 1080)]
KOREAN, ENGLISH = (
    st.text("가나다라마바사", min_size=1, max_size=7),
    st.text("abcdeW", min_size=4, max_size=11),
)
LEADING = st.sampled_from(["&", "+", "및", "and", "the", "of", "·"])
NAMES = (
    st.lists(st.tuples(st.one_of(KOREAN, ENGLISH), LEADING), min_size=1, max_size=12)
    .map(
        lambda pairs: " ".join(
            part for pair in pairs for part in pair[: 2 if len(pair[0]) % 2 else 1]
        )
    )
    .filter(lambda name: len(name) <= 80)
)


@settings(max_examples=100)
@given(NAMES, st.sampled_from(LAYOUTS))
def test_no_row_of_a_title_ends_in_what_belongs_to_the_next(name, layout):
    rows = fit(name, FONT, layout.text_width, layout.card_size, 4).rows
    assert all(map(ends_well, rows[:-1]))


@settings(max_examples=100)
@given(NAMES, st.sampled_from(LAYOUTS))
def test_a_title_breaks_at_words_alone(name, layout):
    rows = fit(name, FONT, layout.text_width, layout.card_size, 4).rows
    assert " ".join(rows) == name


@settings(max_examples=100)
@given(st.text(min_size=1, max_size=80), st.sampled_from(LAYOUTS))
def test_any_title_is_all_there_and_fits(raw, layout):
    name = make_drawable(raw, FONT)
    block = fit(name, FONT, layout.text_width, layout.card_size, 4)
    assert "".join("".join(block.rows).split()) == "".join(name.split())
    assert block.measure_width(FONT) <= layout.text_width + 1e-6


@rows_beside
def test_a_row_begins_with_the_word_that_leads_to_the_next(name, rows):
    assert wrap(name, FONT.measure, FONT.measure(max(rows, key=FONT.measure)) + 0.01) == rows


def test_a_group_wider_than_a_row_is_broken_between_its_words():
    assert wrap("가 & 나다라", FONT.measure, FONT.measure("나다라") + 0.01) == ["가 &", "나다라"]
