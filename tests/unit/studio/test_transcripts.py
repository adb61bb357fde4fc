import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.ffmpeg import find_ffmpeg
from studio.genres import get_genre
from studio.screenplay import format_lrc, format_srt, format_vtt, write_transcripts
from studio.timeline import Chunk, Line, arrange

Cue = tuple[float, float, str]
VTT_TIME = r"(\d\d+):([0-5]\d):([0-5]\d)\.(\d{3})"
SRT_TIME = VTT_TIME.replace(r"\.", ",")
LRC_TIME = r"(\d\d+):([0-5]\d)\.(\d\d)"
BREAKS = "\0\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
# Pieces that mean something in one of the formats, among ordinary ones.
WORDS = st.one_of(
    st.text(st.characters(exclude_characters=BREAKS, exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(
        ["-->", "<00:", "&lt;", "<b>", "[ti:x]", "[00:01.00]", "{\\an8}", "가 ", " ", "1"]
    ),
)
SECONDS = st.one_of(st.just(0.0), st.floats(-1, 5), st.floats(0, 0.02))


@st.composite
def vendor_lines(draw: st.DrawFn) -> Line:
    """A line as a vendor may time it: any start, chunks of any text and length, no length at all."""
    chunks = tuple(
        Chunk(text, seconds)
        for text, seconds in draw(st.lists(st.tuples(WORDS, SECONDS), max_size=6))
    )
    start = draw(st.one_of(st.floats(-2, 30), st.floats(3590, 7300)))
    total = sum(chunk.seconds for chunk in chunks)
    return Line("".join(chunk.text for chunk in chunks), start, start + total, chunks)


def moment(*parts: str) -> float:
    *clock, fraction = parts
    seconds = 0
    for part in clock:
        seconds = 60 * seconds + int(part)
    return seconds + int(fraction) / 10 ** len(fraction)


def read_webvtt(text: str) -> list[tuple[Cue, list[float]]]:
    """The cues of a WebVTT file, and the times inside each, by the rules of its standard."""
    first, *blocks = text.removesuffix("\n").split("\n\n")
    assert first == "WEBVTT"
    cues = []
    for block in blocks:
        timing, payload = block.split("\n")
        start, end = (moment(*found) for found in re.findall(VTT_TIME, timing))
        assert re.fullmatch(f"{VTT_TIME} --> {VTT_TIME}", timing)
        inner = [moment(*found) for found in re.findall(f"<{VTT_TIME}>", payload)]
        plain = re.sub(f"<{VTT_TIME}>", "", payload)
        assert not set("<>") & set(plain)
        assert start < end
        assert [start, *inner, end] == sorted({start, *inner, end})
        spoken = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        cues.append(((start, end, spoken), inner))
    return cues


def read_srt(text: str) -> list[Cue]:
    cues = []
    for number, block in enumerate(text.removesuffix("\n").split("\n\n") if text else [], 1):
        name, timing, payload = block.split("\n")
        assert name == str(number)
        assert re.fullmatch(f"{SRT_TIME} --> {SRT_TIME}", timing)
        start, end = (moment(*found) for found in re.findall(SRT_TIME, timing))
        assert start < end
        cues.append((start, end, payload))
    return cues


def read_lrc(text: str) -> list[tuple[float, str, list[float]]]:
    """Time, text and times of words of every row; a reader takes all brackets before the text for tags."""
    found = []
    for row in text.removesuffix("\n").split("\n"):
        tags, rest = re.fullmatch(r"((?:\[[^\]]*\])*)(.*)", row).groups()
        ((*clock,),) = re.findall(rf"\[{LRC_TIME}\]", tags)
        assert re.fullmatch(rf"\[{LRC_TIME}\]", tags)
        inner = [moment(*stamp) for stamp in re.findall(f"<{LRC_TIME}>", rest)]
        found.append((moment(*clock), re.sub(f"<{LRC_TIME}>", "", rest), inner))
    return found


def visible(lines: list[Line]) -> list[Line]:
    return [line for line in sorted(lines, key=lambda line: line.start) if line.text.strip()]


@settings(max_examples=50)
@given(st.lists(vendor_lines(), max_size=6))
def test_webvtt_holds_every_line_in_time(lines):
    cues = [cue for cue, _ in read_webvtt(format_vtt(lines))]
    assert [text for _, _, text in cues] == [line.text for line in visible(lines)]
    assert [start for start, _, _ in cues] == pytest.approx(
        [max(0.0, line.start) for line in visible(lines)], abs=0.0006
    )
    assert [start for start, _, _ in cues] == sorted(start for start, _, _ in cues)


@settings(max_examples=50)
@given(st.lists(vendor_lines(), max_size=6))
def test_srt_holds_every_line_in_time(lines):
    cues = read_srt(format_srt(lines))
    assert [text for _, _, text in cues] == [line.text for line in visible(lines)]
    for (start, end, _), line in zip(cues, visible(lines), strict=True):
        assert start == pytest.approx(max(0.0, line.start), abs=0.0006)
        assert end == pytest.approx(max(start, line.end), abs=0.0106)


@settings(max_examples=50)
@given(st.lists(vendor_lines(), max_size=6))
def test_lrc_holds_every_line_in_time(lines):
    *rows, (end, nothing, _) = read_lrc(format_lrc(lines))
    assert nothing == ""
    for (start, text, inner), line in zip(rows, visible(lines), strict=True):
        assert text.translate(str.maketrans("＜＞", "<>")) == line.text.translate(
            str.maketrans("＜＞", "<>")
        )
        assert start == pytest.approx(max(0.0, line.start), abs=0.0056)
        assert [start, *inner] == sorted([start, *inner])
        assert start <= end


LYRIC = "오늘도 반짝이는 바다\n[Chorus]\nSing <it> & say -->\n[la] la {라}"


def test_a_songs_own_lines_come_back_from_all_three():
    lines = arrange(LYRIC, get_genre("pop"), 20)[1]
    texts = ["오늘도 반짝이는 바다", "Sing <it> & say -->", "[la] la {라}"]
    assert [text for (_, _, text), _ in read_webvtt(format_vtt(lines))] == texts
    assert [text for _, _, text in read_srt(format_srt(lines))] == texts
    assert [text for _, text, _ in read_lrc(format_lrc(lines))] == [*texts, ""]


def test_webvtt_times_every_syllable_after_the_first():
    line = Line("노래 해", 3.0, 4.25, (Chunk("노", 0.5), Chunk("래 ", 0.25), Chunk("해", 0.5)))
    assert format_vtt([line]) == (
        "WEBVTT\n\n00:00:03.000 --> 00:00:04.250\n노<00:00:03.500>래 <00:00:03.750>해\n"
    )


def test_lrc_times_every_word():
    line = Line("노래 해", 63.0, 64.25, (Chunk("노", 0.5), Chunk("래 ", 0.25), Chunk("해", 0.5)))
    assert format_lrc([line], "블루\n카페") == (
        "[ti:블루 카페]\n[01:03.00]<01:03.00>노래 <01:03.75>해\n[01:04.25]\n"
    )


def test_what_looks_like_a_time_in_lrc_is_text():
    line = Line("<00:01.00>", 2.0, 3.0, (Chunk("<00:", 0.5), Chunk("01.00>", 0.5)))
    assert format_lrc([line]).splitlines()[0] == "[00:02.00]<00:02.00>＜00:01.00＞"


@pytest.mark.parametrize("mark", BREAKS)
def test_a_line_break_inside_a_line_does_not_end_its_cue(mark):
    text = f"가{mark}{mark}나"
    lines = [Line(text, 1.0, 2.0, (Chunk(text, 1.0),))]
    assert read_srt(format_srt(lines)) == [(1.0, 2.0, "가  나")]
    assert read_webvtt(format_vtt(lines)) == [((1.0, 2.0, "가  나"), [])]


@pytest.mark.parametrize("kind", ["vtt", "srt"])
def test_ffmpeg_reads_what_is_written(kind, tmp_path):
    files = write_transcripts(arrange(LYRIC, get_genre("pop"), 20)[1], tmp_path, "카페")
    assert [file.name for file in files] == ["lyrics.vtt", "lyrics.srt", "lyrics.lrc"]
    command = [find_ffmpeg(), "-v", "error", "-i", str(tmp_path / f"lyrics.{kind}")]
    read = subprocess.run([*command, "-f", "ass", "-"], capture_output=True, check=True)
    shown = [row for row in read.stdout.decode().splitlines() if row.startswith("Dialogue: ")]
    assert len(shown) == 3
    assert "오늘도 반짝이는 바다" in re.sub(r"\{[^}]*\}", "", shown[0])
    assert read.stderr == b""


def test_a_half_of_a_character_is_written_all_the_same(tmp_path):
    line = Line("a\ud800", 0.0, 1.0, (Chunk("a\ud800", 1.0),))
    assert "a?" in write_transcripts([line], tmp_path)[1].read_text("utf-8")
