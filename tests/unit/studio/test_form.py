import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.genres import Genre, get_genre, read_genres
from studio.timeline import SUNG, deal, plan_grid
from studio.words import Stanza, read_stanzas

genres = st.sampled_from([read_genres()[name] for name in sorted(read_genres())])
durations = st.floats(10, 120)
stanzas = st.lists(
    st.builds(
        Stanza,
        st.sampled_from(["", "verse", "chorus", "bridge"]),
        st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=12).map(tuple),
    ),
    max_size=40,
)


def kinds(genre: Genre, seconds: float, lyric: str = "") -> list[str]:
    return [section.kind for section in plan_grid(genre, seconds, read_stanzas(lyric)).sections]


@settings(max_examples=40)
@given(genres, durations, stanzas)
def test_sections_fill_the_bars_in_order_without_a_gap(genre, seconds, sung):
    grid = plan_grid(genre, seconds, sung)
    numbers = [
        section.first_bar + number for section in grid.sections for number in range(section.bars)
    ]
    assert numbers == list(range(grid.bars))


@given(genres, durations, stanzas)
def test_a_song_lasts_exactly_as_long_as_asked(genre, seconds, sung):
    grid = plan_grid(genre, seconds, sung)
    assert grid.bar * grid.bars == pytest.approx(seconds, rel=1e-12)


@given(genres, durations, stanzas)
def test_a_song_begins_with_an_intro_and_ends_with_an_outro(genre, seconds, sung):
    first, *_, last = plan_grid(genre, seconds, sung).sections
    assert (first.kind, last.kind) == ("intro", "outro")


@given(genres, durations, stanzas.filter(bool))
def test_every_line_has_its_place_in_a_sung_section(genre, seconds, sung):
    sections = plan_grid(genre, seconds, sung).sections
    assert sum(section.lines for section in sections) == sum(len(one.lines) for one in sung)
    assert {section.kind for section in sections if section.lines} <= set(SUNG)


@given(genres, st.floats(10, 120), st.integers(0, 200))
def test_swing_moves_what_is_between_beats_and_no_beat(genre, seconds, beat):
    grid = plan_grid(genre, seconds)
    assert grid.to_seconds(4 * beat) == pytest.approx(beat * grid.beat)
    first, second = (
        grid.to_seconds(4 * beat + step + genre.swung) - grid.to_seconds(4 * beat + step)
        for step in (0, genre.swung)
    )
    assert first == pytest.approx(genre.swing * second)


@given(genres, st.floats(10, 120), st.floats(0, 500), st.floats(0, 500))
def test_later_steps_are_played_later(genre, seconds, one, other):
    grid = plan_grid(genre, seconds)
    assert (grid.to_seconds(one) <= grid.to_seconds(other)) == (one <= other)


@pytest.mark.parametrize("seconds", [20, 40, 60])
def test_jazz_has_a_solo_between_its_heads(seconds):
    played = kinds(read_genres()["jazz"], seconds)
    assert played[-4:] == ["verse", "break", "chorus", "outro"]


@pytest.mark.parametrize("seconds", [60, 90])
def test_verses_of_hip_hop_are_longer_than_its_hooks(seconds):
    sections = plan_grid(read_genres()["hiphop"], seconds).sections
    verses, hooks = (
        [one.bars for one in sections if one.kind == kind] for kind in ("verse", "chorus")
    )
    assert min(verses) >= 1.5 * min(hooks)


def test_trot_has_an_interlude_before_its_second_verse():
    assert kinds(read_genres()["trot"], 60) == [
        *("intro", "verse", "chorus"),
        *("break", "verse", "chorus", "outro"),
    ]


@given(st.floats(30, 120))
def test_a_lyric_gets_the_break_of_its_form(seconds):
    stanza = "가나다라마바\n사아자차카타"
    lyric = f"[Verse]\n{stanza}\n[Chorus]\n{stanza}"
    assert "break" in kinds(read_genres()["jazz"], seconds, lyric)


@given(genres, st.floats(30, 120))
def test_the_tempo_stays_near_the_genres(genre, seconds):
    assert 60 / plan_grid(genre, seconds).beat == pytest.approx(genre.tempo, rel=0.06)


@given(genres, durations)
def test_a_song_to_be_written_has_a_verse_and_a_chorus_with_lines(genre, seconds):
    sections = plan_grid(genre, seconds).sections
    assert {"verse", "chorus"} <= {section.kind for section in sections if section.lines}


@settings(max_examples=40)
@given(genres, durations)
def test_lines_to_be_written_have_time_to_be_sung(genre, seconds):
    grid = plan_grid(genre, seconds)
    rooms = [section.bars * grid.bar / section.lines for section in grid.sections if section.lines]
    assert min(rooms) > 1.6
    assert max(rooms) < 6


def test_marks_decide_what_the_sections_are():
    lyric = "[Chorus]\na\n[Verse]\nb\n[Bridge]\nc\n[Chorus]\na"
    sung = [kind for kind in kinds(get_genre("pop"), 30, lyric) if kind in SUNG]
    assert sung == ["chorus", "verse", "bridge", "chorus"]


def test_stanzas_without_marks_are_verse_and_chorus_in_turn():
    sung = [kind for kind in kinds(get_genre("pop"), 40, "a\n\nb\n\nc\n\nd") if kind in SUNG]
    assert sung == ["verse", "chorus", "verse", "chorus"]


def test_a_stanza_with_more_words_gets_more_bars():
    short = Stanza("verse", ("가나다라마",))
    long = Stanza("chorus", ("가나다라마바사아자차카타파하" * 2,) * 3)
    bars = {one.kind: one.bars for one in plan_grid(get_genre("pop"), 20, [short, long]).sections}
    assert bars["chorus"] > 2 * bars["verse"]


def test_a_long_song_with_few_words_has_breaks_instead_of_long_lines():
    sections = plan_grid(
        get_genre("pop"), 120, read_stanzas("가나다\n라마바\n\n사아자\n차카타")
    ).sections
    assert "break" in {section.kind for section in sections}


def test_a_long_song_of_many_words_has_a_short_intro():
    wordy = Stanza("verse", ("가나다라마바사아자차카타파하가나다라마바사아자차카타파하",) * 12)
    assert plan_grid(get_genre("ballad"), 120, [wordy, wordy, wordy]).sections[0].bars == 1


@settings(max_examples=50)
@given(
    st.lists(st.floats(0.5, 50), min_size=1, max_size=30), st.integers(0, 200), st.integers(0, 2)
)
def test_dealing_out_gives_everything_away(weights, total, least):
    total = max(total, least * len(weights))
    shares = deal(total, weights, least)
    assert sum(shares) == total
    assert min(shares) >= least


def test_dealing_out_follows_the_weights():
    assert deal(10, [1, 2, 2]) == [2, 4, 4]
