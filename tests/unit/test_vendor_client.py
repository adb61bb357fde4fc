import base64
import hashlib
import json
import math
import string
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.contract.errors import (
    OutOfCreditsError,
    PermanentError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import allow_send
from resources.http.guarded_client import (
    CompressedBodyError,
    RefusedAddressError,
    RefusedSchemeError,
    TooLargeError,
)
from resources.http.vendor_client import (
    MAX_RESPONSE_BYTES,
    MAX_RETRY_AFTER,
    NoAnswerError,
    NotSentError,
    VendorClient,
    VendorResponse,
    classify_http_error,
    contains_secret,
    contains_token,
    parse_retry_after,
    read_response,
    redact_tokens,
    shorten_to_line,
)
from tests.fakes.faults import GARBAGE
from tests.fakes.nowhere import refusing
from tests.fakes.raw import Act, RawServer, answer, hang, hang_up, say

KEY = "sk-canary/0123456789+abcdef"
SOON = 0.5
LATE = 30.0
UNANSWERED: dict[str, Act] = {
    "hang in the body": hang(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"id":'),
    "hung up": hang_up,
    "half a body": say(answer(b'{"id":', length=1000)),
    "a redirect to no address": say(answer(b"", "Location: T:x", status="302 Found")),
    "a redirect to nowhere": say(answer(b"", "Location: https://[zz]/", status="302 Found")),
}
"""What else may happen to an exchange is in test_guarded_client."""
UNREADABLE = {
    **{name: content for name, content in GARBAGE.items() if name != "ten megabytes"},
    "a number without end": b"1" * 100_000,
    "infinity in it": b'{"cost":-Infinity}',
    "a huge float in it": b'{"cost":1e999}',
    "100,000 levels": b'{"a":[' * 50_000 + b"]}" * 50_000,
}
NO_JSON = {
    *("html", "empty", "truncated", "invalid UTF-8", "deep nesting", "deep objects", "NaN"),
    *("a number", "infinity in it", "a huge float in it", "a number without end"),
    "100,000 levels",
}
PRINTABLE = st.text(string.digits + string.ascii_letters + string.punctuation, min_size=1)
ANYTHING = st.text() | st.floats().map(str) | st.integers().map(str) | st.datetimes().map(str)


def vendor_client(
    base_url: str, *, seconds: float = LATE, gate: Any = lambda: None
) -> VendorClient:
    return VendorClient("vendor", base_url, KEY, gate=gate, deadline_seconds=seconds)


def asked(act: Act, **options: Any) -> VendorResponse:
    """The answer to one question."""
    with RawServer(act) as server:
        return vendor_client(server.url, **options).get("/jobs/1")


def told(content: bytes) -> Any:
    return read_response(httpx.Response(200, content=content), KEY).body


def dated(seconds: float, *, clock: float = 0.0) -> dict[str, str]:
    """Headers of a vendor whose clock is so far off and who asks to wait for so long."""
    now = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=clock)
    later = now + timedelta(seconds=seconds)
    return {
        "date": format_datetime(now, usegmt=True),
        "retry-after": format_datetime(later, usegmt=True),
    }


def test_question_carries_the_key_and_its_parameters():
    with RawServer(say(answer(b'{"id":"1"}'))) as server:
        found = vendor_client(f"{server.url}/api").get("/jobs", ids="a b")
    assert found.fields == {"id": "1"}
    assert server.requests[0].startswith(b"GET /api/jobs?ids=a+b HTTP/1.1\r\n")
    assert f"Authorization: Bearer {KEY}\r\n".encode() in server.requests[0]


@pytest.mark.parametrize("verb", ["post", "post_paid"])
def test_what_is_sent_is_json(verb):
    with RawServer(say(answer())) as server:
        unguarded = [allow_send] if verb == "post_paid" else []
        getattr(vendor_client(server.url), verb)(
            "/jobs", {"text": "군산 \ud800", "n": 1.5}, *unguarded
        )
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert b"Content-Type: application/json" in head
    assert json.loads(body) == {"text": "군산 \ud800", "n": 1.5}


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_input_with_a_number_that_is_none_is_refused_before_it_is_sent(number):
    with RawServer(say(answer())) as server, pytest.raises(PermanentError, match=r"^vendor: "):
        vendor_client(server.url).post_paid("/jobs", {"seconds": number}, allow_send)
    assert server.requests == []


@pytest.mark.parametrize("verb", ["get", "post"])
def test_what_is_free_waits_at_the_gate(verb):
    def closed() -> None:
        raise TransientError("vendor: not now", code="rate_limited")

    ask = getattr(vendor_client(refusing(), gate=closed), verb)
    with pytest.raises(TransientError) as refusal:
        ask("/jobs", **({} if verb == "get" else {"body": {}}))
    assert refusal.value.code == "rate_limited"


def test_order_that_has_waited_before_goes_at_once():
    waited: list[int] = []
    with RawServer(say(answer())) as server:
        vendor_client(server.url, gate=lambda: waited.append(1)).post_paid("/jobs", {}, allow_send)
    assert waited == []


@pytest.mark.parametrize("case", UNANSWERED)
def test_submission_without_a_whole_answer_was_sent_once_and_may_have_been_acted_on(case):
    act = UNANSWERED[case]
    with RawServer(act) as server, pytest.raises(UnknownSubmissionError, match=r"^vendor: "):
        vendor_client(server.url, seconds=2 * SOON).post_paid("/jobs", {}, allow_send)
    assert len(server.requests) == 1
    with RawServer(act) as server, pytest.raises(NoAnswerError, match=r"^vendor: "):
        vendor_client(server.url, seconds=2 * SOON).get("/jobs")


def test_submission_to_nobody_was_not_sent():
    with pytest.raises(NotSentError, match=r"^vendor: "):
        vendor_client(refusing()).post_paid("/jobs", {}, allow_send)


@pytest.mark.parametrize(
    ("kind", "meaning"),
    [
        *((kind, NotSentError) for kind in (httpx.ConnectError, httpx.ConnectTimeout)),
        *((kind, NotSentError) for kind in (httpx.PoolTimeout, RefusedAddressError)),
        (RefusedSchemeError, NotSentError),
        *(
            (kind, NoAnswerError)
            for kind in (
                *(httpx.ReadError, httpx.ReadTimeout, httpx.WriteError, httpx.WriteTimeout),
                *(httpx.CloseError, httpx.RemoteProtocolError, httpx.LocalProtocolError),
                *(httpx.DecodingError, httpx.InvalidURL, httpx.UnsupportedProtocol),
                *(TooLargeError, CompressedBodyError, ValueError, RuntimeError),
            )
        ),
    ],
)
def test_only_an_error_before_the_request_proves_that_nothing_was_sent(kind, meaning):
    error = classify_http_error("vendor", "https://vendor.test", kind("why"))
    assert isinstance(error, meaning)


def test_error_repeats_nothing_that_the_vendor_said():
    error = classify_http_error(
        "vendor", "https://vendor.test", httpx.RemoteProtocolError(f"illegal header {KEY}")
    )
    assert KEY not in error.message


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_an_answer_and_the_key_does_not_travel(status):
    with RawServer(say(answer())) as elsewhere:
        away = answer(b"", f"Location: {elsewhere.url}/jobs", status=f"{status} Moved")
        assert asked(say(away)).status == status
    assert elsewhere.requests == []


@pytest.mark.parametrize("name", UNREADABLE)
def test_answer_of_any_content_is_an_answer(name):
    found = read_response(httpx.Response(200, content=UNREADABLE[name]), KEY)
    assert (found.status, len(found.summary) <= 201) == (200, True)
    assert (found.body is None) == (name in NO_JSON or name == "null")
    assert found.fields == (found.body if isinstance(found.body, dict) else {})


@pytest.mark.parametrize(
    "echo", [KEY, KEY.replace("/", "\\/"), f"x{KEY}{KEY}y", json.dumps({"key": KEY})]
)
def test_said_is_without_the_key_however_it_is_repeated(echo):
    found = asked(say(answer(f"no such key: {echo}".encode(), status="401 No")))
    assert found.status == 401
    assert "0123456789" not in found.summary


@pytest.mark.parametrize(
    ("milliseconds", "value", "seconds"),
    [
        *((None, "0", 0.0), (None, "7", 7.0), (None, " 7 ", 7.0), (None, "1.5", 1.5)),
        *((None, "-5", 0.0), (None, "901", MAX_RETRY_AFTER), (None, "9" * 400, MAX_RETRY_AFTER)),
        *((None, "1e400", MAX_RETRY_AFTER), (None, "-1e400", 0.0), (None, None, None)),
        *((None, odd, None) for odd in ("", "soon", "nan", "5, 10", "0x10")),
        *((None, f"Fri, {odd} GMT", None) for odd in ("99 Foo 2026 25:61:61", "20 Nov 99999 1:00")),
        *(("1500", None, 1.5), ("1500", "7", 1.5), ("0", "7", 0.0), ("-5", "7", 0.0)),
        *(("1e400", "7", MAX_RETRY_AFTER), ("9" * 400, None, MAX_RETRY_AFTER)),
        *(("soon", "7", 7.0), ("nan", "7", 7.0), ("", None, None), ("5, 10", "soon", None)),
    ],
)
def test_retry_after_is_in_milliseconds_or_seconds(milliseconds, value, seconds):
    given_headers = {"retry-after-ms": milliseconds, "retry-after": value}
    headers = {name: each for name, each in given_headers.items() if each is not None}
    assert parse_retry_after({**headers, "date": "Fri, 20 Nov 2026 10:00:00 GMT"}) == seconds


@pytest.mark.parametrize("clock", [0, 7200, -7200])
@pytest.mark.parametrize(("seconds", "waited"), [(30, 30), (-30, 0), (86_400, MAX_RETRY_AFTER)])
def test_retry_after_as_a_date_counts_on_the_vendors_own_clock(seconds, waited, clock):
    assert parse_retry_after(dated(seconds, clock=clock)) == waited


def test_retry_after_as_a_date_without_the_vendors_own_counts_on_this_clock():
    waited = parse_retry_after({"retry-after": dated(500)["retry-after"]})
    assert waited is not None
    assert 300 < waited <= 500


def test_retry_after_as_a_date_beside_a_clock_that_cannot_be_read_is_none():
    assert parse_retry_after({**dated(30), "date": "today"}) is None


def test_answer_tells_how_long_to_wait():
    headers = [f"{name}: {value}" for name, value in dated(60, clock=7200).items()]
    found = asked(say(answer(b"", *headers, status="429 Too Many Requests")))
    assert (found.status, found.retry_after) == (429, 60.0)


DATE = st.from_regex(
    r"((Fri|x), )?-?\d{0,5} (Nov|Foo|11)? -?\d{0,6} \d{0,4}:?\d{0,4}:\d{0,3} ([+-]?\d{0,7}|GMT|EST)",
    fullmatch=True,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "retry-after-ms": ANYTHING,
            "retry-after": ANYTHING | DATE,
            "date": ANYTHING | DATE,
        },
    )
)
def test_retry_after_of_anything_is_none_or_bearable(headers):
    waited = parse_retry_after(headers)
    assert waited is None or 0 <= waited <= MAX_RETRY_AFTER


@given(st.text(), PRINTABLE.filter(lambda key: len(key) >= 8), st.text())
def test_one_line_never_repeats_a_key(before, key, after):
    assert key not in shorten_to_line(f"{before}{key}{after}", key)


@given(st.text() | st.text("x \n\0", min_size=190).map(lambda text: text * 100), PRINTABLE)
def test_one_line_is_one_short_printable_line(text, key):
    line = shorten_to_line(text, key)
    assert len(line) <= 201
    assert line.isprintable()


@given(st.text(), st.text())
def test_one_line_without_a_secret_keeps_the_words(first, second):
    words = [word for word in (first + " " + second).split() if word.isprintable()]
    line = shorten_to_line(f"{first} {second}", "")
    assert all(word in line for word in words) or len(line) > 200


@pytest.mark.parametrize("written", ["secret/a=", "secret\\/a=", "secret%2Fa%3D", "secret%2fa="])
def test_secret_is_seen_however_an_address_writes_it(written):
    assert contains_secret(f"https://x.example/?key={written}&more", "secret/a=")


def test_word_too_short_to_be_a_secret_is_left_alone():
    assert shorten_to_line("none of it", "none") == "none of it"


@given(st.text(string.ascii_letters), PRINTABLE.filter(lambda key: not key.isalpha()))
def test_secret_is_seen_nowhere_else(text, key):
    assert not contains_secret(text, key)
    assert not contains_secret(text, "")


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_json_reader_meets_any_bytes(content):
    told(content)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_json_reader_reads_json(value):
    assert told(json.dumps(value).encode()) == value


@given(st.integers(0, 200_000), st.sampled_from([b"[", b'{"a":', b'[{"a":']))
@settings(max_examples=20)
def test_json_reader_survives_any_depth(levels, opening):
    assert told(opening * levels) is None


TOKENS = st.binary(min_size=24, max_size=24).map(
    lambda drawn: base64.urlsafe_b64encode(hashlib.sha256(drawn).digest()[:24]).decode()
)
"""As the ledger draws them, evenly over all there are."""


@given(before=st.text(), token=TOKENS, after=st.text())
def test_one_line_never_repeats_a_token(before, token, after):
    assert token not in shorten_to_line(f"{before}{token}{after}")


@given(token=TOKENS)
def test_tokens_are_taken_out_of_an_address_and_of_json(token):
    summary = json.dumps(
        {"at": f"https://castad.example/callbacks/suno/{token}", "metadata": token}
    )
    cut = '{"at": "https://castad.example/callbacks/suno/", "metadata": ""}'
    assert (redact_tokens(summary), contains_token(summary), contains_token(cut)) == (
        cut,
        True,
        False,
    )


@pytest.mark.parametrize(
    "words",
    [
        "0b7f1c5e9d2a4f6083c1b5e7d9f0a2c4",
        "0B7F1C5E-9D2A-4F60-83C1-B5E7D9F0A2C4",
        "req_0b7f1c5e9d2a4f6083c1b5e7d9f0a2c4",
        "La-la-la-la-la-la-la-la-la-la-la-la-la",
        "organization_spend_limit_exceeded",
        "노래해요" * 20,
    ],
)
def test_what_is_as_long_as_a_token_and_none_is_kept(words):
    assert shorten_to_line(words) == words


def test_a_very_long_run_is_looked_at_in_time():
    assert redact_tokens("a" * MAX_RESPONSE_BYTES + "B" * 9) == "a" * MAX_RESPONSE_BYTES + "B" * 9


def test_nothing_is_sent_without_a_key():
    sent: list[str] = []
    client = VendorClient("acme", "http://127.0.0.1:9", "", gate=lambda: None, deadline_seconds=1)
    for call in (
        lambda: client.get("/"),
        lambda: client.post_paid("/", {}, lambda: sent.append("sent")),
    ):
        with pytest.raises(OutOfCreditsError, match="acme: no key is set"):
            call()
    assert sent == []
