import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.products import Lyric, Song, SungLine
from pipeline_defs.song_video.stage_inputs import (
    build_lyric_input,
    build_song_input,
    build_video_input,
    get_own_lyric,
)
from resources.files.artifacts import StoredArtifact
from resources.purchase.stage_context import hash_payload
from tests.tables import rows_beside

TASK = "order-1"
UPLOAD = "upload:" + "0a" * 32
BRIEF = Brief(
    customer_name="스테이 머뭄",
    region="군산",
    detail_region_info="말랭이 마을",
    images=["https://example.com/front.jpg", UPLOAD],
)
LYRIC = Lyric(title="머뭄", text="군산의 밤\n머뭄의 아침")
AUDIO = StoredArtifact(
    name="song.wav", sha256="ab" * 32, bytes=44, media_type="audio/wav", where=f"{TASK}/song.wav"
)
SONG = Song(
    seconds=20.0,
    genre="pop",
    timeline=[SungLine(text="군산의 밤", start=0, end=2.5, chunks=[("군산의", 1), ("밤", 1.5)])],
    files=[AUDIO],
)
LONG_SONG = SONG.model_copy(
    update={
        "seconds": 120.0,
        "url": "https://files.example/song.mp3",
        "timeline": [
            SungLine(text="군산의 밤", start=12, end=14, chunks=[("군산의 ", 1), ("밤", 1)]),
            SungLine(text="머뭄의 아침", start=60, end=62, chunks=[("머뭄의 ", 1), ("아침", 1)]),
        ],
    }
)
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs")), max_size=80)
NAME = TEXT.map(lambda text: " ".join(f"가{text}".split())[:80])


def job_inputs(
    brief: Brief = BRIEF, task_id: str = TASK, lyric: Lyric = LYRIC, song: Song = SONG
) -> Mapping[str, Mapping[str, Any]]:
    return {
        "lyric": build_lyric_input(brief, task_id, {}),
        "song": build_song_input(brief, task_id, {"lyric": lyric}),
        "video": build_video_input(brief, task_id, {"song": song}),
    }


def texts_within(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for inner in value.values() for text in texts_within(inner)]
    if isinstance(value, (list, tuple)):
        return [text for inner in value for text in texts_within(inner)]
    return [value] if isinstance(value, str) else []


BRAND = {
    "logo": [UPLOAD],
    "brand_colors": ["#e4572e"],
    "phone": "063-123-4567",
    "address": "전북 군산시 신흥동 1-2",
    "opening_hours": "매일 10-21\n월요일 휴무",
    "link": "https://example.com/reserve",
}


def changed(**fields: Any) -> Brief:
    return BRIEF.model_copy(update=fields)


@pytest.mark.parametrize("stage", ["lyric", "song", "video"])
def test_input_survives_storage_as_json_and_holds_no_path_of_this_machine(stage):
    job_input = job_inputs()[stage]
    stored = json.dumps(job_input)
    assert json.dumps(json.loads(stored)) == stored
    texts = texts_within(job_input)
    assert not [text for text in texts if text.startswith(("/", "~", "..", "file:"))]


@pytest.mark.parametrize("stage", ["lyric", "song", "video"])
def test_input_hash_is_that_of_its_values_and_its_request(stage):
    job_input = job_inputs()[stage]
    again = Brief.model_validate(json.loads(BRIEF.model_dump_json()))
    song = Song.model_validate(json.loads(SONG.model_dump_json()))
    same = [job_inputs(again, song=song)[stage], dict(reversed(list(job_input.items())))]
    assert {hash_payload(each) for each in same} == {hash_payload(job_input)}
    assert hash_payload(job_input) != hash_payload(job_inputs(task_id="order-2")[stage])


@rows_beside
def test_input_changes_with_what_its_stage_is_made_of(stage, field, value):
    other = changed(**{field: value})
    assert hash_payload(job_inputs()[stage]) != hash_payload(job_inputs(other)[stage])


@rows_beside
def test_input_stays_the_same_where_its_stage_is_not_concerned(stage, field, value):
    other = changed(**{field: value})
    assert hash_payload(job_inputs()[stage]) == hash_payload(job_inputs(other)[stage])


def test_input_of_what_is_usual_is_the_same_as_before_there_was_a_choice():
    assert "takes" not in job_inputs()["song"]
    assert "caption_style" not in job_inputs()["video"]


def test_own_words_are_the_lyric_under_the_customers_name():
    own = get_own_lyric(changed(lyric="one\n\ntwo"), {})
    assert own == {"title": BRIEF.customer_name, "text": "one\n\ntwo"}
    assert get_own_lyric(BRIEF, {}) is None


def test_input_of_a_song_sings_the_lyric_as_it_was_written():
    assert job_inputs()["song"]["lyric"] == LYRIC.text


@pytest.mark.parametrize(
    ("song", "shown", "lines"),
    [
        (SONG, (0, 20, False), [("군산의 밤", 0, 2.5)]),
        (LONG_SONG, (11, 20, True), [("군산의 밤", 1, 3)]),
    ],
    ids=["of the right length, whole", "longer, the ordered seconds from where it is sung"],
)
def test_input_of_a_video_shows_of_a_song(song, shown, lines):
    given = job_inputs(song=song)["video"]
    assert (given["song_start"], given["song_seconds"], given["song_fades"]) == shown
    assert [(line["text"], line["start"], line["end"]) for line in given["timeline"]] == lines


def test_input_of_a_video_says_where_the_vendor_keeps_the_song():
    links = [job_inputs(song=song)["video"]["song_url"] for song in (SONG, LONG_SONG)]
    assert links == [None, "https://files.example/song.mp3"]


def test_input_of_a_video_names_its_pictures_after_their_place_in_the_brief():
    assert job_inputs()["video"]["images"] == [
        {"name": "images[0]", "url": "https://example.com/front.jpg", "order": "order-1"},
        {"name": "images[1]", "where": ".uploads/" + "0a" * 32},
    ]


@given(NAME, NAME, TEXT, TEXT)
def test_input_holds_the_customers_words_literally(name, region, detail, title):
    brief = Brief(customer_name=name, region=region, detail_region_info=detail)
    lyric = Lyric(title=title, text=detail)
    made = json.loads(json.dumps(job_inputs(brief, lyric=lyric)))
    assert made["lyric"]["customer_name"] == brief.customer_name
    assert made["video"]["region"] == brief.region
    assert made["song"]["lyric"] == detail
    assert made["song"]["title"] == title


@pytest.mark.parametrize("stage", ["lyric", "song"])
def test_words_and_song_know_nothing_of_the_brand(stage):
    assert job_inputs(changed(**BRAND))[stage] == job_inputs()[stage]


def test_video_input_names_what_is_given_of_the_brand_and_nothing_else():
    plain, branded = job_inputs()["video"], job_inputs(changed(**BRAND))["video"]
    assert {name for name in branded if name not in plain} == set(BRAND)
    assert {name: branded[name] for name in plain} == plain
    assert branded["logo"] == {"name": "logo[0]", "where": f".uploads/{UPLOAD.partition(':')[2]}"}
    assert set(job_inputs(changed(phone="063-123-4567"))["video"]) == {*plain, "phone"}
