import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

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
from resources.contract.protocol import InProgress, Product, Succeeded
from resources.http.vendor_client import VendorResponse
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import Settings
from resources.providers.creatomate.account import CreatomateSettings
from resources.providers.creatomate.answers import (
    check_dry_run,
    read_queued_render,
    read_render_state,
)
from resources.providers.creatomate.camera import CreatomateCamera
from resources.providers.creatomate.render_script import SourceChecker
from tests.contract.deals import error_of
from tests.fakes.creatomate import FakeCreatomate
from tests.fakes.faults import Fault
from tests.fakes.media import song
from tests.fakes.raw import RawServer, answer, say
from tests.fakes.reply import ECHO, Call
from tests.tables import rows_beside

TOKEN = "token-of-this-submission"
DRAWN = token_urlsafe(24)
"""As the ledger draws them: by their looks they are known where nobody knows which one it is."""
TRANSCRIPTS = ["lyrics.vtt", "lyrics.srt", "lyrics.lrc"]
LATER = 3600.0
PUBLIC_SONG = "https://8.8.8.8/song.mp3"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)


def job_input(**changes: Any) -> dict[str, Any]:
    return {
        "seed": "task-1",
        "customer_name": "스테이 머뭄",
        "call_to_action": "",
        "region": "군산",
        "orientation": "vertical",
        "genre": "pop",
        "song": {"name": "song.mp3", "where": "task-1/song.mp3", "sha256": "0" * 64},
        "song_url": PUBLIC_SONG,
        "song_start": 3.0,
        "song_seconds": 2.0,
        "song_fades": True,
        "timeline": [{"text": "우리의 노래", "start": 0.5, "end": 1.5, "chunks": []}],
        "images": [],
        **changes,
    }


class Gate:
    """Counts how often somebody came through."""

    passed = 0

    def __call__(self) -> None:
        self.passed += 1


@pytest.fixture
def vendor(tmp_path: Path) -> Iterator[FakeCreatomate]:
    """Its renders are never done by themselves."""
    with FakeCreatomate(tmp_path / "vendor") as fake:
        fake.delay = LATER
        yield fake


@pytest.fixture
def songs() -> Iterator[RawServer]:
    """Who has a song under every address."""
    with RawServer(say(answer(song(2, 440)))) as server:
        yield server


@pytest.fixture
def sung(songs: RawServer) -> dict[str, Any]:
    """A job whose song can be fetched."""
    return job_input(song_url=songs.url)


def camera(
    vendor: FakeCreatomate,
    gate: Callable[[], None] = lambda: None,
    public_url: str | None = None,
    **changes: Any,
) -> CreatomateCamera:
    own = CreatomateSettings(api_key=vendor.key, base_url=vendor.url, **changes)
    settings = Settings(
        public_url=public_url, allow_hosts=(), call_deadline=5.0, download_deadline=20.0
    )
    link_to = public_url and (lambda where: f"{public_url}/artifacts/{where}")
    sources = SourceChecker(link_to, lambda image: None, ("127.0.0.1",), (), 5.0)
    return CreatomateCamera(own, settings, sources, gate)


def submitted(vendor: FakeCreatomate, content: dict[str, Any] | None = None) -> str:
    """The id of a render that is being made."""
    return camera(vendor).submit(content or job_input(), TOKEN).external_id


def finished(vendor: FakeCreatomate, content: dict[str, Any] | None = None) -> Succeeded:
    """The answer of a render that is done."""
    content = content or job_input()
    external_id = submitted(vendor, content)
    vendor.delay = 0
    report = camera(vendor).poll(content, external_id)
    assert isinstance(report, Succeeded)
    return report


def sources_of(call: Call) -> list[str]:
    return [element["source"] for element in call.body["elements"] if "source" in element]


def routes(vendor: FakeCreatomate) -> list[str]:
    return [call.route for call in vendor.calls]


def made(
    vendor: FakeCreatomate, folder: Path, content: dict[str, Any] | None = None, **answer: Any
) -> Product:
    """The product of a render that is done."""
    content = content or job_input()
    report = finished(vendor, content)
    return camera(vendor).fetch(content, {**report.answer, **answer}, folder)


# What it costs


@pytest.mark.parametrize(
    ("seconds", "credits_taken"), [(60, 38), (20, 13), (2, 2), (0.5, 1), (1.6, 1), (120, 75)]
)
def test_price_is_the_vendors_formula(vendor, seconds, credits_taken):
    for orientation in ("vertical", "horizontal"):
        content = job_input(orientation=orientation, song_seconds=seconds)
        assert camera(vendor).price(content) == credits_taken * 20_000


# From the job to the film


def test_job_becomes_a_film_with_one_charge(vendor, sung, tmp_path):
    maker, content = camera(vendor), sung
    maker.prepare(content)
    receipt = maker.submit(content, TOKEN)
    assert isinstance(maker.poll(content, receipt.external_id), InProgress)
    vendor.delay = 0
    report = maker.poll(content, receipt.external_id)
    assert isinstance(report, Succeeded)
    product = maker.fetch(content, report.answer, tmp_path)
    assert [file.name for file in product.files] == [
        "video.mp4",
        "thumbnail.jpg",
        "cover.jpg",
        *TRANSCRIPTS,
    ]
    assert all(file.stat().st_size for file in product.files)
    assert (product.result["width"], product.result["height"]) == (1080, 1920)
    assert product.result["seconds"] == pytest.approx(2.0, abs=0.2)
    assert product.result["notes"] == []
    assert [(charge["id"], charge["metadata"]) for charge in vendor.charges()] == [
        (receipt.external_id, TOKEN)
    ]


def test_dry_run_is_of_what_is_submitted_then(vendor, sung):
    maker = camera(vendor)
    maker.prepare(sung)
    maker.submit(sung, TOKEN)
    dry, sent = (dict(call.body) for call in vendor.calls)
    assert dry.pop("dry_run") is True
    assert sent.pop("metadata") == TOKEN
    assert dry == sent


def test_render_is_to_be_called_back_at_an_address_with_the_token(vendor, sung):
    maker = camera(vendor, public_url="https://castad.example/base")
    maker.prepare(sung)
    maker.submit(sung, TOKEN)
    dry, sent = (call.body for call in vendor.calls)
    assert sent["webhook_url"] == f"https://castad.example/base/callbacks/creatomate/{TOKEN}"
    assert "webhook_url" not in dry
    camera(vendor).submit(sung, TOKEN)
    assert "webhook_url" not in vendor.calls[-1].body


def test_dry_run_waits_at_the_gate_and_the_job_does_not(vendor, sung):
    gate = Gate()
    maker = camera(vendor, gate=gate)
    maker.prepare(sung)
    maker.submit(sung, TOKEN)
    assert gate.passed == 1


def test_nothing_is_sent_that_the_vendor_could_not_fetch(vendor):
    with pytest.raises(PermanentError) as refusal:
        camera(vendor).prepare(job_input(song_url=None))
    assert refusal.value.code == "public_url_missing"
    assert vendor.calls == []


def test_studios_song_is_linked_under_the_public_address(vendor, songs):
    camera(vendor, public_url=songs.url).prepare(job_input(song_url=None))
    assert f"{songs.url}/artifacts/task-1/song.mp3" in sources_of(vendor.calls[0])


@pytest.mark.parametrize(
    ("status", "kind"), [("404 Not Found", PermanentError), ("503 Later", TransientError)]
)
def test_source_that_cannot_be_fetched_costs_nothing(vendor, status, kind):
    with RawServer(say(answer(b"", status=status))) as server, pytest.raises(kind) as refusal:
        camera(vendor).prepare(job_input(song_url=server.url))
    assert type(refusal.value) is kind
    assert refusal.value.code == "source_unreachable"
    assert vendor.calls == []


def test_kept_song_that_passed_the_dry_run_is_what_is_submitted(vendor, songs):
    with RawServer(say(answer(b"", status="404 Gone")), say(answer(b"back"))) as gone:
        content, maker = job_input(song_url=gone.url), camera(vendor, public_url=songs.url)
        maker.prepare(content)
        maker.submit(content, TOKEN)
    kept = f"{songs.url}/artifacts/task-1/song.mp3"
    assert [sources_of(call) for call in vendor.calls] == [[kept], [kept]]


def test_job_of_other_content_is_not_sent_as_the_one_before(vendor, sung):
    maker = camera(vendor)
    maker.prepare(sung)
    maker.submit(job_input(), TOKEN)
    assert sources_of(vendor.calls[-1]) == [PUBLIC_SONG]


# A template


def test_template_gets_its_modifications_and_nothing_else(vendor, sung):
    vendor.templates = {"t": ["Title", "Region", "Song", "Lyrics"]}
    maker = camera(vendor, template_id="t")
    maker.prepare(sung)
    maker.submit(sung, TOKEN)
    assert set(vendor.calls[-1].body) == {"template_id", "modifications", "metadata"}
    assert len(vendor.charges()) == 1


def test_template_without_one_of_the_elements_is_refused_for_free(vendor, sung):
    vendor.templates = {"t": ["Title", "Song"]}
    with pytest.raises(PermanentError, match="matched no element") as refusal:
        camera(vendor, template_id="t").prepare(sung)
    assert refusal.value.code == "render_invalid"
    assert vendor.charges() == []


def template_of_4k(vendor: FakeCreatomate, **changes: Any) -> CreatomateCamera:
    """A camera whose template is larger and longer than what the job's input would come to."""
    size = {"width": 3840, "height": 2160, "frame_rate": 30, "duration": 120}
    vendor.set(credits=10_000, template_source={**size, **changes})
    return camera(vendor, template_id="t")


def test_template_has_its_own_price_once_its_dry_run_has_told_it(vendor, sung):
    maker = template_of_4k(vendor)
    guess = maker.price(sung)
    maker.prepare(sung)
    assert (guess, maker.price(sung)) == (2 * 20_000, 299 * 20_000)


def test_template_price_is_that_of_the_job_that_was_prepared(vendor, sung):
    maker = template_of_4k(vendor)
    maker.prepare(sung)
    assert maker.price(job_input()) == 2 * 20_000


@pytest.mark.parametrize("number", ["120", None, True, -1, 0, 1e300, 10**300, [120]])
@pytest.mark.parametrize("name", ["width", "height", "frame_rate", "duration"])
def test_template_that_tells_no_sane_size_keeps_the_price_of_the_input(vendor, sung, name, number):
    maker = template_of_4k(vendor, **{name: number})
    maker.prepare(sung)
    assert maker.price(sung) == 2 * 20_000


def test_price_of_castads_own_script_is_not_the_vendors_to_tell(vendor, sung):
    maker, tiny = camera(vendor), {"width": 1, "height": 1, "frame_rate": 1, "duration": 1}
    vendor.script(Fault("fields", "dry_run", source=tiny))
    maker.prepare(sung)
    assert maker.price(sung) == 2 * 20_000


# The dry run


@rows_beside
def test_dry_run_with_faults_ends_the_job_for_free(found, named, vendor, sung):
    vendor.script(Fault("fields", "dry_run", **found))
    with pytest.raises(PermanentError, match=named) as refusal:
        camera(vendor).prepare(sung)
    assert refusal.value.code == "render_invalid"
    assert refusal.value.message.startswith("creatomate: ")
    assert vendor.charges() == []


@pytest.mark.parametrize(
    "answer",
    [
        Fault("status", "dry_run", code=202, body={"id": "r-1", "status": "planned"}),
        Fault("status", "dry_run", code=202, body=[{"id": "r-1"}]),
        Fault("status", "dry_run", code=200, body={"id": "r-1", "valid": True}),
    ],
    ids=str,
)
def test_dry_run_that_was_submitted_is_told_with_its_id_and_ends_the_job(vendor, sung, answer):
    vendor.script(answer)
    with pytest.raises(PermanentError, match="r-1") as refusal:
        camera(vendor).prepare(sung)
    assert refusal.value.code == "dry_run_ignored"
    assert routes(vendor) == ["dry_run"]


@pytest.mark.parametrize(
    "fault",
    [
        Fault("status", "dry_run", code=499),
        Fault("reset", "dry_run"),
        Fault("redirect", "dry_run", location="http://127.0.0.1/"),
    ],
    ids=str,
)
def test_dry_run_that_was_not_answered_may_be_made_again(vendor, sung, fault):
    vendor.script(fault)
    with pytest.raises(TransientError):
        camera(vendor).prepare(sung)
    camera(vendor).prepare(sung)
    assert vendor.charges() == []


# What refuses a submission, beyond the rows of the table


@pytest.mark.parametrize("as_date", [False, True])
def test_rate_limit_says_how_long_to_wait_also_by_a_clock_that_is_wrong(vendor, as_date):
    vendor.clock_offset = 7200
    vendor.script(Fault("rate_limited", "submit", retry_after=7, as_date=as_date))
    with pytest.raises(TransientError) as refusal:
        camera(vendor).submit(job_input(), TOKEN)
    assert refusal.value.retry_after == pytest.approx(7, abs=1)


@pytest.mark.parametrize("code", [302, 303])
def test_submission_that_was_answered_from_elsewhere_is_unknown(vendor, code):
    vendor.script(Fault("redirect", "submit", code=code, location="http://127.0.0.1/"))
    with pytest.raises(UnknownSubmissionError, match="check CREATOMATE_BASE_URL"):
        camera(vendor).submit(job_input(), TOKEN)


def test_answer_of_version_1_with_one_render_is_a_receipt(vendor):
    vendor.script(Fault("garbage_after", "submit", json=[{"id": "r-1", "status": "planned"}]))
    assert camera(vendor).submit(job_input(), TOKEN).external_id == "r-1"


def test_answer_with_several_renders_is_unknown_and_names_them(vendor):
    vendor.script(Fault("garbage_after", "submit", json=[{"id": "r-1"}, {"id": "r-2"}]))
    with pytest.raises(UnknownSubmissionError, match=r"2 renders, expected one: r-1, r-2"):
        camera(vendor).submit(job_input(), TOKEN)


def test_advice_of_an_accepted_submission_is_logged(vendor, caplog):
    vendor.script(Fault("answer", "submit", warnings=[{"message": "A font is missing."}]))
    with caplog.at_level(logging.WARNING, "castad.providers"):
        external_id = submitted(vendor)
    assert caplog.messages == ["render accepted with a warning: A font is missing."]
    [line] = caplog.records
    assert getattr(line, LOG_FIELDS) == {"provider": "creatomate", "job": external_id}


def test_lost_submission_cannot_be_found_by_its_token_nor_stopped(vendor):
    external_id = submitted(vendor)
    assert camera(vendor).find(TOKEN) is None
    camera(vendor).cancel(external_id)
    assert routes(vendor) == ["submit"]


# Whose render it is


@pytest.mark.parametrize(
    ("metadata", "owns"),
    [(TOKEN, True), ("another", False), *((odd, None) for odd in (None, 7, ["a"], {"a": TOKEN}))],
)
def test_render_is_owned_by_the_token_that_it_tells(vendor, metadata, owns):
    external_id = submitted(vendor)
    vendor.script(Fault("fields", "poll", metadata=metadata))
    assert camera(vendor).owns(external_id, TOKEN) is owns


def test_render_that_does_not_exist_is_nobodys(vendor):
    with pytest.raises(PermanentError, match=r"creatomate: there is no render r-1") as unknown:
        camera(vendor).owns("r-1", TOKEN)
    assert unknown.value.code == "job_unknown"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("status", "poll", code=500), TransientError),
        (Fault("status", "poll", code=400), TransientError),
        (Fault("redirect", "poll", code=308, location="http://127.0.0.1/"), TransientError),
        (Fault("lose_reply", "poll"), TransientError),
        (Fault("fields", "poll", id="another"), TransientError),
        (Fault("rate_limited", "poll"), TransientError),
        (Fault("refused_key", "poll"), OutOfCreditsError),
    ],
    ids=str,
)
def test_question_whose_render_it_is_may_be_asked_again(vendor, fault, kind):
    external_id = submitted(vendor)
    vendor.script(fault)
    with pytest.raises(kind) as trouble:
        camera(vendor).owns(external_id, TOKEN)
    assert type(trouble.value) is not PermanentError
    assert camera(vendor).owns(external_id, TOKEN) is True


# How a render stands


@pytest.mark.parametrize(
    "status",
    ["planned", "waiting", "transcribing", "rendering", "dancing", "", 7, None, ["failed"]],
)
def test_status_without_a_final_status_is_work_in_progress(vendor, status):
    external_id = submitted(vendor)
    vendor.script(Fault("final_status", "poll", fields={"status": status}))
    assert camera(vendor).poll(job_input(), external_id) == InProgress()


@pytest.mark.parametrize(
    "url", [None, "", 7, "ftp://a/b.mp4", "https://a/\0", "https://" + "a" * 9999]
)
def test_success_without_a_link_is_not_done(vendor, url):
    external_id = submitted(vendor)
    vendor.script(Fault("final_status", "poll", fields={"status": "succeeded", "url": url}))
    assert camera(vendor).poll(job_input(), external_id) == InProgress()


def test_success_tells_all_that_is_needed_to_fetch(vendor):
    answer = finished(vendor).answer
    [charge] = vendor.charges()
    assert answer["id"] == charge["id"]
    assert answer["url"].startswith(vendor.url)
    assert (answer["width"], answer["height"], answer["frame_rate"]) == (1080, 1920, 30)
    assert answer["duration"] == 2.0
    assert answer["file_size"] > 0
    assert answer["snapshot_url"] is None


@pytest.mark.parametrize("number", ["1080", True, -1, 0, 10**300, 1e30, None, [1]])
def test_number_that_cannot_be_is_left_out(vendor, number):
    external_id = submitted(vendor)
    fields = {"status": "succeeded", "width": number, "duration": number}
    vendor.script(Fault("final_status", "poll", fields=fields))
    report = camera(vendor).poll(job_input(), external_id)
    assert isinstance(report, Succeeded)
    assert (report.answer["width"], report.answer["duration"]) == (None, None)


@rows_beside
def test_failed_render_is_judged_by_its_message(message, most, vendor):
    external_id = submitted(vendor)
    vendor.script(Fault("final_status", "poll", status="failed", error_message=message))
    with pytest.raises(SubmissionFailedError) as failure:
        camera(vendor).poll(job_input(), external_id)
    assert (failure.value.code, failure.value.resubmissions) == ("render_failed", most)
    assert failure.value.message.startswith("creatomate: the render failed: ")


@pytest.mark.parametrize("status", ["cancelled", "canceled"])
def test_cancelled_render_may_be_submitted_again(vendor, status):
    external_id = submitted(vendor)
    vendor.script(Fault("final_status", "poll", fields={"status": status}))
    with pytest.raises(SubmissionFailedError) as failure:
        camera(vendor).poll(job_input(), external_id)
    assert (failure.value.code, failure.value.resubmissions) == ("render_cancelled", 1)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("status", "poll", code=500), TransientError),
        (Fault("refused_key", "poll"), OutOfCreditsError),
        (Fault("redirect", "poll", location="http://127.0.0.1/"), TransientError),
        (Fault("fields", "poll", id="another", status="failed"), TransientError),
        (Fault("fields", "poll", id=None, status="failed"), TransientError),
    ],
    ids=str,
)
def test_answer_that_is_no_render_is_no_final_status(vendor, fault, kind):
    external_id = submitted(vendor)
    vendor.script(fault)
    with pytest.raises(kind) as trouble:
        camera(vendor).poll(job_input(), external_id)
    assert type(trouble.value) is not PermanentError
    assert camera(vendor).poll(job_input(), external_id) == InProgress()


@pytest.mark.parametrize(
    "external_id", ["../x", "a/b", "a?b=c", "a#b", "a b", "%2e%2e", "ㄱ", "a\nb"]
)
def test_id_of_a_render_stays_one_part_of_the_path(vendor, external_id):
    with pytest.raises(TransientError) as trouble:
        camera(vendor).poll(job_input(), external_id)
    assert trouble.value.code == "render_unknown"
    assert routes(vendor) == ["poll"]
    assert trouble.value.message.isprintable()


# The film


def test_film_of_another_length_or_size_is_told_of(vendor, tmp_path):
    report = finished(vendor)
    product = camera(vendor).fetch(job_input(song_seconds=4.0), report.answer, tmp_path)
    [note] = product.result["notes"]
    assert note.startswith("the film lasts 2")
    (tmp_path / "other").mkdir()
    content = job_input(orientation="horizontal")
    [note] = camera(vendor).fetch(content, report.answer, tmp_path / "other").result["notes"]
    assert note.startswith("the film is 1080x1920, 1920x1080 was ordered")


def test_advice_on_a_finished_render_is_noted(vendor, tmp_path):
    external_id = submitted(vendor)
    vendor.delay = 0
    vendor.script(Fault("fields", "poll", warnings=[{"message": "A font is missing."}]))
    report = camera(vendor).poll(job_input(), external_id)
    assert isinstance(report, Succeeded)
    product = camera(vendor).fetch(job_input(), report.answer, tmp_path)
    assert product.result["notes"] == ["A font is missing."]


def test_cost_of_a_film_is_that_of_its_own_numbers(vendor, tmp_path):
    assert made(vendor, tmp_path, width=270, height=480, duration=100).cost == 4 * 20_000
    (tmp_path / "untold").mkdir()
    assert made(vendor, tmp_path / "untold", duration=None).cost is None


def test_film_is_delivered_without_a_cover_where_none_can_be_made(vendor, tmp_path):
    (tmp_path / "cover.jpg").mkdir()
    product = made(vendor, tmp_path)
    assert [file.name for file in product.files] == ["video.mp4", *TRANSCRIPTS]


def test_expired_link_is_asked_for_again(vendor, tmp_path):
    report = finished(vendor)
    vendor.script(Fault("expired", "file"))
    product = camera(vendor).fetch(job_input(), report.answer, tmp_path)
    assert product.files[0].stat().st_size > 0
    assert routes(vendor)[-3:] == ["file", "poll", "file"]
    assert len(vendor.charges()) == 1


@pytest.mark.parametrize(
    "faults",
    [
        [Fault("expired", "file", times=2)],
        [Fault("expired", "file"), Fault("status", "poll", code=404)],
        [Fault("expired", "file"), Fault("final_status", "poll", status="failed")],
        [Fault("expired", "file"), Fault("fields", "poll", url=None)],
    ],
    ids=str,
)
def test_film_that_is_gone_is_paid_for_again_only_on_request(vendor, tmp_path, faults):
    report = finished(vendor)
    vendor.script(*faults)
    with pytest.raises(PermanentError, match="pays again") as gone:
        camera(vendor).fetch(job_input(), report.answer, tmp_path)
    assert gone.value.code == "artifact_expired"
    assert len(vendor.charges()) == 1


def test_expired_link_of_a_vendor_in_trouble_is_not_given_up(vendor, tmp_path):
    report = finished(vendor)
    vendor.script(Fault("expired", "file"), Fault("status", "poll", code=503))
    with pytest.raises(TransientError):
        camera(vendor).fetch(job_input(), report.answer, tmp_path)
    assert camera(vendor).fetch(job_input(), report.answer, tmp_path).files


@pytest.mark.parametrize(
    "fault", [Fault("short", "file"), Fault("html", "file"), Fault("empty", "file")], ids=str
)
def test_bad_download_is_made_again_with_the_same_answer(vendor, tmp_path, fault):
    report = finished(vendor)
    vendor.script(fault)
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir(), second.mkdir()
    with pytest.raises(TransientError):
        camera(vendor).fetch(job_input(), report.answer, first)
    assert camera(vendor).fetch(job_input(), report.answer, second).files
    assert len(vendor.charges()) == 1


def test_what_the_vendor_called_done_first_is_delivered_and_paid_for(vendor, tmp_path):
    submitted(vendor)
    report = finished(vendor)
    saved = f"/files/{report.answer['id']}.mp4"
    later = {"url": f"{vendor.url}{saved}?signed=2", "duration": 99, "frame_rate": 60}
    vendor.script(Fault("expired", "file"), Fault("fields", "poll", **later))
    product = camera(vendor).fetch(job_input(), report.answer, tmp_path)
    asked = [call.path for call in vendor.calls[-2:]]
    assert asked == [f"/v2/renders/{report.answer['id']}", saved]
    assert product.result["seconds"] == pytest.approx(2.0, abs=0.2)
    assert product.cost == camera(vendor).price(job_input())


# The account


def test_standing_tells_for_free_that_the_key_works(vendor):
    assert camera(vendor).account_status() == "key accepted"
    assert routes(vendor) == ["dry_run"]
    assert vendor.charges() == []


def test_key_is_sent_in_the_header_and_nowhere_else(vendor, sung):
    maker = camera(vendor)
    maker.prepare(sung)
    maker.submit(sung, TOKEN)
    for call in vendor.calls:
        assert call.headers["authorization"] == f"Bearer {vendor.key}"
        assert vendor.key not in call.path + json.dumps(call.body)


# Whatever the vendor says

ANSWERS = st.builds(
    VendorResponse,
    st.sampled_from([200, 201, 202, 204, 302, 400, 401, 402, 404, 429, 500]),
    JSON
    | st.fixed_dictionaries(
        {}, optional={"valid": JSON, "errors": JSON, "warnings": JSON, "id": JSON, "hint": JSON}
    ),
    st.text(max_size=20),
)
RENDERS = st.dictionaries(st.text(max_size=9), JSON, max_size=3).flatmap(
    lambda other: st.fixed_dictionaries(
        {"id": st.just("r-1")},
        optional={
            "status": JSON | st.sampled_from(["succeeded", "failed", "cancelled", "planned"]),
            "url": JSON | st.just("https://a.example/b.mp4"),
            "error_message": JSON,
            "warnings": JSON,
            "width": JSON,
            "duration": JSON,
        },
    ).map(lambda fields: {**other, **fields})
)


@given(ANSWERS)
def test_leave_to_submit_is_given_by_the_documented_answer_alone(answer):
    try:
        check_dry_run(answer, "key")
    except ProviderError:
        return
    assert answer.status == 200
    assert answer.fields["valid"] is True
    assert not answer.fields.get("errors")
    assert not answer.fields.get("warnings")
    assert "id" not in answer.fields


@given(ANSWERS)
def test_render_of_any_answer_has_an_id_or_is_unknown(answer):
    try:
        render = read_queued_render(answer, "key", "token")
    except UnknownSubmissionError:
        return
    assert isinstance(render["id"], str)
    assert render["id"].isprintable()


@given(RENDERS)
def test_state_of_any_render_can_be_stored(render):
    try:
        report = read_render_state(render, "key")
    except (SubmissionFailedError, PermanentError) as failure:
        assert failure.message.isprintable()  # noqa: PT017
        return
    if isinstance(report, Succeeded):
        stored = json.dumps(report.answer, ensure_ascii=False, allow_nan=False).encode()
        assert json.loads(stored) == report.answer


# What it repeats of the token


@pytest.mark.parametrize(
    "fault",
    [
        *(Fault("status", "submit", code=code, body={"hint": ECHO}) for code in (400, 402, 500)),
        Fault("status", "submit", code=502, body=f"<html>/callbacks/creatomate/{ECHO}</html>"),
        Fault("status", "submit", code=202, body={"metadata": ECHO, "webhook_url": f"x/{ECHO}"}),
        Fault("status", "submit", code=202, body=[{"id": ECHO}, {"id": "b"}]),
        Fault("status", "submit", code=202, body={"id": ECHO}),
    ],
    ids=repr,
)
def test_submit_tells_no_token_that_the_vendor_repeats(vendor, fault):
    vendor.script(fault)
    assert DRAWN not in str(error_of(lambda: camera(vendor).submit(job_input(), DRAWN)))


def test_advice_on_a_queued_render_is_logged_without_the_token(vendor, caplog):
    vendor.script(Fault("answer", "submit", warnings=[ECHO, {"message": ECHO}, [ECHO]]))
    camera(vendor).submit(job_input(), DRAWN)
    assert "render accepted with a warning" in caplog.text
    assert DRAWN not in caplog.text + "".join(str(vars(line)) for line in caplog.records)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("final_status", "poll", status="failed", error_message=f"no {ECHO}"),
        Fault("status", "poll", code=500, body={"hint": ECHO}),
        Fault("status", "poll", code=200, body={"metadata": ECHO}),
    ],
    ids=repr,
)
def test_poll_and_owns_tell_no_token_that_the_vendor_repeats(vendor, fault):
    render = camera(vendor).submit(job_input(), DRAWN).external_id
    vendor.delay = 0
    vendor.script(fault)
    assert DRAWN not in str(error_of(lambda: camera(vendor).poll(job_input(), render)))


def test_a_finished_render_is_told_without_the_token(vendor):
    render = camera(vendor).submit(job_input(), DRAWN).external_id
    fields = {"warnings": [ECHO], "snapshot_url": f"https://a.example/{ECHO}"}
    vendor.delay = 0
    vendor.script(Fault("final_status", "poll", fields=fields))
    report = camera(vendor).poll(job_input(), render)
    assert isinstance(report, Succeeded)
    assert (DRAWN in str(report.answer), report.answer["snapshot_url"]) == (False, None)
