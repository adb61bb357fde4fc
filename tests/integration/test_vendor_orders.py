"""Whole orders by the three vendors: what they charged, what people see of it, and how a lost one goes on."""

import json
import math
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from dagster import AssetKey, AssetRecordsFilter, DagsterEventType
from PIL import Image
from sqlalchemy import select

from castad.orders.approval import apply_choice, approve_order
from resources.ledger.schema.tables import Status, artifacts
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import settings
from resources.providers.openai.vendor import OpenAISettings
from sensors.event_mirror import mirror_events
from tests.api_house import picture, served
from tests.command_line import castad
from tests.fakes.faults import Fault
from tests.fakes.raw import RawServer, answer, say
from tests.integration.vendor_house import (
    BRIEF,
    ONE_EACH,
    TASK_ID,
    House,
    Vendors,
    open_house,
    song_of_another,
)
from tests.page_visitor import log_in
from tests.postgres_server import PostgresServer
from tests.song_video import NAME, STAGES

MICRO = 1_000_000
PICTURE_THERE = say(answer(picture()))
NOT_NOW = say(answer(b"", status="503 Later"))
NO_PICTURES = {
    "no such file": say(answer(b"", status="404 Not Found")),
    "no picture": say(answer(b"<html>front.png</html>")),
}
DONE = (Status.COMPLETED, None)
UNKNOWN = (Status.FAILED, "submission_unknown")
PAUSED = (Status.PENDING, "out_of_credits")
LOST = Fault("lose_reply", "submit")
TWO_HOURS = 7200.0
OWN_WORDS = "골목 끝 작은 방\n불을 켜 두었어요\n\n[Chorus]\n머물러요 오늘 밤"
ARGUMENTS = (
    *("--customer-name", BRIEF["customer_name"]),
    *("--region", BRIEF["region"]),
    *("--seconds", str(BRIEF["duration_seconds"])),
)


@pytest.fixture
def database() -> str:
    """Most tests are content with SQLite; `on_both` gives the others Postgres too."""
    return "sqlite"


on_both = pytest.mark.parametrize("database", ["sqlite", "postgres"])


@pytest.fixture
def house(request: pytest.FixtureRequest, tmp_path: Path, database: str) -> Iterator[House]:
    """An empty house of this test's own."""
    url = request.getfixturevalue(f"{database}_ledger_url")
    with open_house(tmp_path, database_url=url if database == "postgres" else None) as made:
        yield made


@pytest.fixture
def bare_house(tmp_path: Path) -> Iterator[House]:
    """A house without any state, not even a ledger."""
    with open_house(tmp_path) as made:
        yield made


def status_json() -> Any:
    return json.loads(castad("status", TASK_ID, "--json").stdout)


def dollars(micro_dollars: int) -> str:
    return f"{micro_dollars / MICRO:.4f} USD"


# Own words


def test_own_words_are_sung_and_no_lyric_is_bought(house):
    house.made(lyric=OWN_WORDS)
    assert house.state == DONE
    assert house.vendors.openai.calls == []
    assert house.vendors.charges() == ONE_EACH | {"lyric": 0}
    assert house.results()["lyric"]["text"] == OWN_WORDS
    [song] = [call for call in house.vendors.suno.calls if call.route == "submit"]
    assert song.body["prompt"] == OWN_WORDS
    house.assert_laws()


# Takes


def test_video_plays_the_take_that_was_chosen(house):
    house.made(hold="song", takes=2)
    apply_choice(house.db, TASK_ID, None, "b", "key:shop")
    approve_order(house.db, TASK_ID, None, "key:shop")
    house.work()
    assert house.state == DONE
    assert house.vendors.charges() == ONE_EACH
    [render] = [call for call in house.vendors.creatomate.calls if call.route == "submit"]
    assert house.results()["song"]["songs"][1]["url"] in json.dumps(render.body)
    house.assert_laws()


# One finished order that everybody looks at


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def finished_once(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    folder, url = tmp_path_factory.mktemp("finished"), None
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres_server")
        url = server.create("finished_order")
    with open_house(folder, keeps_history=True, database_url=url) as house:
        yield house.made()
    if url is not None:
        server.drop("finished_order")


@pytest.fixture
def finished(finished_once: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """A house whose one order is done."""
    return finished_once.enter(monkeypatch)


def booked(house: House) -> dict[str, int]:
    """What the vendors' books come to in micro-dollars, at the prices that are set."""
    [song], [video] = house.vendors.suno.charges(), house.vendors.creatomate.charges()
    lyric = house.results()["lyric"]
    return {
        "lyric": math.ceil(0.15 * lyric["tokens_in"] + 0.60 * lyric["tokens_out"]),
        "song": round(song["cost"] * 0.005 * MICRO),
        "video": round(video["cost"] * 0.02 * MICRO),
    }


def shown_in_catalog(house: House, stage: str) -> dict[str, Any]:
    wanted = AssetRecordsFilter(AssetKey([NAME, stage]), asset_partitions=[TASK_ID])
    [record] = house.instance.fetch_materializations(wanted, limit=2).records
    assert record.asset_materialization is not None
    return {name: entry.value for name, entry in record.asset_materialization.metadata.items()}


def test_order_is_completed_by_exactly_one_charge_a_vendor(finished):
    assert (finished.state, finished.vendors.charges()) == (DONE, ONE_EACH)
    finished.assert_laws()


def test_page_of_a_run_repeats_nothing_that_its_steps_show(finished):
    mirror_events(finished.instance)
    run_id = finished.request.run_id
    assert run_id is not None
    logged = finished.instance.all_logs(run_id)
    asked = [entry.dagster_event.event_type for entry in logged if entry.dagster_event]
    assert DagsterEventType.ASSET_OBSERVATION not in asked
    plain = [entry.user_message for entry in logged if entry.dagster_event is None]
    assert [line for line in plain if line.startswith(("claimed", "stage_", "subm"))] == []


def test_history_names_the_run_of_an_event(finished):
    told = json.loads(castad("history", TASK_ID, "--json").stdout)["history"]
    claimed = [entry["run_id"] for entry in told if entry["what"].startswith("claimed: ")]
    assert claimed == [finished.request.run_id]


def test_ledger_tells_what_the_vendors_books_tell(finished):
    assert finished.spent() == booked(finished)
    [charge], lyric = finished.vendors.openai.charges(), finished.results()["lyric"]
    assert lyric["tokens_in"] + lyric["tokens_out"] == charge["cost"]


def test_status_tells_programs_the_cost_of_every_stage_and_in_all(finished):
    told, costs = status_json(), booked(finished)
    assert {name: stage["cost_usd"] for name, stage in told["stages"].items()} == {
        stage: cost / MICRO for stage, cost in costs.items()
    }
    assert told["cost_usd"] == sum(costs.values()) / MICRO


def test_status_tells_people_the_cost_of_every_stage_and_in_all(finished):
    lines = [line.split() for line in castad("status", TASK_ID).stdout.splitlines()]
    costs = {line[1]: " ".join(line[-2:]) for line in lines if line[0] == "cost"}
    in_all = {"in": sum(booked(finished).values())}
    assert costs == {name: dollars(cost) for name, cost in (booked(finished) | in_all).items()}


def test_history_tells_the_cost_of_every_stage_and_in_all(finished):
    told = castad("history", TASK_ID).stdout
    for stage, cost in booked(finished).items():
        assert f"stage_completed ({stage}, {dollars(cost)})" in told
    in_all = dollars(sum(booked(finished).values()))
    assert f"completed: processing → completed ({in_all})" in told


def test_catalog_tells_the_cost_of_every_product_and_the_lyrics_model_and_tokens(finished):
    shown_costs = {stage: shown_in_catalog(finished, stage)["cost_usd"] for stage in STAGES}
    assert shown_costs == {stage: cost / MICRO for stage, cost in booked(finished).items()}
    shown, lyric = shown_in_catalog(finished, "lyric"), finished.results()["lyric"]
    names = ("model", "tokens_in", "tokens_out")
    assert [shown[name] for name in names] == [lyric[name] for name in names]
    assert lyric["model"].startswith(settings().of(OpenAISettings).model)


def test_both_songs_are_kept_with_the_hash_of_their_bytes(finished):
    with finished.db.reading() as tx:
        kept = tx.execute(select(artifacts).where(artifacts.c.stage == "song")).all()
    assert sorted(file.name for file in kept) == ["song-2.mp3", "song.mp3"]
    for file in kept:
        content = (settings().home / "artifacts" / file.where).read_bytes()
        assert (sha256(content).hexdigest(), len(content)) == (file.sha256, file.bytes)


def test_film_is_where_status_says(finished):
    assert Path(status_json()["path"]).read_bytes()[4:8] == b"ftyp"


# The same job in weather that cannot have cost anything


def too_many_calls(vendors: Vendors) -> None:
    """Each vendor says when to come back: in seconds, or by the date of a clock that is wrong."""
    vendors.openai.script(Fault("rate_limited", "submit", retry_after=1))
    for fake in (vendors.suno, vendors.creatomate):
        fake.set(clock_offset=TWO_HOURS)
        fake.script(Fault("rate_limited", "submit", retry_after=1, as_date=True))


def cut_downloads(vendors: Vendors) -> None:
    vendors.suno.script(Fault("truncate", "file"))
    vendors.creatomate.script(Fault("truncate", "file"))


def server_errors_before_anything_was_taken(vendors: Vendors) -> None:
    vendors.openai.script(Fault("status", "submit", code=500))
    vendors.creatomate.script(Fault("status", "dry_run", code=500))


def server_error_after_the_lyric_was_written(vendors: Vendors) -> None:
    vendors.openai.script(Fault("status_after", "submit", code=500))


WEATHER = (
    cut_downloads,
    server_errors_before_anything_was_taken,
    server_error_after_the_lyric_was_written,
)


@pytest.mark.parametrize("weather", WEATHER, ids=lambda weather: weather.__name__)
def test_order_in_bad_weather_is_done_in_one_attempt_by_the_same_three_charges(house, weather):
    weather(house.vendors)
    house.made().assert_laws()
    assert [fault for fake in house.vendors.all for fault in fake.unused()] == []
    assert (house.state, house.request.attempt) == (DONE, 1)
    assert house.vendors.charges() == ONE_EACH


def test_vendors_that_say_when_to_come_back_are_waited_for_and_nothing_is_counted(house):
    too_many_calls(house.vendors)
    house.made().assert_laws()
    assert [fault for fake in house.vendors.all for fault in fake.unused()] == []
    assert (house.state, house.request.retry_count) == (DONE, 0)
    assert house.vendors.charges() == ONE_EACH
    kinds = [event.type for event in house.steps.events(TASK_ID)]
    assert (kinds.count("waiting"), kinds.count("failed")) == (3, 0)


# A reply that was lost


@pytest.fixture
def song_lost(house: House) -> House:
    """Suno took the job, and its reply never came."""
    house.vendors.suno.script(LOST)
    return house.made()


@pytest.fixture
def video_lost(house: House) -> House:
    """Creatomate took the job, and its reply never came."""
    house.vendors.creatomate.script(LOST)
    return house.made()


@pytest.fixture(scope="module")
def lost_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("lost")) as house:
        house.vendors.suno.script(LOST)
        yield house.made()


@pytest.fixture
def lost(lost_once: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """An order whose song was lost, to look at."""
    return lost_once.enter(monkeypatch)


def test_lost_song_is_seen_in_the_status_and_may_have_cost_something(lost):
    assert lost.spent()["song"] == 60_000
    assert status_json()["error"]["code"] == "submission_unknown"
    told = castad("status", TASK_ID).stdout
    assert "song: the submission to suno may or may not have been accepted" in told


@on_both
def test_lost_song_is_charged_once_however_often_somebody_retries(song_lost):
    assert (song_lost.state, song_lost.vendors.charges()["song"]) == (UNKNOWN, 1)
    for _ in range(3):
        assert castad("retry", TASK_ID).returncode == 0
        song_lost.work()
    assert (song_lost.state, song_lost.vendors.charges()["song"]) == (UNKNOWN, 1)
    song_lost.assert_laws()


@on_both
def test_attached_song_is_delivered_by_the_charge_it_was_and_no_other_orders_is(song_lost):
    [charge] = song_lost.vendors.suno.charges()
    other = castad("resolve", TASK_ID, "--attach", song_of_another(song_lost.vendors.suno))
    assert (other.returncode, song_lost.state) == (2, UNKNOWN)
    assert "belongs to another" in other.stderr
    assert castad("resolve", TASK_ID, "--attach", charge["id"]).returncode == 0
    song_lost.work()
    assert (song_lost.state, song_lost.vendors.charges()) == (DONE, ONE_EACH | {"song": 2})
    song_lost.assert_laws()


def test_attached_video_is_delivered_by_the_charge_it_was(video_lost):
    assert video_lost.state == UNKNOWN
    [charge] = video_lost.vendors.creatomate.charges()
    assert castad("resolve", TASK_ID, "--attach", charge["id"]).returncode == 0
    video_lost.work()
    assert (video_lost.state, video_lost.vendors.charges()) == (DONE, ONE_EACH)
    video_lost.assert_laws()


def test_id_that_the_vendor_does_not_have_is_a_mistake_of_that_field(lost):
    done = castad("resolve", TASK_ID, "--attach", "no-such-task")
    assert (done.returncode, lost.state) == (2, UNKNOWN)
    assert "--attach: expected this order's job; suno: there is no task" in done.stderr
    assert "[job_unknown]" in done.stderr
    resolution = {"choice": "attach", "external_id": "no-such-task"}
    with served() as site:
        answer = site.admin().post(f"/v1/pipeline/resolve/{TASK_ID}", json=resolution)
        page = log_in(site, "admin", "admin").post(
            f"/dashboard/{TASK_ID}/resolve?lang=ko", resolution
        )
    assert (answer.status_code, answer.json()["code"]) == (422, "job_unknown")
    assert answer.json()["field"] == "external_id"
    assert page.status_code == 422
    assert "외부 서비스에 그런 작업이 없습니다." in page.text
    assert "다시 보내거나 포기하세요" in page.text


def test_resubmitted_song_is_bought_again(song_lost):
    assert castad("resolve", TASK_ID, "--resubmit").returncode == 0
    song_lost.work()
    assert (song_lost.state, song_lost.vendors.charges()) == (DONE, ONE_EACH | {"song": 2})
    song_lost.assert_laws()


def test_song_that_was_given_up_is_dead_and_a_retry_submits_again(song_lost):
    assert castad("resolve", TASK_ID, "--give-up").returncode == 0
    assert song_lost.state == (Status.DEAD, "given_up")
    assert castad("retry", TASK_ID).returncode == 0
    song_lost.work()
    assert (song_lost.state, song_lost.vendors.charges()) == (DONE, ONE_EACH | {"song": 2})
    song_lost.assert_laws()


def test_make_ends_at_once_and_says_what_can_be_done_about_a_lost_reply(lost):
    done = castad("make", *ARGUMENTS, "--task-id", TASK_ID)
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, done.stdout) == (1, "")
    assert last.startswith(f"castad: {TASK_ID} is failed: song: the submission to suno may ")
    assert last.endswith("[submission_unknown]")
    for verb in ("--attach ID", "--resubmit", "--give-up"):
        assert f"`castad resolve {TASK_ID} {verb}`" in last
    assert lost.vendors.charges() == {"lyric": 1, "song": 1, "video": 0}


# A vendor that is not paid, or refuses the key


@pytest.fixture(scope="module")
def paused_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("paused")) as house:
        house.vendors.suno.set(credits=0)
        yield house.made()


@pytest.fixture
def paused(paused_once: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """An order that waits for Suno's credits, to look at."""
    return paused_once.enter(monkeypatch)


def test_order_waits_for_credits_and_nothing_is_counted(paused):
    assert (paused.state, paused.request.retry_count) == (PAUSED, 0)
    assert paused.vendors.charges() == {"lyric": 1, "song": 0, "video": 0}
    paused.assert_laws()


def test_bill_that_is_not_paid_pauses_the_vendor_and_counts_nothing(house):
    told = {"message": "Your account is not active.", "type": "billing_not_active", "code": None}
    house.vendors.openai.script(Fault("status", "submit", code=429, body={"error": told}))
    house.made()
    assert (house.state, house.request.retry_count) == (PAUSED, 0)
    assert house.vendors.charges() == {"lyric": 0, "song": 0, "video": 0}
    _, why = house.tick()
    assert "openai is paused until " in str(why)
    assert "Your account is not active." in str(why)


def test_lyric_that_suno_rejects_is_submitted_once(house):
    told = {"error_code": 400, "error_message": "Your tags contain artist name skank"}
    rejected = Fault("final_status", "submit", status="GENERATE_AUDIO_FAILED", **told)
    house.vendors.suno.script(rejected)
    house.made()
    assert house.state == (Status.DEAD, "sensitive_words")
    assert house.vendors.charges() == {"lyric": 1, "song": 1, "video": 0}


def test_order_that_waits_for_credits_is_not_dispatched_and_the_sensor_says_why(paused):
    wanted, told = paused.tick()
    assert wanted == []
    assert "suno is paused until " in str(told)
    assert "the account cannot pay" in str(told)


def test_doctor_names_who_is_out_of_credits_and_ends_with_1(paused):
    done = castad("doctor", "--json")
    [finding] = [check for check in json.loads(done.stdout)["checks"] if check["check"] == "suno"]
    assert (done.returncode, finding["fine"]) == (1, False)
    assert "the account cannot pay" in finding["message"]
    assert "castad resume suno" in finding["remedy"]


def test_status_says_what_an_order_without_credits_waits_for(paused):
    told = castad("status", TASK_ID).stdout.splitlines()[0]
    assert "waiting: suno: the account cannot pay" in told
    assert "`castad resume suno`" in told


def test_resumed_vendor_that_was_paid_completes_what_waited(house, caplog):
    house.vendors.suno.set(credits=0)
    house.made()
    [line] = [record for record in caplog.records if record.name == "castad.providers"]
    assert line.getMessage().startswith("provider paused: suno: the account cannot pay")
    assert getattr(line, LOG_FIELDS) == {"provider": "suno", "seconds": 300}
    house.vendors.suno.set(credits=100)
    assert castad("resume", "suno").returncode == 0
    house.work()
    assert (house.state, house.vendors.charges()) == (DONE, ONE_EACH)
    assert house.request.retry_count == 0
    house.assert_laws()


def test_key_revoked_between_submission_and_answer_costs_no_second_charge(house):
    house.order()
    for fake in (house.vendors.suno, house.vendors.creatomate):
        fake.script(Fault("refused_key", "poll"))
        house.work()
        assert house.state == (Status.PENDING, "key_refused")
        assert castad("resume", fake.name).returncode == 0
    house.work()
    assert (house.state, house.vendors.charges()) == (DONE, ONE_EACH)
    assert house.request.retry_count == 0
    house.assert_laws()


# Budgets


def test_order_that_cannot_be_made_within_its_limit_is_refused_and_the_sum_named(
    house, monkeypatch
):
    house.enter(monkeypatch, CASTAD_MAX_COST="0.2")
    done = castad("make", *ARGUMENTS)
    assert (done.returncode, done.stdout, house.vendors.calls()) == (2, "", [])
    [sentence] = done.stderr.splitlines()
    assert "expected at least 0.2020 USD for this order" in sentence
    assert sentence.endswith("[over_max_cost]")


def test_order_that_became_too_dear_stops_before_the_intent_and_names_the_sums(house, monkeypatch):
    house.vendors.suno.set(song_seconds=10.0)
    house.vendors.suno.script(Fault("final_status", "submit", status="GENERATE_AUDIO_FAILED"))
    house.enter(monkeypatch, CASTAD_MAX_COST="0.21").made()
    assert house.state == (Status.DEAD, "over_max_cost")
    for sum_ in ("0.1400 USD", "0.1201 USD", "CASTAD_MAX_COST, 0.2100 USD"):
        assert sum_ in str(house.request.error_message)
    assert (house.jobs("video"), house.vendors.charges()["video"]) == ([], 0)
    house.assert_laws()


def test_order_over_the_days_budget_waits_before_the_intent_until_it_is_raised(house, monkeypatch):
    house.enter(monkeypatch, CASTAD_DAILY_BUDGET="0.1").made()
    assert (house.state, house.request.retry_count) == ((Status.PENDING, "daily_budget"), 0)
    for sum_ in ("0.0600 USD", "0.0601 USD", "CASTAD_DAILY_BUDGET, 0.1000 USD"):
        assert sum_ in str(house.request.error_message)
    assert (house.jobs("video"), house.vendors.charges()["video"]) == ([], 0)
    house.assert_laws()
    house.enter(monkeypatch, CASTAD_DAILY_BUDGET="5")
    assert castad("resume", "budget").returncode == 0
    house.work()
    assert (house.state, house.vendors.charges()) == (DONE, ONE_EACH)
    house.assert_laws()


# What an order will cost


def left_behind() -> list[str]:
    """Every file and folder of the state."""
    home = settings().home
    return sorted(str(path) for path in [home, *home.rglob("*")] if path.exists())


def test_dry_run_tells_the_price_of_every_stage_and_in_all(house):
    told = json.loads(castad("make", *ARGUMENTS, "--dry-run", "--json").stdout)
    prices = {stage["stage"]: stage["cost_usd"] for stage in told["stages"]}
    assert (prices["song"], prices["video"]) == (0.06, 0.14)
    assert told["cost_usd"] == pytest.approx(sum(prices.values()))
    lines = castad("make", *ARGUMENTS, "--dry-run").stdout.splitlines()
    assert f"{told['cost_usd']:.4f} USD" in lines[-1]
    options = (*ARGUMENTS, "--lyric", OWN_WORDS, "--dry-run", "--json")
    lyric = json.loads(castad("make", *options).stdout)["stages"][0]
    assert lyric == {"stage": "lyric", "provider": None, "cost_usd": 0.0}


def test_dry_run_asks_nobody_and_leaves_nothing(bare_house, tmp_path, monkeypatch):
    bare_house.enter(monkeypatch, CASTAD_PUBLIC_URL="https://castad.example.com")
    picture = tmp_path / "front.png"
    Image.new("RGB", (640, 480)).save(picture)
    done = castad("make", *ARGUMENTS, "--image", str(picture), "--dry-run")
    assert (done.returncode, bare_house.vendors.calls(), left_behind()) == (0, [], [])


@pytest.mark.parametrize("case", ["no such file", "no picture"])
def test_dry_run_names_the_link_that_leads_to_no_picture(bare_house, monkeypatch, case):
    with RawServer(PICTURE_THERE, NO_PICTURES[case]) as site:
        bare_house.enter(monkeypatch, CASTAD_ALLOW_HOSTS=site.netloc)
        images = ("--image", f"{site.url}/a.png", "--image", f"{site.url}/b.png")
        done = castad("make", *ARGUMENTS, *images, "--dry-run")
    assert (done.returncode, done.stdout, left_behind()) == (2, "", [])
    [sentence] = done.stderr.splitlines()
    assert sentence.startswith("castad: images[1]: ")
    assert "expected" in sentence
    assert bare_house.vendors.calls() == []


# Pictures come before money


@pytest.mark.parametrize("case", ["no such file", "no picture"])
def test_order_whose_link_leads_to_no_picture_is_dead_before_anything_is_bought(
    house, monkeypatch, case
):
    with RawServer(PICTURE_THERE, NO_PICTURES[case]) as site:
        house.enter(monkeypatch, CASTAD_ALLOW_HOSTS=site.netloc)
        house.made(images=[f"{site.url}/a.png", f"{site.url}/b.png"])
    assert house.request.status is Status.DEAD
    assert (house.request.error_message or "").startswith("images[1]: ")
    assert house.vendors.calls() == []


def test_picture_whose_server_is_in_trouble_is_waited_for_before_anything_is_bought(
    house, monkeypatch
):
    with RawServer(*[NOT_NOW] * 4, PICTURE_THERE) as site:
        house.enter(monkeypatch, CASTAD_ALLOW_HOSTS=site.netloc)
        house.made(images=[f"{site.url}/a.png"])
    assert (house.state, house.vendors.charges()) == (DONE, ONE_EACH)
    assert [job.attempt for job in house.jobs("lyric")] == [2]


# What these settings cannot make


@pytest.fixture
def without_public_url(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """Creatomate would have to fetch the studio's song from this machine."""
    return house.enter(monkeypatch, SONG_PROVIDER="studio")


def test_make_refuses_what_creatomate_could_not_fetch_in_one_sentence(without_public_url):
    done = castad("make", *ARGUMENTS, "--task-id", TASK_ID)
    assert (done.returncode, done.stdout) == (2, "")
    [sentence] = done.stderr.splitlines()
    assert sentence.startswith("castad: CASTAD_PUBLIC_URL: expected the address")
    assert sentence.endswith("[public_url_missing]")
    assert without_public_url.vendors.calls() == []


def test_row_that_creatomate_could_not_make_waits_with_that_sentence(without_public_url):
    without_public_url.steps.sql(
        "INSERT INTO requests (task_id, payload) VALUES (:task_id, :payload)",
        task_id=TASK_ID,
        payload=json.dumps(BRIEF),
    )
    assert without_public_url.tick()[0] == []
    assert without_public_url.state == (Status.PENDING, "public_url_missing")
    assert str(without_public_url.request.error_message).startswith("CASTAD_PUBLIC_URL: expected")
    assert without_public_url.vendors.calls() == []
