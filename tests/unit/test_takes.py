import json
from typing import Any

import pytest

from pipeline_defs.pipeline import Choice
from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.pipeline import PIPELINE
from pipeline_defs.song_video.products import Lyric, Song, Video
from pipeline_defs.song_video.revisions import choose_take, list_takes
from pipeline_defs.song_video.stage_inputs import build_video_input
from resources.contract.errors import InvalidInputError

ESTIMATED = "captions are estimated"


def line(text: str, start: float, end: float) -> dict[str, Any]:
    return {"text": text, "start": start, "end": end, "chunks": [[text, end - start]]}


def file(name: str) -> dict[str, Any]:
    return {"name": name, "sha256": "", "bytes": 4, "media_type": "audio/mpeg", "where": name}


STORED: dict[str, Any] = {
    "seconds": 20.0,
    "genre": "pop",
    "timeline": [line("one", 4, 6)],
    "beat_seconds": 0.5,
    "sections": [{"kind": "verse", "start": 0, "end": 20}],
    "url": "https://files.example/1.mp3",
    "songs": [
        {"id": "id-1", "title": "머뭄", "seconds": 20.0},
        {
            "id": "id-2",
            "title": "머뭄",
            "seconds": 30.6,
            "timeline": [line("one", 5, 8)],
            "beat_seconds": 0.6,
            "sections": [{"kind": "verse", "start": 0, "end": 30}],
            "url": "https://files.example/2.mp3",
        },
    ],
    "notes": ["jazz is played as pop"],
    "files": [file("song.mp3"), file("song-2.mp3"), file("song.mid")],
}
SONG = Song.model_validate(STORED)
OLD = Song.model_validate(
    STORED
    | {
        "songs": [
            {"id": f"id-{seconds}", "title": "", "seconds": seconds} for seconds in (20.0, 30.0)
        ]
    }
)


def stored(song: Song) -> Song:
    return Song.model_validate(json.loads(json.dumps(song.model_dump(mode="json"))))


def test_takes_are_named_after_the_sequence_in_which_they_were_made():
    assert list_takes(SONG) == [
        Choice("a", "A · 0:20", "song.mp3", 20.0),
        Choice("b", "B · 0:31", "song-2.mp3", 30.6),
    ]


def test_takes_begin_with_the_one_that_is_used():
    assert [take.id for take in list_takes(choose_take(SONG, "b"))] == ["b", "a"]


def test_a_song_without_versions_is_its_own_only_take():
    alone = SONG.model_copy(update={"songs": []})
    assert [(take.id, take.seconds) for take in list_takes(alone)] == [("a", 20.0)]


def test_the_video_plays_the_take_that_was_chosen():
    brief = Brief(customer_name="머뭄", region="군산", duration_seconds=60)
    order = build_video_input(brief, "order-1", {"song": stored(choose_take(SONG, "b"))})
    assert order["song"]["name"] == "song-2.mp3"
    assert order["song_url"] == "https://files.example/2.mp3"
    assert (order["song_seconds"], order["beat_seconds"]) == (30.6, 0.6)
    assert [each["start"] for each in order["timeline"]] == [5.0]
    assert [each["end"] for each in order["sections"]] == [30.0]


def test_the_result_names_the_take_that_was_chosen():
    video = Video(seconds=20, width=2, height=2, fps=30, files=[])
    lyric = Lyric(title="머뭄", text="one")
    result = PIPELINE.result({"lyric": lyric, "song": choose_take(SONG, "b"), "video": video})
    assert result.song == "song-2.mp3"


@pytest.mark.parametrize("song", [SONG, OLD], ids=["new", "old"])
def test_who_goes_back_to_the_first_take_has_it_as_it_was(song):
    back = choose_take(stored(choose_take(song, "b")), "a")
    assert back.model_dump(exclude={"songs"}) == song.model_dump(exclude={"songs"})


def test_choosing_again_changes_nothing():
    chosen = choose_take(SONG, "b")
    assert choose_take(chosen, "b") == chosen


def test_a_take_may_be_named_as_its_label_shows_it():
    assert choose_take(SONG, " B ").used == 1


def test_choosing_keeps_every_file():
    assert choose_take(SONG, "b").files == SONG.files


def test_a_take_that_nobody_timed_is_sung_as_the_used_one_in_proportion():
    [sung] = choose_take(OLD, "b").timeline
    assert (sung.start, sung.end, sung.chunks) == (6.0, 9.0, [("one", 3.0)])


def test_a_take_that_nobody_timed_says_so_in_its_notes():
    assert choose_take(OLD, "b").notes == [*OLD.notes, ESTIMATED]


def test_a_note_of_estimated_captions_goes_with_its_take():
    estimated = SONG.model_copy(update={"notes": [*SONG.notes, ESTIMATED]})
    other = choose_take(estimated, "b")
    assert (other.notes, choose_take(other, "a").notes) == (SONG.notes, estimated.notes)


@pytest.mark.parametrize("take", ["c", "", "ab", "id-2", "a\0", "song.mp3", "y" * 10_000])
def test_a_choice_that_does_not_exist_is_refused(take):
    with pytest.raises(InvalidInputError, match=r"^choice: expected a or b$"):
        choose_take(SONG, take)
