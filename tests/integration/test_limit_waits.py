"""Who waits for a limit: a slot of a stage or a permit of a vendor, by the same laws."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from resources.contract.protocol import Rate
from resources.ledger.ledger_errors import NoPermitError, NoSlotError
from resources.ledger.limits import Limit, Limits
from resources.ledger.queries.dispatch import read_dispatch_snapshot
from resources.ledger.queries.status import read_clock
from resources.ledger.rules import classify_failure
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.dispatch import acquire_permit, dispatch_due_requests
from resources.ledger.transitions.stages import StageEntry
from tests.eventually import eventually
from tests.ledger_laws import assert_laws
from tests.ledger_steps import AT_ONCE, LEASE_SECONDS, Steps

ONE = Rate(1, 60)
FIRST = (("song_video", "lyric"),)


@dataclass
class Line:
    """Those who wait for what the order `first` has; it can be given once."""

    steps: Steps
    waits_for: str
    limits: Limits
    gets: Callable[[Lease], None]
    """Raises the error of who has to wait."""
    frees: Callable[[Lease], object]
    first: Lease | None = None

    def asks(self, task_id: str) -> bool:
        """Whether its run gets it; else it has given its request back, and asks before all later ones."""
        steps = self.steps
        if task_id not in steps.task_ids():
            steps.order(task_id)
        row = steps.row(task_id)
        is_sent = row.status is Status.DISPATCHED
        lease = steps.take(task_id, dispatched_as=row.attempt if is_sent else None)
        if row.stage is None:
            steps.make_stage(lease, "lyric")
        try:
            self.gets(lease)
        except (NoSlotError, NoPermitError) as error:
            steps.fail_as(lease, classify_failure(error, "song"), "song", AT_ONCE)
            since = read_clock(steps.db)
            assert eventually(lambda: read_clock(steps.db) > since)
            return False
        self.first = self.first or lease
        return True

    def free(self) -> None:
        assert self.first is not None
        self.frees(self.first)

    def dispatch(self, limits: Limits | None = None) -> list[str]:
        handed = dispatch_due_requests(self.steps.db, limits or self.limits)
        return [request.task_id for request in handed]

    @property
    def ready(self) -> int:
        return read_dispatch_snapshot(self.steps.db, self.limits, 10).ready


def of_slots(steps: Steps) -> Line:
    limits = (Limit("stage:song_video.song", 1),)
    return Line(
        steps,
        "slot:song",
        Limits(1000, LEASE_SECONDS, limits, first_stages=FIRST),
        lambda lease: (steps.begin(lease, "song", 1), None)[1],
        lambda lease: steps.complete(lease, StageEntry("song", 1, None)),
    )


def of_permits(steps: Steps) -> Line:
    def gets(lease: Lease) -> None:
        steps.begin(lease, "song")
        if acquire_permit(steps.db, lease, "suno", ONE) is None:
            raise NoPermitError("song", "suno")

    limits = (Limit("vendor:suno", ONE.calls, ONE.seconds),)
    return Line(
        steps,
        "permit:suno",
        Limits(1000, LEASE_SECONDS, limits, first_stages=FIRST),
        gets,
        lambda lease: steps.sql("UPDATE providers SET bucket = NULL"),
    )


@pytest.fixture(params=[of_slots, of_permits])
def line(request: pytest.FixtureRequest, steps: Steps) -> Line:
    """`first` has it, and `second` waits."""
    line: Line = request.param(steps)
    assert line.asks("first")
    assert not line.asks("second")
    return line


def test_wait_is_a_state_of_the_row_and_counts_nothing(line):
    row = line.steps.row("second")
    assert (row.status, row.waits_for, row.stage) == (Status.PENDING, line.waits_for, "song")
    assert (row.lease_owner, row.error_code, row.slot, row.permit) == (None,) * 4
    assert (row.retry_count, row.deaths, row.last_failed_at) == (0, 0, None)
    assert line.steps.last("second").data["waits_for"] == line.waits_for
    assert all(each.attempts == 0 for each in line.steps.stages("second") if each.stage == "song")
    assert_laws(line.steps, "second")


def test_who_waits_is_canceled_at_once(line):
    assert line.steps.cancel("second").status is Status.CANCELED
    line.free()
    assert line.dispatch() == []


def test_run_is_started_for_who_waits_when_it_is_free_and_not_before(line):
    assert (line.ready, line.dispatch()) == (0, [])
    line.free()
    assert (line.ready, line.dispatch()) == (1, ["second"])


def test_it_is_kept_for_who_was_started_for_it(line):
    line.free()
    line.dispatch()
    assert not line.asks("third")
    assert line.asks("second")


def test_who_asked_first_is_served_first_whoever_is_older(line):
    line.steps.order("older")
    assert not line.asks("third")
    assert not line.asks("older")
    line.steps.cancel("second")
    line.free()
    assert line.dispatch() == ["third"]


def test_higher_priority_is_served_first(line):
    line.asks("urgent")
    line.steps.edit("priority = 1", "urgent")
    line.free()
    assert line.dispatch() == ["urgent"]


def test_nobody_overtakes_who_waits(line):
    line.free()
    assert not line.asks("third")


@pytest.mark.parametrize(
    "wait",
    [
        pytest.param("priority = -1", id="of lower priority"),
        pytest.param("not_before = '2999-01-01 00:00:00'", id="not due"),
    ],
)
def test_run_passes_who_could_not_go_on_before_it(line, wait):
    line.steps.edit(wait, "second")
    line.free()
    assert line.asks("third")


def test_who_waits_keeps_no_other_from_its_stage(line):
    line.steps.order("new")
    assert line.dispatch() == ["new"]


def test_line_of_a_limit_that_is_gone_goes_on(line):
    assert line.dispatch(replace(line.limits, limits=())) == ["second"]


@pytest.mark.parametrize("claimed", [True, False])
def test_who_was_started_and_lost_its_worker_or_was_never_claimed_keeps_its_turn(line, claimed):
    line.asks("third")
    line.free()
    assert line.dispatch() == ["second"]
    if claimed:
        line.steps.take("second", dispatched_as=line.steps.row("second").attempt)
        line.steps.lose_worker("second")
    else:
        line.steps.undelivered()
    assert line.dispatch() == ["second"]
