import random
from itertools import pairwise
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.band.melody import Chart, Key, Note
from studio.band.score import Score, arrange_drums, compose
from studio.genres import Genre, get_genre, read_genres
from studio.timeline import Grid, Line, arrange

REACH = (57, 74)
HOOK = "여기는 스테이 머뭄"
LYRIC = f"""[Verse]
군산 골목에 햇살이 번지면
초원사진관 그 자리에 서 있어
[Chorus]
{HOOK}
랄랄라 손을 잡고 함께 가요
[Verse]
바람이 좋은 날 걷고 싶은 길
창가에 앉아 하루를 적어 보네
[Chorus]
{HOOK}
다시 만나요 우리
[Bridge]
파도 소리 들려오는 밤
[Chorus]
{HOOK}
랄랄라 손을 잡고 함께 가요
"""
genres = st.sampled_from([read_genres()[name] for name in sorted(read_genres())])
every_genre = pytest.mark.parametrize(
    "genre", [read_genres()[name] for name in sorted(read_genres())]
)
lyrics = st.lists(st.text(max_size=40) | st.just("[Chorus]"), max_size=30).map("\n".join)


def written(
    genre: Genre, seconds: float = 60, lyric: str = LYRIC, seed: str = "a"
) -> tuple[Score, Grid, tuple[Line, ...]]:
    grid, lines = arrange(lyric, genre, seconds, seed)
    return compose(genre.style, grid, lines, seed, REACH), grid, lines


def melodies(score: Score, lines: tuple[Line, ...]) -> list[tuple[Note, ...]]:
    """The notes of each line."""
    notes, first = [], 0
    for line in lines:
        notes.append(score.melody[first : first + len(line.chunks)])
        first += len(line.chunks)
    return notes


def chart(genre: Genre, grid: Grid, seed: str = "a") -> Chart:
    return Chart(genre.style, grid, random.Random(f"score {seed}"))


def kind_at(grid: Grid, moment: float) -> str:
    bar = int(moment / grid.bar + 1e-3)
    return next(
        one.kind for one in grid.sections if one.first_bar <= bar < one.first_bar + one.bars
    )


@settings(max_examples=25)
@given(lyrics, genres, st.floats(10, 120))
def test_every_chunk_has_one_note_that_starts_with_it(lyric, genre, seconds):
    score, _, lines = written(genre, seconds, lyric)
    starts = [start for line in lines for start in line.starts()]
    assert [note.start for note in score.melody] == starts


@settings(max_examples=25)
@given(lyrics, genres, st.floats(10, 120), st.integers(50, 60))
def test_the_melody_stays_in_the_singers_range(lyric, genre, seconds, low):
    grid, lines = arrange(lyric, genre, seconds, "a")
    score = compose(genre.style, grid, lines, "a", (low, low + 16))
    assert all(low <= note.pitch <= low + 16 for note in score.melody)


@settings(max_examples=25)
@given(lyrics, genres, st.floats(10, 120))
def test_every_part_stays_inside_the_song(lyric, genre, seconds):
    score, _, _ = written(genre, seconds, lyric)
    parts = (score.melody, score.lead, score.chords, score.comping, score.bass, score.drums)
    assert all(0 <= one.start < seconds for part in parts for one in part)


@every_genre
def test_melodies_go_by_small_steps(genre):
    score, _, lines = written(genre)
    leaps = [
        abs(after.pitch - before.pitch)
        for notes in melodies(score, lines)
        for before, after in pairwise(notes)
    ]
    assert max(leaps) <= 9
    assert sum(leap <= 4 for leap in leaps) / len(leaps) > 0.8


@every_genre
def test_strong_beats_belong_to_the_chord(genre):
    score, grid, lines = written(genre)
    chords = chart(genre, grid)
    strong = [note for note in score.melody if chords.is_strong(note.start)]
    first_time = [note for note in strong if note.start < lines[6].start]
    assert all(note.pitch % 12 in chords.get_triad(note.start) for note in first_time)


@every_genre
def test_lines_end_on_the_chord(genre):
    score, grid, lines = written(genre)
    chords = chart(genre, grid)
    ends = [notes[-1] for notes in melodies(score, lines)[:6]]
    assert all(note.pitch % 12 in chords.get_triad(note.start) for note in ends)


@every_genre
def test_a_chorus_is_higher_than_a_verse(genre):
    score, grid, _ = written(genre)
    heights = {
        kind: [note.pitch for note in score.melody if kind_at(grid, note.start) == kind]
        for kind in ("verse", "chorus")
    }
    mean = {kind: sum(pitches) / len(pitches) for kind, pitches in heights.items()}
    assert mean["chorus"] > mean["verse"] + 2


@every_genre
@pytest.mark.parametrize("seconds", [43, 60, 101])
def test_the_hook_is_sung_alike_every_time(genre, seconds):
    score, _, lines = written(genre, seconds)
    hooks = [
        [(note.start - notes[0].start, note.pitch) for note in notes]
        for line, notes in zip(lines, melodies(score, lines), strict=True)
        if line.text == HOOK
    ]
    assert len(hooks) == 3
    for hook in hooks[1:]:
        for note, first in zip(hook, hooks[0], strict=True):
            assert note == pytest.approx(first, abs=1e-3)


@every_genre
def test_a_bridge_has_chords_of_its_own(genre):
    _, grid, _ = written(genre)
    degrees: dict[str, list[int]] = {}
    for bar in chart(genre, grid).bars:
        degrees.setdefault(bar.section.kind, []).append(bar.degree)
    bridge = degrees["bridge"]
    assert bridge not in (degrees["verse"][: len(bridge)], degrees["chorus"][: len(bridge)])


@settings(max_examples=30)
@given(lyrics, genres, st.floats(10, 120))
def test_the_lead_keeps_silent_while_somebody_sings(lyric, genre, seconds):
    score, _, lines = written(genre, seconds, lyric)
    spans = [(line.start, line.end) for line in lines]
    for note in score.lead:
        assert not any(
            start < note.start + note.seconds - 1e-3 and note.start < end - 1e-3
            for start, end in spans
        )


@every_genre
def test_the_intro_quotes_the_hook(genre):
    score, _, lines = written(genre)
    hook = next(
        n for line, n in zip(lines, melodies(score, lines), strict=True) if line.text == HOOK
    )
    intro = [note for note in score.lead if note.start < lines[0].start]
    rhythm = [round(note.start - intro[0].start, 3) for note in intro]
    quoted = [round(note.start - hook[0].start, 3) for note in hook]
    assert rhythm[: len(quoted)] == pytest.approx(quoted[: len(rhythm)], abs=2e-3)


@every_genre
def test_a_song_without_words_has_a_lead_that_plays_all_through(genre):
    score, grid, _ = written(genre, 60, "[Instrumental]")
    bars = {int(note.start / grid.bar + 1e-3) for note in score.lead}
    assert score.melody == ()
    assert len(bars) > 0.6 * grid.bars


@every_genre
def test_a_chorus_is_fuller_than_a_verse(genre):
    score, grid, _ = written(genre)
    first = {kind: next(s for s in grid.sections if s.kind == kind) for kind in ("verse", "chorus")}
    fullness = {}
    for kind, section in first.items():
        start, end = section.first_bar * grid.bar, (section.first_bar + section.bars) * grid.bar
        played = (*score.chords, *score.comping, *score.bass)
        sounding = [one for one in played if start <= one.start < end]
        fullness[kind] = sum(one.seconds * one.strength for one in sounding) / section.bars
    assert fullness["chorus"] > 1.2 * fullness["verse"]


@every_genre
def test_a_chorus_begins_with_a_crash(genre):
    score, grid, _ = written(genre)
    crashes = [hit.start for hit in score.drums if hit.drum == "crash"]
    for section in grid.sections:
        if section.kind == "chorus":
            assert min(abs(start - section.first_bar * grid.bar) for start in crashes) < 0.01


def bars_of(notes: tuple[Note, ...], grid: Grid, kind: str) -> list[list[Note]]:
    """The notes of every bar of such sections but the song's last bar."""
    found: dict[int, list[Note]] = {}
    for note in notes:
        if kind_at(grid, note.start) == kind and note.start < grid.seconds - grid.bar:
            found.setdefault(int(note.start / grid.bar + 1e-2), []).append(note)
    return list(found.values())


def test_the_bass_of_jazz_walks_up_to_the_next_chord():
    score, grid, _ = written(read_genres()["jazz"])
    walked = bars_of(score.bass, grid, "chorus")
    assert all(len({note.pitch for note in bar}) >= 3 for bar in walked)
    for bar, following in pairwise(walked):
        if following[0].start - bar[0].start < 1.1 * grid.bar:
            assert abs(following[0].pitch - bar[-1].pitch) == 1


def test_the_bass_of_trot_goes_from_root_to_fifth_and_its_chords_fall_between():
    score, grid, _ = written(read_genres()["trot"])
    for bar in bars_of(score.bass, grid, "verse"):
        assert (bar[1].pitch - bar[0].pitch) % 12 == 7
    for bar in bars_of(score.comping, grid, "verse"):
        steps = {round(note.start / grid.beat * 4) % 16 for note in bar}
        assert not steps & {0, 8}


def test_trot_is_sung_on_five_notes_in_minor():
    score, grid, _ = written(read_genres()["trot"])
    tonic = chart(read_genres()["trot"], grid).key.tonic
    assert {(note.pitch - tonic) % 12 for note in score.melody} <= {0, 2, 3, 7, 8}


def test_a_line_of_trot_turns_before_its_last_note():
    score, _, lines = written(read_genres()["trot"])
    turned = [notes for notes in melodies(score, lines) if notes[-1].pitch < notes[-2].pitch]
    assert len(turned) > len(lines) / 2


def test_the_dominant_of_trot_has_a_leading_note():
    key = chart(read_genres()["trot"], written(read_genres()["trot"])[1]).key
    assert (key.tonic - 1) % 12 in {pitch % 12 for pitch in key.build_chord(4)}


def test_hip_hop_is_spoken_in_verses_and_sung_in_its_hook():
    score, grid, lines = written(read_genres()["hiphop"])
    spans: dict[str, list[int]] = {"verse": [], "chorus": []}
    for line, notes in zip(lines, melodies(score, lines), strict=True):
        pitches = [note.pitch for note in notes]
        spans.setdefault(kind_at(grid, line.start), []).append(max(pitches) - min(pitches))
    assert max(spans["verse"]) <= 7
    assert mean(spans["chorus"]) > 1.2 * mean(spans["verse"])


def test_the_snare_of_hip_hop_is_late_and_its_kick_is_not():
    _, grid, _ = written(read_genres()["hiphop"])
    hits = list(arrange_drums(chart(read_genres()["hiphop"], grid), get_genre("hiphop").style))
    played = [grid.to_seconds(step) for step in range(grid.bars * 16)]
    late = {
        drum: [
            min(abs(hit.start - moment) for moment in played) for hit in hits if hit.drum == drum
        ]
        for drum in ("kick", "snare")
    }
    assert max(late["kick"]) < 1e-6
    assert min(late["snare"]) > 0.01


def test_bossa_nova_has_its_clave_on_the_rim():
    _, grid, _ = written(read_genres()["bossa"])
    hits = list(arrange_drums(chart(read_genres()["bossa"], grid), get_genre("bossa").style))
    verse = next(section for section in grid.sections if section.kind == "verse")
    start = verse.first_bar * grid.bar
    steps = [
        round((hit.start - start) / grid.beat * 4)
        for hit in hits
        if hit.drum == "rim" and start <= hit.start < start + grid.bar
    ]
    assert steps == [0, 3, 6, 10, 13]


def test_the_lead_of_jazz_improvises_where_others_quote_the_hook():
    score, grid, _ = written(read_genres()["jazz"])
    solo = [note for note in score.lead if kind_at(grid, note.start) == "break"]
    bars = next(section.bars for section in grid.sections if section.kind == "break")
    assert len(solo) >= 5 * bars
    assert len({note.pitch for note in solo}) > 6


def test_dance_music_builds_up_to_its_drop():
    _, grid, _ = written(get_genre("edm"))
    chorus = next(section for section in grid.sections if section.kind == "chorus")
    drop = chorus.first_bar * grid.bar
    hits = list(arrange_drums(chart(get_genre("edm"), grid), get_genre("edm").style))
    last_bar = [hit for hit in hits if drop - grid.bar <= hit.start < drop - 1e-3]
    assert sum(hit.drum == "snare" for hit in last_bar) >= 8
    assert "riser" in {hit.drum for hit in last_bar}
    assert "boom" in {hit.drum for hit in hits if abs(hit.start - drop) < 1e-3}


@settings(max_examples=20)
@given(genres, st.floats(10, 120), st.text(max_size=4))
def test_no_pitch_is_struck_anew_while_it_sounds(genre, seconds, seed):
    score, _, _ = written(genre, seconds, LYRIC, seed)
    for part in (score.lead, score.chords, score.comping, score.bass):
        ends: dict[int, float] = {}
        for note in part:
            assert note.start >= ends.get(note.pitch, 0.0) - 1e-9
            ends[note.pitch] = note.start + note.seconds


def test_the_same_order_gives_the_same_score():
    assert written(get_genre("pop")) == written(get_genre("pop"))


def test_another_seed_gives_another_score():
    assert written(get_genre("pop"), seed="a")[0] != written(get_genre("pop"), seed="b")[0]


def test_genres_differ_in_every_part():
    scores = [written(genre)[0] for genre in read_genres().values()]
    for part in ("lead", "chords", "comping", "bass", "drums"):
        assert len({getattr(score, part) for score in scores}) == len(read_genres())


def test_a_chord_is_folded_around_the_tonic():
    assert Key(60, minor=False).build_chord(4) == (55, 59, 62)


def test_a_ladder_has_the_steps_of_the_scale():
    assert Key(57, minor=True).list_pitches(57, 69) == (57, 59, 60, 62, 64, 65, 67, 69)
