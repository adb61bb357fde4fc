from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.camera.fonts import find_font, make_drawable
from studio.camera.staging import (
    CALL_ALONE,
    CODE_SIDE,
    DETAIL_LEADING,
    NAME_LEADING,
    WITH_DETAILS,
    Card,
    Extras,
    make_card,
    size_button,
    stage_text,
    time_cards,
)
from studio.camera.text import Box, Contact, Layout, Text
from studio.timeline import Chunk, Line

FONT = find_font()
UPRIGHT, WIDE = Layout.of(1080, 1920), Layout.of(1920, 1080)
LAYOUTS = st.sampled_from([UPRIGHT, WIDE])
ANY_TEXT = st.text(max_size=80) | st.text("가나다 W.i-/0123456789", max_size=120)
LINKS = st.sampled_from(["", "https://a.example", "https://example.com/" + "y" * 280])
CONTACTS = st.builds(
    Contact,
    phone=ANY_TEXT.map(lambda text: text[:40]),
    address=ANY_TEXT,
    hours=ANY_TEXT.map(lambda text: "\n".join(text[:160].splitlines()[:4])),
    link=LINKS,
)
ALL = Contact(
    "063-123-4567", "전북 전주시 완산구 한옥마을길 12", "매일 10-21\n월 휴무", "https://a.example/x"
)
SUNG = (Line("봄날의 빵", 0.5, 19.5, (Chunk("봄날의 ", 9.0), Chunk("빵", 10.0))),)


def end_card(text: Text, layout: Layout, seconds: float = 20.0) -> Card:
    return stage_text(text, FONT, layout, seconds).cards[-1]


def parts(shown: Card, layout: Layout) -> list[Box]:
    """The rectangles of everything that is on a card."""

    def across(wide: float, top: float, high: float) -> Box:
        return layout.middle - wide / 2, top, layout.middle + wide / 2, top + high

    found = [shown.logo] if shown.logo else []
    found.append(
        across(
            shown.name.measure_width(FONT), shown.name_top, shown.name.measure_height(NAME_LEADING)
        )
    )
    found.append(
        across(shown.place.measure_width(FONT), shown.place_top, shown.place.measure_height(1.2))
    )
    for label in shown.details.labels:
        wide = label.block.measure_width(FONT)
        left = label.x - wide / 2 if label.centred else label.x
        found.append(
            (left, label.top, left + wide, label.top + label.block.measure_height(DETAIL_LEADING))
        )
    if shown.details.code:
        found.append(shown.details.code)
    if shown.call.rows:
        wide, high = size_button(shown.call, FONT)
        found.append(across(wide, shown.call_middle - high / 2, high))
    return [box for box in found if box[2] > box[0] and box[3] > box[1]]


def overlap(one: Box, other: Box) -> bool:
    slack = 1.01
    return all(
        one[side] + slack < other[side + 2] and other[side] + slack < one[side + 2]
        for side in (0, 1)
    )


@settings(max_examples=10)
@given(ANY_TEXT, ANY_TEXT, CONTACTS, LAYOUTS, st.floats(0.5, 5) | st.none(), st.booleans())
def test_nothing_on_an_end_card_leaves_the_safe_area(name, call, contact, layout, logo, sung):
    text = Text(
        name[:80], "군산", SUNG if sung else (), call[:60], contact=contact, logo_shape=logo
    )
    shown = end_card(text, layout)
    left, top, right, bottom = layout.safe
    for box in parts(shown, layout):
        assert left - 1 <= box[0] <= box[2] <= right + 1
        assert top - 1 <= box[1] <= box[3] <= (layout.divide if sung else bottom) + 1


@settings(max_examples=10)
@given(ANY_TEXT, ANY_TEXT, CONTACTS, LAYOUTS, st.floats(0.5, 5) | st.none(), st.booleans())
def test_nothing_on_an_end_card_covers_anything_else(name, call, contact, layout, logo, sung):
    text = Text(
        name[:80], "군산", SUNG if sung else (), call[:60], contact=contact, logo_shape=logo
    )
    boxes = parts(end_card(text, layout), layout)
    assert not any(overlap(one, other) for one in boxes for other in boxes if one is not other)


@settings(max_examples=10)
@given(CONTACTS, LAYOUTS)
def test_an_end_card_tells_all_that_is_given(contact, layout):
    labels = end_card(Text("카페", "군산", (), contact=contact), layout).details.labels
    told = "".join(row for label in labels for row in label.block.rows)
    lines = (contact.phone, contact.address, *contact.hours.splitlines())
    expected = "".join(make_drawable(line, FONT) for line in lines) + contact.shorten_link(FONT)
    assert "".join(told.split()) == "".join(expected.split())


@pytest.mark.parametrize("phone", ["063-123-4567", "02 123 4567", "+82 (0)51 123 4567 (예약 전용)"])
@pytest.mark.parametrize("layout", [UPRIGHT, WIDE])
def test_a_phone_number_is_never_broken(phone, layout):
    shown = end_card(Text("카페", "군산", SUNG, contact=replace(ALL, phone=phone)), layout)
    assert shown.details.labels[0].block.rows == (phone.replace(" ", "\u00a0"),)


@settings(max_examples=10)
@given(LINKS.filter(bool), st.sampled_from([UPRIGHT, WIDE]), st.booleans())
def test_a_code_is_large_enough_and_square_on_even_pixels(link, layout, sung):
    contact = replace(ALL, link=link)
    code = end_card(
        Text("카페", "군산", SUNG if sung else (), contact=contact), layout
    ).details.code
    assert code is not None
    left, top, right, bottom = code
    assert right - left == bottom - top >= CODE_SIDE
    assert left % 2 == top % 2 == 0


def test_a_card_without_details_is_as_it_was():
    plain = make_card(("카페", "군산", "오세요"), FONT, UPRIGHT, (0, 3), (300.0, 1000.0))
    assert (
        make_card(("카페", "군산", "오세요"), FONT, UPRIGHT, (0, 3), (300.0, 1000.0), Extras())
        == plain
    )
    assert plain.logo is None
    assert not plain.details.labels


def test_the_title_card_shows_the_logo_smaller_than_the_end_card():
    title, end = stage_text(Text("카페", "군산", (), logo_shape=1.0), FONT, UPRIGHT, 20.0).cards
    assert title.logo
    assert end.logo
    assert title.logo[3] - title.logo[1] < end.logo[3] - end.logo[1]
    assert not title.details.labels


def test_an_address_takes_the_place_of_the_region():
    text = Text("카페", "전주", (), contact=ALL)
    assert end_card(text, UPRIGHT).place.rows == ()
    assert end_card(replace(text, contact=replace(ALL, address="")), UPRIGHT).place.rows == (
        "전주",
    )


@given(st.floats(5, 120), st.none() | st.tuples(st.floats(0, 5), st.floats(5, 120)))
def test_an_end_card_with_details_lasts_long_enough_to_be_read(seconds, sung):
    (opens, opened), (start, end) = time_cards(sung, seconds, WITH_DETAILS)
    assert opens == 0.0
    assert opened <= start
    assert end - start >= min(6.0, max(3.0, 0.27 * seconds)) - 1e-6


@given(st.floats(1, 120), st.none() | st.tuples(st.floats(0, 5), st.floats(5, 120)))
def test_details_make_no_end_card_shorter(seconds, sung):
    lasts = [
        end - start
        for _, (start, end) in (
            time_cards(sung, seconds, times) for times in (CALL_ALONE, WITH_DETAILS)
        )
    ]
    assert lasts[1] >= lasts[0] - 1e-6
