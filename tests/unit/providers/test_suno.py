import json
from collections.abc import Iterator
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import pytest

from pipeline_defs.song_video.products import Song
from resources.contract.errors import (
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import InProgress, Product, Provider, StageInput, Succeeded
from resources.http.vendor_client import RateGate
from resources.providers.suno.band import SunoBand
from studio.timeline import Line
from studio.words import list_sung_lines
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


@pytest.fixture
def vendor(tmp_path: Path) -> Iterator[FakeSuno]:
    with FakeSuno(tmp_path / "vendor") as fake:
        yield fake


def band(
    vendor: FakeSuno | None = None, *, url: str = "", gate: RateGate = lambda: None, **changes: Any
) -> SunoBand:
    given: dict[str, Any] = {
        "api_key": vendor.key if vendor else "key",
        "base_url": vendor.url if vendor else url,
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


def submitted(vendor: FakeSuno) -> str:
    return band(vendor).submit(JOB_INPUT, TOKEN).external_id


def answer_of(vendor: FakeSuno) -> dict[str, Any]:
    report = band(vendor).poll(JOB_INPUT, submitted(vendor))
    assert isinstance(report, Succeeded)
    answer: dict[str, Any] = json.loads(json.dumps(report.answer))
    return answer


def fetched(
    vendor: FakeSuno, folder: Path, answer: dict[str, Any] | None = None, **changes: Any
) -> Product:
    folder.mkdir(exist_ok=True)
    return band(vendor).fetch(job_input(**changes), answer or answer_of(vendor), folder)


def refused(vendor: FakeSuno, *faults: Fault) -> ProviderError:
    vendor.script(*faults)
    with pytest.raises(ProviderError) as caught:
        band(vendor).submit(JOB_INPUT, TOKEN)
    return caught.value


def sent(vendor: FakeSuno) -> dict[str, Any]:
    body: dict[str, Any] = vendor.calls[-1].body
    return body


def lines(product: Product) -> list[Line]:
    return [Line.from_json(line) for line in product.result["timeline"]]


def asked_about(vendor: FakeSuno, *faults: Fault) -> bool | None:
    """Whether the vendor says that the job was submitted with the token."""
    task = submitted(vendor)
    vendor.script(*faults)
    return band(vendor).owns(task, TOKEN)


def asked(vendor: FakeSuno, route: str) -> int:
    return sum(call.route == route for call in vendor.calls)


def expired(folder: Path, vendor: FakeSuno, answer: dict[str, Any], *, first: int) -> Product:
    """What is fetched where the links of the first songs are too old and the record has fresh ones."""
    for song in answer["songs"][:first]:
        song["audio_url"] = f"{vendor.origin}/files/too-old.mp3"
    return fetched(vendor, folder, answer)


def test_band_is_a_provider() -> None:
    provider: Provider = band(url="https://api.example")
    assert (provider.name, provider.rate and provider.rate.calls) == ("suno", 20)


def test_price_is_what_the_credits_of_one_submission_cost() -> None:
    assert band(url="https://api.example").price(JOB_INPUT) == 60_000


@pytest.mark.parametrize(("model", "most"), [("V4", 3000), ("V4_5", 5000), ("V9", 5000)])
def test_prepare_refuses_a_lyric_that_is_too_long_for_the_model(model: str, most: int) -> None:
    provider = band(url="https://api.example", model=model)
    provider.prepare(job_input(lyric="가" * most))
    with pytest.raises(PermanentError) as caught:
        provider.prepare(job_input(lyric="가" * (most + 1)))
    assert caught.value.code == "lyric_too_long"


def test_prepare_refuses_a_lyric_without_a_line() -> None:
    with pytest.raises(PermanentError) as caught:
        band(url="https://api.example").prepare(job_input(lyric="[Verse]\n\n"))
    assert caught.value.code == "lyric_empty"


def test_submit_sends_at_once(vendor: FakeSuno) -> None:
    waits: list[str] = []
    band(vendor, gate=lambda: waits.append("waited")).submit(JOB_INPUT, TOKEN)
    assert waits == []


def test_submit_has_the_lyric_sung_as_it_is(vendor: FakeSuno) -> None:
    submitted(vendor)
    body = sent(vendor)
    assert (body["customMode"], body["instrumental"], body["prompt"]) == (True, False, LYRIC)


def test_submit_of_an_instrumental_sends_no_lyric(vendor: FakeSuno) -> None:
    band(vendor).submit(job_input(vocals=False), TOKEN)
    body = sent(vendor)
    assert (body["instrumental"], "prompt" in body) == (True, False)
    assert body["style"] == "pop, ambient, instrumental"


def test_fetch_of_an_instrumental_spreads_the_lyric_over_it(
    vendor: FakeSuno, tmp_path: Path
) -> None:
    external_id = band(vendor).submit(job_input(vocals=False), TOKEN).external_id
    report = band(vendor).poll(JOB_INPUT, external_id)
    assert isinstance(report, Succeeded)
    folder = tmp_path / "out"
    folder.mkdir()
    product = band(vendor).fetch(job_input(vocals=False), report.answer, folder)
    assert [line["text"] for line in product.result["timeline"]] == list_sung_lines(LYRIC)
    assert product.result["notes"] == []


def test_submit_names_genre_and_language_as_the_style(vendor: FakeSuno) -> None:
    submitted(vendor)
    assert sent(vendor)["style"] == "pop, ambient, Korean vocals"


@pytest.mark.parametrize("changes", [{"title": ""}, {"genre": ""}, {"genre": "rock\n\troll"}])
def test_submit_fills_in_what_the_vendor_requires(
    vendor: FakeSuno, changes: dict[str, str]
) -> None:
    assert band(vendor).submit(job_input(**changes), TOKEN).external_id


@pytest.mark.parametrize(("model", "style"), [("V4", 200), ("V4_5", 1000)])
def test_submit_cuts_a_title_and_a_style_that_are_too_long(
    vendor: FakeSuno, model: str, style: int
) -> None:
    band(vendor, model=model).submit(job_input(title="가" * 300, genre="락" * 3000), TOKEN)
    assert (len(sent(vendor)["title"]), len(sent(vendor)["style"])) == (80, style)


@pytest.mark.parametrize(
    ("public_url", "callback"),
    [
        ("https://castad.example", f"https://castad.example/callbacks/suno/{TOKEN}"),
        (None, f"https://castad.invalid/callbacks/suno/{TOKEN}"),
    ],
)
def test_submit_has_the_token_ride_in_the_callbacks_address(
    vendor: FakeSuno, public_url: str | None, callback: str
) -> None:
    band(vendor, public_url=public_url).submit(JOB_INPUT, TOKEN)
    assert sent(vendor)["callBackUrl"] == callback


def test_submit_is_charged_once(vendor: FakeSuno) -> None:
    task = submitted(vendor)
    assert [charge["id"] for charge in vendor.charges()] == [task]


@pytest.mark.parametrize(
    "fault",
    [
        Fault("lose_reply", "submit"),
        Fault("reset_after", "submit"),
        Fault("status_after", "submit", code=502),
        Fault("status_after", "submit", code=200),
        Fault("truncate", "submit"),
        Fault("envelope", "submit", code=500),
        Fault("envelope", "submit", code=777),
        Fault("envelope", "submit", code=408),
        Fault("status", "submit", code=408),
        Fault("redirect", "submit", code=302),
        Fault("redirect", "submit", code=303),
        *(
            Fault("other_status", "submit", code=code)
            for code in (301, 307, 308, 400, 401, 402, 403, 404, 405, 413, 429, 500, 503)
        ),
        Fault("status", "submit", code=500),
        *(Fault("garbage_after", "submit", raw=raw) for raw in GARBAGE.values()),
    ],
    ids=repr,
)
def test_submit_that_may_have_been_accepted_is_unknown(vendor: FakeSuno, fault: Fault) -> None:
    assert isinstance(refused(vendor, fault), UnknownSubmissionError)


def test_submit_that_is_unknown_names_the_task_where_there_is_one(vendor: FakeSuno) -> None:
    error = refused(vendor, Fault("other_status", "submit", code=429))
    (charge,) = vendor.charges()
    assert f"names task {charge['id']}" in error.message


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("route", ["submit", "poll", "credits"])
def test_a_redirect_names_the_address_to_check(vendor: FakeSuno, route: str, code: int) -> None:
    calls = {
        "submit": lambda: band(vendor).submit(JOB_INPUT, TOKEN),
        "poll": lambda: band(vendor).poll(JOB_INPUT, "task"),
        "credits": band(vendor).account_status,
    }
    vendor.script(Fault("redirect", route, code=code, location=f"https://x.example/{vendor.key}"))
    with pytest.raises(ProviderError, match="check SUNO_BASE_URL"):
        calls[route]()


def test_submit_without_an_answer_in_time_is_unknown(vendor: FakeSuno) -> None:
    vendor.script(Fault("hang_after", "submit"))
    with pytest.raises(UnknownSubmissionError):
        band(vendor, deadline_seconds=0.2).submit(JOB_INPUT, TOKEN)


def test_submit_that_cannot_be_sent_may_be_sent_again() -> None:
    with pytest.raises(TransientError) as caught:
        band(url="http://127.0.0.1:1").submit(JOB_INPUT, TOKEN)
    assert caught.value.code == "provider_unreachable"


@pytest.mark.parametrize(
    ("fault", "kind", "code"),
    [
        (Fault("rate_limited", "submit"), TransientError, "rate_limited"),
        (Fault("rate_limited", "submit", code=405), TransientError, "rate_limited"),
        (Fault("status", "submit", code=429), TransientError, "rate_limited"),
        (Fault("envelope", "submit", code=455), TransientError, "vendor_down"),
        (Fault("envelope", "submit", code=531), SubmissionFailedError, "refunded"),
        *(
            (Fault("redirect", "submit", code=code), PermanentError, "provider_refused")
            for code in (301, 307, 308)
        ),
        (Fault("out_of_credits", "submit"), OutOfCreditsError, "out_of_credits"),
        (Fault("refused_key", "submit"), OutOfCreditsError, "key_refused"),
        (Fault("envelope", "submit", code=413, msg="too long"), PermanentError, "provider_refused"),
    ],
    ids=repr,
)
def test_submit_that_was_refused_is_not_charged_and_says_why(
    vendor: FakeSuno, fault: Fault, kind: type[ProviderError], code: str
) -> None:
    error = refused(vendor, fault)
    assert (type(error), error.code, vendor.charges()) == (kind, code, [])


def test_submit_that_was_refused_repeats_the_vendors_words(vendor: FakeSuno) -> None:
    error = refused(vendor, Fault("envelope", "submit", code=400, msg="no such\nmodel"))
    assert error.message == "suno: the job is refused: code 400: no such model"


@pytest.mark.parametrize("route", ["submit", "poll", "credits"])
def test_a_key_that_the_vendor_repeats_is_in_no_message(vendor: FakeSuno, route: str) -> None:
    vendor.script(Fault("refused_key", route, echo=True))
    calls = {
        "submit": lambda: band(vendor).submit(JOB_INPUT, TOKEN),
        "poll": lambda: band(vendor).poll(JOB_INPUT, "task"),
        "credits": band(vendor).account_status,
    }
    with pytest.raises(OutOfCreditsError) as caught:
        calls[route]()
    assert vendor.key not in str(caught.value)


ECHOING = f"see https://castad.example/callbacks/suno/{ECHO} or {ECHO}"


@pytest.mark.parametrize(
    "fault",
    [
        *(
            Fault("envelope", "submit", code=code, msg=ECHOING)
            for code in (400, 429, 430, 500, 531)
        ),
        Fault("status", "submit", code=502, body=ECHOING),
        Fault("garbage_after", "submit", json={"code": 500, "data": {"taskId": ECHO}}),
        Fault("garbage_after", "submit", json={"code": 200, "data": {"taskId": ECHO}}),
    ],
    ids=repr,
)
def test_a_token_that_the_vendor_repeats_is_in_no_refusal(vendor: FakeSuno, fault: Fault) -> None:
    vendor.script(fault)
    with pytest.raises(ProviderError) as caught:
        band(vendor).submit(JOB_INPUT, DRAWN)
    assert DRAWN not in str(caught.value)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("final_status", "poll", status="FAILED", error_code=ECHO, error_message=ECHOING),
        Fault("final_status", "poll", status="SENSITIVE_WORD_ERROR", error_message=ECHOING),
        Fault("envelope", "poll", code=500, msg=ECHOING),
        Fault("status", "poll", code=500, body=ECHOING),
    ],
    ids=repr,
)
def test_a_token_that_the_vendor_repeats_is_in_no_final_status(
    vendor: FakeSuno, fault: Fault
) -> None:
    task = band(vendor).submit(JOB_INPUT, DRAWN).external_id
    vendor.script(fault)
    with pytest.raises(ProviderError) as caught:
        band(vendor).poll(JOB_INPUT, task)
    assert DRAWN not in str(caught.value)


def test_fetch_tells_no_words_that_repeat_the_token(vendor: FakeSuno, tmp_path: Path) -> None:
    task = band(vendor).submit(JOB_INPUT, DRAWN).external_id
    report = band(vendor).poll(JOB_INPUT, task)
    assert isinstance(report, Succeeded)
    words = [{"word": f"{ECHO}\n", "startS": 1, "endS": 2}]
    vendor.script(
        Fault("garbage_after", "lyrics", json={"code": 200, "data": {"alignedWords": words}})
    )
    folder = tmp_path / "out"
    folder.mkdir()
    assert DRAWN not in str(band(vendor).fetch(JOB_INPUT, report.answer, folder).result)


def test_find_knows_nothing(vendor: FakeSuno) -> None:
    submitted(vendor)
    assert band(vendor).find(TOKEN) is None


def test_poll_reports_work_until_the_songs_are_there(vendor: FakeSuno) -> None:
    vendor.delay = 1000
    task = submitted(vendor)
    assert isinstance(band(vendor).poll(JOB_INPUT, task), InProgress)
    vendor.delay = 0
    assert isinstance(band(vendor).poll(JOB_INPUT, task), Succeeded)


@pytest.mark.parametrize("style", ["camel", "snake", "quickstart"])
def test_poll_reads_every_style_of_the_vendor(vendor: FakeSuno, style: str) -> None:
    vendor.script(Fault("final_status", "poll", style=style))
    assert len(answer_of(vendor)["songs"]) == 2


@pytest.mark.parametrize("style", ["camel", "snake", "quickstart"])
def test_poll_does_not_believe_a_success_without_audio(vendor: FakeSuno, style: str) -> None:
    vendor.script(Fault("final_status", "poll", status="SUCCESS", audio=0, style=style))
    assert isinstance(band(vendor).poll(JOB_INPUT, submitted(vendor)), InProgress)


@pytest.mark.parametrize(("audio", "report"), [(0, InProgress), (1, InProgress), (2, Succeeded)])
def test_poll_takes_a_failed_callback_for_no_failure(
    vendor: FakeSuno, audio: int, report: type
) -> None:
    vendor.script(Fault("final_status", "poll", status="CALLBACK_EXCEPTION", audio=audio))
    assert isinstance(band(vendor).poll(JOB_INPUT, submitted(vendor)), report)


@pytest.mark.parametrize("status", ["SUCCESS", "CALLBACK_EXCEPTION"])
@pytest.mark.parametrize(("patience", "report"), [(300, InProgress), (0, Succeeded)])
def test_poll_waits_for_the_second_link_as_long_as_it_has_patience(
    vendor: FakeSuno, status: str, patience: float, report: type
) -> None:
    vendor.script(Fault("final_status", "poll", status=status, audio=1))
    provider = band(vendor, link_grace_seconds=patience)
    assert isinstance(provider.poll(JOB_INPUT, submitted(vendor)), report)


def test_poll_has_both_songs_once_the_second_link_is_there(vendor: FakeSuno) -> None:
    vendor.script(Fault("final_status", "poll", status="CALLBACK_EXCEPTION", audio=1))
    provider, task = band(vendor), submitted(vendor)
    assert isinstance(provider.poll(JOB_INPUT, task), InProgress)
    report = provider.poll(JOB_INPUT, task)
    assert isinstance(report, Succeeded)
    assert all(song["audio_url"] for song in report.answer["songs"])


@pytest.mark.parametrize("style", ["camel", "snake", "quickstart"])
def test_a_task_is_owned_by_the_token_it_was_submitted_with(vendor: FakeSuno, style: str) -> None:
    assert asked_about(vendor, Fault("final_status", "poll", style=style)) is True


def test_a_task_is_not_owned_by_another_token(vendor: FakeSuno) -> None:
    assert band(vendor).owns(submitted(vendor), "another-token") is False


@pytest.mark.parametrize("param", [None, "", "{", 7])
def test_a_task_whose_request_is_not_told_may_be_anybodys(vendor: FakeSuno, param: Any) -> None:
    assert asked_about(vendor, Fault("final_status", "poll", fields={"param": param})) is None


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
def test_a_task_that_is_not_known_is_owned_by_nobody(vendor: FakeSuno, faults: list[Fault]) -> None:
    vendor.script(*faults)
    with pytest.raises(PermanentError, match=r"^suno: there is no task nobodys$") as caught:
        band(vendor).owns("nobodys", TOKEN)
    assert caught.value.code == "job_unknown"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("rate_limited", "poll"), TransientError),
        (Fault("reset", "poll"), TransientError),
        (Fault("other_status", "poll", code=404), TransientError),
        (Fault("envelope", "poll", code=400), TransientError),
        (Fault("envelope", "poll", code=531), TransientError),
        (Fault("refused_key", "poll"), OutOfCreditsError),
        (Fault("out_of_credits", "poll"), OutOfCreditsError),
    ],
    ids=repr,
)
def test_a_task_that_cannot_be_asked_about_is_owned_by_whoever_asks_later(
    vendor: FakeSuno, fault: Fault, kind: type[ProviderError]
) -> None:
    with pytest.raises(kind):
        asked_about(vendor, fault)


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        ("CREATE_TASK_FAILED", SubmissionFailedError, "refunded"),
        ("GENERATE_AUDIO_FAILED", SubmissionFailedError, "refunded"),
        ("SENSITIVE_WORD_ERROR", PermanentError, "sensitive_words"),
    ],
)
def test_poll_tells_the_vendors_final_status(
    vendor: FakeSuno, status: str, kind: type[ProviderError], code: str
) -> None:
    vendor.script(
        Fault("final_status", "submit", status=status, error_code=531, error_message="sorry")
    )
    with pytest.raises(kind, match="531: sorry") as caught:
        band(vendor).poll(JOB_INPUT, submitted(vendor))
    assert (caught.value.code, caught.value.cost) == (code, 0)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("rate_limited", "poll"),
        Fault("refused_key", "poll"),
        Fault("reset", "poll"),
        Fault("status", "poll", code=404),
        Fault("status", "poll", code=503),
        *(
            Fault("envelope", "poll", code=code)
            for code in (400, 404, 413, 451, 455, 500, 501, 531)
        ),
        *(Fault("garbage_after", "poll", raw=raw) for raw in GARBAGE.values()),
    ],
    ids=repr,
)
def test_poll_without_an_answer_is_no_final_status(vendor: FakeSuno, fault: Fault) -> None:
    task = submitted(vendor)
    vendor.script(fault)
    with pytest.raises((TransientError, OutOfCreditsError)):
        band(vendor).poll(JOB_INPUT, task)


def test_poll_of_a_task_that_is_not_known_is_no_final_status(vendor: FakeSuno) -> None:
    with pytest.raises(TransientError):
        band(vendor).poll(JOB_INPUT, "nobody's")


def test_fetch_brings_both_songs(vendor: FakeSuno, tmp_path: Path) -> None:
    product = fetched(vendor, tmp_path / "out")
    assert [file.name for file in product.files] == ["song.mp3", "song-2.mp3"]
    assert len({file.read_bytes() for file in product.files}) == 2


def test_fetch_tells_what_the_songs_are(vendor: FakeSuno, tmp_path: Path) -> None:
    answer = answer_of(vendor)
    result = fetched(vendor, tmp_path / "out", answer).result
    assert result["seconds"] == pytest.approx(4, abs=0.1)
    assert (result["genre"], result["notes"]) == ("pop, ambient", [])
    assert result["url"] == answer["songs"][0]["audio_url"]
    assert [song["id"] for song in result["songs"]] == [song["id"] for song in answer["songs"]]


def test_fetch_gives_all_that_a_song_of_the_pipeline_has(vendor: FakeSuno, tmp_path: Path) -> None:
    result = fetched(vendor, tmp_path / "out").result
    song = Song.model_validate(json.loads(json.dumps({**result, "files": []}, allow_nan=False)))
    assert [take.title for take in song.songs] == ["머뭄", "머뭄"]
    of_the_studio = {"files", "beat_seconds", "sections", "used"}
    assert song.model_dump(exclude=of_the_studio).keys() == result.keys()


def test_fetch_leaves_the_price_as_it_was(vendor: FakeSuno, tmp_path: Path) -> None:
    assert fetched(vendor, tmp_path / "out").cost is None


def test_fetch_has_the_lines_as_the_vendor_timed_them(vendor: FakeSuno, tmp_path: Path) -> None:
    product = fetched(vendor, tmp_path / "out")
    assert [line.text for line in lines(product)] == list_sung_lines(LYRIC)
    assert [line.start for line in lines(product)] == [0, 1.5, 3.0]


def test_fetch_asks_for_the_words_of_the_used_song_only(vendor: FakeSuno, tmp_path: Path) -> None:
    other = fetched(vendor, tmp_path / "out").result["songs"][1]
    assert (asked(vendor, "lyrics"), other["timeline"]) == (1, None)


def test_fetch_asks_for_the_words_of_both_takes_to_choose_from(
    vendor: FakeSuno, tmp_path: Path
) -> None:
    other = fetched(vendor, tmp_path / "out", takes=2).result["songs"][1]
    assert asked(vendor, "lyrics") == 2
    assert [line["text"] for line in other["timeline"]] == list_sung_lines(LYRIC)
    assert other["notes"] == []


def test_fetch_names_the_link_of_every_song(vendor: FakeSuno, tmp_path: Path) -> None:
    answer = answer_of(vendor)
    result = fetched(vendor, tmp_path / "out", answer).result
    links = [result["url"], result["songs"][1]["url"]]
    assert links == [song["audio_url"] for song in answer["songs"]]


def test_fetch_notes_of_each_take_that_its_captions_are_estimated(
    vendor: FakeSuno, tmp_path: Path
) -> None:
    vendor.script(Fault("no_words", "lyrics"))
    result = fetched(vendor, tmp_path / "out", takes=2).result
    assert (result["notes"], result["songs"][1]["notes"]) == ([ESTIMATED], [])


def test_fetch_of_an_instrumental_has_the_lines_of_both_songs(
    vendor: FakeSuno, tmp_path: Path
) -> None:
    result = fetched(vendor, tmp_path / "out", vocals=False).result
    assert asked(vendor, "lyrics") == 0
    assert [line["text"] for line in result["songs"][1]["timeline"]] == list_sung_lines(LYRIC)


def test_fetch_may_be_made_again(vendor: FakeSuno, tmp_path: Path) -> None:
    answer = answer_of(vendor)
    first = fetched(vendor, tmp_path / "one", answer)
    assert fetched(vendor, tmp_path / "two", answer).result == first.result


@pytest.mark.parametrize(
    "fault",
    [
        Fault("no_words", "lyrics"),
        Fault("envelope", "lyrics", times=9, code=500),
        Fault("rate_limited", "lyrics", times=9),
        Fault("refused_key", "lyrics", times=9),
        Fault("lose_reply", "lyrics", times=9),
        *(Fault("garbage_after", "lyrics", times=9, raw=raw) for raw in GARBAGE.values()),
    ],
    ids=repr,
)
def test_fetch_estimates_captions_that_the_vendor_does_not_tell(
    vendor: FakeSuno, tmp_path: Path, fault: Fault
) -> None:
    vendor.script(fault)
    product = fetched(vendor, tmp_path / "out")
    assert product.result["notes"] == [ESTIMATED]
    assert [line.text for line in lines(product)] == list_sung_lines(LYRIC)


def test_fetch_estimates_captions_that_lie_outside_the_song(
    vendor: FakeSuno, tmp_path: Path
) -> None:
    words = [{"word": f"{text}\n", "startS": 100, "endS": 101} for text in ("one", "two")]
    vendor.script(
        Fault("garbage_after", "lyrics", json={"code": 200, "data": {"alignedWords": words}})
    )
    assert fetched(vendor, tmp_path / "out").result["notes"] == [ESTIMATED]


def test_fetch_tells_no_words_that_repeat_the_key(vendor: FakeSuno, tmp_path: Path) -> None:
    words = [{"word": f"{vendor.key}\n", "startS": 1, "endS": 2}]
    vendor.script(
        Fault("garbage_after", "lyrics", json={"code": 200, "data": {"alignedWords": words}})
    )
    product = fetched(vendor, tmp_path / "out")
    assert vendor.key not in str(product.result)
    assert product.result["notes"] == [ESTIMATED]


def test_fetch_asks_once_more_for_words_that_did_not_come(vendor: FakeSuno, tmp_path: Path) -> None:
    vendor.script(Fault("lose_reply", "lyrics"))
    assert fetched(vendor, tmp_path / "out").result["notes"] == []


@pytest.mark.parametrize("first", [1, 2])
def test_fetch_asks_for_a_fresh_link_where_one_has_expired(
    vendor: FakeSuno, tmp_path: Path, first: int
) -> None:
    answer = answer_of(vendor)
    product = expired(tmp_path / "out", vendor, answer, first=first)
    assert (len(product.files), product.result["notes"]) == (2, [])


def test_fetch_names_the_link_that_works(vendor: FakeSuno, tmp_path: Path) -> None:
    answer = answer_of(vendor)
    works = answer["songs"][0]["audio_url"]
    assert expired(tmp_path / "out", vendor, answer, first=1).result["url"] == works


def test_fetch_takes_no_other_song_for_one_whose_link_has_expired(
    vendor: FakeSuno, tmp_path: Path
) -> None:
    answer = answer_of(vendor)
    vendor.script(Fault("final_status", "poll", times=9, changes=True))
    with pytest.raises(PermanentError) as caught:
        expired(tmp_path / "out", vendor, answer, first=2)
    assert caught.value.code == "artifact_expired"


def test_fetch_keeps_to_the_songs_that_were_saved(vendor: FakeSuno, tmp_path: Path) -> None:
    answer = answer_of(vendor)
    vendor.script(Fault("final_status", "poll", times=9, changes=True))
    band(vendor).poll(JOB_INPUT, answer["task_id"])
    result = fetched(vendor, tmp_path / "out", answer).result
    assert [song["id"] for song in result["songs"]] == [song["id"] for song in answer["songs"]]


@pytest.mark.parametrize("lost", [0, 1])
def test_fetch_uses_the_song_that_is_left_and_notes_the_other(
    vendor: FakeSuno, tmp_path: Path, lost: int
) -> None:
    answer = answer_of(vendor)
    answer["songs"][lost] |= {"id": "", "audio_url": None}
    product = fetched(vendor, tmp_path / "out", answer)
    assert [file.name for file in product.files] == ["song.mp3"]
    assert product.result["url"] == answer["songs"][1 - lost]["audio_url"]
    (note,) = product.result["notes"]
    assert note == (
        f"suno: song {lost + 1} of task {answer['task_id']} never got a link; song {2 - lost} is used"
    )


def test_fetch_notes_a_second_song_that_the_record_never_held(
    vendor: FakeSuno, tmp_path: Path
) -> None:
    songs = [{"id": "1", "audioUrl": answer_of(vendor)["songs"][0]["audio_url"]}]
    vendor.script(Fault("final_status", "poll", fields={"response": {"sunoData": songs}}))
    provider = band(vendor, link_grace_seconds=0)
    report = provider.poll(JOB_INPUT, submitted(vendor))
    assert isinstance(report, Succeeded)
    notes = provider.fetch(JOB_INPUT, report.answer, tmp_path).result["notes"]
    assert "never got a link" in notes[0]


def test_fetch_brings_a_second_song_whose_link_came_late(vendor: FakeSuno, tmp_path: Path) -> None:
    answer = answer_of(vendor)
    answer["songs"][1]["audio_url"] = None
    product = fetched(vendor, tmp_path / "out", answer)
    assert (len(product.files), product.result["notes"]) == (2, [])


def test_fetch_says_of_a_song_whose_link_has_expired_that_it_is_no_longer_kept(
    vendor: FakeSuno, tmp_path: Path
) -> None:
    answer = answer_of(vendor)
    answer["songs"][1] |= {"id": "gone", "audio_url": f"{vendor.origin}/files/too-old.mp3"}
    (note,) = fetched(vendor, tmp_path / "out", answer).result["notes"]
    assert "is no longer stored by the vendor" in note


@pytest.mark.parametrize("link", ["/files/too-old.mp3", None])
def test_fetch_says_of_a_finished_task_that_none_of_its_songs_is_left(
    vendor: FakeSuno, tmp_path: Path, link: str | None
) -> None:
    answer = answer_of(vendor)
    for number, song in enumerate(answer["songs"]):
        song |= {"id": f"gone-{number}", "audio_url": link and f"{vendor.origin}{link}"}
    with pytest.raises(PermanentError) as caught:
        fetched(vendor, tmp_path / "out", answer)
    problem = "is no longer stored by the vendor" if link else "never got a link"
    assert caught.value.code == "artifact_expired"
    assert caught.value.message == (
        f"suno: task {answer['task_id']} is finished, but none of its songs can be fetched "
        f"(song 1 {problem}; song 2 {problem}); "
        "`castad redo TASK_ID --from song` makes new ones and pays again"
    )


def test_poll_of_a_finished_task_without_links_says_so(vendor: FakeSuno) -> None:
    vendor.script(Fault("final_status", "submit", status="SUCCESS", audio=0))
    report = band(vendor).poll(JOB_INPUT, submitted(vendor))
    assert report == InProgress(None, "the vendor says SUCCESS, but gives no link to a song")


@pytest.mark.parametrize("kind", ["empty", "html", "truncate", "reset", "status"])
def test_fetch_of_a_song_that_comes_broken_may_be_made_again(
    vendor: FakeSuno, tmp_path: Path, kind: str
) -> None:
    answer = answer_of(vendor)
    vendor.script(Fault(kind, "file"))
    with pytest.raises(TransientError):
        fetched(vendor, tmp_path / "out", answer)
    assert len(fetched(vendor, tmp_path / "out", answer).files) == 2


@pytest.mark.parametrize("announced", [180.0, 30.0, 5.3, 2.7, 0.1, None])
def test_fetch_measures_a_whole_song_whatever_length_is_announced(
    vendor: FakeSuno, tmp_path: Path, announced: float | None
) -> None:
    answer = answer_of(vendor)
    for song in answer["songs"]:
        song["duration"] = announced
    product = fetched(vendor, tmp_path / "out", answer)
    assert len(product.files) == 2
    assert product.result["seconds"] == pytest.approx(4, abs=0.2)


def test_fetch_does_not_wait_for_a_second_song_that_always_comes_broken(
    vendor: FakeSuno, tmp_path: Path
) -> None:
    answer = answer_of(vendor)
    answer["songs"][1]["audio_url"] = f"{vendor.url}/api/v1/generate/credit"
    product = fetched(vendor, tmp_path / "out", answer)
    assert len(product.files) == 1
    assert "song 2" in product.result["notes"][0]


@pytest.mark.parametrize("route", ["poll", "file"])
def test_fetch_waits_for_a_second_song_that_cannot_be_reached(
    vendor: FakeSuno, tmp_path: Path, route: str
) -> None:
    answer = answer_of(vendor)
    answer["songs"][1]["audio_url"] = f"{vendor.origin}/files/too-old.mp3"
    if route == "file":
        answer["songs"][1]["audio_url"] = "https://127.0.0.1:1/song.mp3"
    vendor.script(Fault("reset", "poll"))
    careful = band(vendor, allow_hosts=("127.0.0.1",))
    with pytest.raises(TransientError):
        careful.fetch(JOB_INPUT, answer, tmp_path)


@pytest.mark.parametrize(
    "link", ["http://127.0.0.1:1/a.mp3", "http://169.254.169.254/a.mp3", "https://10.0.0.1/a.mp3"]
)
def test_fetch_follows_no_link_to_a_private_address(
    vendor: FakeSuno, tmp_path: Path, link: str
) -> None:
    answer = answer_of(vendor)
    for song in answer["songs"]:
        song["audio_url"] = link
    with pytest.raises(PermanentError):
        fetched(vendor, tmp_path / "out", answer)


def test_fetch_follows_a_link_to_a_host_that_is_allowed(vendor: FakeSuno, tmp_path: Path) -> None:
    answer = answer_of(vendor)
    port = vendor.origin.rpartition(":")[2]
    for song in answer["songs"]:
        song["audio_url"] = song["audio_url"].replace("127.0.0.1", "localhost")
    (tmp_path / "out").mkdir()
    allowed = band(vendor, allow_hosts=(f"localhost:{port}",))
    assert len(allowed.fetch(JOB_INPUT, answer, tmp_path / "out").files) == 2


def test_a_job_is_charged_once_whatever_is_fetched(vendor: FakeSuno, tmp_path: Path) -> None:
    answer = answer_of(vendor)
    fetched(vendor, tmp_path / "one", answer)
    fetched(vendor, tmp_path / "two", answer)
    assert len(vendor.charges()) == 1


def test_cancel_says_nothing_to_the_vendor(vendor: FakeSuno) -> None:
    task = submitted(vendor)
    band(vendor).cancel(task)
    assert [call.route for call in vendor.calls] == ["submit"]


@pytest.mark.parametrize("credits", [88, "88"])
def test_standing_tells_the_credits_and_what_they_are_enough_for(
    vendor: FakeSuno, credits: Any
) -> None:
    vendor.credits = credits
    assert band(vendor).account_status() == "88 credits, enough for 7 songs"


def test_standing_of_a_free_model_divides_by_nothing(vendor: FakeSuno) -> None:
    vendor.credits = 88
    assert band(vendor, credits=0).account_status() == "88 credits"


def test_standing_says_so_where_the_credits_are_not_told(vendor: FakeSuno) -> None:
    vendor.script(Fault("garbage_after", "credits", json={"code": 200, "data": {"left": 88}}))
    assert "does not report" in band(vendor).account_status()
