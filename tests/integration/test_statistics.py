"""The statistics tell how the work stands, and read no more than they have to."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import Database
from resources.ledger.limits import Room
from resources.ledger.queries.health import list_stuck, read_event_outcomes
from resources.ledger.queries.hours import read_last_hour, read_statistics, sum_spent
from resources.ledger.queries.workload import WorkerPool, WorkloadScope, read_workload
from resources.ledger.rules import Failure, FailureAction
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.housekeeping import pause_provider
from resources.ledger.transitions.orders import reject_order
from resources.ledger.transitions.rescue import register_worker, withdraw_worker_slots
from tests.command_line import castad
from tests.integration.test_look_ups import is_whole_table, plans_of
from tests.ledger_steps import OVER, POISON, Steps

ALL = WorkloadScope({"song_video": "lyric"}, lease_seconds=30)
OURS = WorkloadScope(ALL.first_stages, ALL.lease_seconds, owner="we")
LARGE = ("requests", "stages", "provider_jobs", "events", "attempts")


def in_seconds(db: Database, seconds: int) -> str:
    """SQL for the moment so many seconds from now."""
    if db.is_sqlite:
        return f"strftime('%Y-%m-%d %H:%M:%f', 'now', '{seconds:+d} seconds')"
    return f"now() + interval '{seconds} seconds'"


def make_older(steps: Steps, seconds: int) -> None:
    """All that the ledger remembers happened so many seconds earlier."""
    for table, columns in {
        # A change of not_before is an edit, which is remembered as of now: so it comes first.
        "requests": ("not_before", "created_at", "updated_at", "dispatched_at", "lease_until"),
        "attempts": ("started_at",),
        "stages": ("started_at", "completed_at"),
        "events": ("at",),
        "provider_jobs": ("created_at", "settled_at"),
    }.items():
        for column in columns:
            moved = f"strftime('%Y-%m-%d %H:%M:%f', {column}, '-{seconds} seconds')"
            if not steps.db.is_sqlite:
                moved = f"{column} - interval '{seconds} seconds'"
            steps.sql(f"UPDATE {table} SET {column} = {moved}")


def of_us(steps: Steps, task_id: str) -> None:
    steps.edit("owner = 'we'", task_id)


@pytest.mark.parametrize(
    ("story", "stands"),
    [
        (lambda s: s.order(), (Status.PENDING, "lyric")),
        (lambda s: (s.order(), s.dispatch()), (Status.DISPATCHED, "lyric")),
        (lambda s: s.make_stage(s.working(), "lyric"), (Status.PROCESSING, "song")),
        (lambda s: s.failed(), (Status.FAILED, "lyric")),
        (lambda s: s.dead(), (Status.DEAD, "lyric")),
        (lambda s: s.completed(), (Status.COMPLETED, None)),
        (lambda s: (s.order(), s.cancel()), (Status.CANCELED, None)),
        (lambda s: (s.order(), s.edit("pipeline = 'x'")), (Status.PENDING, None)),
    ],
    ids=["pending", "dispatched", "processing", "failed", "dead", "done", "canceled", "unknown"],
)
def test_request_is_counted_once_by_status_and_stage(steps, story, stands):
    story(steps)
    assert read_workload(steps.db, ALL).requests == {stands: 1}


def test_dead_letters_are_counted_by_code(steps):
    for name in ("a", "b"):
        steps.dead(name)
    steps.lost_for_good("c")
    steps.fail_as(steps.working("d"), Failure("render_failed", "no", FailureAction.DEAD_LETTER))
    assert read_workload(steps.db, ALL).dead_letters == {
        "for_none": 2,
        "submission_unknown": 1,
        "render_failed": 1,
    }


def order_several(steps: Steps) -> None:
    steps.order("old")
    make_older(steps, 500)
    steps.order("new")
    steps.edit(f"not_before = {in_seconds(steps.db, 900)}", "new")
    steps.order("third")


def wait_for_a_retry(steps: Steps) -> None:
    steps.failed()
    steps.edit(f"not_before = {in_seconds(steps.db, 493)}")
    make_older(steps, 500)


def wait_for_a_provider(steps: Steps, seconds: float = -7) -> None:
    paused = Failure("out_of_credits", "no money", FailureAction.WAIT, waits_for="vendor")
    steps.fail_as(steps.working(), paused)
    pause_provider(steps.db, "vendor", "no money", seconds)
    make_older(steps, 500)


@pytest.mark.parametrize(
    ("story", "count", "oldest"),
    [(order_several, 2, 500), (wait_for_a_retry, 1, 6), (wait_for_a_provider, 1, 6)],
    ids=["the oldest", "not before", "pause"],
)
def test_backlog_is_as_old_as_the_oldest_since_it_is_due(steps, story, count, oldest):
    story(steps)
    backlog = read_workload(steps.db, ALL).due["lyric"]
    assert (backlog.count, oldest <= backlog.oldest < oldest + 94) == (count, True)


def test_nothing_is_due_while_its_provider_is_paused(steps):
    wait_for_a_provider(steps, 100)
    work = read_workload(steps.db, ALL)
    assert (work.due, work.oldest_due) == ({}, None)
    assert [pause.provider for pause in work.paused] == ["vendor"]


def test_oldest_running_is_measured_from_its_attempts_begin(steps):
    steps.release(steps.working())
    make_older(steps, 5000)
    steps.dispatch()
    steps.take(dispatched_as=2)
    make_older(steps, 500)
    oldest = read_workload(steps.db, ALL).oldest_running
    assert oldest is not None
    assert 500 <= oldest < 600


def test_crew_counts_the_living_and_the_slots_they_offer(steps):
    for name, slots in (("a", 3), ("b", 2), ("leaving", 4), ("gone", 5)):
        register_worker(steps.db, name, "1", slots=slots, poison_deaths=POISON)
    withdraw_worker_slots(steps.db, "leaving", "1")
    steps.sql(f"UPDATE workers SET beat_at = {in_seconds(steps.db, -60)} WHERE name = 'gone'")
    steps.working(owner="a:1")
    pool = read_workload(steps.db, ALL).worker_pool
    assert pool is not None
    assert (pool.workers, pool.slots, pool.free) == (3, 5, 4)


def test_money_of_today_and_in_all(steps):
    steps.lost("yesterday")
    make_older(steps, 24 * 3600)
    steps.lost("today")
    work = read_workload(steps.db, ALL)
    assert work.spent_today == {("vendor", "lyric"): 500_000}
    assert sum_spent(steps.db, ALL) == 1_000_000


def test_hour_counts_completed_failed_and_their_rate_by_stage(steps):
    lease = steps.working("a")
    steps.make_stage(lease, "lyric")
    steps.begin(lease, "song")
    steps.fail(lease, stage="song")
    steps.completed("b")
    hour = read_last_hour(steps.db, ALL)
    counted = {stage: (told.completed, told.failed) for stage, told in hour.stages.items()}
    assert counted == {"lyric": (2, 0), "song": (1, 1), "video": (1, 0)}
    assert hour.stages["song"].failure_rate == 0.5
    assert hour.failures == {"for_retry": 1}


def look_for_it(steps: Steps, *, finds: bool) -> None:
    steps.lost()
    for _ in range(10):
        steps.fail(steps.take(), FailureAction.LOOK_UP)
    if not finds:
        steps.fail(steps.take(), FailureAction.LOOK_UP, delays=OVER)


def lose_all_workers(steps: Steps) -> None:
    for number in range(1, POISON + 1):
        steps.begin(steps.working() if number == 1 else steps.take())
        steps.lose_worker()


@pytest.mark.parametrize(
    ("story", "failures"),
    [
        (lambda s: s.fail(s.working(), FailureAction.WAIT), {}),
        (lambda s: look_for_it(s, finds=True), {}),
        (lambda s: look_for_it(s, finds=False), {"submission_unknown": 1}),
        (lose_all_workers, {"poison": 1}),
    ],
    ids=["a wait", "searches", "the search that was given up", "the last death"],
)
def test_hour_counts_what_is_a_failure(steps, story, failures):
    story(steps)
    hour = read_last_hour(steps.db, ALL)
    assert hour.failures == failures
    assert sum(stage.failed for stage in hour.stages.values()) == len(failures)


@pytest.mark.parametrize("made", [(), ("lyric", "song")], ids=["nothing", "two stages"])
def test_order_that_cannot_be_read_is_counted_at_one_stage(steps, made):
    lease = steps.working()
    for stage in made:
        steps.make_stage(lease, stage)
    steps.release(lease)
    (request,) = steps.dispatch()
    reject_order(steps.db, request, "invalid_payload", "genre: unknown")
    stage = "video" if made else None
    told = read_statistics(steps.db, ALL)
    assert told.work.requests == {(Status.DEAD, stage): 1}
    assert {name for name, hour in told.hour.stages.items() if hour.failed} == {stage}
    assert told.hour.failures == told.work.dead_letters == {"invalid_payload": 1}


def test_hour_forgets_what_is_older(steps):
    steps.completed("a")
    steps.dead("b")
    make_older(steps, 3700)
    steps.completed("c")
    hour = read_last_hour(steps.db, ALL)
    assert {stage: told.completed for stage, told in hour.stages.items()} == dict.fromkeys(
        ("lyric", "song", "video"), 1
    )
    assert hour.failures == {}


@pytest.mark.parametrize("newer", [0, 1, 300, 1100])
def test_hour_is_found_whole_from_the_end_of_the_events(steps, newer):
    """More of them than the first steps back reach, and behind them older ones."""
    steps.dead("old")
    pad(steps, "old", 700)
    make_older(steps, 4000)
    steps.completed("mine")
    pad(steps, "mine", newer)
    hour = read_last_hour(steps.db, ALL)
    assert {stage: told.completed for stage, told in hour.stages.items()} == dict.fromkeys(
        ("lyric", "song", "video"), 1
    )


def pad(steps: Steps, task_id: str, count: int) -> None:
    request = steps.row(task_id)
    insert = text(
        'INSERT INTO events (request_id, seq, type, "to", data)'
        " VALUES (:id, :seq, 'submitted', 'processing', '{}')"
    )
    rows = [{"id": request.id, "seq": request.seq + number} for number in range(1, count + 1)]
    if rows:
        with steps.db.writing() as tx:
            tx.execute(insert, rows)


STUCK: dict[str, tuple[Callable[[Steps], Any], str]] = {
    "never claimed": (lambda s: (s.order(), s.dispatch()), "no run has claimed it"),
    "lost": (lambda s: s.working(), "its lease has expired, and no sensor has rescued it"),
    "pending": (lambda s: s.order(), "due, and no worker is alive"),
    "failed": (lambda s: s.failed(), "due, and no worker is alive"),
    "held": (
        lambda s: (s.order(), s.dispatch(), s.wait_for_settings(seconds=9999)),
        "waits for settings: CASTAD_MAX_COST: expected at least 0.2 USD for this order",
    ),
}


@pytest.mark.parametrize(("story", "why"), STUCK.values(), ids=STUCK.keys())
def test_stuck_is_what_nobody_works_on_for_so_long(steps, story, why):
    story(steps)
    make_older(steps, 2000)
    (stuck,) = list_stuck(steps.db, ALL, 900, WorkerPool(0, 0, Room({}, {}))).oldest
    assert (stuck.task_id, stuck.stage, stuck.why) == ("r", "lyric", why)


def work_on(steps: Steps) -> None:
    steps.working()
    make_older(steps, 2000)
    steps.sql(f"UPDATE requests SET lease_until = {in_seconds(steps.db, 30)}")


def schedule(steps: Steps) -> None:
    steps.order()
    steps.edit(f"not_before = {in_seconds(steps.db, 2900)}")
    make_older(steps, 2000)


@pytest.mark.parametrize(
    "story",
    [
        *(lambda s, each=each: (each[0](s), make_older(s, 60)) for each in STUCK.values()),
        work_on,
        schedule,
    ],
    ids=[*STUCK, "a living attempt", "scheduled"],
)
def test_nothing_else_is_stuck(steps, story):
    story(steps)
    assert list_stuck(steps.db, ALL, 900).count == 0


def test_stuck_list_is_cut_and_tells_how_many_there_are(steps):
    for number in range(103):
        steps.sql("INSERT INTO requests (task_id, payload) VALUES (:name, '{}')", name=f"r{number}")
    make_older(steps, 2000)
    stuck = list_stuck(steps.db, ALL, 900)
    assert (stuck.count, len(stuck.oldest)) == (103, 100)


def test_owner_sees_its_own_figures_and_nothing_of_the_house(steps):
    register_worker(steps.db, "a", "1", slots=9, poison_deaths=POISON)
    for name in ("ours", "theirs"):
        steps.completed(f"{name}-done")
        steps.dead(f"{name}-dead")
        steps.lost(f"{name}-lost")
    for name in ("ours", "theirs"):
        steps.order(name)
    for name in ("ours-done", "ours-dead", "ours-lost", "ours"):
        of_us(steps, name)
    told = read_statistics(steps.db, OURS, stuck_after=0)
    everything = read_statistics(steps.db, ALL, stuck_after=0)
    assert {key: 2 * count for key, count in told.work.requests.items()} == everything.work.requests
    assert told.work.due["lyric"].count * 2 == everything.work.due["lyric"].count
    assert {code: 2 * n for code, n in told.hour.failures.items()} == everything.hour.failures
    assert told.hour.stages["lyric"].completed * 2 == everything.hour.stages["lyric"].completed
    assert (told.spent, everything.spent) == (500_000, 1_000_000)
    assert sum(told.work.spent_today.values()) == 500_000
    assert {stuck.task_id for stuck in told.stuck.oldest} == {"ours"}
    assert (told.work.worker_pool, told.work.paused) == (None, ())


def test_outcome_of_a_failed_submission_is_billed_as_it_was_settled(steps):
    lease = steps.working()
    entry = steps.begin(lease)
    for token, cost in (("one", 300_000), ("two", 0)):
        job = steps.save_intent(lease, entry, token)
        steps.settle(lease, entry, job, JobStatus.FAILED, cost=cost)
        make_older(steps, 60)
    events = [event for event in steps.events() if event.type == "submission_failed"]
    outcomes = read_event_outcomes(steps.db, events)
    bills = [outcomes.submission_cost(event) for event in events]
    assert [
        submission_cost and (submission_cost.provider, submission_cost.cost)
        for submission_cost in bills
    ] == [("vendor", 300_000), ("vendor", 0)]


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
@pytest.mark.parametrize("scope", [ALL, OURS], ids=["all", "one owner's"])
def test_statistics_read_no_large_table_from_end_to_end(steps, scope):
    steps.completed("a")
    of_us(steps, "a")
    pad(steps, "a", 300)
    lines = plans_of(steps.db, lambda: read_statistics(steps.db, scope))
    assert lines
    assert [line for line in lines if is_whole_table(line) and line.split()[1] in LARGE] == []


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_statistics_find_events_by_their_key_alone(steps):
    steps.completed("a")
    pad(steps, "a", 300)
    lines = plans_of(steps.db, lambda: read_last_hour(steps.db, ALL))
    of_events = {line for line in lines if " events" in line}
    by_key = {
        f"SEARCH events USING INTEGER PRIMARY KEY (rowid{side}?)" for side in ("<", ">? AND rowid<")
    }
    newest = {"SEARCH events"}
    assert of_events == by_key | newest


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_stats_for_programs_are_one_json_object(steps):
    steps.working("at-work")
    steps.order("handed-out")
    steps.dispatch()
    steps.order("waits")
    make_older(steps, 400)
    done = castad("stats", "--json", "--stuck-after", "390")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    told = json.loads(done.stdout)
    assert set(told["requests"]) == set(Status)
    assert [stage["stage"] for stage in told["stages"]] == list(get_catalog().stage_names.values())
    assert told["in_progress"] == 2
    assert "waits" in {each["task_id"] for each in told["stuck"]["requests"]}


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_stats_for_people_name_what_there_is(steps):
    steps.completed("a")
    steps.dead("b")
    steps.order("waits")
    make_older(steps, 1000)
    done = castad("stats")
    assert (done.returncode, done.stderr) == (0, "")
    told = " ".join(done.stdout.replace("━", "").split())
    for words in ("completed 1", "for_none 1", "50% failed", "waits pending lyric", "no worker"):
        assert words in told
    assert "\x1b" not in done.stdout
