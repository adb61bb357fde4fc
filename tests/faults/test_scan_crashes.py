"""Every crash point of a scan's run, on both databases: bought once, answered, and its saves handed over once."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from resources.delivery.spool import Spool, deliver_spool
from resources.ledger.schema.tables import Status
from resources.process.setting_types import PAID_POINTS
from tests.fakes.faults import Fault
from tests.faults.conftest import OpenHouse
from tests.faults.house import House, StoppedInTransactionError

TRIES = 5
ORDER = {"note": "소주병", "user_id": "u", "images": [], "language": "Korean"}
GLASS = {
    "major_category": "재활용폐기물",
    "middle_category": "유리병",
    "minor_category": "소주병",
    "situation_tags": [],
}
ADVICE = {"disposal_steps": ["헹굽니다."], "insufficiencies": [], "user_answer": "헹궈서 버리세요."}
SAVES = ["character.save_ownership", "my.save_character"]
# The answer comes with the receipt: nothing is polled.
BOUGHT = [point for point in PAID_POINTS if point != "after_poll"]
LOCAL = ["before_stage", "after_begin", "after_fetch", "after_keep", "after_complete"]
POINTS = [
    *(f"{stage}.{point}" for stage in ("vision", "answer") for point in BOUGHT),
    *(f"{stage}.{point}" for stage in ("rule", "reward", "save") for point in LOCAL),
]


@pytest.mark.timeout(240)
@pytest.mark.parametrize("action", ["KILL", "STOP", "RAISE"])
@pytest.mark.parametrize("database", ["sqlite", "postgres"])
@pytest.mark.parametrize("point", POINTS)
def test_crash_lets_a_scan_be_bought_once_and_its_saves_be_handed_over_once(
    house, point, database, action, record_property
):
    for name, value in (("point", point), ("database", database), ("action", action)):
        record_property(name, value)
    ended = crashed(house, database, f"{point}:{action}")
    status, charges, saves = ended
    record_property("outcome", f"{status} {charges}/{len(saves)}")
    assert ended == (Status.COMPLETED, 2, SAVES)


def crashed(house: OpenHouse, database: str, crash: str) -> tuple[Status, int, list[str]]:
    """How the order ended, what was charged and which saves are delivered, with a crash that lets others go on."""
    for _ in range(TRIES):
        with suppress(StoppedInTransactionError), house(database, crash) as home:
            return after(home)
    pytest.fail(f"every one of {TRIES} stops fell into a transaction")


def after(home: House) -> tuple[Status, int, list[str]]:
    home.environment["CASTAD_RETRY_RULE"] = "0.05"
    home.openai.script(*(Fault("completion", "submit", object=each) for each in (GLASS, ADVICE)))
    home.order("scan", ORDER)
    home.work_to_the_end()
    assert list(home.home.glob("crash-*")), "the point was never passed"
    home.wake_the_stopped()
    return home.request.status, len(home.openai.charges()), delivered(home)


def delivered(home: House) -> list[str]:
    """The saves that the spool hands over, each by its target."""
    names: list[str] = []

    def save(name: str, body: Mapping[str, Any]) -> None:
        names.append(name)

    deliver_spool(Spool(home.home), {name: partial(save, name) for name in SAVES})
    return sorted(names)
