"""Every crash point, in every stage, on both databases: bought once, and done by itself or visibly unknown."""

from collections.abc import Mapping
from contextlib import suppress

import pytest

from resources.ledger.schema.tables import Status
from resources.ledger.transitions.approval import approve_stage
from resources.process.setting_types import OTHER_POINTS, PAID_POINTS
from tests.faults.conftest import OpenHouse
from tests.faults.house import StoppedInTransactionError
from tests.song_video import STAGES

DEAR = ("song", "video")
BETWEEN_INTENT_AND_ID = ("after_intent", "before_send", "after_post")
POINTS = [*(f"{stage}.{point}" for stage in STAGES for point in PAID_POINTS), *OTHER_POINTS]
# An answer that comes with the receipt is never polled for.
REACHED = [point for point in POINTS if point != "lyric.after_poll"]
TRIES = 5
DONE = {"lyric": 1, "song": 1, "video": 1}


def may_stay_unknown(point: str, action: str) -> bool:
    stage, _, step = point.partition(".")
    # What goes wrong in the last look at the lease proves that nothing was sent.
    is_unsent = (step, action) == ("before_send", "RAISE")
    # A worker that was only stopped tells, once it continues, what became of its submission.
    is_told_later = action == "STOP"
    between = stage in DEAR and step in BETWEEN_INTENT_AND_ID
    return between and not is_unsent and not is_told_later


def expected_charges(point: str, action: str) -> dict[str, int]:
    """What the vendors' own books may show when nothing more happens."""
    stage, _, step = point.partition(".")
    if not may_stay_unknown(point, action):
        return DONE
    # A zombie that wakes between intent and order has slept over its lease, and sends nothing.
    sent = step == "after_post"
    made = STAGES[: STAGES.index(stage)]
    return dict.fromkeys(made, 1) | {stage: int(sent)}


@pytest.mark.timeout(240)
@pytest.mark.parametrize("action", ["KILL", "STOP", "RAISE"])
@pytest.mark.parametrize("database", ["sqlite", "postgres"])
@pytest.mark.parametrize("point", REACHED)
def test_crash_costs_nothing_twice_and_is_recovered_from_or_seen(
    house, point, database, action, record_property
):
    record_property("point", point)
    record_property("database", database)
    record_property("action", action)
    ended, charges = crashed(house, database, point, action)
    told = "/".join(str(charges.get(stage, 0)) for stage in STAGES)
    record_property("outcome", f"{ended} {told}")
    wanted = "unknown" if may_stay_unknown(point, action) else str(Status.COMPLETED)
    expected = {name: count for name, count in expected_charges(point, action).items() if count}
    assert (ended, charges) == (wanted, expected)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("database", ["sqlite", "postgres"])
@pytest.mark.parametrize("point", ["lyric.after_complete", "song.before_stage"])
def test_kill_before_the_wait_for_a_person_skips_no_approval_and_buys_nothing_twice(
    house, point, database
):
    with house(database, f"{point}:KILL") as home:
        home.order(hold="lyric")
        home.work()
        assert (home.crashed, home.request.held_stage) == (True, "lyric")
        assert home.charges() == {"lyric": 1, "song": 0, "video": 0}
        approve_stage(home.db, home.request.task_id, "lyric", "Mina")
        home.work()
        assert (home.request.status, home.charges()) == (Status.COMPLETED, DONE)


def crashed(
    house: OpenHouse, database: str, point: str, action: str
) -> tuple[str, Mapping[str, int]]:
    """How the order ended and what was charged for it, with a crash that lets others go on at all."""
    for _ in range(TRIES):
        with suppress(StoppedInTransactionError), house(database, f"{point}:{action}") as home:
            home.order()
            home.work()
            assert list(home.home.glob("crash-*")), "the point was never passed"
            home.wake_the_stopped()
            home.work()
            charges = {stage: count for stage, count in home.charges().items() if count}
            return "unknown" if home.is_unknown else str(home.request.status), charges
    pytest.fail(f"every one of {TRIES} stops fell into a transaction")
