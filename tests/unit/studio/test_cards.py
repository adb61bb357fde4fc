import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.camera.fonts import find_font, fit, make_drawable
from studio.camera.palettes import INK, Colour, load_palettes
from studio.camera.staging import make_card, stage_text
from studio.camera.subtitles import write_document
from studio.camera.text import Layout, Text, call_for, load_calls
from tests.tables import rows_beside

FONT = find_font()
LAYOUT = Layout.of(1080, 1920)
ZONE = (300.0, 1000.0)
ANY_TEXT = st.one_of(st.text(max_size=80), st.text("가나다 W.i-/", max_size=80))


def called(call: str) -> list[str]:
    """The rows of the button on a card."""
    texts = ("카페", "군산", make_drawable(call, FONT))
    return list(make_card(texts, FONT, LAYOUT, (0, 3), ZONE).call.rows)


def brightness(colour: Colour) -> float:
    """Relative luminance of an sRGB colour, as in WCAG 2.2."""
    linear = [
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (value / 255 for value in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@settings(max_examples=50)
@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_a_card_holds_all_of_its_texts_in_its_zone(name, place, call):
    texts = (make_drawable(name, FONT), make_drawable(place, FONT), make_drawable(call, FONT))
    made = make_card(texts, FONT, LAYOUT, (0, 3), ZONE)
    assert ZONE[0] <= made.top <= made.bottom <= ZONE[1]
    for text, block in zip(texts, (made.name, made.place, made.call), strict=True):
        assert "".join("".join(block.rows).split()) == "".join(text.split())


@settings(max_examples=50)
@given(ANY_TEXT, st.floats(300, 1600), st.integers(1, 4))
def test_a_text_fits_in_its_rows(raw, width, most):
    text = make_drawable(raw, FONT)
    block = fit(text, FONT, width, 120.0, most)
    assert len(block.rows) <= most
    assert block.measure_width(FONT) <= width + 1e-6
    assert block.size <= 120.0


def test_a_name_is_broken_between_words():
    block = fit("우리 동네 손칼국수 전문점", FONT, 760.0, 136.0, 4)
    assert block.rows == ("우리 동네", "손칼국수 전문점")


def test_a_name_gets_a_little_smaller_where_that_saves_a_row():
    width = FONT.measure("블루 하버 카페") * 136
    assert fit("블루 하버 카페", FONT, 0.85 * width, 136.0, 4).rows == ("블루 하버 카페",)
    assert len(fit("블루 하버 카페", FONT, 0.6 * width, 136.0, 4).rows) == 2


@rows_beside
def test_a_number_or_an_address_stays_in_one_row(call):
    unbroken = [row.replace("\u00a0", " ") for row in called(call)]
    last = call.removeprefix("예약 ").removeprefix("지금 예약하세요 ")
    assert any(last in row for row in unbroken)


def test_an_address_too_long_for_a_row_is_broken_after_a_mark():
    rows = called("https://www.a-really-very-long-domain.example.co.kr/reservation/now?shop=1")
    assert len(rows) > 1
    assert all(row[-1] in "-/.,@&?=_~:" for row in rows[:-1])


def test_a_long_word_is_made_smaller_before_it_is_broken():
    word = "Supercalifragilisticexpialidocious"
    width = FONT.measure(word) * 0.4 * 136
    assert fit(f"카페 {word}", FONT, width, 136.0, 4).rows[-1] == word


def test_a_word_that_must_be_broken_is_large():
    block = fit("W" * 40, FONT, 760.0, 136.0, 4)
    assert len(block.rows) == 4
    assert FONT.measure("W" * 40) * block.size > 0.8 * 4 * 760.0


def test_a_short_call_stands_in_one_row():
    assert called("지금 만나러 오세요") == ["지금 만나러 오세요"]


@pytest.mark.parametrize("genre", sorted(load_palettes()))
def test_the_button_can_be_read(genre):
    for palette in load_palettes()[genre]:
        assert (brightness(palette.accent) + 0.05) / (brightness(INK) + 0.05) >= 4.5


def test_the_button_is_of_the_films_accent():
    ass = write_document(
        stage_text(Text("카페", "군산", (), "오세요"), FONT, LAYOUT, 10.0), (255, 209, 102)
    )
    assert f"Style: Button,{FONT.family},60,&H66D1FF&" in ass
    assert f"Style: Call,{FONT.family},60,&H100A18&" in ass


def test_a_button_of_its_own_colour_has_letters_that_can_be_read_on_it():
    text = Text("카페", "군산", (), "오세요")
    ass = write_document(stage_text(text, FONT, LAYOUT, 10.0), (255, 209, 102), button=(1, 2, 3))
    assert f"Style: Button,{FONT.family},60,&H030201&" in ass
    assert f"Style: Call,{FONT.family},60,&HFFFFFF&" in ass


def test_only_the_end_asks_for_something():
    ass = write_document(
        stage_text(Text("카페", "군산", (), "오세요"), FONT, LAYOUT, 10.0), (1, 2, 3)
    )
    (asked,) = [line for line in ass.splitlines() if ",Call," in line]
    assert asked.split(",")[2] == "0:00:10.00"


def test_ones_own_call_to_action_is_taken():
    assert call_for(Text("카페", "군산", (), " 전화\n주세요 "), "a") == "전화 주세요"


@pytest.mark.parametrize(
    ("language", "known"), [("Korean", "Korean"), ("English", "English"), ("?", "English")]
)
def test_a_call_is_in_the_language(language, known):
    calls = (*load_calls()[known].anywhere, *load_calls()[known].somewhere)
    given_region = {call.replace("{region}", "군산") for call in calls}
    made = {call_for(Text("카페", "군산", (), "", language), str(seed)) for seed in range(40)}
    assert made == given_region


@pytest.mark.parametrize("region", ["", " \n", "서울특별시 마포구 연남동 골목길"])
def test_a_call_names_no_place_that_would_not_fit(region):
    made = {call_for(Text("카페", region, ()), str(seed)) for seed in range(40)}
    assert made == set(load_calls()["Korean"].anywhere)


def test_a_call_is_the_same_for_the_same_seed():
    text = Text("카페", "군산", ())
    assert call_for(text, "a") == call_for(text, "a")
