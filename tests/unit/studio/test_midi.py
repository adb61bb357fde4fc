from dataclasses import dataclass, field

import pytest

from studio.band.melody import Note
from studio.band.score import DRUM_NOTES, TICKS_PER_BEAT, Score, build_midi, compose
from studio.genres import get_genre, read_genres
from studio.timeline import Grid, Line, arrange

LYRIC = "[Verse]\nWalking through the city, 오늘도\n[Chorus]\n여기는 스테이 머뭄 😀\nla la la"
PARTS = {"melody": "melody", "lead": "lead", "pad": "chords", "comping": "comping", "bass": "bass"}


@dataclass
class Track:
    name: str = ""
    channels: set[int] = field(default_factory=set)
    notes: list[tuple[int, int, int]] = field(default_factory=list)
    lyrics: list[tuple[int, str]] = field(default_factory=list)
    programs: list[int] = field(default_factory=list)
    tempo: int | None = None


def number(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    while data[at] & 0x80:
        value, at = value << 7 | data[at] & 0x7F, at + 1
    return value << 7 | data[at], at + 1


def read(data: bytes) -> tuple[int, int, list[Track]]:
    """Form, ticks per beat and tracks; notes as start, end and pitch in ticks."""
    assert data[:8] == b"MThd\0\0\0\6"
    form, count, division = (int.from_bytes(data[at : at + 2]) for at in (8, 10, 12))
    tracks, at = [], 14
    for _ in range(count):
        assert data[at : at + 4] == b"MTrk"
        size = int.from_bytes(data[at + 4 : at + 8])
        tracks.append(read_track(data[at + 8 : at + 8 + size]))
        at += 8 + size
    assert at == len(data)
    return form, division, tracks


def read_track(data: bytes) -> Track:
    track, now, at = Track(), 0, 0
    sounding: dict[int, int] = {}
    while True:
        delta, at = number(data, at)
        now += delta
        status = data[at]
        if status == 0xFF:
            kind, (size, first) = data[at + 1], number(data, at + 2)
            body, at = data[first : first + size], first + size
            if kind == 0x2F:
                assert (at, sounding) == (len(data), {})
                return track
            track.name = body.decode() if kind == 0x03 else track.name
            track.tempo = int.from_bytes(body) if kind == 0x51 else track.tempo
            if kind == 0x05:
                track.lyrics.append((now, body.decode()))
        elif status & 0xF0 == 0xC0:
            track.programs.append(data[at + 1])
            at += 2
        else:
            pitch = data[at + 1]
            track.channels.add(status & 0x0F)
            if status & 0xF0 == 0x90:
                sounding[pitch] = now
            else:
                track.notes.append((sounding.pop(pitch), now, pitch))
            at += 3


def song(genre: str = "pop") -> tuple[Score, Grid, tuple[Line, ...]]:
    grid, lines = arrange(LYRIC, read_genres()[genre], 20, "a")
    return compose(get_genre(genre).style, grid, lines, "a", (57, 74)), grid, lines


def tracks(genre: str = "pop") -> dict[str, Track]:
    score, grid, lines = song(genre)
    return {
        track.name: track
        for track in read(build_midi(score, grid, get_genre(genre).style.programs, lines))[2]
    }


def ticks(notes: tuple[Note, ...], grid: Grid) -> list[tuple[float, float, int]]:
    scale = TICKS_PER_BEAT / grid.beat
    return sorted((n.start * scale, (n.start + n.seconds) * scale, n.pitch) for n in notes)


def test_a_file_is_of_type_1_with_a_track_for_every_part():
    score, grid, lines = song()
    form, division, found = read(build_midi(score, grid, get_genre("pop").style.programs, lines))
    assert (form, division) == (1, TICKS_PER_BEAT)
    assert [track.name for track in found] == ["tempo", *PARTS, "drums"]


@pytest.mark.parametrize("genre", sorted(read_genres()))
def test_every_note_is_in_the_file_within_a_tick(genre):
    score, grid, _ = song(genre)
    found = tracks(genre)
    for name, part in PARTS.items():
        expected = ticks(getattr(score, part), grid)
        read_back = sorted(found[name].notes)
        assert sorted(pitch for *_, pitch in read_back) == sorted(pitch for *_, pitch in expected)
        for pitch in {pitch for *_, pitch in expected}:
            wanted = [(start, end) for start, end, at in expected if at == pitch]
            there = [(start, end) for start, end, at in read_back if at == pitch]
            for (start, end), (begun, ended) in zip(wanted, there, strict=True):
                assert abs(start - begun) <= 1
                assert abs(end - ended) <= 1


def test_every_stroke_that_general_midi_has_is_in_the_file():
    score, grid, _ = song("edm")
    scale = TICKS_PER_BEAT / grid.beat
    expected = [(h.start * scale, DRUM_NOTES[h.drum]) for h in score.drums if h.drum in DRUM_NOTES]
    found = [(start, pitch) for start, _, pitch in tracks("edm")["drums"].notes]
    assert len(found) == len(expected)
    for (start, pitch), (begun, struck) in zip(
        sorted(expected, key=lambda hit: (hit[1], hit[0])),
        sorted(found, key=lambda hit: (hit[1], hit[0])),
        strict=True,
    ):
        assert pitch == struck
        assert abs(start - begun) <= 1


def test_the_lyrics_in_the_file_are_the_lines():
    _, grid, lines = song()
    said = tracks()["melody"].lyrics
    assert "".join(text for _, text in said) == "".join(line.text for line in lines)
    starts = [start / grid.beat * TICKS_PER_BEAT for line in lines for start in line.starts()]
    assert all(abs(at - start) <= 1 for (at, _), start in zip(said, starts, strict=True))


def test_a_file_without_lines_has_no_lyrics():
    score, grid, _ = song()
    found = read(build_midi(score, grid, get_genre("pop").style.programs))[2]
    assert all(track.lyrics == [] for track in found)


def test_the_tempo_is_the_grids():
    _, grid, _ = song()
    assert tracks()["tempo"].tempo == round(grid.beat * 1_000_000)


def test_drums_are_on_the_tenth_channel_alone():
    found = tracks()
    assert found["drums"].channels == {9}
    assert all(9 not in found[name].channels for name in PARTS)


def test_genres_are_played_by_other_instruments():
    programs = {
        tuple(number for name in PARTS for number in tracks(genre)[name].programs)
        for genre in read_genres()
    }
    assert len(programs) == len(read_genres())


def test_a_lyric_that_cannot_be_encoded_leaves_a_file_that_can_be_read():
    grid, lines = arrange("a\ud800b la", read_genres()["pop"], 20, "a")
    score = compose(get_genre("pop").style, grid, lines, "a", (57, 74))
    assert len(read(build_midi(score, grid, get_genre("pop").style.programs, lines))[2]) == 7
