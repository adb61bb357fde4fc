import re
import unicodedata
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from studio.camera.fonts import Font, find_font, make_drawable
from studio.camera.palettes import INK, READABLE, load_palettes, measure_luminance
from studio.camera.staging import stage_text
from studio.camera.subtitles import write_document, write_stamp
from studio.camera.text import DEFAULT_LOOK, LOOKS, Layout, Text, make_captions
from studio.genres import get_genre
from studio.timeline import Chunk, Line, arrange
from studio.words import list_sung_lines
from tests.tables import rows_beside

FONT = find_font()
UPRIGHT, WIDE = Layout.of(1080, 1920), Layout.of(1920, 1080)
OUR_TAGS = re.compile(
    r"\{(?:\\(?:pos|move|fad|t)\([^(){}]*\)|\\(?:fscx|fscy|fs|bord|blur|shad)[\d.]+"
    r"|\\fn[\w ]+|\\kf?\d+|\\[13]c&H[0-9A-F]{6}&|\\p1)+\}"
)
HOSTILE = st.text(st.sampled_from("{}\\NnhkfpsK가 \n\r,:%\"'😀\u200b\u2028a1&H"), max_size=80)
TOO_WIDE_BY_A_HAIR = "0\r0000000000000{{ᄀ"
ACCENT = (255, 209, 102)
STYLES = st.sampled_from(sorted(LOOKS))
ANY_TEXT = st.one_of(st.text(max_size=120), HOSTILE)
ALL_PALETTES = [palette for some in load_palettes().values() for palette in some]
SECONDS = st.one_of(st.just(0.0), st.floats(-1, 4), st.floats(0, 0.02))


@st.composite
def vendor_lines(draw: st.DrawFn) -> Line:
    """A line as a vendor may time it: syllables, words or all of it at once, at any time, of any length."""
    chunks = tuple(
        Chunk(text, seconds)
        for text, seconds in draw(
            st.lists(st.tuples(st.one_of(st.text(max_size=30), HOSTILE), SECONDS), max_size=6)
        )
    )
    start = draw(st.floats(-5, 40))
    total = sum(chunk.seconds for chunk in chunks)
    return Line("".join(chunk.text for chunk in chunks), start, start + total, chunks)


def events(ass: str, style: str) -> list[list[str]]:
    """The events of a style, their fields and text; of emoji without the tags that change fonts."""
    plain = re.sub(r"\{\\fn[^}]*\}", "", ass)
    found = [line.split(",", 9) for line in plain.splitlines() if line.startswith("Dialogue: ")]
    return [event for event in found if event[3] == style]


def texts(ass: str, style: str) -> list[str]:
    return [event[9] for event in events(ass, style)]


def visible(text: str) -> str:
    return "".join(re.sub(r"\{[^}]*\}", "", text).split())


def made(
    lyric: str,
    name: str = "카페",
    region: str = "군산",
    layout: Layout = UPRIGHT,
    style: str = DEFAULT_LOOK,
) -> str:
    text = Text(name, region, arrange(lyric, get_genre("pop"), 20)[1], caption_style=style)
    return write_document(stage_text(text, FONT, layout, 20.0), ACCENT)


def of_lines(*lines: Line, style: str = DEFAULT_LOOK) -> str:
    text = Text("카페", "군산", lines, caption_style=style)
    return write_document(stage_text(text, FONT, UPRIGHT, 20.0), ACCENT)


def measure_seconds(stamped: str) -> float:
    hours, minutes, seconds = stamped.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def timed(event: list[str]) -> list[tuple[float, float, str]]:
    """Start and end of every coloured piece of an event, as libass adds its durations up."""
    moment, found = measure_seconds(event[1].removeprefix("Dialogue: ")), []
    for kind, duration, text in re.findall(r"\\(kf?)(\d+)[^}]*\}([^{]*)", event[9]):
        if kind == "kf":
            found.append((moment, moment + int(duration) / 100, text))
        moment += int(duration) / 100
    return found


@settings(max_examples=50)
@given(ANY_TEXT, STYLES)
def test_the_karaoke_shows_all_of_a_lyric_that_can_be_drawn(lyric, style):
    shown = "".join(visible(text) for text in texts(made(lyric, style=style), "Sung"))
    assert shown == "".join(
        "".join(make_drawable(line, FONT).split()) for line in list_sung_lines(lyric)
    )


@settings(max_examples=50)
@given(st.lists(vendor_lines(), max_size=5))
def test_the_karaoke_shows_all_of_a_vendors_lines_in_their_time(lines):
    shown = "".join(visible(text) for text in texts(of_lines(*lines), "Sung"))
    in_time = sorted(lines, key=lambda line: line.start)
    assert shown == "".join("".join(make_drawable(line.text, FONT).split()) for line in in_time)


@settings(max_examples=50)
@given(ANY_TEXT, STYLES.filter(lambda style: LOOKS[style].ground == "none"))
def test_every_row_without_a_ground_lies_on_a_dark_one_of_its_text(lyric, style):
    ass = made(lyric, style=style)
    dark = {(*event[1:3], visible(event[9])) for event in events(ass, "Edge")}
    assert {(*event[1:3], visible(event[9])) for event in events(ass, "Sung")} <= dark


@settings(max_examples=50)
@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT, STYLES)
def test_no_text_becomes_an_override(lyric, name, region, call, style):
    text = Text(name, region, arrange(lyric, get_genre("pop"), 20)[1], call, caption_style=style)
    for line in write_document(stage_text(text, FONT, WIDE, 20.0), (255, 209, 102)).splitlines():
        if line.startswith("Dialogue: "):
            assert not set(OUR_TAGS.sub("", line.split(",", 9)[9])) & set("{}\\")


@settings(max_examples=50)
@given(ANY_TEXT, ANY_TEXT)
def test_no_text_becomes_a_line_of_its_own(name, region):
    known = (
        "Dialogue: ",
        "Style: ",
        "Format: ",
        "[",
        "ScriptType",
        "PlayRes",
        "Wrap",
        "Scaled",
        "YCbCr",
    )
    assert all(line.startswith(known) for line in made("라라라", name, region).splitlines())


@settings(max_examples=50)
@given(ANY_TEXT)
def test_the_title_card_shows_the_whole_name(name):
    titles = [event for event in events(made("라라라", name), "Name") if event[1] == "0:00:00.00"]
    assert "".join(visible(event[9]) for event in titles) == "".join(
        make_drawable(name, FONT).split()
    )


@settings(max_examples=50)
@given(st.lists(vendor_lines(), max_size=6))
@example([Line(TOO_WIDE_BY_A_HAIR, 0.0, 0.0, (Chunk(TOO_WIDE_BY_A_HAIR, 0.0),))])
def test_captions_never_overlap(lines):
    shown = make_captions(lines, "카페", FONT, 10.0)
    moments = [moment for caption in shown for moment in (caption.start, caption.end)]
    assert moments == sorted(moments)


@example("<<\\GMk%\\", 6.0)
@settings(max_examples=50)
@given(ANY_TEXT, st.floats(6, 20))
def test_every_row_of_a_caption_fits(lyric, width):
    for caption in make_captions(arrange(lyric, get_genre("pop"), 20)[1], "카페", FONT, width):
        for text in caption.texts:
            assert FONT.measure(text) * caption.scale <= width + 1e-6 or len(text) == 1


@settings(max_examples=50)
@given(
    st.lists(st.text("가나다라마바사", min_size=1, max_size=7), min_size=1, max_size=9),
    st.floats(9, 20),
)
def test_rows_end_where_words_end(words, width):
    (line, *_) = arrange(" ".join(words), get_genre("pop"), 20)[1]
    rows = [text for caption in make_captions([line], "", FONT, width) for text in caption.texts]
    assert " ".join(rows) == line.text


def test_a_word_wider_than_any_row_is_broken():
    lines = arrange("가" * 40, get_genre("pop"), 20)[1]
    (caption,) = make_captions(lines, "", FONT, 10.0)
    assert len(caption.rows) > 1
    assert "".join(caption.texts) == "가" * 40


@pytest.mark.parametrize("seconds", [0.0049, 0.0051, 0.0333, 0.0987, 0.1234])
def test_syllables_are_timed_to_the_hundredth_however_many(seconds):
    chunks = tuple(Chunk(text, seconds) for text in ["가", "나 "] * 60)
    start = 3.217
    line = Line("".join(chunk.text for chunk in chunks), start, start + 120 * seconds, chunks)
    shown = [piece for event in events(of_lines(line), "Sung") for piece in timed(event)]
    ends = list(accumulate([chunk.seconds for chunk in chunks], initial=start))
    assert [begin for begin, _, _ in shown] == pytest.approx(ends[:-1], abs=0.0101)
    assert [end for _, end, _ in shown] == pytest.approx(ends[1:], abs=0.0101)


def test_what_cannot_be_drawn_still_takes_its_time():
    chunks = (Chunk("가", 1.0), Chunk("\ue000", 1.0), Chunk("나", 1.0))
    (event,) = events(of_lines(Line("가\ue000나", 5.0, 8.0, chunks)), "Sung")
    assert timed(event) == [(5.0, 6.0, "가"), (7.0, 8.0, "나")]


def test_a_syllable_and_its_rim_turn_colour_when_it_is_sung():
    chunks = (Chunk("노", 0.5), Chunk("래 ", 0.25), Chunk("해", 0.25), Chunk("요", 1.0))
    (karaoke,) = texts(of_lines(Line("노래 해요", 3.0, 5.0, chunks)), "Sung")
    white, accent = "\\3c&HFFFFFF&", "\\3c&H66D1FF&"
    assert karaoke.partition("}")[2] == (
        "{\\k30}"
        f"{{\\kf50{white}\\t(300,800,{accent})}}노"
        f"{{\\kf25{white}\\t(800,1050,{accent})}}래 "
        f"{{\\kf25{white}\\t(1050,1300,{accent})}}해"
        f"{{\\kf100{white}\\t(1300,2300,{accent})}}요"
    )


@pytest.mark.parametrize("palette", ALL_PALETTES)
def test_letters_can_be_read_on_the_outline_and_on_the_box_of_their_look(palette):
    dark, white, accent = (
        float(measure_luminance(np.array(colour))) + 0.05
        for colour in (INK, (255, 255, 255), palette.accent)
    )
    assert min(white, accent) / dark >= READABLE


@pytest.mark.parametrize("style", [style for style in LOOKS if LOOKS[style].ground == "none"])
def test_an_outline_that_is_the_ground_of_letters_is_wide(style):
    assert LOOKS[style].outline >= 0.08


def test_the_looks_of_captions_are_told_apart():
    looks = LOOKS.values()
    assert len({(look.ground, look.boxed) for look in looks}) == len(looks) == 3


@settings(max_examples=50)
@given(st.lists(vendor_lines(), max_size=5))
def test_every_word_of_a_bold_caption_has_its_box_while_it_is_sung(lines):
    ass = of_lines(*lines, style="bold")
    shown = [re.sub(r"\{[^}]*\}", "", text) for text in texts(ass, "Sung")]
    words = sum(len(row.split()) for row in shown)
    boxes = [event for event in events(ass, "Accent") if "\\fscx88" in event[9]]
    assert len(boxes) == words
    assert all(
        measure_seconds(event[1].removeprefix("Dialogue: ")) <= measure_seconds(event[2])
        for event in boxes
    )


def test_a_box_stands_behind_its_word_until_the_next_one_is_sung():
    line = Line("노래 해요", 3.0, 5.0, (Chunk("노래 ", 0.9), Chunk("해요", 1.0)))
    boxes = [
        event for event in events(of_lines(line, style="bold"), "Accent") if "\\fscx88" in event[9]
    ]
    assert [tuple(event[1:3]) for event in boxes] == [
        ("0:00:03.00", "0:00:03.90"),
        ("0:00:03.90", "0:00:04.90"),
    ]
    lefts = [float(re.findall(r"pos\(([\d.]+),", event[9])[0]) for event in boxes]
    assert lefts[0] < UPRIGHT.middle < lefts[1]


def test_emoji_are_set_in_their_own_font_as_large_as_the_letters_around():
    name, *_ = [line for line in made("라라라", "봄날 ☕🍞 빵").splitlines() if ",Name," in line]
    tags = re.search(
        r"봄날 \{\\fnNoto Emoji\\fs([\d.]+)\}☕🍞\{\\fn([\w ]+)\\fs([\d.]+)\} 빵", name
    )
    assert tags is not None
    assert tags[2] == FONT.family
    assert float(tags[1]) / float(tags[3]) == pytest.approx(FONT.emoji_height, abs=0.01)


def test_text_without_emoji_names_no_font():
    assert "\\fn" not in made("라라라", "봄날 ♥ 빵 ★")


def test_an_emoji_is_as_wide_as_its_font_says():
    assert FONT.measure("가☕가") == pytest.approx(2 * FONT.measure("가") + FONT.measure("☕"))
    assert 1.0 < FONT.measure("☕") < 1.6


def test_an_accent_that_a_vendor_cut_off_its_letter_is_drawn_with_it():
    chunks = (Chunk("ㅋe", 1.0), Chunk("\u0301 \u1112", 1.0), Chunk("\u1161", 1.0))
    (karaoke,) = texts(of_lines(Line("ㅋe\u0301 \u1112\u1161", 3.0, 6.0, chunks)), "Sung")
    assert visible(karaoke) == unicodedata.normalize("NFC", "ㅋe\u0301\u1112\u1161")


def test_a_line_that_a_vendor_timed_as_one_chunk_is_broken_at_its_words():
    text = "아주 긴 한 줄을 통째로 보내는 가게도 있으니까 우리는 나누어서 보여 줘요"
    (caption,) = make_captions((Line(text, 1, 9, (Chunk(text, 8.0),)),), "", FONT, 13.0)
    assert len(caption.rows) > 1
    assert " ".join(caption.texts) == text


def test_a_line_gives_way_when_the_next_one_begins():
    long, short = (
        Line("긴 줄", 2.0, 9.0, (Chunk("긴 줄", 7.0),)),
        Line("끼어", 4.0, 5.0, (Chunk("끼어", 1),)),
    )
    first, second = make_captions((short, long), "", FONT, 10.0)
    assert (first.texts, first.end) == (["긴 줄"], 4.0)
    assert (second.texts, second.start) == (["끼어"], 4.0)


@rows_beside
def test_rows_end_at_punctuation_and_not_inside_a_name(text, rows):
    (line,) = arrange(text, get_genre("pop"), 20)[1]
    (caption,) = make_captions([line], "blue harbor cafe", FONT, 11.0, region="군산 월명동")
    assert caption.texts == rows


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("처음 한 시간 무료 상담", 8.0, ["처음 한 시간", "무료 상담"]),
        ("처음부터 귀 기울여 들어 줄게요", 9.0, ["처음부터 귀 기울여", "들어 줄게요"]),
        ("다시 볼 수 있는 날", 6.0, ["다시", "볼 수 있는 날"]),
        ("언제나 여긴 집, 우리 동네 빵집", 9.0, ["언제나 여긴 집,", "우리 동네 빵집"]),
    ],
)
def test_no_row_ends_in_a_korean_word_of_one_syllable(text, width, rows):
    (line,) = arrange(text, get_genre("pop"), 20)[1]
    (caption,) = make_captions([line], "", FONT, width)
    assert caption.texts == rows


def test_letters_get_smaller_where_a_name_would_be_torn():
    (line,) = arrange("자 가나다라마 바사아자차카 로 와요", get_genre("pop"), 20)[1]
    torn, whole = (
        make_captions([line], name, FONT, 10.0)[0] for name in ("", "가나다라마 바사아자차카")
    )
    assert whole.scale < torn.scale
    assert any("가나다라마 바사아자차카" in row for row in whole.texts)


@settings(max_examples=50)
@given(ANY_TEXT, ANY_TEXT)
def test_no_name_costs_a_lyric_a_letter(lyric, name):
    shown = "".join(visible(text) for text in texts(made(lyric, name, lyric), "Sung"))
    assert shown == "".join(
        "".join(make_drawable(line, FONT).split()) for line in list_sung_lines(lyric)
    )


def test_the_first_and_the_last_frame_show_their_cards_whole():
    text = Text("카페", "군산", (), "오세요")
    ass = write_document(stage_text(text, FONT, UPRIGHT, 20.0), (255, 209, 102))
    cards = [
        event
        for style in ("Name", "Place", "Accent", "Button", "Call")
        for event in events(ass, style)
    ]
    first = [event[9] for event in cards if event[1] == "0:00:00.00"]
    last = [event[9] for event in cards if event[2] == "0:00:20.00"]
    assert len(first) == 3
    assert all("\\fad(0," in text and "\\move" not in text for text in first)
    assert len(last) == 5
    assert all(re.search(r"\\fad\(\d+,0\)", text) for text in last)


def test_the_hook_is_larger_than_other_lines():
    lines = arrange("바다로 가요\n블루 카페\n라라라\n바다로 가요\n안녕", get_genre("pop"), 20)[1]
    scales = [caption.scale for caption in make_captions(lines, "블루 카페", FONT, 10.0)]
    assert scales[0] == scales[1] == scales[3] > scales[2] == scales[4]


@pytest.mark.parametrize("layout", [UPRIGHT, WIDE], ids=["vertical", "horizontal"])
@pytest.mark.parametrize(
    "name",
    ["가" * 80, "W" * 80, "우리 동네 최고의 손칼국수 " * 6, "맛"],
    ids=["korean", "english", "words", "short"],
)
def test_a_name_of_any_length_fits_into_the_frame(name, layout):
    for text in texts(made("라라라", name, layout=layout), "Name"):
        size = float(re.findall(r"\\fs([\d.]+)", text)[0]) / FONT.line_height
        assert FONT.measure(OUR_TAGS.sub("", text)) * size <= layout.text_width * 1.01


@rows_beside
def test_what_the_font_lacks_or_libass_obeys_is_not_drawn(text, expected):
    assert make_drawable(text, FONT) == expected


def test_decomposed_korean_is_drawn_as_syllables():
    assert make_drawable("\u1112\u1161\u11ab", FONT) == "한"


def test_the_font_is_named_as_libass_finds_it():
    assert isinstance(FONT, Font)
    assert FONT.path.is_file()
    assert f"Style: Sung,{FONT.family}," in made("라라라")


@pytest.mark.parametrize(
    ("moment", "expected"), [(0, "0:00:00.00"), (6150, "0:01:01.50"), (360_001, "1:00:00.01")]
)
def test_a_moment_is_written_as_libass_reads_it(moment, expected):
    assert write_stamp(moment) == expected
