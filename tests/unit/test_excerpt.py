import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.song_video.products import Song, SongSection, SungLine
from pipeline_defs.song_video.stage_inputs import cut_excerpt
from resources.files.artifacts import StoredArtifact
from resources.providers.suno.sung_words import build_timed_lines, estimate_lines
from studio.band.song import play
from studio.genres import get_genre
from studio.sound import RATE
from studio.timeline import Line

AUDIO = StoredArtifact(
    name="song.mp3", sha256="ab" * 32, bytes=4, media_type="audio/mpeg", where="a/b"
)
VERSE = SongSection(kind="verse", start=0, end=20)
FORM = {"beat_seconds": 0.5, "sections": [VERSE]}
LENGTH = st.integers(10, 120)
SECONDS = st.floats(1, 400)
LYRICS = st.lists(st.sampled_from(["노래해요", "la la la", "여기는 우리 카페"]), max_size=20)


def song(lines: tuple[Line, ...], seconds: float) -> Song:
    timeline = [SungLine.model_validate(line.as_json()) for line in lines]
    return Song(seconds=seconds, genre="pop", timeline=timeline, files=[AUDIO])


def sung_from(first: float, seconds: float) -> Song:
    """A song of one-second lines, one after the other from a moment on."""
    words, moment = [], first
    while moment + 1 <= seconds:
        words.append({"word": "la lu\n", "startS": moment, "endS": moment + 1})
        moment += 1
    return song(build_timed_lines(words), seconds)


@given(LYRICS, SECONDS, LENGTH)
def test_an_excerpt_lies_inside_its_song(lyric, seconds, length):
    part = cut_excerpt(song(estimate_lines("\n".join(lyric), seconds), seconds), length)
    assert part.start >= 0
    assert part.start + part.seconds <= seconds + 1e-6


@given(LYRICS, st.floats(10, 400), LENGTH)
def test_an_excerpt_is_as_long_as_ordered_where_the_song_is(lyric, seconds, length):
    part = cut_excerpt(song(estimate_lines("\n".join(lyric), seconds), seconds), length)
    assert part.seconds == pytest.approx(min(length, seconds), abs=0.06)


@given(st.floats(0, 100), st.floats(30, 200), LENGTH)
def test_an_excerpt_shows_lines_only_while_it_lasts(first, seconds, length):
    part = cut_excerpt(sung_from(first, seconds), length)
    moments = [moment for line in part.timeline for moment in (line.start, line.end)]
    assert moments == sorted(moments)
    assert all(0 <= moment <= part.seconds + 1e-3 for moment in moments)


@given(st.floats(0, 100), st.floats(30, 200), LENGTH)
def test_an_excerpts_lines_are_made_of_their_chunks(first, seconds, length):
    for line in cut_excerpt(sung_from(first, seconds), length).timeline:
        assert "".join(text for text, _ in line.chunks) == line.text
        assert sum(lasting for _, lasting in line.chunks) == pytest.approx(
            line.end - line.start, abs=0.01
        )


@given(st.floats(0, 60), LENGTH)
def test_an_excerpt_begins_at_most_a_second_before_the_first_line(first, length):
    part = cut_excerpt(sung_from(first, 200.0), length)
    assert first - 1.01 <= part.start <= first
    assert part.timeline[0].start == pytest.approx(min(first, 1), abs=0.01)


def test_an_excerpt_begins_earlier_where_the_song_would_end_too_soon():
    assert cut_excerpt(sung_from(50, 60), 20).start == 40


def test_an_excerpt_of_a_song_without_words_begins_with_it():
    assert cut_excerpt(song((), 60), 20).start == 0


@pytest.mark.parametrize("length", [10, 13, 20])
def test_a_song_of_the_studio_is_used_whole_and_as_it_is(length):
    played = play("여기는 우리 카페\n다 함께 노래해요", get_genre("pop"), length, "a")
    whole = song(played.lines, len(played.samples) / RATE)
    part = cut_excerpt(whole, length)
    assert (part.start, part.seconds, part.fades) == (0, whole.seconds, False)
    assert list(part.timeline) == whole.timeline


def test_an_excerpt_of_a_whole_song_keeps_its_beat_and_form():
    whole = song((), 20.0).model_copy(update=FORM)
    part = cut_excerpt(whole, 20)
    assert (part.beat_seconds, part.sections) == (0.5, (VERSE,))


def test_an_excerpt_of_a_part_knows_no_beat():
    part = cut_excerpt(song((), 40.0).model_copy(update=FORM), 20)
    assert (part.beat_seconds, part.sections) == (None, ())


def test_a_song_that_is_shorter_than_ordered_is_used_whole():
    whole = sung_from(2, 15)
    part = cut_excerpt(whole, 20)
    assert (part.start, part.seconds, list(part.timeline)) == (0, 15, whole.timeline)


@pytest.mark.parametrize(("first", "fades"), [(0, True), (10, True), (50, False)])
def test_an_excerpt_fades_only_where_the_song_goes_on(first, fades):
    assert cut_excerpt(sung_from(first, 60), 20).fades is fades
