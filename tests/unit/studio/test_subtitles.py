import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.studio.camera.fonts import Font, find_font
from resources.studio.camera.karaoke import captions
from resources.studio.camera.subtitles import Layout, Text, document, stamp
from resources.studio.camera.typesetting import drawn
from resources.studio.form import grid_for
from resources.studio.genres import POP
from resources.studio.timeline import Chunk, Line, place_lines
from resources.studio.words import sung_lines

FONT = find_font()
UPRIGHT, WIDE = Layout.of(1080, 1920), Layout.of(1920, 1080)
OUR_TAGS = re.compile(
    r"\{(?:\\an5|\\pos\(\d+,\d+\)|\\fad\(\d+,\d+\)|\\fs\d+|\\kf?\d+|\\bord0|\\shad0|\\p1|\\blur\d+"
    r"|\\alpha&H[0-9A-F]{2}&)+\}"
)
HOSTILE = st.text(st.sampled_from("{}\\NnhkfpsK가 \n\r,:%\"'😀\u200b\u2028a1&H"), max_size=80)
ANY_TEXT = st.one_of(st.text(max_size=120), HOSTILE)


def texts(ass: str, style: str) -> list[str]:
    events = [line.split(",", 9) for line in ass.splitlines() if line.startswith("Dialogue: ")]
    return [event[9] for event in events if event[3] == style]


def visible(text: str) -> str:
    return "".join(re.sub(r"\{[^}]*\}", "", text).replace("\\N", "").split())


def made(lyric: str, name: str = "카페", region: str = "군산", layout: Layout = UPRIGHT) -> str:
    lines = place_lines(sung_lines(lyric), grid_for(POP, 20))
    return document(Text(name, region, lines), FONT, layout, 20.0, (255, 209, 102))


@given(ANY_TEXT)
def test_the_karaoke_shows_all_of_a_lyric_that_can_be_drawn(lyric: str) -> None:
    shown = "".join(visible(text) for text in texts(made(lyric), "Sung"))
    assert shown == "".join("".join(drawn(line, FONT).split()) for line in sung_lines(lyric))


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_no_text_becomes_an_override(lyric: str, name: str, region: str) -> None:
    for line in made(lyric, name, region).splitlines():
        if line.startswith("Dialogue: "):
            rest = OUR_TAGS.sub("", line.split(",", 9)[9]).replace("\\N", "")
            assert not set(rest) & set("{}\\")


@given(ANY_TEXT, ANY_TEXT)
def test_no_text_becomes_a_line_of_its_own(name: str, region: str) -> None:
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


@given(ANY_TEXT)
def test_the_title_card_shows_the_whole_name(name: str) -> None:
    shown = visible(texts(made("라라라", name), "Name")[0])
    assert shown == "".join(drawn(name, FONT).split())


@given(ANY_TEXT)
def test_captions_never_overlap(lyric: str) -> None:
    lines = place_lines(sung_lines(lyric), grid_for(POP, 20))
    shown = captions(lines, FONT, 13.0)
    moments = [moment for caption in shown for moment in (caption.start, caption.end)]
    assert moments == sorted(moments)


@given(ANY_TEXT, st.floats(6, 20))
def test_every_row_of_a_caption_fits(lyric: str, width: float) -> None:
    for caption in captions(place_lines(sung_lines(lyric), grid_for(POP, 20)), FONT, width):
        for row in caption.rows:
            text = "".join(piece.text for piece in row).strip()
            assert FONT.width(text) * caption.scale <= width or len(row) == 1


def test_a_syllable_turns_colour_when_it_is_sung() -> None:
    line = Line(
        "노래 해요",
        3.0,
        5.0,
        (Chunk("노", 0.5), Chunk("래 ", 0.25), Chunk("해", 0.25), Chunk("요", 1.0)),
    )
    ass = document(Text("카페", "군산", (line,)), FONT, UPRIGHT, 20.0, (255, 209, 102))
    (karaoke,) = texts(ass, "Sung")
    assert re.sub(r"\{\\an5[^}]*?(\\k\d+)?\}", r"{\1}", karaoke) == (
        "{\\k30}{\\kf50}노{\\kf25}래 {\\kf25}해{\\kf100}요"
    )


def test_a_line_that_a_vendor_timed_as_one_chunk_is_broken_at_its_words() -> None:
    text = "아주 긴 한 줄을 통째로 보내는 가게도 있으니까 우리는 나누어서 보여 줘요 정말로"
    (caption,) = captions((Line(text, 1, 9, (Chunk(text, 8.0),)),), FONT, 13.0)
    assert len(caption.rows) > 1
    assert "".join(piece.text for row in caption.rows for piece in row) == text


@pytest.mark.parametrize("layout", [UPRIGHT, WIDE], ids=["vertical", "horizontal"])
@pytest.mark.parametrize("name", ["가" * 80, "W" * 80, "우리 동네 최고의 손칼국수 " * 6, "맛"])
def test_a_name_of_any_length_fits_into_the_frame(name: str, layout: Layout) -> None:
    for text in texts(made("라라라", name, layout=layout), "Name"):
        size = int(re.findall(r"\\fs(\d+)", text)[0]) / FONT.line_height
        rows = OUR_TAGS.sub("", text).split("\\N")
        assert max(FONT.width(row) for row in rows) * size <= layout.text_width * 1.02


def test_a_name_is_broken_between_words() -> None:
    (text, *_) = texts(made("라라라", "우리 동네 손칼국수 전문점"), "Name")
    assert OUR_TAGS.sub("", text).split("\\N") == ["우리 동네", "손칼국수 전문점"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("카페 ☕😀 하나", "카페 하나"),
        ("a\u200bb\ufeff", "ab"),
        ("{\\b1}굵게", "｛＼b1｝굵게"),
        ("가\n나\t다", "가 나 다"),
    ],
)
def test_what_the_font_lacks_or_libass_obeys_is_not_drawn(text: str, expected: str) -> None:
    assert drawn(text, FONT) == expected


def test_decomposed_korean_is_drawn_as_syllables() -> None:
    assert drawn("\u1112\u1161\u11ab", FONT) == "한"


def test_the_font_is_named_as_libass_finds_it() -> None:
    assert isinstance(FONT, Font)
    assert FONT.path.is_file()
    assert f"Style: Sung,{FONT.family}," in made("라라라")


@pytest.mark.parametrize(
    ("moment", "expected"), [(0, "0:00:00.00"), (6150, "0:01:01.50"), (360_001, "1:00:00.01")]
)
def test_a_moment_is_written_as_libass_reads_it(moment: int, expected: str) -> None:
    assert stamp(moment) == expected
