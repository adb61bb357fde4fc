import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.contract.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.contract.protocol import InProgress, Succeeded
from resources.providers.suno.song_download import (
    Track,
    has_all_links,
    has_callback_token,
    list_tracks,
    read_task_state,
)

KEY = "sk/canary"
TASK = "5c79be8e"
TOKEN = "a-token-of-24-bytes"
SONG = {
    "id": "8551",
    "audioUrl": "https://files.example/8551.mp3",
    "streamAudioUrl": "https://files.example/8551",
    "title": "머뭄",
    "duration": 198.44,
}
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
ODD_SONG = st.fixed_dictionaries(
    {},
    optional={
        "id": JUNK,
        "title": JUNK,
        "duration": JUNK,
        "audioUrl": JUNK | st.just("https://files.example/a.mp3"),
    },
)
STATUS = JUNK | st.sampled_from(["SUCCESS", "CALLBACK_EXCEPTION", "FAILED", "SENSITIVE_WORD_ERROR"])
RECORD = st.fixed_dictionaries(
    {},
    optional={
        "status": STATUS,
        "errorCode": JUNK,
        "errorMessage": JUNK,
        "response": JUNK
        | st.fixed_dictionaries({"sunoData": st.lists(ODD_SONG | JUNK, max_size=6)}),
    },
)


def record(status: str, *songs: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"taskId": TASK, "status": status, "response": {"sunoData": list(songs)}, **fields}


def read(data: Any) -> InProgress | Succeeded | ProviderError:
    try:
        return read_task_state(data, TASK, KEY)
    except ProviderError as error:
        return error


def failure(status: str, **fields: Any) -> ProviderError:
    with pytest.raises((SubmissionFailedError, PermanentError)) as caught:
        read_task_state(record(status, **fields), TASK, KEY)
    return caught.value


def ordered(**request: Any) -> dict[str, Any]:
    return {"param": json.dumps(request)}


@pytest.mark.parametrize(
    "status", ["PENDING", "TEXT_SUCCESS", "FIRST_SUCCESS", "GENERATING", "pending", "SOMETHING_NEW"]
)
def test_a_status_that_is_not_final_means_working(status: str) -> None:
    assert isinstance(read_task_state(record(status, SONG), TASK, KEY), InProgress)


def test_progress_rises_with_the_status() -> None:
    steps = ("PENDING", "TEXT_SUCCESS", "FIRST_SUCCESS")
    told = [read_task_state(record(status), TASK, KEY) for status in steps]
    progress = [report.progress for report in told if isinstance(report, InProgress)]
    assert progress == sorted(set(progress))  # type: ignore[type-var]


@pytest.mark.parametrize("status", ["SUCCESS", "success", "CALLBACK_EXCEPTION"])
def test_a_task_with_a_link_is_finished(status: str) -> None:
    told = read_task_state(record(status, SONG), TASK, KEY)
    assert isinstance(told, Succeeded)
    assert told.answer["task_id"] == TASK


@pytest.mark.parametrize("status", ["SUCCESS", "CALLBACK_EXCEPTION"])
@pytest.mark.parametrize("link", ["", None, 7, "ftp://files.example/a", "file:///etc/passwd"])
def test_a_task_without_a_link_is_not_believed_to_be_finished(status: str, link: Any) -> None:
    told = read_task_state(record(status, SONG | {"audioUrl": link}), TASK, KEY)
    assert told == InProgress(None, f"the vendor says {status}, but gives no link to a song")


def test_a_finished_task_keeps_both_songs() -> None:
    second = SONG | {"id": "9662", "audioUrl": ""}
    told = read_task_state(record("SUCCESS", SONG, second), TASK, KEY)
    assert isinstance(told, Succeeded)
    assert [song["id"] for song in told.answer["songs"]] == ["8551", "9662"]


@pytest.mark.parametrize(
    "response",
    [
        {"sunoData": [SONG]},
        {"suno_data": [{"id": "8551", "audio_url": SONG["audioUrl"], "title": "머뭄"}]},
        {"data": [{"id": "8551", "audio_url": SONG["audioUrl"], "title": "머뭄"}]},
    ],
)
def test_songs_are_read_in_every_shape_the_vendor_writes(response: Any) -> None:
    (track,) = list_tracks({"response": response}, KEY)
    assert (track.id, track.title, track.audio_url) == ("8551", "머뭄", SONG["audioUrl"])


@pytest.mark.parametrize("status", ["CREATE_TASK_FAILED", "GENERATE_AUDIO_FAILED", "FAILED"])
def test_a_failed_task_says_why(status: str) -> None:
    error = failure(status, errorCode=501, errorMessage="no audio\nmade")
    assert isinstance(error, SubmissionFailedError)
    assert error.message == f"suno: task {TASK} ended as {status} (501: no audio made)"


@pytest.mark.parametrize(("code", "cost"), [(531, 0), ("531", 0), (501, None), (None, None)])
def test_a_failed_task_costs_nothing_only_where_it_was_refunded(
    code: Any, cost: int | None
) -> None:
    assert failure("GENERATE_AUDIO_FAILED", errorCode=code).cost == cost


def test_a_refused_lyric_is_refused_for_good_and_says_what_to_do() -> None:
    error = failure("SENSITIVE_WORD_ERROR")
    assert (type(error), error.code) == (PermanentError, "sensitive_words")
    assert "castad redo TASK_ID --from lyric" in error.message


@pytest.mark.parametrize("data", [None, [], {}, "SUCCESS", {"status": None}, {"status": "  "}])
def test_a_record_without_a_status_is_no_final_status(data: Any) -> None:
    with pytest.raises(TransientError):
        read_task_state(data, TASK, KEY)


@given(RECORD | JUNK)
def test_any_record_is_read_as_a_report_or_one_of_the_errors(data: Any) -> None:
    told = read(data)
    assert isinstance(told, InProgress | Succeeded) or "\n" not in told.message


@given(st.lists(ODD_SONG | JUNK, max_size=6))
def test_any_songs_can_be_stored(songs: list[Any]) -> None:
    tracks = list_tracks({"response": {"sunoData": songs}}, KEY)
    stored = [track.as_json() for track in tracks]
    json.dumps(stored, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize("code", [531, "531"])
def test_a_refunded_task_is_worth_one_more_submission(code: Any) -> None:
    error = failure("GENERATE_AUDIO_FAILED", errorCode=code)
    assert isinstance(error, SubmissionFailedError)
    assert (error.code, error.resubmissions) == ("refunded", 1)


def test_a_task_that_failed_without_a_refund_is_limited_by_its_retries() -> None:
    error = failure("GENERATE_AUDIO_FAILED", errorCode=501)
    assert isinstance(error, SubmissionFailedError)
    assert (error.code, error.resubmissions) == ("provider_failed", None)


@pytest.mark.parametrize("status", ["SUCCESS", "CALLBACK_EXCEPTION"])
@pytest.mark.parametrize(
    ("songs", "whole"),
    [((SONG, SONG), True), ((SONG,), False), ((SONG, {}), False), (({}, SONG), False)],
)
def test_a_finished_task_is_whole_where_both_songs_have_a_link(
    status: str, songs: tuple[dict[str, Any], ...], whole: bool
) -> None:
    told = read_task_state(record(status, *songs), TASK, KEY)
    assert isinstance(told, Succeeded)
    assert (has_all_links(told), len(told.answer["songs"])) == (whole, 2)


@pytest.mark.parametrize("written", [KEY, quote(KEY, safe=""), "sk\\/canary"])
def test_a_link_with_the_key_is_no_link(written: str) -> None:
    song = SONG | {"audioUrl": f"https://files.example/8551.mp3?key={written}"}
    (track,) = list_tracks({"response": {"sunoData": [song]}}, KEY)
    assert track.audio_url is None


def test_a_song_is_told_without_the_token_of_its_job() -> None:
    token = "a-token-of-24-bytes"
    param = json.dumps({"callBackUrl": f"https://castad.example/callbacks/suno/{token}"})
    song = {"id": token, "title": f"Song of {token}", "audioUrl": f"https://a.example/{token}.mp3"}
    (track,) = list_tracks({"param": param, "response": {"sunoData": [song]}}, KEY)
    assert track == Track("", "Song of \u2026", None, None)


def test_a_song_is_told_without_the_key() -> None:
    song = SONG | {"id": f"8551-{KEY}", "title": f"Song of {KEY}"}
    (track,) = list_tracks({"response": {"sunoData": [song]}}, KEY)
    assert (track.id, track.title) == ("", "Song of \u2026")


@pytest.mark.parametrize(
    ("address", "owned"),
    [
        (f"https://castad.example/callbacks/suno/{TOKEN}", True),
        (f"https://moved.example/somewhere/{TOKEN}", True),
        (f"https://castad.example/callbacks/suno/another-{TOKEN}", False),
        ("https://castad.example/callbacks/suno/another", False),
        ("", None),
        (7, None),
    ],
)
def test_a_task_is_owned_by_the_token_in_its_callbacks_address(
    address: Any, owned: bool | None
) -> None:
    assert has_callback_token(ordered(callBackUrl=address), TOKEN) is owned


@pytest.mark.parametrize(
    "param", [None, "", "{", "[" * 100_000, "[]", "{}", "7", 7, {}, "9" * 5000]
)
def test_a_task_that_repeats_no_request_may_be_anybodys(param: Any) -> None:
    assert has_callback_token({"param": param}, TOKEN) is None


@given(JUNK | st.fixed_dictionaries({"param": JUNK | JUNK.map(json.dumps)}))
def test_any_record_is_nobodys_or_anothers(data: Any) -> None:
    assert has_callback_token(data, TOKEN) in (None, False)
