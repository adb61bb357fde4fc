"""Suno's band. What holds for every vendor, and each row of its tables, is tested in tests/contract."""

import json
from collections.abc import Iterator
from pathlib import Path
from secrets import token_urlsafe
from typing import Any
from urllib.parse import quote

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
    UnknownSubmissionError,
)
from resources.contract.protocol import InProgress, Product, Provider, StageInput, Succeeded
from resources.http.vendor_client import RateGate, VendorResponse, read_response
from resources.providers.background_jobs import AbsenceTimes
from resources.providers.suno.answers import (
    build_refusal_error,
    has_all_links,
    has_callback_token,
    is_success,
    is_unknown_task,
    list_tracks,
    read_credits,
    read_task_id,
    read_task_state,
    summarize_response,
)
from resources.providers.suno.band import SunoBand
from studio.timeline import Line
from studio.words import list_sung_lines
from tests.contract.deals import error_of
from tests.fakes.faults import GARBAGE, Fault
from tests.fakes.reply import ECHO
from tests.fakes.suno import FakeSuno

LYRIC = "[Verse]\n여기는 우리 카페\n다 함께 노래해요\n\n[Chorus]\n스테이 머뭄"
JOB_INPUT = {
    "seed": "task-1",
    "lyric": LYRIC,
    "title": "머뭄",
    "language": "Korean",
    "genre": "pop, ambient",
    "duration_seconds": 20,
    "vocals": True,
    "stems": False,
}
TOKEN = "a-token-of-24-bytes"
DRAWN = token_urlsafe(24)
"""As the ledger draws them: by their looks they are known where nobody knows which one it is."""
ESTIMATED = "captions are estimated"
NOWHERE = "https://api.example"
STYLES = ("camel", "snake", "quickstart")
KEY = "sk/canary"
TASK = "5c79be8e"


@pytest.fixture
def vendor(tmp_path: Path) -> Iterator[FakeSuno]:
    with FakeSuno(tmp_path / "vendor") as fake:
        yield fake


def band(
    vendor: FakeSuno | None = None, *, gate: RateGate = lambda: None, **changes: Any
) -> SunoBand:
    given: dict[str, Any] = {
        "api_key": vendor.key if vendor else "key",
        "base_url": vendor.url if vendor else NOWHERE,
        "model": "V4_5",
        "credits": 12,
        "usd_per_credit": 0.005,
        "public_url": "https://castad.example",
        "allow_hosts": (),
        "gate": gate,
        "deadline_seconds": 10,
        "download_seconds": 10,
    }
    return SunoBand(**given | changes)


def job_input(**changes: Any) -> StageInput:
    return JOB_INPUT | changes


def submitted(vendor: FakeSuno, token: str = TOKEN) -> str:
    return band(vendor).submit(JOB_INPUT, token).external_id


def answer_of(vendor: FakeSuno, token: str = TOKEN) -> dict[str, Any]:
    report = band(vendor).poll(JOB_INPUT, submitted(vendor, token))
    assert isinstance(report, Succeeded)
    answer: dict[str, Any] = json.loads(json.dumps(report.answer))
    return answer


def fetched(
    vendor: FakeSuno, folder: Path, answer: dict[str, Any] | None = None, **changes: Any
) -> Product:
    (folder / "out").mkdir(exist_ok=True)
    return band(vendor).fetch(job_input(**changes), answer or answer_of(vendor), folder / "out")


def sent(vendor: FakeSuno) -> dict[str, Any]:
    body: dict[str, Any] = vendor.calls[-1].body
    return body


def lines(product: Product) -> list[Line]:
    return [Line.from_json(line) for line in product.result["timeline"]]


def count_calls(vendor: FakeSuno, route: str) -> int:
    return sum(call.route == route for call in vendor.calls)


def words(*texts: str, start: int = 1) -> Fault:
    said = [{"word": f"{text}\n", "startS": start, "endS": start + 1} for text in texts]
    return Fault("garbage_after", "lyrics", json={"code": 200, "data": {"alignedWords": said}})


# What is sent


def test_band_is_a_provider_with_a_rate_and_a_price():
    provider: Provider = band()
    assert (provider.name, provider.rate and provider.rate.calls) == ("suno", 20)
    assert provider.price(JOB_INPUT) == 60_000


@pytest.mark.parametrize(("model", "most"), [("V4", 3000), ("V4_5", 5000), ("V9", 5000)])
def test_prepare_refuses_a_lyric_that_the_model_does_not_take(model, most):
    provider = band(model=model)
    provider.prepare(job_input(lyric="가" * most))
    for lyric, code in (("가" * (most + 1), "lyric_too_long"), ("[Verse]\n\n", "lyric_empty")):
        error = error_of(lambda lyric=lyric: provider.prepare(job_input(lyric=lyric)))  # type: ignore[misc]
        assert (type(error), error.code) == (PermanentError, code)


def test_submit_has_the_lyric_sung_as_it_is_and_at_once(vendor):
    waits: list[str] = []
    provider = band(vendor, gate=lambda: waits.append("waited"))
    provider.submit(JOB_INPUT, TOKEN)
    provider.cancel("any")
    assert (waits, [call.route for call in vendor.calls]) == ([], ["submit"])
    body = sent(vendor)
    assert (body["customMode"], body["instrumental"], body["prompt"]) == (True, False, LYRIC)
    assert body["style"] == "pop, ambient, Korean vocals"


def test_submit_of_an_instrumental_sends_no_lyric(vendor):
    band(vendor).submit(job_input(vocals=False), TOKEN)
    body = sent(vendor)
    assert (body["instrumental"], "prompt" in body) == (True, False)
    assert body["style"] == "pop, ambient, instrumental"


@pytest.mark.parametrize("changes", [{"title": ""}, {"genre": ""}, {"genre": "rock\n\troll"}])
def test_submit_fills_in_what_the_vendor_requires(vendor, changes):
    assert band(vendor).submit(job_input(**changes), TOKEN).external_id


@pytest.mark.parametrize(("model", "style"), [("V4", 200), ("V4_5", 1000)])
def test_submit_cuts_a_title_and_a_style_that_are_too_long(vendor, model, style):
    band(vendor, model=model).submit(job_input(title="가" * 300, genre="락" * 3000), TOKEN)
    assert (len(sent(vendor)["title"]), len(sent(vendor)["style"])) == (80, style)


@pytest.mark.parametrize("public_url", ["https://castad.example", None])
def test_submit_has_the_token_ride_in_the_callbacks_address(vendor, public_url):
    band(vendor, public_url=public_url).submit(JOB_INPUT, TOKEN)
    host = public_url or "https://castad.invalid"
    assert sent(vendor)["callBackUrl"] == f"{host}/callbacks/suno/{TOKEN}"


def test_submit_that_is_unknown_names_the_task_where_there_is_one(vendor):
    vendor.script(Fault("other_status", "submit", code=429))
    error = error_of(lambda: submitted(vendor))
    (charge,) = vendor.charges()
    assert f"names task {charge['id']}" in error.message


@pytest.mark.parametrize(
    "fault",
    [
        Fault("status_after", "submit", code=200),
        Fault("truncate", "submit"),
        *(Fault("garbage_after", "submit", raw=raw) for raw in GARBAGE.values()),
    ],
    ids=repr,
)
def test_submit_without_a_usable_task_is_unknown(vendor, fault):
    vendor.script(fault)
    assert type(error_of(lambda: submitted(vendor))) is UnknownSubmissionError


# The token, which the vendor may repeat

ECHOING = f"see https://castad.example/callbacks/suno/{ECHO} or {ECHO}"


@pytest.mark.parametrize(
    "fault",
    [
        *(Fault("envelope", "submit", code=code, msg=ECHOING) for code in (400, 430, 500, 531)),
        Fault("status", "submit", code=502, body=ECHOING),
        Fault("garbage_after", "submit", json={"code": 500, "data": {"taskId": ECHO}}),
        Fault("garbage_after", "submit", json={"code": 200, "data": {"taskId": ECHO}}),
        Fault("final_status", "poll", status="FAILED", error_code=ECHO, error_message=ECHOING),
        Fault("final_status", "poll", status="SENSITIVE_WORD_ERROR", error_message=ECHOING),
        Fault("envelope", "poll", code=500, msg=ECHOING),
    ],
    ids=repr,
)
def test_token_that_the_vendor_repeats_is_in_no_error(vendor, fault):
    vendor.script(fault)
    error = error_of(lambda: band(vendor).poll(JOB_INPUT, submitted(vendor, DRAWN)))
    assert DRAWN not in str(error)


def test_fetch_tells_no_words_that_repeat_the_token_or_the_key(vendor, tmp_path):
    answer = answer_of(vendor, DRAWN)
    for secret, echo in ((DRAWN, ECHO), (vendor.key, vendor.key)):
        vendor.script(words(echo))
        result = fetched(vendor, tmp_path, answer).result
        assert secret not in str(result)
        assert result["notes"] == [ESTIMATED]


# The job


def test_find_knows_nothing(vendor):
    submitted(vendor)
    assert band(vendor).find(TOKEN) is None


@pytest.mark.parametrize("style", STYLES)
def test_poll_reads_every_style_of_the_vendor(vendor, style):
    vendor.script(Fault("final_status", "poll", style=style))
    assert len(answer_of(vendor)["songs"]) == 2
    vendor.script(Fault("final_status", "poll", status="SUCCESS", audio=0, style=style))
    assert isinstance(band(vendor).poll(JOB_INPUT, submitted(vendor)), InProgress)


@pytest.mark.parametrize("status", ["SUCCESS", "CALLBACK_EXCEPTION"])
@pytest.mark.parametrize(
    ("audio", "patience", "report"),
    [(0, 0, InProgress), (1, 300, InProgress), (1, 0, Succeeded), (2, 300, Succeeded)],
)
def test_poll_waits_for_the_second_link_as_long_as_it_has_patience(
    vendor, status, audio, patience, report
):
    vendor.script(Fault("final_status", "poll", status=status, audio=audio))
    provider, task = band(vendor, link_grace_seconds=patience), submitted(vendor)
    assert isinstance(provider.poll(JOB_INPUT, task), report)
    whole = provider.poll(JOB_INPUT, task)
    assert isinstance(whole, Succeeded)
    assert all(song["audio_url"] for song in whole.answer["songs"])


def test_absence_is_counted_for_each_name_from_its_first_note():
    now = [0.0]
    absences = AbsenceTimes(lambda: now[0])
    told = []
    for moment, name in ((0, "one"), (200, "two"), (299, "one"), (499, "two")):
        now[0] = moment
        told.append(absences.record_absence(name))
    assert told == [0, 0, 299, 299]
    absences.record_presence("one")
    assert absences.record_absence("one") == 0


def test_absences_remember_no_more_than_a_process_needs():
    now = [0.0]
    absences = AbsenceTimes(lambda: now[0])
    for number in range(10_001):
        absences.record_absence(f"task-{number}")
    now[0] = 300.0
    assert (absences.record_absence("task-10000"), absences.record_absence("task-0")) == (300, 0)


@pytest.mark.parametrize("style", STYLES)
def test_task_is_owned_by_the_token_it_was_submitted_with(vendor, style):
    task = submitted(vendor)
    for token, owns in ((TOKEN, True), ("another-token", False)):
        vendor.script(Fault("final_status", "poll", style=style))
        assert band(vendor).owns(task, token) is owns


@pytest.mark.parametrize(
    "faults",
    [
        [],
        [Fault("envelope", "poll", code=404)],
        [Fault("envelope", "poll", code=404, http=404)],
        [Fault("status", "poll", code=404)],
    ],
    ids=repr,
)
def test_task_that_is_not_known_is_owned_by_nobody(vendor, faults):
    vendor.script(*faults)
    error = error_of(lambda: band(vendor).owns("nobodys", TOKEN))
    assert (type(error), error.code) == (PermanentError, "job_unknown")
    assert error.message == "suno: there is no task nobodys"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("rate_limited", "poll"), TransientError),
        (Fault("reset", "poll"), TransientError),
        (Fault("other_status", "poll", code=404), TransientError),
        (Fault("envelope", "poll", code=400), TransientError),
        (Fault("envelope", "poll", code=531), TransientError),
        (Fault("refused_key", "poll"), OutOfCreditsError),
    ],
    ids=repr,
)
def test_question_about_a_task_may_be_asked_again(vendor, fault, kind):
    task = submitted(vendor)
    for ask in (lambda: band(vendor).owns(task, TOKEN), lambda: band(vendor).poll(JOB_INPUT, task)):
        vendor.script(fault)
        assert isinstance(error_of(ask), kind)
    assert isinstance(error_of(lambda: band(vendor).poll(JOB_INPUT, "nobody's")), TransientError)


# The songs


def test_fetch_tells_what_both_songs_are(vendor, tmp_path):
    answer = answer_of(vendor)
    product = fetched(vendor, tmp_path, answer)
    result, songs = product.result, answer["songs"]
    assert [file.name for file in product.files] == ["song.mp3", "song-2.mp3"]
    assert len({file.read_bytes() for file in product.files}) == 2
    assert result["seconds"] == pytest.approx(4, abs=0.1)
    assert (result["genre"], result["notes"], product.cost) == ("pop, ambient", [], None)
    links = [result["url"], result["songs"][1]["url"]]
    assert links == [song["audio_url"] for song in songs]
    assert [song["id"] for song in result["songs"]] == [song["id"] for song in songs]
    assert [line.text for line in lines(product)] == list_sung_lines(LYRIC)
    assert [line.start for line in lines(product)] == [0, 1.5, 3.0]


@pytest.mark.parametrize(
    ("changes", "questions", "texts"),
    [
        ({}, 1, None),
        ({"takes": 2}, 2, list_sung_lines(LYRIC)),
        ({"vocals": False}, 0, list_sung_lines(LYRIC)),
    ],
    ids=repr,
)
def test_fetch_asks_for_words_only_where_they_are_needed(
    vendor, tmp_path, changes, questions, texts
):
    product = fetched(vendor, tmp_path, **changes)
    other = product.result["songs"][1]
    assert count_calls(vendor, "lyrics") == questions
    assert (other["timeline"] and [line["text"] for line in other["timeline"]]) == texts
    assert [line.text for line in lines(product)] == list_sung_lines(LYRIC)
    assert (product.result["notes"], other["notes"]) == ([], [])


def test_fetch_notes_of_each_take_that_its_captions_are_estimated(vendor, tmp_path):
    vendor.script(Fault("no_words", "lyrics"))
    result = fetched(vendor, tmp_path, takes=2).result
    assert (result["notes"], result["songs"][1]["notes"]) == ([ESTIMATED], [])


@pytest.mark.parametrize(
    "fault",
    [
        Fault("no_words", "lyrics"),
        Fault("envelope", "lyrics", times=9, code=500),
        Fault("refused_key", "lyrics", times=9),
        Fault("lose_reply", "lyrics", times=9),
        words("one", "two", start=100),
        *(
            Fault("garbage_after", "lyrics", times=9, raw=GARBAGE[name])
            for name in ("null", "wrong types", "truncated")
        ),
    ],
    ids=repr,
)
def test_fetch_estimates_captions_that_the_vendor_does_not_tell(vendor, tmp_path, fault):
    vendor.script(fault)
    product = fetched(vendor, tmp_path)
    assert product.result["notes"] == [ESTIMATED]
    assert [line.text for line in lines(product)] == list_sung_lines(LYRIC)


def test_fetch_asks_once_more_for_words_that_did_not_come(vendor, tmp_path):
    vendor.script(Fault("lose_reply", "lyrics"))
    assert fetched(vendor, tmp_path).result["notes"] == []


@pytest.mark.parametrize("first", [1, 2])
def test_fetch_asks_for_a_fresh_link_where_one_has_expired(vendor, tmp_path, first):
    answer = answer_of(vendor)
    works = answer["songs"][0]["audio_url"]
    for song in answer["songs"][:first]:
        song["audio_url"] = f"{vendor.origin}/files/too-old.mp3"
    product = fetched(vendor, tmp_path, answer)
    assert (len(product.files), product.result["notes"]) == (2, [])
    assert product.result["url"] == works


def test_fetch_takes_no_other_song_for_one_whose_link_has_expired(vendor, tmp_path):
    answer = answer_of(vendor)
    vendor.script(Fault("final_status", "poll", times=9, changes=True))
    result = fetched(vendor, tmp_path, answer).result
    assert [song["id"] for song in result["songs"]] == [song["id"] for song in answer["songs"]]
    for song in answer["songs"]:
        song["audio_url"] = f"{vendor.origin}/files/too-old.mp3"
    assert error_of(lambda: fetched(vendor, tmp_path, answer)).code == "artifact_expired"


@pytest.mark.parametrize("lost", [0, 1])
@pytest.mark.parametrize(
    ("path", "why"),
    [(None, "never got a link"), ("/files/too-old.mp3", "is no longer stored by the vendor")],
)
def test_fetch_uses_the_song_that_is_left_and_notes_the_other(vendor, tmp_path, lost, path, why):
    answer = answer_of(vendor)
    answer["songs"][lost] |= {"id": "", "audio_url": path and f"{vendor.origin}{path}"}
    product = fetched(vendor, tmp_path, answer)
    assert [file.name for file in product.files] == ["song.mp3"]
    assert product.result["url"] == answer["songs"][1 - lost]["audio_url"]
    (note,) = product.result["notes"]
    told = f"suno: song {lost + 1} of task {answer['task_id']} {why}"
    assert note == f"{told}; song {2 - lost} is used"


def test_fetch_brings_a_second_song_whose_link_came_late(vendor, tmp_path):
    answer = answer_of(vendor)
    answer["songs"][1]["audio_url"] = None
    product = fetched(vendor, tmp_path, answer)
    assert (len(product.files), product.result["notes"]) == (2, [])


@pytest.mark.parametrize("link", ["/files/too-old.mp3", None])
def test_fetch_says_of_a_finished_task_that_none_of_its_songs_is_left(vendor, tmp_path, link):
    answer = answer_of(vendor)
    for number, song in enumerate(answer["songs"]):
        song |= {"id": f"gone-{number}", "audio_url": link and f"{vendor.origin}{link}"}
    error = error_of(lambda: fetched(vendor, tmp_path, answer))
    problem = "is no longer stored by the vendor" if link else "never got a link"
    assert (type(error), error.code) == (PermanentError, "artifact_expired")
    assert error.message == (
        f"suno: task {answer['task_id']} is finished, but none of its songs can be fetched "
        f"(song 1 {problem}; song 2 {problem}); "
        "`castad redo TASK_ID --from song` makes new ones and pays again"
    )


def test_fetch_of_songs_lost_for_several_reasons_says_the_one_that_is_no_expiry(vendor, tmp_path):
    answer = answer_of(vendor)
    links = (f"{vendor.origin}/files/too-old.mp3", "http://10.0.0.1/song.mp3")
    for number, (song, link) in enumerate(zip(answer["songs"], links, strict=True)):
        song |= {"id": f"gone-{number}", "audio_url": link}
    error = error_of(lambda: fetched(vendor, tmp_path, answer))
    assert (type(error), error.code) == (PermanentError, "private_address")


@pytest.mark.parametrize("kind", ["empty", "html", "truncate", "reset", "status"])
def test_fetch_of_a_song_that_comes_broken_may_be_made_again(vendor, tmp_path, kind):
    answer = answer_of(vendor)
    vendor.script(Fault(kind, "file"))
    assert isinstance(error_of(lambda: fetched(vendor, tmp_path, answer)), TransientError)
    assert len(fetched(vendor, tmp_path, answer).files) == 2


def test_fetch_measures_a_whole_song_whatever_length_is_announced(vendor, tmp_path):
    answer = answer_of(vendor)
    for song, announced in zip(answer["songs"], (180.0, None), strict=True):
        song["duration"] = announced
    product = fetched(vendor, tmp_path, answer)
    measured = [product.result["seconds"], product.result["songs"][1]["seconds"]]
    assert measured == pytest.approx([4, 4], abs=0.2)


def test_fetch_does_not_wait_for_a_second_song_that_always_comes_broken(vendor, tmp_path):
    answer = answer_of(vendor)
    answer["songs"][1]["audio_url"] = f"{vendor.url}/api/v1/generate/credit"
    product = fetched(vendor, tmp_path, answer)
    assert len(product.files) == 1
    assert "song 2" in product.result["notes"][0]


@pytest.mark.parametrize("route", ["poll", "file"])
def test_fetch_waits_for_a_second_song_that_cannot_be_reached(vendor, tmp_path, route):
    answer = answer_of(vendor)
    answer["songs"][1]["audio_url"] = f"{vendor.origin}/files/too-old.mp3"
    if route == "file":
        answer["songs"][1]["audio_url"] = "https://127.0.0.1:1/song.mp3"
    vendor.script(Fault("reset", "poll"))
    careful = band(vendor, allow_hosts=("127.0.0.1",))
    error = error_of(lambda: careful.fetch(JOB_INPUT, answer, tmp_path))
    assert isinstance(error, TransientError)


def test_fetch_follows_links_only_to_public_and_allowed_hosts(vendor, tmp_path):
    answer = answer_of(vendor)
    port = vendor.origin.rpartition(":")[2]
    for song in answer["songs"]:
        song["audio_url"] = song["audio_url"].replace("127.0.0.1", "localhost")
    assert isinstance(error_of(lambda: fetched(vendor, tmp_path, answer)), PermanentError)
    allowed = band(vendor, allow_hosts=(f"localhost:{port}",))
    assert len(allowed.fetch(JOB_INPUT, answer, tmp_path / "out").files) == 2


# The account


@pytest.mark.parametrize(
    ("left", "price", "told"),
    [
        (88, 12, "88 credits, enough for 7 songs"),
        ("88", 12, "88 credits, enough for 7 songs"),
        (88, 0, "88 credits"),
        ({"left": 88}, 12, "the key works; the vendor does not report how many credits are left"),
    ],
)
def test_standing_tells_the_credits_and_what_they_are_enough_for(vendor, left, price, told):
    vendor.script(Fault("garbage_after", "credits", json={"code": 200, "data": left}))
    assert band(vendor, credits=price).account_status() == told


# Envelopes

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


@pytest.mark.parametrize(
    ("code", "status", "is_good"),
    [
        *((code, 200, True) for code in (200, "200")),
        *((code, 200, False) for code in (500, None, True, 200.0, "²")),
        (200, 500, False),
    ],
)
def test_answer_is_good_where_code_and_status_are(code, status, is_good):
    assert is_success(answer(envelope(code), status)) is is_good


@pytest.mark.parametrize("status", [200, 301, 400, 402, 429, 500])
def test_code_decides_whatever_the_status(status):
    codes = {430: "rate_limited", 531: "refunded", 429: "out_of_credits", 404: "provider_refused"}
    for code, named in codes.items():
        error = build_refusal_error(answer(envelope(code), status), KEY)
        assert error is not None
        assert error.code == named
    for unproven in (500, 408, 0, -1, 10**30, 200.0, "no", True, [], 200, "200"):
        assert build_refusal_error(answer(envelope(unproven), status), KEY) is None


@pytest.mark.parametrize("code", [None, 200, 400, 429, 430, 455, 531])
@pytest.mark.parametrize("data", [{"taskId": TASK}, {"task_id": 7}])
def test_answer_that_names_a_task_is_no_refusal(code, data):
    assert build_refusal_error(answer(envelope(code, data), 429), KEY) is None


def test_refund_is_worth_one_more_submission_and_costs_nothing():
    error = build_refusal_error(answer(envelope(531)), KEY)
    assert isinstance(error, SubmissionFailedError)
    assert (error.cost, error.resubmissions) == (0, 1)


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
def test_redirect_says_what_to_check(status):
    assert summarize_response(answer(b"", status), KEY).endswith("check SUNO_BASE_URL")


@pytest.mark.parametrize(
    ("code", "headers", "seconds"), [(430, {}, 10), (430, {"Retry-After": "7"}, 7), (455, {}, 180)]
)
def test_vendor_that_is_busy_is_left_alone_for_a_while(code, headers, seconds):
    error = build_refusal_error(answer(envelope(code), 200, **headers), KEY)
    assert isinstance(error, TransientError)
    assert error.retry_after == seconds


@given(JUNK, JUNK, st.sampled_from([200, 401, 429, 500]))
def test_any_envelope_is_judged_in_one_line_without_the_key(code, msg, status):
    body = envelope(code, msg=f"{msg}\n{KEY}" if isinstance(msg, str) else msg)
    error = build_refusal_error(answer(body, status), KEY)
    assert error is None or (KEY not in error.message and "\n" not in error.message)


@pytest.mark.parametrize(
    ("data", "task"),
    [
        ({"taskId": TASK}, TASK),
        ({"task_id": TASK}, TASK),
        *(
            ({"taskId": id}, None)
            for id in ("", " ", 7, None, ["a"], "a\nb", "x" * 201, f"{KEY}-1234")
        ),
    ],
    ids=repr,
)
def test_task_id_is_read_in_both_key_styles_where_it_can_be_used(data, task):
    assert read_task_id(data, KEY) == task


@given(
    st.sampled_from([(88, 88), ("88", 88), (88.9, 88), (0, 0)])
    | st.sampled_from([-1, 10**400, float("nan"), float("inf"), True, "８８", "9" * 5000]).map(
        lambda odd: (odd, None)
    )
    | JUNK.filter(lambda each: not isinstance(each, int | float | str)).map(lambda odd: (odd, None))
)
def test_credits_are_read_as_a_number_that_an_account_may_have(case):
    assert read_credits(case[0]) == case[1]


@pytest.mark.parametrize(
    ("body", "status", "is_unknown"),
    [
        (envelope(200), 200, True),
        (envelope(404), 200, True),
        (envelope(404), 404, True),
        (b"<html>no</html>", 404, True),
        (envelope(200, {"taskId": TASK}), 200, False),
        ({"code": 200}, 200, False),
        (envelope(200), 404, False),
        (envelope(400), 404, False),
        (envelope("no"), 404, False),
        (b"<html>no</html>", 405, False),
        (b"", 301, False),
        (b"null", 200, False),
    ],
)
def test_task_that_is_not_known_is_told_from_the_answer(body, status, is_unknown):
    assert is_unknown_task(answer(body, status)) is is_unknown


# Records

SONG = {
    "id": "8551",
    "audioUrl": "https://files.example/8551.mp3",
    "streamAudioUrl": "https://files.example/8551",
    "title": "머뭄",
    "duration": 198.44,
}
ODD_SONG = st.fixed_dictionaries(
    {},
    optional={
        "id": JUNK,
        "title": JUNK,
        "duration": JUNK,
        "audioUrl": JUNK | st.just("https://files.example/a.mp3"),
    },
)
RECORD = st.fixed_dictionaries(
    {},
    optional={
        "status": JUNK | st.sampled_from(["SUCCESS", "CALLBACK_EXCEPTION", "FAILED"]),
        "errorCode": JUNK,
        "errorMessage": JUNK,
        "response": JUNK
        | st.fixed_dictionaries({"sunoData": st.lists(ODD_SONG | JUNK, max_size=6)}),
        "param": JUNK | JUNK.map(json.dumps),
    },
)


def record(status: str, *songs: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"taskId": TASK, "status": status, "response": {"sunoData": list(songs)}, **fields}


def failure(status: str, **fields: Any) -> ProviderError:
    return error_of(lambda: read_task_state(record(status, **fields), TASK, KEY))


def test_status_that_is_not_final_means_working_and_progress_rises():
    steps = ("PENDING", "GENERATING", "TEXT_SUCCESS", "FIRST_SUCCESS")
    told = [read_task_state(record(status, SONG), TASK, KEY) for status in steps]
    progress = [report.progress for report in told if isinstance(report, InProgress)]
    assert progress == sorted(set(progress))  # type: ignore[type-var]
    for status in ("pending", "SOMETHING_NEW"):
        assert isinstance(read_task_state(record(status, SONG), TASK, KEY), InProgress)


@pytest.mark.parametrize("status", ["SUCCESS", "success", "CALLBACK_EXCEPTION"])
@pytest.mark.parametrize(
    ("songs", "is_whole"),
    [((SONG, SONG), True), ((SONG,), False), ((SONG, {}), False), (({}, SONG), False)],
)
def test_finished_task_keeps_both_songs_and_is_whole_with_both_links(status, songs, is_whole):
    told = read_task_state(record(status, *songs), TASK, KEY)
    assert isinstance(told, Succeeded)
    assert (has_all_links(told), len(told.answer["songs"])) == (is_whole, 2)
    assert told.answer["task_id"] == TASK


@pytest.mark.parametrize("status", ["SUCCESS", "CALLBACK_EXCEPTION"])
@pytest.mark.parametrize("link", ["", None, 7, "ftp://files.example/a", "file:///etc/passwd"])
def test_task_without_a_link_is_not_believed_to_be_finished(status, link):
    told = read_task_state(record(status, SONG | {"audioUrl": link}), TASK, KEY)
    assert told == InProgress(None, f"the vendor says {status}, but gives no link to a song")


@pytest.mark.parametrize(
    ("name", "link"), [("sunoData", "audioUrl"), ("suno_data", "audio_url"), ("data", "audio_url")]
)
def test_songs_are_read_in_every_shape_the_vendor_writes(name, link):
    song = {"id": "8551", link: SONG["audioUrl"], "title": "머뭄", "duration": True}
    told = {"id": "8551", "title": "머뭄", "audio_url": SONG["audioUrl"], "duration": None}
    assert list_tracks({"response": {name: [song]}}, KEY) == [told]


@pytest.mark.parametrize("status", ["CREATE_TASK_FAILED", "GENERATE_AUDIO_FAILED", "FAILED"])
@pytest.mark.parametrize(
    ("code", "named", "cost", "most"),
    [
        (531, "refunded", 0, 1),
        ("531", "refunded", 0, 1),
        (501, "provider_failed", None, None),
        (None, "provider_failed", None, None),
    ],
)
def test_failed_task_says_why_and_whether_it_was_refunded(status, code, named, cost, most):
    error = failure(status, errorCode=code, errorMessage="no audio\nmade")
    assert isinstance(error, SubmissionFailedError)
    assert (error.code, error.cost, error.resubmissions) == (named, cost, most)
    why = f"{code}: no audio made" if code else "no audio made"
    assert error.message == f"suno: task {TASK} ended as {status} ({why})"


def test_refused_lyric_is_refused_for_good_and_says_what_to_do():
    error = failure("SENSITIVE_WORD_ERROR")
    assert (type(error), error.code) == (PermanentError, "sensitive_words")
    assert "castad redo TASK_ID --from lyric" in error.message


@pytest.mark.parametrize("data", [None, [], {}, "SUCCESS", {"status": None}, {"status": "  "}])
def test_record_without_a_status_is_no_final_status(data):
    assert isinstance(error_of(lambda: read_task_state(data, TASK, KEY)), TransientError)


@given(RECORD | JUNK)
def test_any_record_is_read_and_can_be_stored(data):
    try:
        told: object = read_task_state(data, TASK, KEY)
    except ProviderError as error:
        told = error.message
    assert isinstance(told, InProgress | Succeeded) or "\n" not in str(told)
    json.dumps(list_tracks(data, KEY), ensure_ascii=False, allow_nan=False).encode()
    assert has_callback_token(data, TOKEN) in (None, False)


@pytest.mark.parametrize("written", [KEY, quote(KEY, safe=""), "sk\\/canary"])
def test_link_with_the_key_is_no_link(written):
    song = SONG | {"audioUrl": f"https://files.example/8551.mp3?key={written}"}
    (track,) = list_tracks({"response": {"sunoData": [song]}}, KEY)
    assert track["audio_url"] is None


@pytest.mark.parametrize("secret", [TOKEN, KEY])
def test_song_is_told_without_the_key_and_the_token_of_its_job(secret):
    param = json.dumps({"callBackUrl": f"https://castad.example/callbacks/suno/{TOKEN}"})
    song = SONG | {"id": f"8551-{secret}", "title": f"Song of {secret}"}
    (track,) = list_tracks({"param": param, "response": {"sunoData": [song]}}, KEY)
    assert (track["id"], track["title"]) == ("", "Song of \u2026")


@pytest.mark.parametrize(
    ("param", "owned"),
    [
        *(
            (json.dumps({"callBackUrl": address}), owned)
            for address, owned in (
                (f"https://castad.example/callbacks/suno/{TOKEN}", True),
                (f"https://moved.example/somewhere/{TOKEN}", True),
                (f"https://castad.example/callbacks/suno/another-{TOKEN}", False),
                ("https://castad.example/callbacks/suno/another", False),
                ("", None),
                (7, None),
            )
        ),
        *(
            (param, None)
            for param in (None, "", "{", "[" * 100_000, "[]", "{}", "7", 7, {}, "9" * 5000)
        ),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_task_is_owned_by_the_token_in_its_callbacks_address(param, owned):
    assert has_callback_token({"param": param}, TOKEN) is owned
