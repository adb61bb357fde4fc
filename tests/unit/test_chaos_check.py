"""The laws of the chaos check on small histories made by hand: one breach each, and none in a good one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from resources.ledger.schema.tables import FOLDED
from tests.chaos.check import judge
from tests.chaos.environment import RATES
from tests.chaos.history import (
    MACHINE_STALLED,
    Cancel,
    Charge,
    Deletion,
    Disturbance,
    File,
    History,
    Leftover,
    Placed,
    Row,
    Run,
    Spoiling,
)
from tests.chaos.laws import LAWS, breaches
from tests.chaos.order_laws import deaths_are_explained
from tests.chaos.plan import POSTGRES, breaks, wishes
from tests.chaos.recovery import bar, recoveries, spread
from tests.fold import fold

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
PAYLOAD = {"customer_name": "Bakery"}


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def event(seq: int, kind: str, before: str | None, after: str, **told: Any) -> dict[str, Any]:
    changes = told.pop("changes", {})
    data = {**told, "set": {"status": after, **changes}}
    return {
        "request_id": 1,
        "seq": seq,
        "type": kind,
        "from": before,
        "to": after,
        "data": data,
        "at": at(seq),
    }


CREATED = {
    **dict.fromkeys(FOLDED),
    "pipeline": "song_video",
    "status": "pending",
    "attempt": 0,
    "retry_count": 0,
    "fence": 0,
    "cancel_requested": False,
}
HELD = {"attempt": 1, "run_id": "run-1", "lease_owner": "one:a", "fence": 1}
DONE = {"lease_owner": None}
EVENTS = (
    event(1, "created", None, "pending", changes=CREATED),
    event(2, "dispatched", "pending", "dispatched"),
    event(3, "claimed", "dispatched", "processing", changes=HELD),
    event(4, "submission_intended", "processing", "processing"),
    event(5, "submitted", "processing", "processing"),
    event(6, "stage_completed", "processing", "processing", stage="song", generation=1),
    event(7, "completed", "processing", "completed", changes=DONE),
)
REQUEST: Row = {
    **CREATED,
    **HELD,
    **DONE,
    "id": 1,
    "task_id": "a",
    "seq": 7,
    "status": "completed",
    "error_message": None,
}
JOB: Row = {
    "request_id": 1,
    "stage": "song",
    "generation": 1,
    "attempt": 1,
    "status": "succeeded",
    "token": "token-1",
    "provider": "suno",
    "external_id": "job-1",
    "heard_id": None,
    "cost": 60_000,
    "error_code": None,
    "created_at": at(4),
    "submitted_at": at(5),
}
ATTEMPT: Row = {
    "request_id": 1,
    "number": 1,
    "run_id": "run-1",
    "worker": "one:a",
    "started_at": at(3),
    "ended_at": at(7),
    "error_code": None,
}
STAGE: Row = {"request_id": 1, "stage": "song", "generation": 1, "status": "completed"}
ARTIFACT: Row = {"request_id": 1, "where": "a/song.mp3", "sha256": "5a", "bytes": 3}
CHARGE = Charge("suno", at(4.5), "job-1", "token-1")
GOOD = History(
    requests=[REQUEST],
    events=EVENTS,
    attempts=[ATTEMPT],
    stages=[STAGE],
    jobs=[JOB],
    artifacts=[ARTIFACT],
    placed=[Placed(at(1), "a", PAYLOAD, "made"), Placed(at(2), "a", PAYLOAD, "known")],
    charges=[CHARGE],
    runs={"run-1": Run("SUCCESS", ("SUCCESS",))},
    files=[File("one", "a/song.mp3", "5a", 3)],
)


def having(row: Row, **changes: Any) -> Row:
    return {**row, **changes}


def ending(kind: str, after: str, **columns: Any) -> Mapping[str, Any]:
    """The good story with another last event, and the row as that says."""
    last = event(7, kind, "processing", after, changes={**DONE, **columns})
    return {"events": [*EVENTS[:-1], last], "requests": [having(REQUEST, status=after, **columns)]}


def followed_by(*later: Row, **columns: Any) -> Mapping[str, Any]:
    """The good story going on, and the row as that says."""
    seq, status = later[-1]["seq"], later[-1]["to"]
    return {
        "events": [*EVENTS, *later],
        "requests": [having(REQUEST, seq=seq, status=status, **columns)],
    }


def second_job(**changes: Any) -> Sequence[Row]:
    return [JOB, having(JOB, **{"token": "token-2", "external_id": "job-2", **changes})]


UNKNOWN = "submission_unknown"
CANCELED = ending("canceled", "canceled")
GIVEN_UP = having(ATTEMPT, error_code="worker_lost")
SECOND_CHARGE = Charge("suno", at(4.6), "job-2", "token-2")
THIRD_CHARGE = Charge("suno", at(5.5), "job-3", "token-3")
TWICE: Mapping[str, Any] = {"charges": [CHARGE, SECOND_CHARGE]}
NEVER_SENT = {"status": "failed", "submitted_at": None, "external_id": None}
CHEAP_AND_LOST = {**NEVER_SENT, "error_code": "submission_lost", "cost": 12_000}
LOST_TWICE = [having(JOB, **CHEAP_AND_LOST, token=token) for token in ("token-2", "token-3")]
KILLED = Disturbance("worker killed", at(5), at(5))

SPOILED = Spoiling(at(2.5), "b", "an event of its next number", "pending")
TYPED: Row = having(EVENTS[1], request_id=2, type="typed", data={"set": {}}, at=at(2.5))
CREATED_B: Row = having(EVENTS[0], request_id=2, at=at(2.4))
ROW_B: Row = {**CREATED, "id": 2, "task_id": "b", "seq": 2, "error_message": None}
ASIDE_B: Row = having(ROW_B, status="dead", error_code="row_unusable", seq=3)
SET_ASIDE: Mapping[str, Any] = {
    "spoilings": [SPOILED],
    "requests": [REQUEST, ASIDE_B],
    "events": [*EVENTS, CREATED_B, TYPED],
}
"""Another order is spoiled as it is ordered, and set aside."""
LEFT: Mapping[str, Any] = {
    **SET_ASIDE,
    "requests": [*SET_ASIDE["requests"], having(ROW_B, id=3, task_id="c", seq=1)],
    "events": [*SET_ASIDE["events"], having(EVENTS[0], request_id=3, at=at(3))],
    "placed": [*GOOD.placed, Placed(at(3), "c", PAYLOAD, "made")],
}
"""A third order waits after that, and nobody dispatches it."""

DISPATCHED_LATER: Sequence[Row] = [
    having(EVENTS[1], request_id=3, at=at(4)),
    having(EVENTS[0], request_id=4, at=at(5)),
    having(EVENTS[1], request_id=4, at=at(35)),
]
"""It is dispatched, but the one after it has to wait: the spoiled one stands in the way later on."""

IN_DOUBT: Row = {"token": "token-2", "status": "intent", "external_id": None}
DELETED: Mapping[str, Any] = {
    "placed": [*GOOD.placed, Placed(at(3), "b", PAYLOAD, "made")],
    "deletions": [Deletion(at(5), "b", "deleted", [IN_DOUBT])],
    "charges": [CHARGE, SECOND_CHARGE],
}
"""Another order was deleted, of which nobody knew what had become of it."""
ORPHAN: Row = {"token": "token-2", "provider": "suno", "external_id": "job-2"}


Step = tuple[float, str, str, Mapping[str, Any]]


def claimed(moment: float, fence: int = 1) -> tuple[Step, Step]:
    """Return how an order is dispatched and claimed at once."""
    return (
        (moment, "dispatched", "dispatched", {}),
        (moment, "claimed", "processing", {"changes": {"fence": fence}}),
    )


def waiting_order(task_id: str, *since: Step) -> History:
    """The good history and an order of this name, with what happened to it since it was made."""
    key = ord(task_id)
    before, events = "pending", [having(EVENTS[0], request_id=key, at=at(8))]
    for number, (moment, kind, after, told) in enumerate(since, 2):
        happened = event(number, kind, before, after, **told)
        events.append(having(happened, request_id=key, at=at(moment)))
        before = after
    row = having(ROW_B, id=key, task_id=task_id, seq=len(events), status=before)
    changed = fold(each["data"] for each in events)
    return replace(
        GOOD,
        requests=[REQUEST, {**row, **changed}],
        events=[*EVENTS, *events],
        placed=[*GOOD.placed, Placed(at(8), task_id, PAYLOAD, "made")],
        read_at=at(100),
    )


def both(one: History, other: History) -> Mapping[str, Any]:
    """Two orders beside that of the good history."""
    return {
        "requests": [*one.requests, *other.requests[1:]],
        "events": [*one.events, *other.events[len(EVENTS) :]],
        "placed": [*one.placed, *other.placed[len(GOOD.placed) :]],
        "read_at": at(100),
    }


def at_work(task_id: str, since: float, until: float) -> History:
    """It has the only slot for videos for so long, having taken it as it came by."""
    begun = (since, "stage_started", "processing", VIDEO)
    return waiting_order(task_id, *claimed(since), begun, (until, "canceled", "canceled", {}))


def in_line(task_id: str, since: float, until: float, **counted: Any) -> History:
    """It stands in the line for a slot for so long."""
    waiting = (since, "waiting", "pending", {"waits_for": "slot:video", "changes": counted})
    return waiting_order(task_id, *claimed(9), waiting, (until, "canceled", "canceled", {}))


VIDEO: Mapping[str, Any] = {"stage": "video", "generation": 1}
NEXT_IN_LINE = waiting_order(
    "z",
    *claimed(9),
    (12, "waiting", "pending", {"waits_for": "slot:video"}),
    (14, "dispatched", "dispatched", {"slot": "video"}),
    (15, "canceled", "canceled", {}),
)
"""It has asked at 12 and gets the slot at 14."""
TRIED_IN_VAIN = waiting_order(
    "w",
    *claimed(9),
    (9, "stage_started", "processing", VIDEO),
    (10, "waiting", "pending", {"waits_for": "permit:creatomate"}),
    (11, "canceled", "canceled", {}),
)
ASKED_ON = waiting_order(
    "u",
    *claimed(9),
    (9, "stage_started", "processing", {"stage": "song", "generation": 1}),
    (10, "waiting", "pending", {"waits_for": "final_status:suno"}),
    *claimed(11, fence=2),
    (11, "stage_started", "processing", {"stage": "song", "generation": 1}),
    (12, "waiting", "pending", {"waits_for": "final_status:suno"}),
    (13, "canceled", "canceled", {}),
)


def asked_on(tries: int) -> Mapping[str, Any]:
    """One order went on twice with the same wait for a final status, and so many tries of its song are counted."""
    stage = having(STAGE, request_id=ord("u"), status="pending", attempts=tries)
    return {**of(ASKED_ON), "stages": [STAGE, stage]}


DONE_BEFORE = waiting_order(
    "v",
    *claimed(9),
    (9, "stage_started", "processing", {"stage": "song", "generation": 1}),
    (10, "stage_completed", "processing", {"stage": "song", "generation": 1}),
    (11, "waiting", "pending", {"waits_for": "slot:video"}),
    (12, "canceled", "canceled", {}),
)
RATE_BROKEN = [at(number / 4) for number in range(RATES["suno"][0] + 1)]


def of(history: History) -> Mapping[str, Any]:
    return both(history, replace(history, events=EVENTS, requests=[REQUEST], placed=GOOD.placed))


BREACHES: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("ended", ending("released", "pending")),
    ("ended", ending("failed", "failed", error_code="provider_failed")),
    ("deaths", ending("dead", "dead", error_code="internal_error")),
    ("ordered", {"placed": []}),
    ("ordered", {"placed": [*GOOD.placed, Placed(at(1), "b", PAYLOAD, "made")]}),
    ("one", {"placed": [Placed(at(1), "a", PAYLOAD, "made")] * 2}),
    ("one", {"placed": [*GOOD.placed, Placed(at(3), "a", {"customer_name": "Z"}, "known")]}),
    ("one", {"placed": [*GOOD.placed, Placed(at(3), "a", PAYLOAD, "refused")]}),
    ("charges", {"charges": [CHARGE, CHARGE]}),
    ("charges", TWICE | {"jobs": second_job(status="unknown")}),
    ("charges", TWICE | {"jobs": second_job(**NEVER_SENT)}),
    ("charges", TWICE | {"jobs": second_job(**NEVER_SENT, error_code="submission_lost")}),
    ("charges", {"charges": [CHARGE, SECOND_CHARGE, THIRD_CHARGE], "jobs": [*LOST_TWICE, JOB]}),
    ("charges", {"charges": [], "jobs": [having(JOB, external_id=None)]}),
    ("ids", {"jobs": second_job(external_id="job-1", token="token-1b", status="failed")}),
    ("ids", {"jobs": second_job(heard_id="job-1", status="failed")}),
    ("books", {"charges": [CHARGE, Charge("suno", at(5), "job-9", "nobody")]}),
    ("books", {"charges": [replace(CHARGE, id="job-7")]}),
    ("spoiled", {**SET_ASIDE, "requests": [REQUEST, ROW_B]}),
    ("spoiled", {"spoilings": [SPOILED]}),
    ("deaths", {**SET_ASIDE, "spoilings": []}),
    ("delays", {**LEFT, "read_at": at(30)}),
    (
        "delays",
        {
            **LEFT,
            "requests": [REQUEST, ROW_B, LEFT["requests"][2], having(ROW_B, id=4, task_id="d")],
            "events": [*LEFT["events"], *DISPATCHED_LATER],
            "read_at": at(40),
        },
    ),
    ("starved", both(at_work("b", 10, 20), at_work("c", 15, 25))),
    ("starved", of(in_line("b", 10, 30))),
    ("starved", both(in_line("b", 10, 17), NEXT_IN_LINE)),
    ("starved", both(in_line("b", 10, 16), at_work("c", 12, 15))),
    ("paced", of(in_line("b", 10, 12, retry_count=1))),
    ("paced", of(in_line("b", 10, 12, deaths=1))),
    ("paced", asked_on(2)),
    (
        "paced",
        {
            **of(TRIED_IN_VAIN),
            "stages": [STAGE, {**STAGE, **VIDEO, "request_id": ord("w"), "attempts": 1}],
        },
    ),
    ("paced", ending("failed", "failed", error_code="rate_limited")),
    ("paced", {"calls": {"suno": RATE_BROKEN}}),
    ("owners", {"jobs": second_job(external_id="job-1", status="failed")}),
    ("owners", {**DELETED, "orphans": [having(ORPHAN, external_id="job-1")]}),
    ("orphans", DELETED),
    ("ordered", {**DELETED, "deletions": [Deletion(at(5), "b", "refused")]}),
    (
        "one",
        {
            **DELETED,
            "placed": [*DELETED["placed"], *[Placed(at(6), "b", PAYLOAD, "made")] * 2],
            "orphans": [ORPHAN],
        },
    ),
    ("seq", {"events": [*EVENTS[:3], having(EVENTS[3], seq=14), *EVENTS[4:]]}),
    ("seq", {"requests": [having(REQUEST, seq=8)]}),
    ("fold", {"requests": [having(REQUEST, deaths=1)]}),
    ("transitions", followed_by(event(8, "failed", "completed", "failed"))),
    (
        "transitions",
        {"events": [*EVENTS[:1], having(EVENTS[1], **{"from": "failed"}), *EVENTS[2:]]},
    ),
    (
        "retries",
        followed_by(
            event(8, "failed", "completed", "failed", changes={"retry_count": 2}), retry_count=2
        ),
    ),
    (
        "attempts",
        {"attempts": [ATTEMPT, having(ATTEMPT, number=2, started_at=at(5), worker="two:b")]},
    ),
    ("attempts", {"attempts": [having(ATTEMPT, ended_at=None)]}),
    (
        "fences",
        {"events": [*EVENTS[:4], having(EVENTS[4], data={"set": {"fence": 0}}), *EVENTS[5:]]},
    ),
    ("holders", {"jobs": [having(JOB, created_at=at(9))]}),
    ("holders", {"jobs": [having(JOB, attempt=2)]}),
    ("living", {"attempts": [GIVEN_UP]}),
    (
        "living",
        {
            "attempts": [GIVEN_UP, having(ATTEMPT, number=2, started_at=at(8), ended_at=at(9))],
            "disturbances": [KILLED],
        },
    ),
    (
        "cancels",
        {
            "events": [
                *CANCELED["events"],
                event(8, "submission_intended", "canceled", "canceled"),
            ],
            "requests": [having(REQUEST, status="canceled", seq=8)],
        },
    ),
    ("cancels", {**CANCELED, "charges": [replace(CHARGE, at=at(9))]}),
    ("cancels", {"cancels": [Cancel(at(5), "a", "canceled")]}),
    ("files", {"files": [File("one", "a/song.mp3", "00", 3)]}),
    ("files", {"files": [*GOOD.files, File("two", "a/song.mp3", "5a", 2)]}),
    ("files", {"files": []}),
    ("files", {"files": [*GOOD.files, File("one", "a/stray.mp3", "5a", 3)]}),
    ("leftovers", {"leftovers": [Leftover(".making-x", at(5))]}),
    ("quiet", {"runs": {"run-1": Run("STARTED")}}),
    ("ends", {"runs": {"run-1": Run("SUCCESS", ("FAILURE", "SUCCESS"))}}),
    ("runs", {"runs": {}}),
)

ALLOWED: Mapping[str, Mapping[str, Any]] = {
    "a lost submission waits in the open": ending("failed", "failed", error_code=UNKNOWN),
    "a lost submission is dead for a person": ending("dead", "dead", error_code=UNKNOWN),
    "another order of the name is refused": {
        "placed": [*GOOD.placed, Placed(at(3), "a", {"customer_name": "Z"}, "refused")]
    },
    "the vendor's own final status allows another": {
        **TWICE,
        "jobs": second_job(status="failed", error_code="provider_failed"),
    },
    "a cheap one is sent again": {**TWICE, "jobs": second_job(**CHEAP_AND_LOST | {"cost": 100})},
    "a killed worker is given up": {"attempts": [GIVEN_UP], "disturbances": [KILLED]},
    "a killed worker's other order is canceled when that is noticed": {
        "attempts": [
            GIVEN_UP,
            having(ATTEMPT, request_id=99, error_code="canceled", ended_at=at(9)),
        ],
        "disturbances": [KILLED],
    },
    "a worker whose machine stood still is given up": {
        "attempts": [GIVEN_UP],
        "disturbances": [Disturbance(MACHINE_STALLED, at(3), at(5))],
    },
    "what a killed worker was making is left": {
        "leftovers": [Leftover(".making-x", at(5))],
        "disturbances": [Disturbance("worker killed", at(6), at(6))],
    },
    "a worker dies before the kill is written down": {
        "leftovers": [Leftover(".making-x", at(6))],
        "disturbances": [Disturbance("worker killed", at(5), at(7))],
    },
    "a retry brings a canceled order back": {
        "events": [
            *CANCELED["events"],
            event(8, "retried", "canceled", "pending"),
            event(9, "canceled", "pending", "canceled"),
        ],
        "requests": [having(REQUEST, status="canceled", seq=9)],
    },
    "a spoiled row is set aside": SET_ASIDE,
    "a spoiling is refused": {"spoilings": [replace(SPOILED, task_id="a", outcome="refused")]},
    "a value that an order at work never needs": {
        "spoilings": [replace(SPOILED, task_id="a", outcome="processing")]
    },
    "a value that costs a worker its lease": {
        "spoilings": [replace(SPOILED, task_id="a", outcome="processing")],
        "attempts": [GIVEN_UP],
    },
    "nobody dispatches while the daemon is away": {
        **LEFT,
        "requests": [*LEFT["requests"][:2], having(LEFT["requests"][2], status="canceled", seq=2)],
        "events": [
            *LEFT["events"],
            having(event(2, "canceled", "pending", "canceled"), request_id=3, at=at(30)),
        ],
        "disturbances": [Disturbance("daemon killed", at(4), at(10))],
        "read_at": at(40),
    },
    "an order waits for a slot that is taken": both(in_line("b", 10, 30), at_work("c", 9, 29)),
    "an order waits for a slot that a deleted order had": {
        **of(in_line("b", 10, 30)),
        "deletions": [
            Deletion(at(29), "c", "deleted", (), at_work("c", 9, 29).events[len(EVENTS) : -1])
        ],
    },
    "nobody gives slots while the daemon is away": {
        **of(in_line("b", 10, 30)),
        "disturbances": [Disturbance("daemon killed", at(9), at(10))],
    },
    "a slot goes to who asked first": both(in_line("b", 12.5, 17), NEXT_IN_LINE),
    "an order that waits has not tried": {
        **of(TRIED_IN_VAIN),
        "stages": [
            STAGE,
            {**STAGE, **VIDEO, "request_id": ord("w"), "status": "pending", "attempts": 0},
        ],
    },
    "an order that waits for a final status has tried once": asked_on(1),
    "an order that waits for a slot has tried the stage before": {
        **of(DONE_BEFORE),
        "stages": [STAGE, having(STAGE, request_id=ord("v"), status="pending", attempts=1)],
    },
    "calls are delayed by a database that is down": {
        "calls": {"suno": RATE_BROKEN},
        "disturbances": [Disturbance("database down", at(1), at(2))],
    },
    "a deleted order is a paid orphan, and ordered again": {
        **DELETED,
        "placed": [*DELETED["placed"], Placed(at(6), "b", {"customer_name": "Z"}, "made")],
        "cancels": [Cancel(at(4), "b", "canceled")],
        "files": [*GOOD.files, File("one", "b/song.mp3", "00", 3)],
        "orphans": [ORPHAN],
    },
    "what a deleted order had settled": {
        **DELETED,
        "deletions": [Deletion(at(5), "b", "deleted", [having(IN_DOUBT, status="succeeded")])],
    },
    "a stage's file of an order that was canceled": {
        **CANCELED,
        "files": [*GOOD.files, File("one", "a/video.mp4", "00", 3)],
    },
}


def broken_in(history: History) -> dict[str, Sequence[str]]:
    return {law: found for law, found in breaches(history).items() if found}


def test_good_history_breaks_no_law():
    assert broken_in(GOOD) == {}


@pytest.mark.parametrize(("law", "changes"), BREACHES)
def test_breach_is_reported_by_its_law(law, changes):
    assert law in broken_in(replace(GOOD, **changes))


@pytest.mark.parametrize("law", [law.name for law in LAWS])
def test_every_law_is_seen_broken(law):
    assert law in {name for name, _ in BREACHES}


@pytest.mark.parametrize("case", ALLOWED)
def test_what_is_allowed_is_not_reported(case):
    assert broken_in(replace(GOOD, **ALLOWED[case])) == {}


@pytest.mark.parametrize(("failures", "told"), [(1, 1), (2, 0)])
def test_order_may_die_of_two_failures_that_the_vendor_reports(failures, told):
    judged = having(JOB, status="failed", error_code="render_failed")
    dead = ending("dead", "dead", error_code="render_failed")
    history = replace(GOOD, **{**dead, "jobs": [judged] * failures})
    assert len(list(deaths_are_explained(history))) == told


def test_recovery_of_a_killed_worker_ends_with_the_next_claim():
    history = replace(
        GOOD,
        attempts=[
            having(ATTEMPT, error_code="worker_lost"),
            having(ATTEMPT, number=2, started_at=at(9), ended_at=at(12)),
        ],
        disturbances=[Disturbance("worker killed", at(4), at(4))],
    )
    assert recoveries(history) == {"worker killed": [5.0]}


def test_recovery_of_anything_else_ends_with_the_next_transition():
    history = replace(GOOD, disturbances=[Disturbance("database down", at(3.5), at(3.9))])
    assert recoveries(history) == {"database down": [0.5]}


def test_disturbance_that_hits_nobody_has_no_recovery():
    history = replace(GOOD, disturbances=[Disturbance("database down", at(30), at(31))])
    assert recoveries(history) == {}


def test_verdict_can_be_written_as_json():
    history = replace(GOOD, disturbances=[Disturbance("database down", at(3.5), at(3.9))])
    told = judge("sqlite-files", 1, 2.0, history, {}).as_json()
    assert json.loads(json.dumps(told))["recovered"]["database down"]["most"] == 0.5


def test_spread_names_the_median_the_95th_percentile_and_the_largest():
    told = spread([float(number) for number in range(1, 101)])
    assert (told.count, told.p50, told.p95, told.most) == (100, 50.0, 95.0, 100.0)


def test_bar_of_the_longest_is_the_longest():
    assert [len(bar(seconds, 8.0)) for seconds in (0.0, 4.0, 8.0)] == [1, 10, 20]


def test_plan_follows_from_its_seed():
    def planned(seed: int) -> tuple[list[str], list[object]]:
        broken = breaks(seed, POSTGRES)
        return [repr(wish) for wish in wishes(seed, 50, 1.0)], [next(broken) for _ in range(20)]

    assert planned(7) == planned(7) != planned(8)


def test_plan_breaks_in_order_of_time():
    broken = breaks(1, POSTGRES)
    moments = [next(broken).at for _ in range(50)]
    assert moments == sorted(moments)


def test_plan_orders_everything_once_and_tenths_of_it_again():
    planned = [
        wish
        for wish in wishes(3, 1000, 1.0)
        if wish.kind == "order" and wish.task_id.startswith("chaos")
    ]
    assert len({wish.task_id for wish in planned}) == 1000
    assert 1060 < len(planned) < 1140
