"""What Prometheus is told: the moment as it is, and every event once."""

import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from castad.api.metrics import Metrics
from castad.stack.local_daemon import DaemonHealth, TickFailure
from pipeline_defs.catalog import Catalog, get_catalog
from resources.ledger.db.database import Database
from resources.ledger.rules import Failure, FailureAction
from resources.ledger.schema.tables import JobStatus
from resources.ledger.transitions.callbacks import give_up_submission, resubmit_request
from resources.ledger.transitions.housekeeping import pause_provider
from resources.ledger.transitions.orders import reject_order
from resources.ledger.transitions.rescue import register_worker
from resources.process.settings import PROJECT_ROOT, Settings
from tests.chaos_proxy import ChaosProxy
from tests.ledger_steps import OVER, POISON, STAGES, Steps
from tests.postgres_server import PostgresServer
from tests.small_pipelines import small_pipeline

SIGNS = DaemonHealth(
    3.0,
    4.0,
    tick_ages={"rescue_sensor": 4.0, "outbox_sensor": 5.0},
    failures=[TickFailure("outbox_sensor", 7, 5.0, "an error")],
)


def new_metrics(db: Database, signs: Callable[[], DaemonHealth] = lambda: SIGNS) -> Metrics:
    return Metrics(db, Settings(home=Path("/nowhere")), get_catalog(), signs)


def told(metrics: Metrics) -> dict[str, float]:
    """Every sample by its name and labels, as a query would have them."""
    body, _ = metrics.render()
    return {
        _written(sample.name, sample.labels): sample.value
        for family in text_string_to_metric_families(body.decode())
        for sample in family.samples
    }


def _written(name: str, labels: Mapping[str, str]) -> str:
    inside = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    return f"{name.removeprefix('castad_')}{{{inside}}}"


def failed_submission(steps: Steps) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry, cost=500_000)
    steps.settle(lease, entry, job, JobStatus.FAILED, cost=200_000)


def bought_stage(steps: Steps) -> None:
    lease = steps.working()
    entry = steps.begin(lease, "song")
    job = steps.save_intent(lease, entry, cost=500_000)
    steps.settle(lease, entry, job, JobStatus.SUCCEEDED, cost=300_000)
    steps.complete(lease, entry)


def poisoned(steps: Steps) -> None:
    for number in range(POISON):
        lease = steps.take() if number else steps.working()
        steps.begin(lease)
        steps.lose_worker()


STORIES: dict[str, tuple[Callable[[Steps], Any], dict[str, float | None]]] = {
    "attempts": (lambda s: (s.failed(), s.dispatch(), s.take()), {"attempts_total{}": 2}),
    "failures": (lambda s: s.failed(), {"failures_total{code=for_retry,stage=lyric}": 1}),
    "deaths": (
        poisoned,
        {"worker_lost_total{}": POISON, "failures_total{code=poison,stage=lyric}": 1},
    ),
    "ends": (
        lambda s: (s.completed("a"), s.dead("b"), s.order("c"), s.cancel("c")),
        {
            "requests_ended_total{status=completed}": 1,
            "requests_ended_total{status=dead}": 1,
            "requests_ended_total{status=canceled}": 1,
        },
    ),
    "an operator's end": (
        lambda s: (s.order(), s.edit("status = 'dead'")),
        {"requests_ended_total{status=dead}": 1},
    ),
    "stages": (
        lambda s: s.completed(),
        {f"stage_seconds_count{{stage={stage}}}": 1 for stage in STAGES},
    ),
    "a failed submission": (
        failed_submission,
        {
            "vendor_calls_total{outcome=failed,provider=other}": 1,
            "money_spent_usd_total{provider=other,stage=lyric}": 0.2,
        },
    ),
    "a bought stage": (
        bought_stage,
        {
            "vendor_calls_total{outcome=succeeded,provider=other}": 1,
            "money_spent_usd_total{provider=other,stage=song}": 0.3,
        },
    ),
    "a lost submission": (
        lambda s: (s.lost(), s.fail(s.take(), FailureAction.LOOK_UP)),
        {
            "vendor_calls_total{outcome=unknown,provider=other}": 1,
            "failures_total{code=submission_unknown,stage=lyric}": None,
        },
    ),
    "a submission lost for good": (
        lambda s: (s.lost(), s.fail(s.take(), FailureAction.LOOK_UP, delays=OVER)),
        {"failures_total{code=submission_unknown,stage=lyric}": 1},
    ),
    "a submission given up": (
        lambda s: (s.lost(), give_up_submission(s.db, "r")),
        {"money_spent_usd_total{provider=other,stage=lyric}": 0.5},
    ),
    "a submission sent again": (
        lambda s: (s.lost(), resubmit_request(s.db, "r")),
        {"money_spent_usd_total{provider=other,stage=lyric}": None},
    ),
    "a submission sent again that the vendor had": (
        lambda s: (s.lost(), resubmit_request(s.db, "r"), s.save_callback()),
        {"money_spent_usd_total{provider=other,stage=lyric}": 0.5},
    ),
    "an order that cannot be read": (
        lambda s: (s.order(), reject_order(s.db, s.dispatch()[0], "invalid_payload", "no")),
        {
            "failures_total{code=invalid_payload,stage=}": 1,
            "requests{stage=,status=dead}": 1,
            "requests{stage=lyric,status=dead}": 0,
        },
    ),
}


@pytest.mark.parametrize(("story", "expected"), STORIES.values(), ids=STORIES.keys())
def test_events_are_counted_once_however_often_it_is_scraped(steps, story, expected):
    metrics = new_metrics(steps.db)
    story(steps)
    first, second = told(metrics), told(metrics)
    assert {name: first.get(name) for name in expected} == expected
    assert {name: second.get(name) for name in expected} == expected


def test_counters_count_from_the_begin_of_their_process(steps):
    steps.completed("before")
    metrics = new_metrics(steps.db)
    steps.completed("after")
    assert told(metrics)["requests_ended_total{status=completed}"] == 1


def test_scrapes_at_the_same_time_count_an_event_once(steps):
    metrics = new_metrics(steps.db)
    for number in range(5):
        steps.completed(f"r{number}")
    with ThreadPoolExecutor(6) as pool:
        scrapes = list(pool.map(lambda _: told(metrics), range(6)))
    assert {scrape["requests_ended_total{status=completed}"] for scrape in scrapes} == {5}


GAUGES: dict[str, tuple[Callable[[Steps], Any], dict[str, float]]] = {
    "nothing": (
        lambda s: None,
        {
            "requests{stage=lyric,status=pending}": 0,
            "oldest_due_seconds{}": 0,
            "oldest_running_seconds{}": 0,
            "workers{}": 0,
            "provider_paused{provider=suno}": 0,
        },
    ),
    "requests": (
        lambda s: (s.completed("a"), s.dead("b"), s.order("c")),
        {
            "requests{stage=,status=completed}": 1,
            "requests{stage=lyric,status=dead}": 1,
            "requests{stage=lyric,status=pending}": 1,
            "requests_due{stage=lyric}": 1,
        },
    ),
    "a paused provider": (
        lambda s: pause_provider(s.db, "suno", "no credits", 100),
        {"provider_paused{provider=suno}": 1, "provider_paused{provider=openai}": 0},
    ),
    "an order that these settings cannot fulfill": (
        lambda s: (s.order(), s.dispatch(), s.wait_for_settings(seconds=100)),
        {"requests_waiting{name=,reason=settings}": 1},
    ),
    "money": (lambda s: s.lost(), {"money_spent_today_usd{provider=other,stage=lyric}": 0.5}),
    "signs": (
        lambda s: None,
        {
            "daemon_heartbeat_age_seconds{daemon=sensor}": 3,
            "sensor_tick_age_seconds{sensor=rescue_sensor}": 4,
            "sensor_failed_ticks{sensor=rescue_sensor}": 0,
            "sensor_failed_ticks{sensor=outbox_sensor}": 7,
        },
    ),
}


@pytest.mark.parametrize(("story", "expected"), GAUGES.values(), ids=GAUGES.keys())
def test_gauges_tell_how_it_stands(steps, story, expected):
    story(steps)
    samples = told(new_metrics(steps.db))
    assert {name: samples.get(name) for name in expected} == expected


@pytest.mark.parametrize(("queue", "count"), [("quick", 0), ("default", 1)])
def test_queues_with_due_requests_and_without_a_worker_are_counted(steps, queue, count):
    register_worker(steps.db, "w", "1", slots=1, poison_deaths=POISON, queues=[queue])
    steps.order()
    steps.edit("pipeline = 'scan'")
    queues = Catalog({"scan": small_pipeline("scan", queue="quick")})
    samples = told(Metrics(steps.db, Settings(home=Path("/nowhere")), queues, lambda: SIGNS))
    assert samples["queues_unserved{}"] == count


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_gauges_forget_what_is_over(steps):
    metrics = new_metrics(steps.db)
    steps.order()
    assert told(metrics)["requests{stage=lyric,status=pending}"] == 1
    steps.cancel()
    assert told(metrics)["requests{stage=lyric,status=pending}"] == 0


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_a_dagster_that_does_not_answer_leaves_the_rest(steps):
    def away() -> DaemonHealth:
        raise ConnectionError

    samples = told(new_metrics(steps.db, away))
    assert not [name for name in samples if name.startswith(("daemon_", "sensor_"))]
    assert samples["requests_due{stage=lyric}"] == 0


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_labels_hold_no_name_from_outside(steps):
    metrics = new_metrics(steps.db)
    for number in range(3):
        code = f"typed-{number}"
        steps.fail_as(
            steps.working(f"typed{number}"),
            Failure(code, "no", FailureAction.DEAD_LETTER),
            stage=code,
        )
        steps.edit("stage = 'typed', pipeline = 'typed', error_code = 'typed'", f"typed{number}")
    steps.sql("INSERT INTO requests (task_id, payload, stage) VALUES ('typed', '{}', 'typed')")
    metrics.observe("TYPED", "/v1/pipeline", 200, 0.1)
    body, _ = metrics.render()
    assert b"typed" not in body.lower()
    assert 'castad_failures_total{code="other",stage="other"} 3.0' in body.decode()


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_operators_page_describes_every_metric_and_no_other(steps):
    families = text_string_to_metric_families(new_metrics(steps.db).render()[0].decode())
    names = {f"{each.name}_total" if each.type == "counter" else each.name for each in families}
    page = (PROJECT_ROOT / "docs" / "operations" / "metrics.md").read_text()
    rows = re.findall(r"^\| (`castad_[^|]*) \|", page, re.MULTILINE)
    described = {name for row in rows for name in re.findall(r"`(castad_\w+)`", row)}
    assert described == {name for name in names if not name.endswith("_created")}


def test_requests_over_http_are_counted_and_timed(steps):
    metrics = new_metrics(steps.db)
    metrics.observe("GET", "/v1/pipeline/status/{task_id}", 200, 0.02)
    metrics.sse_clients.inc()
    samples = told(metrics)
    route = "route=/v1/pipeline/status/{task_id}"
    assert samples[f"http_requests_total{{method=GET,{route},status=200}}"] == 1
    assert samples[f"http_request_duration_seconds_sum{{{route}}}"] == 0.02
    assert samples["sse_clients{}"] == 1


@pytest.fixture
def ledger(postgres_ledger_url: str) -> Iterator[Steps]:
    database = Database(postgres_ledger_url)
    yield Steps(database)
    database.close()


def test_event_that_is_committed_late_is_counted(ledger, late):
    metrics = new_metrics(ledger.db)
    ledger.order("slow")
    late.execute(text("UPDATE requests SET status = 'dead' WHERE task_id = 'slow'"))
    ledger.dead("quick")
    before = told(metrics)["requests_ended_total{status=dead}"]
    late.commit()
    assert (before, told(metrics)["requests_ended_total{status=dead}"]) == (1, 2)


@pytest.fixture
def proxy(postgres_server: PostgresServer) -> Iterator[ChaosProxy]:
    with ChaosProxy(postgres_server.port) as chaos:
        yield chaos


@pytest.fixture
def through(postgres_ledger_url: str, proxy: ChaosProxy) -> Iterator[Database]:
    """The ledger, every byte of it past the proxy."""
    url = make_url(postgres_ledger_url).set(port=proxy.port)
    database = Database(url.render_as_string(hide_password=False))
    yield database
    database.close()


QUESTIONS = {
    "how it stands": b"FROM workers",
    "what is new": b"events.mirrored",
    "how long it took": b"FROM stages",
    "what it cost": b"provider_jobs.request_id IN",
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_a_database_that_goes_away_in_a_scrape_costs_no_event(ledger, through, proxy, question):
    metrics = new_metrics(through)
    bought_stage(ledger)
    lost = proxy.lose_message_with(question)
    with pytest.raises(OperationalError):
        metrics.render()
    assert lost.wait(60)
    samples = told(metrics)
    assert samples["stage_seconds_count{stage=song}"] == 1
    assert samples["money_spent_usd_total{provider=other,stage=song}"] == 0.3
