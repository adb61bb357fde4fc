"""Direct answers whose steps are bought: what is charged is stored, and each failure says what it is."""

import base64
import io
import json
import logging
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select

from castad.direct.ledger_import import DirectJob, KeptStage, build_import_entry, deliver_import
from castad.direct.pool import list_targets
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import OutOfCreditsError, PermanentError
from resources.delivery.spool import deliver_spool, open_spool
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.money import read_pauses, sum_spent_today
from resources.ledger.queries.status import get_request
from resources.ledger.schema.tables import Status, providers
from resources.process.settings import settings
from resources.purchase.stage_context import hash_payload
from tests.api_house import House, served
from tests.canary import leaks
from tests.direct_house import ANSWER, events_of
from tests.eventually import eventually
from tests.fakes.faults import ALWAYS, Fault
from tests.fakes.openai import FakeOpenAI

KEY = "sk-Canary0123456789abcdef"
GLASS = {
    "major_category": "재활용폐기물",
    "middle_category": "유리병",
    "minor_category": "소주병",
    "situation_tags": [],
}
ADVICE = {"disposal_steps": ["헹굽니다."], "insufficiencies": [], "user_answer": "헹궈서 버리세요."}
ORDER = {"note": "소주병", "task_id": "s1"}
LOST = Fault("lose_reply", "submit")
_WORDS = {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}
TOO_OFTEN = Fault("status", "submit", code=429, headers={"Retry-After": "0"}, body=_WORDS)


@pytest.fixture
def openai(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    with FakeOpenAI(tmp_path / "vendor", key=KEY) as vendor:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        # A token costs a micro-dollar, so that the vendor's books and the ledger count in the same.
        monkeypatch.setenv("OPENAI_USD_IN", "1")
        monkeypatch.setenv("OPENAI_USD_OUT", "1")
        monkeypatch.setenv("OPENAI_BASE_URL", vendor.url)
        settings.cache_clear()
        yield vendor


@pytest.fixture
def house(openai: FakeOpenAI, sqlite_ledger_url: str) -> Iterator[House]:
    with served() as house:
        yield house


def say(vendor: FakeOpenAI, *objects: dict[str, Any]) -> None:
    """The next completions hold these objects."""
    vendor.script(*(Fault("completion", "submit", object=each) for each in objects))


def is_imported(house: House) -> bool:
    deliver_spool(open_spool(settings().home), list_targets(get_catalog()))
    try:
        return get_request(house.db, "s1").is_terminal
    except UnknownRequestError:
        return False


def all_are_imported() -> bool:
    deliver_spool(open_spool(settings().home), list_targets(get_catalog()))
    return not open_spool(settings().home).waiting()


def failures_of(vendor: FakeOpenAI, house: House) -> list[dict[str, Any]]:
    """The last event of an order for each of FAILURES, in this order."""
    client, ends = house.as_("shop"), []
    for name, (fault, _) in FAILURES.items():
        vendor.script(fault)
        ends.append(events_of(client, {**ORDER, "task_id": name})[-1])
    return ends


def kept_files() -> list[bytes]:
    return [file.read_bytes() for file in settings().home.rglob("*") if file.is_file()]


def charged(vendor: FakeOpenAI) -> int:
    return len(vendor.charges())


def photograph() -> bytes:
    """One that says where it was taken."""
    exif = Image.Exif()
    exif.get_ifd(0x8825)[1] = "CanaryNorth"
    exif[0x010E] = "CanaryHome"
    file = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").save(file, "JPEG", exif=exif)
    return file.getvalue()


def shown_to(vendor: FakeOpenAI) -> bytes:
    """The picture that the vendor was sent first."""
    parts = vendor.calls[0].body["messages"][-1]["content"]
    url = next(part["image_url"]["url"] for part in parts if part["type"] == "image_url")
    return base64.b64decode(url.partition(",")[2])


def test_bought_answer_is_imported_with_what_it_cost(openai, house):
    say(openai, GLASS, ADVICE)
    last = events_of(house.as_("shop"), ORDER)[-1]
    assert last["result"]["pipeline_result"]["final_answer"]["disposal_steps"] == {
        "단계1": "헹굽니다."
    }
    assert eventually(lambda: is_imported(house))
    assert get_request(house.db, "s1").status is Status.COMPLETED
    saved = [(job.provider, job.cost) for job in house.steps.jobs("s1")]
    assert saved == [("openai", charge["cost"]) for charge in openai.charges()]


def test_vendor_keeps_no_answer_that_is_never_looked_up(openai, house):
    say(openai, GLASS, ADVICE)
    events_of(house.as_("shop"), ORDER)
    assert [(call.body["store"], "metadata" in call.body) for call in openai.calls] == [
        (False, False),
        (False, False),
    ]


def test_concurrent_orders_of_one_task_id_are_answered_and_bought_once(openai, house):
    say(openai, GLASS, ADVICE)
    client = house.as_("shop")
    with ThreadPoolExecutor(8) as clients:
        ends = [each[-1] for each in clients.map(lambda _: events_of(client, ORDER), range(8))]
    assert (charged(openai), ends) == (2, [ends[0]] * 8)


def test_thing_without_a_rule_is_answered_without_a_second_call(openai, house):
    unknown = {**GLASS, "major_category": "미분류", "middle_category": "미분류"}
    say(openai, unknown)
    result = events_of(house.as_("shop"), ORDER)[-1]["result"]
    assert (charged(openai), result["reward"]) == (1, None)


PLASTIC = {**GLASS, "middle_category": "플라스틱류", "minor_category": "통"}
SYRINGE = {**GLASS, "minor_category": "주사기"}


@pytest.mark.parametrize(
    ("note", "seen", "warned"),
    [
        ("페인트 남은 통", PLASTIC, "하수구에 붓지 말고"),
        ("이거 뭐예요", SYRINGE, "감염될 수 있습니다"),
    ],
)
def test_danger_is_warned_of_without_asking_a_model_for_advice(openai, house, note, seen, warned):
    say(openai, seen, ADVICE)
    result = events_of(house.as_("shop"), {**ORDER, "note": note})[-1]["result"]
    assert (charged(openai), result["reward"]) == (1, None)
    assert warned in result["pipeline_result"]["final_answer"]["user_answer"]
    classified = result["pipeline_result"]["classification_result"]["classification"]
    assert classified["major_category"] == "생활계유해폐기물"


FAILURES = {
    "refusal": (Fault("completion", "submit", refusal="I cannot help"), "refused"),
    "filter": (Fault("completion", "submit", finish_reason="content_filter"), "content_filter"),
    "length": (Fault("completion", "submit", finish_reason="length"), "answer_cut"),
    "no-json": (Fault("completion", "submit", content="no JSON"), "bad_answer"),
    "credits": (Fault("out_of_credits", "submit"), "out_of_credits"),
    "key": (Fault("refused_key", "submit", echo=True), "key_refused"),
    "status": (Fault("status", "submit", code=400), "provider_refused"),
}


@pytest.mark.parametrize(("fault", "code"), FAILURES.values(), ids=FAILURES)
def test_failure_of_the_vendor_ends_the_stream_with_its_code(openai, house, fault, code):
    openai.script(fault)
    last = events_of(house.as_("shop"), ORDER)[-1]
    assert (last["step"], last["status"], last["error"]["code"]) == ("vision", "failed", code)


OPERATORS_WORDS = re.compile(r"[A-Z]+_[A-Z_]+|check |castad |openai:")


@pytest.mark.parametrize("name", ["credits", "key", "status"])
def test_client_reads_no_remedy_of_an_operator(openai, house, name):
    openai.script(FAILURES[name][0])
    error = events_of(house.as_("shop"), {**ORDER, "language": "Korean"})[-1]["error"]
    assert not OPERATORS_WORDS.search(error["message"])
    read = house.as_("shop").get("/v1/scan/s1/result").json()["error"]
    assert read == error


@pytest.mark.parametrize("name", FAILURES)
def test_account_that_fails_an_answer_pauses_its_vendor_and_nothing_else_does(openai, house, name):
    openai.script(FAILURES[name][0])
    events_of(house.as_("shop"), ORDER)
    assert eventually(lambda: is_imported(house))
    paused = [(each.provider, KEY in each.why) for each in read_pauses(house.db)]
    assert paused == ([("openai", False)] if name in ("credits", "key") else [])


def test_failed_answer_of_a_stage_that_is_gone_is_imported(house):
    stage = KeptStage("gone", None, time.time(), time.time(), [])
    job, error = DirectJob("s1", "shop", ORDER), OutOfCreditsError("empty")
    deliver_import(
        build_import_entry(get_catalog().get_pipeline("scan"), job, "answer", [stage], error).body
    )
    assert get_request(house.db, "s1").error_code == error.code


@pytest.mark.parametrize(
    ("failure", "pipeline", "ended_ago", "is_paused"),
    [
        (OutOfCreditsError, "scan", 0, True),
        (OutOfCreditsError, "scan", 301, False),
        (PermanentError, "scan", 0, False),
        (OutOfCreditsError, "gone", 0, False),
    ],
    ids=["of its account", "over for longer than the pause", "of the order", "of no pipeline"],
)
def test_import_of_a_failure_pauses_the_vendor_for_what_is_left_of_the_pause(
    openai, sqlite_ledger_url, failure, pipeline, ended_ago, is_paused
):
    at = time.time() - ended_ago
    stage = KeptStage("vision", None, at, at, [])
    job = DirectJob("s1", "shop", {"note": "소주병"})
    entry = build_import_entry(
        get_catalog().get_pipeline("scan"), job, "a", [stage], failure("it is empty")
    )
    with suppress(PermanentError):
        deliver_import({**entry.body, "pipeline": pipeline})
    with closing(Database(sqlite_ledger_url)) as db, db.reading() as tx:
        assert tx.execute(select(providers.c.name)).scalars().all() == ["openai"] * is_paused


def test_every_failure_is_told_in_one_sentence(openai, house):
    said = [last["error"]["message"] for last in failures_of(openai, house)]
    assert [text for text in said if not 0 < len(text) < 400 or "\n" in text] == []


def test_every_failure_is_imported_with_what_the_vendor_charged(openai, house):
    failures_of(openai, house)
    assert eventually(all_are_imported)
    charged = sum(charge["cost"] for charge in openai.charges())
    # The spool's sums, which are told every two seconds, may be those from before the imports.
    assert eventually(lambda: sum_spent_today(house.db) == charged > 0)


def test_order_that_is_sent_again_after_its_failure_is_done_and_both_answers_are_paid(
    openai, house
):
    openai.script(Fault("completion", "submit", refusal="I cannot help"))
    say(openai, GLASS, ADVICE)
    client = house.as_("shop")
    assert events_of(client, ORDER)[-1]["error"]
    assert events_of(client, ORDER)[-1]["result"]
    assert eventually(all_are_imported)
    costs = [job.cost for job in house.steps.jobs("s1")]
    assert get_request(house.db, "s1").status is Status.COMPLETED
    assert sorted(costs) == sorted(charge["cost"] for charge in openai.charges())


def test_failed_answer_is_a_dead_letter_with_what_it_cost(openai, house):
    openai.script(Fault("completion", "submit", refusal="I cannot help"))
    events_of(house.as_("shop"), ORDER)
    assert eventually(lambda: is_imported(house))
    request = get_request(house.db, "s1")
    assert (request.status, request.error_code) == (Status.DEAD, "refused")
    assert sum_spent_today(house.db) > 0


def test_lost_reply_is_sent_again_and_both_are_paid(openai, house):
    openai.script(LOST)
    say(openai, GLASS, ADVICE)
    assert events_of(house.as_("shop"), ORDER)[-1]["result"]
    assert eventually(lambda: is_imported(house))
    jobs = house.steps.jobs("s1")
    assert sorted(job.error_code or "" for job in jobs) == ["", "", "submission_unknown"]
    assert all(job.cost > 0 for job in jobs)


def test_lost_replies_beyond_the_limit_end_the_answer(openai, sqlite_ledger_url, monkeypatch):
    monkeypatch.setenv("CASTAD_RESUBMIT_BELOW", "0")
    settings.cache_clear()
    openai.script(LOST)
    with served() as house:
        last = events_of(house.as_("shop"), ORDER)[-1]
    assert (last["error"]["code"], charged(openai)) == ("submission_unknown", 1)


def test_call_that_was_refused_for_now_is_repeated(openai, house):
    openai.script(TOO_OFTEN)
    say(openai, GLASS, ADVICE)
    assert events_of(house.as_("shop"), ORDER)[-1]["result"]
    assert charged(openai) == 2


def test_call_that_is_refused_for_now_each_time_is_sent_three_times(openai, house):
    openai.script(*[TOO_OFTEN] * 4)
    last = events_of(house.as_("shop"), ORDER)[-1]
    assert (last["error"]["code"], len(openai.calls)) == ("rate_limited", 3)


def test_vendor_that_asks_for_a_long_wait_is_not_waited_for(openai, house):
    openai.script(Fault("rate_limited", "submit", retry_after=60))
    last = events_of(house.as_("shop"), ORDER)[-1]
    assert (last["error"]["code"], len(openai.calls)) == ("rate_limited", 1)


def test_vendor_that_hangs_ends_the_answer_at_its_deadline(openai, sqlite_ledger_url, monkeypatch):
    monkeypatch.setenv("CASTAD_CALL_DEADLINE", "0.3")
    settings.cache_clear()
    openai.script(Fault("hang_headers", "submit", times=ALWAYS))
    with served() as house:
        last = events_of(house.as_("shop"), ORDER)[-1]
    assert (last["status"], last["error"]["code"]) == ("failed", "submission_unknown")


def test_call_without_an_answer_is_imported_at_its_price(openai, sqlite_ledger_url, monkeypatch):
    monkeypatch.setenv("CASTAD_CALL_DEADLINE", "0.3")
    settings.cache_clear()
    openai.script(Fault("hang_after", "submit"))
    with served() as house:
        events_of(house.as_("shop"), ORDER)
        assert eventually(lambda: is_imported(house))
        (job,) = house.steps.jobs("s1")
    (charge,) = openai.charges()
    assert job.cost >= charge["cost"]


def test_budget_of_the_day_that_would_be_exceeded_sends_nothing(
    openai, sqlite_ledger_url, monkeypatch
):
    monkeypatch.setenv("CASTAD_DAILY_BUDGET", "0.000001")
    settings.cache_clear()
    with served() as house:
        last = events_of(house.as_("shop"), ORDER)[-1]
    assert (last["step"], last["error"]["code"], openai.calls) == ("vision", "daily_budget", [])


def test_order_over_its_own_limit_is_refused(openai, sqlite_ledger_url, monkeypatch):
    monkeypatch.setenv("CASTAD_MAX_COST", "0.000001")
    settings.cache_clear()
    with served() as house:
        refused = house.as_("shop").post(ANSWER, json=ORDER)
    assert (refused.status_code, refused.json()["code"]) == (422, "over_max_cost")


def test_photograph_reaches_the_vendor_without_metadata_and_stays_nowhere(openai, house):
    say(openai, GLASS, ADVICE)
    files = {"image": ("photo.jpg", photograph(), "image/jpeg")}
    answer = house.as_("shop").post(ANSWER, data={"task_id": "s1"}, files=files)
    assert json.loads(answer.text.strip().rpartition("\n")[2][6:])["result"]
    assert eventually(lambda: is_imported(house))
    sent = json.dumps([call.body for call in openai.calls]).encode()
    kept = kept_files()
    assert b"image/jpeg;base64" in sent
    assert leaks("CanaryNorth", sent, *kept) == leaks("CanaryHome", sent, *kept) == []


def test_photograph_is_in_no_event_no_log_and_no_file_afterwards(openai, house, caplog):
    caplog.set_level(logging.DEBUG, "castad")
    say(openai, GLASS, ADVICE)
    openai.script(Fault("completion", "submit", refusal="I cannot help"))
    taken, client = photograph(), house.as_("shop")
    files = {"image": ("photo.jpg", taken, "image/jpeg")}
    said = [
        client.post(ANSWER, data={"task_id": name}, files=files).content
        for name in ("answered", "failed")
    ]
    assert eventually(all_are_imported)
    # Short pieces from several places: a database's page may end amid one.
    pictures = (taken, shown_to(openai))
    pieces = [each[-at:][:64] for each in pictures for at in (64, 400, 900)]
    texts = [base64.b64encode(each) for each in pictures]
    pieces += [each[at:][:64] for each in texts for at in (400, 1200, 2000)]
    assert pieces[-1] in openai.calls[0].raw
    left = b"".join([*said, caplog.text.encode(), *kept_files()])
    assert [piece for piece in pieces if piece in left] == []


def test_key_is_in_nothing_that_is_left_behind(openai, house, caplog):
    caplog.set_level(logging.DEBUG, "castad")
    openai.script(Fault("refused_key", "submit", echo=True))
    said = json.dumps(events_of(house.as_("shop"), ORDER)).encode()
    assert eventually(lambda: is_imported(house))
    assert leaks(KEY, said, caplog.text.encode(), *kept_files()) == []


def test_submission_is_stored_under_the_hash_of_the_job_input(openai, house):
    say(openai, GLASS, ADVICE)
    events_of(house.as_("shop"), ORDER)
    assert eventually(lambda: is_imported(house))
    payload = get_request(house.db, "s1").order() or {}
    assert {job.request_hash for job in house.steps.jobs("s1")} == {hash_payload(payload)}
