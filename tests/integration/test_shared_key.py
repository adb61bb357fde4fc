"""Who makes an order that several requests are: the one that has begun, for all others of its key."""

import pytest

from resources.ledger.ledger_errors import SameOrderError
from resources.ledger.queries.status import may_read
from resources.ledger.request import SettledKey
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.stages import complete_stage, find_reusable_request
from tests.ledger_steps import STAGES, Steps


def nobody(steps: Steps) -> None:
    """No other request has the key."""


def one_that_has_not_begun(steps: Steps) -> None:
    steps.order("holder", unique_key="k")


@pytest.mark.parametrize("before", [nobody, one_that_has_not_begun])
def test_request_that_is_the_first_to_begin_holds_the_key(steps, before):
    before(steps)
    lease = steps.take(steps.order(owner="we").task_id)
    assert [find_reusable_request(steps.db, lease, "k") for _ in range(2)] == [None, None]
    assert steps.row().unique_key == "k"


def test_order_that_another_request_makes_is_waited_for(steps):
    steps.order("holder", unique_key="k", owner="they")
    steps.take("holder")
    lease = steps.take(steps.order(owner="we").task_id)
    with pytest.raises(SameOrderError, match="holder"):
        find_reusable_request(steps.db, lease, "k")
    assert steps.row().unique_key is None
    assert may_read(steps.db, steps.row("holder").id, "we")


def test_order_that_another_request_has_made_is_that_ones(steps):
    steps.order("holder", unique_key="k")
    steps.make_all(steps.take("holder"))
    lease = steps.take(steps.order().task_id)
    same = find_reusable_request(steps.db, lease, "k")
    assert same is not None
    assert (same.task_id, same.status) == ("holder", Status.COMPLETED)


@pytest.mark.parametrize(("holder", "key"), [(("holder",), None), ((), "k")])
def test_stage_that_settles_a_shared_key_leaves_it_to_who_holds_it(steps, holder, key):
    for name in holder:
        steps.order(name, unique_key="k")
    lease = steps.take(steps.order(owner="we").task_id)
    for _ in range(2):
        complete_stage(
            steps.db,
            lease,
            steps.begin(lease),
            result={},
            cost=0,
            token=None,
            files=(),
            pipeline_stages=STAGES,
            settled=SettledKey("k", is_shared=True),
        )
    assert steps.row().unique_key == key
