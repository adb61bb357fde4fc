"""Every crash point of the stage that ComfyUI renders, on both databases: the job runs once, the order is done."""

from contextlib import suppress

import pytest

from resources.ledger.schema.tables import Status
from resources.process.setting_types import PAID_POINTS
from tests.faults.conftest import OpenHouse
from tests.faults.house import House, StoppedInTransactionError

TRIES = 5
ORDER = {
    "workflow": {
        "1": {
            "class_type": "EmptyImage",
            "inputs": {"width": 16, "height": 16, "batch_size": 1, "color": 255},
        },
        "2": {
            "class_type": "SaveImage",
            "inputs": {"images": ["1", 0], "filename_prefix": "castad"},
        },
    }
}


@pytest.mark.timeout(240)
@pytest.mark.parametrize("action", ["KILL", "STOP", "RAISE"])
@pytest.mark.parametrize("database", ["sqlite", "postgres"])
@pytest.mark.parametrize("point", PAID_POINTS)
def test_crash_lets_a_picture_be_made_once(house, point, database, action, record_property):
    named = f"render.{point}"
    for name, value in (("point", named), ("database", database), ("action", action)):
        record_property(name, value)
    ended, runs = crashed(house, database, f"{named}:{action}")
    record_property("outcome", f"{ended} {runs}")
    assert (ended, runs) == (Status.COMPLETED, 1)


def crashed(house: OpenHouse, database: str, crash: str) -> tuple[Status, int]:
    """How the order ended and how often it was run, with a crash that lets others go on at all."""
    for _ in range(TRIES):
        with suppress(StoppedInTransactionError), house(database, crash) as home:
            return after(home)
    pytest.fail(f"every one of {TRIES} stops fell into a transaction")


def after(home: House) -> tuple[Status, int]:
    home.order("image", ORDER)
    home.work_to_the_end()
    assert list(home.home.glob("crash-*")), "the point was never passed"
    home.wake_the_stopped()
    return home.request.status, len(home.comfyui.runs())
