import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.contract.errors import (
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.http.vendor_client import VendorResponse, read_response
from resources.providers.suno.answers import (
    is_success,
    is_unknown_task,
    read_credits,
    refusal_error,
    response_summary,
    task_id_of,
)

KEY = "sk-canary"
TASK = "5c79be8e"
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)


def answer(body: Any, status: int = 200, **headers: str) -> VendorResponse:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_response(httpx.Response(status, content=content, headers=headers), KEY)


def envelope(code: Any, data: Any = None, msg: Any = "said") -> dict[str, Any]:
    return {"code": code, "msg": msg, "data": data}


@pytest.mark.parametrize("code", [200, "200"])
def test_an_answer_is_good_where_its_code_is_200(code: Any) -> None:
    assert is_success(answer(envelope(code)))


@pytest.mark.parametrize(
    ("code", "status"), [(500, 200), (200, 500), (None, 200), (True, 200), (200.0, 200), ("²", 200)]
)
def test_an_answer_is_not_good_where_code_or_status_is_another(code: Any, status: int) -> None:
    assert not is_success(answer(envelope(code), status))


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize(
    ("code", "kind", "named"),
    [
        (405, TransientError, "rate_limited"),
        (430, TransientError, "rate_limited"),
        (455, TransientError, "vendor_down"),
        (531, SubmissionFailedError, "refunded"),
        (402, OutOfCreditsError, "out_of_credits"),
        (429, OutOfCreditsError, "out_of_credits"),
        (433, OutOfCreditsError, "out_of_credits"),
        (401, OutOfCreditsError, "key_refused"),
        (403, OutOfCreditsError, "key_refused"),
        (400, PermanentError, "provider_refused"),
        (404, PermanentError, "provider_refused"),
        (413, PermanentError, "provider_refused"),
    ],
)
def test_a_code_decides_whatever_the_status(
    code: int, kind: type[ProviderError], named: str, status: int
) -> None:
    error = refusal_error(answer(envelope(code), status), KEY)
    assert (type(error), error and error.code) == (kind, named)


@pytest.mark.parametrize("status", [200, 301, 400, 402, 403, 404, 413, 429, 500])
@pytest.mark.parametrize("code", [500, 501, 408, 301, 0, -1, 10**30, 200.0, "no", True, []])
def test_a_code_that_proves_nothing_is_no_refusal(code: Any, status: int) -> None:
    assert refusal_error(answer(envelope(code), status), KEY) is None


@pytest.mark.parametrize("code", [200, "200"])
@pytest.mark.parametrize("status", [301, 307, 308, 400, 401, 402, 403, 404, 405, 413, 429, 500])
def test_a_job_that_the_envelope_says_was_taken_was_not_refused(code: Any, status: int) -> None:
    assert refusal_error(answer(envelope(code, {"taskId": TASK}), status), KEY) is None
    assert refusal_error(answer(envelope(code), status), KEY) is None


@pytest.mark.parametrize("code", [None, 400, 429, 430, 455, 531])
@pytest.mark.parametrize("data", [{"taskId": TASK}, {"task_id": 7}])
def test_an_answer_that_names_a_task_is_no_refusal(code: Any, data: Any) -> None:
    assert refusal_error(answer(envelope(code, data), 429), KEY) is None


def test_a_refund_is_worth_one_more_submission_and_costs_nothing() -> None:
    error = refusal_error(answer(envelope(531)), KEY)
    assert isinstance(error, SubmissionFailedError)
    assert (error.cost, error.resubmissions) == (0, 1)


@pytest.mark.parametrize("status", [301, 307, 308])
def test_a_redirect_that_has_the_request_made_elsewhere_has_done_nothing(status: int) -> None:
    error = refusal_error(answer(b"", status), KEY)
    assert isinstance(error, PermanentError)
    assert error.code == "provider_refused"


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
def test_a_redirect_says_what_to_check(status: int) -> None:
    assert response_summary(answer(b"", status), KEY).endswith("check SUNO_BASE_URL")


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
    error = refusal_error(answer(b"<html>no</html>", status), KEY)
    assert error is not None
    assert error.code == named


@pytest.mark.parametrize("status", [200, 202, 302, 303, 304, 408, 500, 502, 503, 504])
def test_a_gateways_other_answers_prove_nothing(status: int) -> None:
    assert refusal_error(answer(b"<html>no</html>", status), KEY) is None


@pytest.mark.parametrize(("headers", "seconds"), [({}, 10), ({"Retry-After": "7"}, 7)])
def test_a_rate_limit_says_how_long_to_wait(headers: dict[str, str], seconds: float) -> None:
    error = refusal_error(answer(envelope(430), 200, **headers), KEY)
    assert isinstance(error, TransientError)
    assert error.retry_after == seconds


def test_a_maintenance_is_waited_for_in_minutes() -> None:
    error = refusal_error(answer(envelope(455)), KEY)
    assert isinstance(error, TransientError)
    assert error.retry_after == 180


@given(JUNK, JUNK, st.sampled_from([200, 401, 429, 500]))
def test_any_envelope_is_judged_in_one_line_without_the_key(
    code: Any, msg: Any, status: int
) -> None:
    body = envelope(code, msg=f"{msg}\n{KEY}" if isinstance(msg, str) else msg)
    error = refusal_error(answer(body, status), KEY)
    assert error is None or (KEY not in error.message and "\n" not in error.message)


@pytest.mark.parametrize("data", [{"taskId": TASK}, {"task_id": TASK}])
def test_a_task_id_is_read_in_both_key_styles(data: Any) -> None:
    assert task_id_of(data, KEY) == TASK


@pytest.mark.parametrize("id", ["", " ", 7, None, ["a"], "a\nb", "x" * 201, f"{KEY}-1"])
def test_a_task_id_that_cannot_be_used_is_none(id: Any) -> None:
    assert task_id_of({"taskId": id}, KEY) is None


@pytest.mark.parametrize(("data", "left"), [(88, 88), ("88", 88), (88.9, 88), (0, 0)])
def test_credits_are_read_as_number_or_digits(data: Any, left: int) -> None:
    assert read_credits(data) == left


@given(JUNK.filter(lambda value: not isinstance(value, int | float | str)))
def test_credits_that_are_no_number_are_unknown(data: Any) -> None:
    assert read_credits(data) is None


@pytest.mark.parametrize(
    "data", [-1, 10**400, float("nan"), float("inf"), True, "８８", "9" * 5000]
)
def test_credits_that_no_account_has_are_unknown(data: Any) -> None:
    assert read_credits(data) is None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (envelope(200), 200),
        (envelope(404), 200),
        (envelope(404), 404),
        (b"<html>no</html>", 404),
    ],
)
def test_a_task_that_is_not_known_is_told_from_the_answer(body: Any, status: int) -> None:
    assert is_unknown_task(answer(body, status))


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (envelope(200, {"taskId": TASK}), 200),
        ({"code": 200}, 200),
        (envelope(200), 404),
        (envelope(400), 404),
        (envelope("no"), 404),
        (b"<html>no</html>", 405),
        (b"", 301),
        (b"null", 200),
    ],
)
def test_any_other_answer_leaves_open_whether_there_is_such_a_task(body: Any, status: int) -> None:
    assert not is_unknown_task(answer(body, status))
