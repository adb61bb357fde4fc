"""Each lock of a transition: it waits before it reads and writes, or passes by what is locked elsewhere."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import OperationalError

from resources.contract.protocol import Rate
from resources.ledger.db.database import Database
from resources.ledger.db.retry import AdvisoryLock
from resources.ledger.ledger_errors import LeaseLostError
from resources.ledger.limits import Limit, Limits
from resources.ledger.rules import FailureAction
from resources.ledger.schema.tables import JobStatus
from resources.ledger.transitions import dispatch as dispatch_transitions
from resources.ledger.transitions.access import keep_profile
from resources.ledger.transitions.approval import end_expired_holds
from resources.ledger.transitions.core import dead_letter_row
from resources.ledger.transitions.dispatch import acquire_call, acquire_permit
from resources.ledger.transitions.housekeeping import (
    note_log_pruned,
    pause_provider,
    prune_files,
    purge_requests,
    save_report,
)
from resources.ledger.transitions.jobs import Budget, save_if_orphaned
from resources.ledger.transitions.rescue import (
    lock_unclaimed,
    recover_worker,
    renew_leases,
    requeue,
)
from resources.ledger.transitions.source_checks import save_use
from resources.ledger.transitions.webhooks import claim_delivery
from tests.ledger_steps import LEASE_SECONDS, POISON, Steps

Act = Callable[[], Any]
Make = Callable[[Steps], Act]
"""Makes the story before a transition, and returns the transition."""
Hold = Callable[[Connection], Any]

_RATE = Rate(2, 60)
_ONE_SLOT = Limits(
    10,
    LEASE_SECONDS,
    (Limit("stage:song_video.lyric", 1),),
    first_stages=(("song_video", "lyric"),),
)
_WRITES = "INSERT|UPDATE |DELETE"


@dataclass(frozen=True)
class Waiting:
    """A transition that waits; `not_before` is a pattern of what it executes only once it has the lock."""

    hold: Hold
    make: Make
    not_before: str = _WRITES


def row(table: str, how: str = "KEY SHARE", condition: str = "true") -> Hold:
    """Hold the rows as a statement does that only refers to them: whoever is about to change them waits."""
    query = text(f"SELECT 1 FROM {table} WHERE {condition} FOR {how}")
    return lambda tx: tx.execute(query).all()


def advisory(lock: AdvisoryLock, name: str | None = None) -> Hold:
    return lambda tx: lock.take(tx, name)


def dispatching(steps: Steps) -> Act:
    steps.order()
    return lambda: dispatch_transitions.dispatch_due(steps.db, _ONE_SLOT)


def claiming(steps: Steps) -> Act:
    steps.order()
    return lambda: steps.claim(slots=1)


def canceling(steps: Steps) -> Act:
    steps.order()
    return steps.cancel


def failing(steps: Steps) -> Act:
    lease = steps.working()
    return lambda: steps.fail(lease)


def leaving_unclaimed(steps: Steps) -> Act:
    steps.working()
    steps.run_out()
    return lambda: steps.claim(owner="worker:2")


def beginning_with_slots(steps: Steps) -> Act:
    lease = steps.working()
    return lambda: steps.begin(lease, "lyric", 1)


def beginning_what_is_done(steps: Steps) -> Act:
    lease = steps.working()
    steps.make_stage(lease, "lyric")
    return lambda: steps.begin(lease, "lyric")


def intending(steps: Steps) -> Act:
    lease = steps.working()
    entry = steps.begin(lease)
    return lambda: steps.save_intent(lease, entry, budget=Budget(day=1_000_000))


def accepting(steps: Steps) -> Act:
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry)
    return lambda: steps.settle(lease, entry, job, JobStatus.SUBMITTED, external_id="x1")


def looking_for_an_orphan(steps: Steps) -> Act:
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry)
    return lambda: save_if_orphaned(steps.db, lease, entry, job)


def keeping_a_profile(steps: Steps) -> Act:
    return lambda: keep_profile(steps.db, "shop", "song_video", "Mina", {})


def reporting(steps: Steps) -> Act:
    return lambda: save_report(steps.db, datetime(2026, 1, 1, tzinfo=UTC), [])


def noting_pruned(steps: Steps) -> Act:
    steps.completed()
    key = steps.row().id
    return lambda: note_log_pruned(steps.db, [key])


def purging(steps: Steps) -> Act:
    steps.completed()
    key = steps.row().id
    return lambda: purge_requests(steps.db, [key], lambda ended: True)


def pruning_files(steps: Steps) -> Act:
    steps.filmed()
    key = steps.row().id
    return lambda: prune_files(steps.db, [key], lambda ended: True)


def taking_a_permit(steps: Steps) -> Act:
    pause_provider(steps.db, "vendor", "", 0)
    lease = steps.working()
    return lambda: acquire_permit(steps.db, lease, "vendor", _RATE)


def asking_the_vendor(steps: Steps) -> Act:
    pause_provider(steps.db, "vendor", "", 0)
    return lambda: acquire_call(steps.db, "vendor", _RATE)


def requeueing(steps: Steps) -> Act:
    steps.order()
    steps.dispatch()
    unclaimed = steps.row()
    return lambda: requeue(steps.db, unclaimed)


def dead_lettering(steps: Steps) -> Act:
    steps.order()
    key = steps.row().id

    def act() -> None:
        with steps.db.writing() as tx:
            dead_letter_row(tx, key, ValueError("unusable"))

    return act


def recovering(steps: Steps) -> Act:
    steps.working(owner="w:1")
    return lambda: recover_worker(steps.db, "w", poison_deaths=POISON)


_DISPATCH = advisory(AdvisoryLock.DISPATCH)
_LYRIC_SLOTS = advisory(AdvisoryLock.SLOTS, "song_video.lyric")
_VENDOR = row("providers", "UPDATE")

WAITING = {
    "the dispatcher for another one": Waiting(_DISPATCH, dispatching, "requests"),
    "the dispatcher for the slots of a stage": Waiting(_LYRIC_SLOTS, dispatching, "requests"),
    "a claim for the slots of its pipeline": Waiting(_DISPATCH, claiming, "requests"),
    "a claim for the row": Waiting(row("requests"), leaving_unclaimed),
    "an act for the row": Waiting(row("requests"), canceling),
    "a failure for the row": Waiting(row("requests"), failing),
    "a stage for a slot": Waiting(_LYRIC_SLOTS, beginning_with_slots, "has_one"),
    "a stage that is done for the row": Waiting(row("requests"), beginning_what_is_done),
    "an intent for the day's budget": Waiting(advisory(AdvisoryLock.BUDGET), intending, r"sum\("),
    "an acceptance for the vendor's id": Waiting(
        advisory(AdvisoryLock.EXTERNAL_ID, "vendor x1"), accepting, r"external_id ="
    ),
    "an orphan for the row": Waiting(row("requests"), looking_for_an_orphan),
    "a profile for the owner's others": Waiting(
        advisory(AdvisoryLock.PROFILES, "shop song_video"), keeping_a_profile, "profiles"
    ),
    "a report for another one": Waiting(advisory(AdvisoryLock.REPORT), reporting),
    "a note of retention for another one": Waiting(
        advisory(AdvisoryLock.RETENTION), noting_pruned, "requests"
    ),
    "a note of retention for a deletion": Waiting(row("requests", "UPDATE"), noting_pruned),
    "a purge for another one": Waiting(advisory(AdvisoryLock.RETENTION), purging, "requests"),
    "a permit for the vendor's window": Waiting(_VENDOR, taking_a_permit, "requests"),
    "a question for the vendor's window": Waiting(_VENDOR, asking_the_vendor, "requests"),
    "a requeue for the row": Waiting(row("requests"), requeueing),
    "a dead letter for the row": Waiting(row("requests"), dead_lettering),
    "a recovery for the row": Waiting(row("requests"), recovering, "requests"),
}


@dataclass(frozen=True)
class Passing:
    """A transition that passes by what is locked elsewhere, and what it says then."""

    hold: Hold
    make: Make
    returns: Any


def rescuing(steps: Steps) -> Act:
    steps.working()
    steps.run_out()
    return steps.rescue


def dispatching_freely(steps: Steps) -> Act:
    steps.order()
    return steps.dispatch


def looking_for_unclaimed(steps: Steps) -> Act:
    steps.order()
    steps.dispatch()
    return lambda: lock_unclaimed(steps.db, 0)


def ending_holds(steps: Steps) -> Act:
    steps.held(hold_seconds=1)
    steps.edit("not_before = now()")
    return lambda: end_expired_holds(steps.db)


def renewing(steps: Steps) -> Act:
    lease = steps.working()
    return lambda: renew_leases(
        steps.db, lease.owner, [lease.request_id], lease_seconds=LEASE_SECONDS
    )


def claiming_a_webhook(steps: Steps) -> Act:
    steps.order(callback_url="https://shop.example/hook")
    lease = steps.take()
    steps.fail(lease, FailureAction.DEAD_LETTER)
    return lambda: claim_delivery(steps.db, 60)


def removed_by(make: Make) -> Make:
    def made(steps: Steps) -> Act:
        act = make(steps)
        return lambda: list(act().requests)

    return made


PASSING = {
    "a dispatch": Passing(row("requests"), dispatching_freely, []),
    "a rescue": Passing(row("requests"), rescuing, []),
    "the look for what no run has claimed": Passing(row("requests"), looking_for_unclaimed, []),
    "the end of holds": Passing(row("requests"), ending_holds, []),
    "a purge": Passing(row("requests"), removed_by(purging), []),
    "a removal of files": Passing(row("requests"), removed_by(pruning_files), []),
    "a heartbeat": Passing(row("requests"), renewing, False),
    "the sender of webhooks": Passing(row("webhook_deliveries"), claiming_a_webhook, None),
    "a note of retention beside a transition": Passing(
        row("requests", "NO KEY UPDATE"), noting_pruned, None
    ),
}


@pytest.fixture(scope="module")
def impatient_ledger(shared_ledger: Database) -> Iterator[Database]:
    """The shared ledger, by connections that wait for a lock no longer than a moment."""
    url = shared_ledger.url.update_query_dict({"options": "-c lock_timeout=50"})
    ledger = Database(url.render_as_string(hide_password=False), at_once=False)
    yield ledger
    ledger.close()


@pytest.fixture
def impatient(postgres_ledger_url: str, impatient_ledger: Database) -> Steps:
    return Steps(impatient_ledger)


@contextmanager
def noted() -> Iterator[list[str]]:
    """What is executed in the block."""
    statements: list[str] = []

    def note(_tx: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@pytest.mark.parametrize("case", WAITING.values(), ids=WAITING.keys())
def test_transition_waits_for_its_lock_before_it_reads_or_writes_what_the_lock_is_for(
    case, impatient, shared_ledger
):
    act = case.make(impatient)
    with shared_ledger.writing() as tx:
        case.hold(tx)
        with noted() as statements, pytest.raises(OperationalError, match="lock timeout") as error:
            act()
    waited = str(error.value.statement)
    before = statements[: statements.index(waited)]
    assert "SELECT" in waited
    assert [each for each in before if re.search(case.not_before, each)] == []


@pytest.mark.parametrize("case", PASSING.values(), ids=PASSING.keys())
def test_transition_passes_by_what_is_locked_elsewhere(case, impatient, shared_ledger):
    act = case.make(impatient)
    with shared_ledger.writing() as tx:
        case.hold(tx)
        assert act() == case.returns


@pytest.mark.parametrize("case", PASSING.values(), ids=PASSING.keys())
def test_transition_finds_what_is_not_locked(case, impatient):
    act = case.make(impatient)
    assert case.returns is None or act() != case.returns


def test_stage_that_is_done_is_not_given_to_an_attempt_that_lost_its_lease(impatient):
    lease = impatient.working()
    impatient.make_stage(lease, "lyric")
    impatient.lose_worker()
    with pytest.raises(LeaseLostError):
        impatient.begin(lease, "lyric")


LOOKS: dict[str, Callable[[Steps], object]] = {
    "for a webhook": lambda steps: claim_delivery(steps.db, 60),
    "for what no run has claimed": lambda steps: lock_unclaimed(steps.db, 0),
    "use of what was never ordered": lambda steps: save_use(steps.db, "analysis", "repo"),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_look_that_finds_nothing_waits_for_no_lock(look, steps):
    with noted() as statements:
        look(steps)
    assert [each for each in statements if re.search(f"{_WRITES}|BEGIN IMM|FOR ", each)] == []
