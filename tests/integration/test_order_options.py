"""An option that is sent again with its order: who may change it, until when, and what is said where it stays."""

from datetime import UTC, datetime
from typing import Any

import pytest

from resources.ledger.ledger_errors import OtherOptionError
from resources.ledger.schema.tables import Status

LATER = datetime(2999, 1, 1, tzinfo=UTC)
SHOP = {"owner": "shop"}
SHARED = {"unique_key": "k", "shared": True}
CHANGED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (SHOP, {**SHOP, "callback_url": "https://shop.example/"}),
    ({}, {"callback_url": "https://shop.example/"}),
    (SHOP, {"priority": 5}),
    (SHOP, {**SHOP, "not_before": LATER}),
    ({**SHOP, **SHARED}, {**SHOP, **SHARED, "max_retries": 9}),
    ({}, {"priority": 5, "fixed": ("max_retries",)}),
]
FIXED: list[tuple[dict[str, Any], str, dict[str, Any], str]] = [
    (SHOP, "", {"callback_url": "https://x.example/"}, "is another owner's, who is called back"),
    ({**SHOP, **SHARED}, "", {"owner": "they", **SHARED, "priority": 5}, "is another owner's too"),
    ({}, "", {"priority": 5, "fixed": ("priority",)}, "which only an operator may change"),
    ({}, "", {"hold": "lyric"}, "has another hold or none"),
    ({}, "status = 'canceled'", {"priority": 5}, "is canceled"),
    ({}, "attempt = 1", {"not_before": LATER}, "has begun"),
]


@pytest.mark.parametrize(("first", "then"), CHANGED)
def test_option_of_an_order_is_changed_by_whose_order_it_is(steps, first, then):
    steps.order(**first)
    steps.order(**then)
    event = steps.last()
    assert (steps.row().status, event.type) == (Status.PENDING, "updated")
    assert event.data["by"] == then.get("owner", "test")


@pytest.mark.parametrize(("first", "edit", "then", "why"), FIXED)
def test_option_that_may_not_change_stays_and_says_why(steps, first, edit, then, why):
    steps.order(**first)
    if edit:
        steps.edit(edit)
    before = steps.row()
    with pytest.raises(OtherOptionError, match=why):
        steps.order(**then)
    assert steps.row() == before
