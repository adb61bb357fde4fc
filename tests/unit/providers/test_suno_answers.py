import json
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.providers.errors import (
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.providers.protocol import Finished, Working
from resources.providers.suno_answers import (
    credits_in,
    is_good,
    refusal,
    task_id_of,
    tracks_of,
    verdict,
)
from resources.providers.wire import Answer, read_answer

KEY = "sk-canary"
TASK = "5c79be8e"
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


def answer(body: Any, status: int = 200, **headers: str) -> Answer:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_answer(httpx.Response(status, content=content, headers=headers), KEY)


def envelope(code: Any, data: Any = None, msg: Any = "said") -> dict[str, Any]:
    return {"code": code, "msg": msg, "data": data}


def record(status: str, *songs: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"taskId": TASK, "status": status, "response": {"sunoData": list(songs)}, **fields}


def read(data: Any) -> Working | Finished | ProviderError:
    try:
        return verdict(data, TASK, KEY)
    except ProviderError as error:
        return error


def failure(status: str, **fields: Any) -> ProviderError:
    with pytest.raises((SubmissionFailedError, PermanentError)) as caught:
        verdict(record(status, **fields), TASK, KEY)
    return caught.value


@pytest.mark.parametrize("code", [200, "200"])
def test_an_answer_is_good_where_its_code_is_200(code: Any) -> None:
    assert is_good(answer(envelope(code)))


@pytest.mark.parametrize(
    ("code", "status"), [(500, 200), (200, 500), (None, 200), (True, 200), (200.0, 200), ("²", 200)]
)
def test_an_answer_is_not_good_where_code_or_status_is_another(code: Any, status: int) -> None:
    assert not is_good(answer(envelope(code), status))


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize(
    ("code", "kind", "named"),
    [
        (405, TransientError, "rate_limited"),
        (430, TransientError, "rate_limited"),
        (455, TransientError, "maintenance"),
        (531, TransientError, "refunded"),
        (402, OutOfCreditsError, "out_of_credits"),
        (429, OutOfCreditsError, "out_of_credits"),
        (433, OutOfCreditsError, "out_of_credits"),
        (401, OutOfCreditsError, "key_refused"),
        (403, OutOfCreditsError, "key_refused"),
        (400, PermanentError, "provider_refused"),
        (404, PermanentError, "provider_refused"),
        (413, PermanentError, "provider_refused"),
        (451, PermanentError, "provider_refused"),
    ],
)
def test_a_code_decides_whatever_the_status(
    code: int, kind: type[ProviderError], named: str, status: int
) -> None:
    error = refusal(answer(envelope(code), status), KEY)
    assert (type(error), error and error.code) == (kind, named)


@pytest.mark.parametrize("code", [500, 501, 408, 0, -1, 10**30])
def test_a_code_that_proves_nothing_is_no_refusal(code: int) -> None:
    assert refusal(answer(envelope(code)), KEY) is None


@pytest.mark.parametrize(
    ("status", "named"),
    [
        (429, "rate_limited"),
        (401, "key_refused"),
        (402, "out_of_credits"),
        (404, "provider_refused"),
        (405, "provider_refused"),
    ],
)
def test_a_gateways_refusal_has_the_meaning_of_http(status: int, named: str) -> None:
    error = refusal(answer(b"<html>no</html>", status), KEY)
    assert error is not None
    assert error.code == named


@pytest.mark.parametrize("status", [200, 202, 302, 500, 502, 503, 504])
def test_a_gateways_other_answers_prove_nothing(status: int) -> None:
    assert refusal(answer(b"<html>no</html>", status), KEY) is None


@pytest.mark.parametrize(("headers", "seconds"), [({}, 10), ({"Retry-After": "7"}, 7)])
def test_a_rate_limit_says_how_long_to_wait(headers: dict[str, str], seconds: float) -> None:
    error = refusal(answer(envelope(430), 200, **headers), KEY)
    assert isinstance(error, TransientError)
    assert error.retry_after == seconds


def test_a_maintenance_is_waited_for_in_minutes() -> None:
    error = refusal(answer(envelope(455)), KEY)
    assert isinstance(error, TransientError)
    assert error.retry_after == 180


@given(JUNK, JUNK, st.sampled_from([200, 401, 429, 500]))
@settings(deadline=None)
def test_any_envelope_is_judged_in_one_line_without_the_key(
    code: Any, msg: Any, status: int
) -> None:
    body = envelope(code, msg=f"{msg}\n{KEY}" if isinstance(msg, str) else msg)
    error = refusal(answer(body, status), KEY)
    assert error is None or (KEY not in error.message and "\n" not in error.message)


@pytest.mark.parametrize("data", [{"taskId": TASK}, {"task_id": TASK}])
def test_a_task_id_is_read_in_both_key_styles(data: Any) -> None:
    assert task_id_of(data) == TASK


@pytest.mark.parametrize("id", ["", " ", 7, None, ["a"], "a\nb", "x" * 201])
def test_a_task_id_that_cannot_be_used_is_none(id: Any) -> None:
    assert task_id_of({"taskId": id}) is None


@pytest.mark.parametrize(
    "status", ["PENDING", "TEXT_SUCCESS", "FIRST_SUCCESS", "GENERATING", "pending", "SOMETHING_NEW"]
)
def test_a_status_that_is_not_final_means_working(status: str) -> None:
    assert isinstance(verdict(record(status, SONG), TASK, KEY), Working)


def test_progress_rises_with_the_status() -> None:
    steps = ("PENDING", "TEXT_SUCCESS", "FIRST_SUCCESS")
    told = [verdict(record(status), TASK, KEY) for status in steps]
    progress = [report.progress for report in told if isinstance(report, Working)]
    assert progress == sorted(set(progress))  # type: ignore[type-var]


@pytest.mark.parametrize("status", ["SUCCESS", "success", "CALLBACK_EXCEPTION"])
def test_a_task_with_a_link_is_finished(status: str) -> None:
    told = verdict(record(status, SONG), TASK, KEY)
    assert isinstance(told, Finished)
    assert told.answer["task_id"] == TASK


@pytest.mark.parametrize("status", ["SUCCESS", "CALLBACK_EXCEPTION"])
@pytest.mark.parametrize("link", ["", None, 7, "ftp://files.example/a", "file:///etc/passwd"])
def test_a_task_without_a_link_is_not_believed_to_be_finished(status: str, link: Any) -> None:
    assert verdict(record(status, SONG | {"audioUrl": link}), TASK, KEY) == Working()


def test_a_finished_task_keeps_both_songs() -> None:
    second = SONG | {"id": "9662", "audioUrl": ""}
    told = verdict(record("SUCCESS", SONG, second), TASK, KEY)
    assert isinstance(told, Finished)
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
    (track,) = tracks_of({"response": response})
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
def test_a_record_without_a_status_is_no_verdict(data: Any) -> None:
    with pytest.raises(TransientError):
        verdict(data, TASK, KEY)


@given(RECORD | JUNK)
@settings(deadline=None)
def test_any_record_is_read_as_a_report_or_one_of_the_errors(data: Any) -> None:
    told = read(data)
    assert isinstance(told, Working | Finished) or "\n" not in told.message


@given(st.lists(ODD_SONG | JUNK, max_size=6))
@settings(deadline=None)
def test_any_songs_can_be_stored(songs: list[Any]) -> None:
    tracks = tracks_of({"response": {"sunoData": songs}})
    stored = [track.as_json() for track in tracks]
    json.dumps(stored, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize(("data", "left"), [(88, 88), ("88", 88), (88.9, 88), (0, 0)])
def test_credits_are_read_as_number_or_digits(data: Any, left: int) -> None:
    assert credits_in(data) == left


@given(JUNK.filter(lambda value: not isinstance(value, int | float | str)))
@settings(deadline=None)
def test_credits_that_are_no_number_are_unknown(data: Any) -> None:
    assert credits_in(data) is None


@pytest.mark.parametrize(
    "data", [-1, 10**400, float("nan"), float("inf"), True, "８８", "9" * 5000]
)
def test_credits_that_no_account_has_are_unknown(data: Any) -> None:
    assert credits_in(data) is None
