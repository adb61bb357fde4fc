"""The unique key: orders with the same one are one request, while that is alive or done."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from castad.orders.acts import retry_order
from castad.orders.batch import RefusedOrdersError
from castad.orders.orders_file import CheckedOrder
from castad.orders.submit import submit_all, submit_order
from pipeline_defs.capabilities import UniqueKey, get_unique_key
from pipeline_defs.catalog import Catalog
from resources.contract.errors import CastadError, InvalidInputError
from resources.ledger.ledger_errors import ConflictError, DuplicateOrderError
from resources.ledger.queries.status import may_read
from resources.ledger.request import Request
from resources.ledger.rules import FailureAction
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.callbacks import attach_job, resubmit_request
from resources.ledger.transitions.claims import Claimant, RunOrder, claim_request
from resources.ledger.transitions.orders import NewRequest, retry_request, submit_orders
from resources.ledger.transitions.redo import build_order_after_redo, redo_stages
from resources.process.settings import settings
from sensors.requests import pick_up_or_reject
from tests.eventually import eventually
from tests.integration.test_concurrency import waiting_for_locks
from tests.ledger_steps import LEASE_SECONDS, POISON, Steps
from tests.small_pipelines import small_pipeline, with_extras

SURVEY = small_pipeline("survey", extras=(UniqueKey(lambda brief: brief.subject),))
SHARED = with_extras(SURVEY, UniqueKey(lambda brief: brief.subject, shared=True))


def same(stored: object, given: object) -> bool:
    return stored == given


def new(key: str | None, task_id: str = "r", **chosen: Any) -> NewRequest:
    payload = {"subject": key, "remark": task_id}
    return NewRequest(task_id, payload, "survey", "test", same, unique_key=key, **chosen)


def place(steps: Steps, key: str | None, task_id: str = "r", **chosen: Any) -> Request:
    request = submit_orders(steps.db, [new(key, task_id, **chosen)])[0].request
    return request


def ordered(steps: Steps, subject: str, task_id: str | None = None, **of: Any) -> Request:
    """As the faces order: checked, and with the key of its pipeline."""
    payload = SURVEY.normalize({"subject": subject})
    order = CheckedOrder("", task_id, of.pop("pipeline", SURVEY), payload)
    return submit_order(steps.db, order, **of).request


def test_order_without_a_key_is_never_another_request(steps):
    place(steps, None, "a")
    place(steps, None, "b")
    assert sorted(steps.task_ids()) == ["a", "b"]


def test_order_sent_again_by_its_name_is_its_own_request_though_another_one_holds_its_key(steps):
    mine = ordered(steps, "a house", "mine")
    steps.cancel("mine")
    ordered(steps, "a house", "holder")
    assert ordered(steps, "a house", "mine").id == mine.id


def test_order_is_the_request_that_holds_its_key_though_another_one_has_its_name(steps):
    place(steps, None, "r")
    place(steps, "house", "holder")
    assert place(steps, "house", "r").task_id == "holder"


def test_order_with_another_key_is_no_request_of_its_name(steps):
    place(steps, "house")
    with pytest.raises(ConflictError):
        place(steps, "garden")


def test_key_that_a_request_has_lost_makes_no_other_order_the_same(steps):
    place(steps, "house")
    steps.cancel()
    with pytest.raises(ConflictError):
        submit_orders(steps.db, [replace(new("house"), payload={"subject": "another"})])


def test_key_is_that_of_one_pipeline(steps):
    place(steps, "house", "a")
    submit_orders(steps.db, [replace(new("house", "b"), pipeline="other")])
    assert sorted(steps.task_ids()) == ["a", "b"]


def test_key_of_another_owner_is_refused_without_its_name(steps):
    held = ordered(steps, "a house", "secret-name", owner="we")
    with pytest.raises(DuplicateOrderError) as refused:
        ordered(steps, "a house", owner="they")
    assert refused.value.code == "duplicate"
    assert held.task_id not in refused.value.message


def test_key_of_a_shared_pipeline_is_one_request_for_every_owner(steps):
    first = ordered(steps, "a house", pipeline=SHARED, owner="we")
    assert ordered(steps, "a house", pipeline=SHARED, owner="they").task_id == first.task_id


def test_request_of_a_shared_pipeline_is_read_by_every_owner_who_ordered_it(steps):
    first = ordered(steps, "a house", pipeline=SHARED, owner="we")
    ordered(steps, "a house", pipeline=SHARED, owner="they")
    ordered(steps, "a garden", pipeline=SHARED, owner="others")
    readers = [name for name in ("we", "they", "others") if may_read(steps.db, first.id, name)]
    assert readers == ["we", "they"]


def test_file_with_another_owners_key_names_its_row_and_adds_nothing(steps):
    ordered(steps, "a house", owner="we")
    rows = [
        CheckedOrder(f"row {number}", None, SURVEY, SURVEY.normalize({"subject": subject}))
        for number, subject in enumerate(("a garden", "a house"), 1)
    ]
    with pytest.raises(RefusedOrdersError) as refused:
        submit_all(steps.db, rows, owner="they")
    [row] = refused.value.refused
    assert (row.location, row.code, row.field) == ("row 2", "duplicate", "unique_key")
    assert len(steps.task_ids()) == 1


def test_batch_with_a_key_twice_makes_the_first_order_of_it(steps):
    placed = submit_orders(steps.db, [new("x", "c"), new("y", "b"), new("x", "a")])
    assert [(each.request.task_id, each.created) for each in placed] == [
        ("c", True),
        ("b", True),
        ("c", False),
    ]


def test_parallel_orders_with_one_key_make_one_request(db):
    together = Barrier(8)

    def order(number: int) -> tuple[str, bool]:
        together.wait()
        [found] = submit_orders(db, [new("house", f"r{number}")])
        return found.request.task_id, found.created

    with ThreadPoolExecutor(8) as threads:
        placed = list(threads.map(order, range(8)))
    assert len({task_id for task_id, _ in placed}) == 1
    assert sum(created for _, created in placed) == 1


def test_parallel_batches_with_the_same_keys_make_each_request_once(db):
    together = Barrier(4)

    def order(number: int) -> int:
        keys = [f"k{index:02}" for index in range(30)]
        batch = [new(key, f"{number}-{key}") for key in keys[:: -1 if number % 2 else 1]]
        together.wait()
        return sum(each.created for each in submit_orders(db, batch))

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(order, range(4)))
    assert (sum(made), len(Steps(db).task_ids())) == (30, 30)


def died(steps: Steps) -> None:
    steps.dispatch()
    lease = steps.take()
    steps.begin(lease)
    steps.fail(lease, FailureAction.DEAD_LETTER)


def lost_submission(steps: Steps) -> None:
    """Waiting, with a submission that was sent and not answered."""
    steps.dispatch()
    lease = steps.take()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.UNKNOWN)
    steps.fail(lease, FailureAction.LOOK_UP)


def died_unknown(steps: Steps) -> None:
    lost_submission(steps)
    steps.edit("status = 'dead'")


def canceled_unknown(steps: Steps) -> None:
    lost_submission(steps)
    steps.cancel()


def canceled(steps: Steps) -> None:
    steps.cancel()


@pytest.mark.parametrize("end", [died, canceled])
def test_request_that_is_dead_or_canceled_holds_no_key(steps, end):
    place(steps, "house")
    end(steps)
    assert place(steps, "house", "again").task_id == "again"


def test_request_that_is_completed_holds_its_key(steps):
    place(steps, "house")
    steps.dispatch()
    steps.make_all(steps.take())
    assert place(steps, "house", "again").task_id == "r"


def test_request_is_made_again_with_the_key_that_it_holds(steps):
    place(steps, "house")
    steps.dispatch()
    steps.make_all(steps.take())
    assert steps.redo().unique_key == "house"


@pytest.mark.parametrize(("others", "key"), [((), "house"), (("holder",), None)])
def test_run_that_may_take_over_begins_without_a_key_that_is_held_alone(steps, others, key):
    for name in others:
        steps.order(name, {"brief": 2}, unique_key="house")
    steps.order()
    claimant = Claimant("run", "worker:1", None, takes_over=True)
    times = {"lease_seconds": LEASE_SECONDS, "poison_deaths": POISON}
    claim_request(steps.db, "r", claimant, key_of=lambda order: "house", **times)
    assert steps.row().unique_key == key


def retried(steps: Steps) -> object:
    return steps.retry()


def redone(steps: Steps) -> object:
    return steps.redo()


def resubmitted(steps: Steps) -> object:
    return resubmit_request(steps.db, "r")


def claimed_by_hand(steps: Steps) -> object:
    return steps.take()


@pytest.mark.parametrize(
    ("end", "come_back"),
    [
        (died, retried),
        (canceled, retried),
        (died, redone),
        (died_unknown, resubmitted),
        (died, claimed_by_hand),
    ],
)
def test_request_does_not_come_back_while_another_one_holds_its_key(steps, end, come_back):
    place(steps, "house")
    end(steps)
    place(steps, "house", "other")
    before = steps.row()
    with pytest.raises(DuplicateOrderError, match="request 'other' is the same order"):
        come_back(steps)
    assert steps.row() == before
    steps.cancel("other")
    come_back(steps)
    assert steps.row().status in (Status.PENDING, Status.PROCESSING)


@pytest.mark.parametrize("end", [died, canceled])
def test_request_that_takes_over_comes_back_without_the_key_that_another_one_holds(steps, end):
    place(steps, "house")
    end(steps)
    place(steps, "house", "other")
    request = retry_request(steps.db, "r", taking_over=("survey",))
    assert (request.status, request.unique_key) == (Status.PENDING, None)


def test_request_that_takes_over_comes_back_with_its_key_where_none_holds_it(steps):
    place(steps, "house")
    steps.cancel()
    assert retry_request(steps.db, "r", taking_over=("survey",)).unique_key == "house"


def test_order_that_is_retried_while_another_one_takes_its_key_comes_back_without_it(
    shared_ledger, postgres_ledger_url
):
    steps = Steps(shared_ledger)
    for name in ("taker", "late"):
        submit_orders(shared_ledger, [replace(new("house", name), pipeline="analysis")])
        steps.cancel(name)
    with ThreadPoolExecutor(1) as pool:
        with shared_ledger.writing() as tx:
            tx.execute(text("UPDATE requests SET status = 'pending' WHERE task_id = 'taker'"))
            retried = pool.submit(retry_order, shared_ledger, "late")
            assert eventually(lambda: waiting_for_locks(shared_ledger) == 1)
        assert retried.result().unique_key is None


def test_request_names_the_one_that_holds_its_key_to_those_who_may_read_that_only(steps):
    place(steps, "house", owner="they")
    steps.cancel()
    place(steps, "house", "secret-name", owner="we")
    said = []
    for _ in range(2):
        with pytest.raises(DuplicateOrderError) as refused:
            steps.retry()
        said.append("secret-name" in refused.value.message)
        place(steps, "house", "again", owner="they", shared=True)
    assert said == [False, True]


def test_request_put_back_by_sql_while_another_one_holds_its_key_is_refused(steps):
    place(steps, "house")
    steps.cancel()
    place(steps, "house", "other")
    with pytest.raises(DatabaseError):
        steps.edit("status = 'pending'")
    assert steps.row().status is Status.CANCELED


def test_callback_for_a_dead_request_leaves_it_where_another_one_does_its_order(steps):
    place(steps, "house")
    died_unknown(steps)
    place(steps, "house", "other")
    steps.save_callback("x1")
    assert (steps.row().status, steps.jobs()[0].heard_id) == (Status.DEAD, "x1")


@pytest.mark.parametrize("end", [died_unknown, canceled_unknown])
def test_job_of_an_ended_request_is_saved_while_another_one_does_its_order(steps, end):
    place(steps, "house")
    end(steps)
    place(steps, "house", "other")
    before = steps.row().status
    assert attach_job(steps.db, "r", "x1").status is before
    (job,) = steps.jobs()
    assert (job.status, job.external_id, job.cost) == (JobStatus.SUBMITTED, "x1", 500_000)


@pytest.mark.parametrize("transition", [redo_stages, build_order_after_redo])
def test_redo_with_a_change_to_anothers_order_is_refused_also_as_a_dry_run(steps, transition):
    place(steps, "house")
    place(steps, "garden", "other")
    steps.dispatch()
    steps.make_all(steps.take())
    with pytest.raises(DuplicateOrderError, match="request 'other'"):
        transition(
            *(steps.db, "r", "lyric", ("lyric", "song", "video")),
            lambda order: {**order, "subject": "garden"},
            lambda order, key: str(order["subject"]),
        )
    assert steps.row().status is Status.COMPLETED


def inserted(steps: Steps, task_id: str, subject: str, owner: str | None = None) -> Request:
    """Ordered by an INSERT."""
    steps.sql(
        "INSERT INTO requests (task_id, pipeline, payload, owner) VALUES (:r, 'survey', :p, :o)",
        r=task_id,
        p=json.dumps({"subject": subject}),
        o=owner,
    )
    return steps.row(task_id)


def by_sql(steps: Steps, task_id: str, subject: str) -> Request:
    """Ordered by an INSERT, and dispatched."""
    inserted(steps, task_id, subject)
    steps.dispatch()
    return steps.row(task_id)


def pick_up(steps: Steps, request: Request) -> bool:
    """Whether the sensor would start a run of it."""
    return pick_up_or_reject(steps.db, Catalog({"survey": SURVEY}), request) is not None


def test_row_inserted_by_sql_has_its_key_when_it_is_picked_up(steps):
    assert pick_up(steps, by_sql(steps, "r", "a house"))
    assert steps.row().unique_key == "a house"
    assert ordered(steps, "a house").task_id == "r"


@contextmanager
def unusable_table(steps: Steps) -> Iterator[None]:
    """The database refuses every statement about requests."""
    steps.sql("ALTER TABLE requests RENAME TO renamed")
    try:
        yield
    finally:
        steps.sql("ALTER TABLE renamed RENAME TO requests")


def test_database_error_at_the_pick_up_leaves_the_request_as_it_was(steps):
    request = by_sql(steps, "r", "a house")
    with unusable_table(steps):
        assert not pick_up(steps, request)
    assert steps.row() == request


def test_row_inserted_by_sql_with_a_key_that_is_held_is_dead_and_names_the_holder(steps):
    ordered(steps, "a house", "first")
    assert not pick_up(steps, by_sql(steps, "r", "a house"))
    row = steps.row()
    assert (row.status, row.error_code) == (Status.DEAD, "duplicate")
    assert "request 'first' is the same order" in str(row.error_message)


def test_row_inserted_by_sql_does_not_name_the_request_of_another_owner(steps):
    ordered(steps, "a house", "secret-name", owner="we")
    inserted(steps, "r", "a house", owner="they")
    steps.dispatch()
    assert not pick_up(steps, steps.row())
    row = steps.row()
    assert row.error_code == "duplicate"
    assert "secret-name" not in str(row.error_message)


def test_row_whose_payload_was_edited_has_the_key_of_its_new_payload(steps):
    ordered(steps, "a house", "r")
    steps.edit("payload = :p", p=json.dumps({"subject": "a garden"}))
    steps.dispatch()
    assert pick_up(steps, steps.row())
    assert steps.row().unique_key == "a garden"


def test_two_rows_inserted_by_sql_are_one_request(steps):
    rows = [by_sql(steps, name, "a house") for name in ("a", "b")]
    assert [pick_up(steps, row) for row in rows] == [True, False]


def test_run_by_hand_of_an_order_that_another_request_holds_is_refused(steps):
    ordered(steps, "a house", "first")
    order = RunOrder("survey", {"subject": "a house"}, same, "a house")
    with pytest.raises(DuplicateOrderError, match="request 'first'"):
        steps.claim("by-hand", order=order)
    assert steps.task_ids() == ["first"]


def test_run_by_hand_holds_the_key_of_its_order(steps):
    order = RunOrder("survey", {"subject": "a house"}, same, "a house")
    steps.claim("by-hand", order=order)
    assert place(steps, "a house").task_id == "by-hand"


def test_row_that_is_claimed_by_hand_holds_the_key_of_its_payload(steps):
    inserted(steps, "by-hand", "a house")
    steps.take("by-hand", key_of=partial(get_unique_key, SURVEY))
    assert ordered(steps, "a house").task_id == "by-hand"


@pytest.mark.parametrize(
    ("subject", "code", "reason"),
    [("a house", "duplicate", "request 'first'"), ("", "invalid_payload", "unique_key: expected")],
)
def test_row_whose_key_cannot_be_held_is_dead_when_it_is_claimed_by_hand(
    steps, subject, code, reason
):
    ordered(steps, "a house", "first")
    inserted(steps, "by-hand", subject)
    with pytest.raises(CastadError, match=reason):
        steps.claim("by-hand", key_of=partial(get_unique_key, SURVEY))
    row = steps.row("by-hand")
    assert (row.status, row.error_code) == (Status.DEAD, code)
    assert reason in str(row.error_message)


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_replace_deletes_no_request_by_its_key_while_money_is_under_way(steps):
    place(steps, "house")
    steps.dispatch()
    lease = steps.take()
    steps.save_intent(lease, steps.begin(lease))
    with pytest.raises(DatabaseError, match="money may be under way"):
        steps.sql(
            "INSERT OR REPLACE INTO requests (task_id, pipeline, payload, unique_key)"
            " VALUES ('other', 'survey', '{}', 'house')"
        )
    assert steps.task_ids() == ["r"]


@pytest.mark.parametrize("key", ["", "k" * 201, "a\0b"])
def test_order_whose_key_cannot_be_stored_is_refused(key):
    with pytest.raises(InvalidInputError, match="unique_key"):
        Catalog({"survey": SURVEY}).accept_order(SURVEY, {"subject": key}, settings())


ACTIONS = st.lists(
    st.tuples(st.sampled_from(("order", "cancel", "retry")), st.sampled_from("abc")), max_size=12
)


@examples(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=ACTIONS)
def test_whatever_is_done_one_request_at_most_holds_a_key(steps, actions):
    steps.empty()
    alive: set[str] = set()
    known: set[str] = set()
    for action, name in actions:
        if action == "order":
            placed = place(steps, "house", name).task_id
            expected = name if name in known or not alive else next(iter(alive))
            assert placed == expected
            alive |= {name} - known if not alive else set()
            known |= {placed}
        elif action == "cancel" and name in known:
            steps.cancel(name)
            alive.discard(name)
        elif action == "retry" and name in known - alive:
            try:
                steps.retry(name)
            except DuplicateOrderError:
                assert alive
            else:
                assert not alive
                alive.add(name)
    held = {name for name in steps.task_ids() if steps.row(name).status is Status.PENDING}
    assert held == alive
    assert len(alive) <= 1


def test_stage_gives_the_request_the_key_that_its_order_left_open(steps):
    lease = steps.working()
    steps.complete(lease, steps.begin(lease), unique_key="house")
    assert steps.row().unique_key == "house"
    steps.fail(lease)
    steps.sql("UPDATE requests SET not_before = NULL")
    steps.claim(key_of=lambda order: None)
    assert steps.row().unique_key == "house"


def test_order_that_is_changed_after_a_stage_has_the_key_of_its_new_text(steps):
    lease = steps.working()
    steps.complete(lease, steps.begin(lease), unique_key="house")
    steps.fail(lease)
    steps.claim(key_of=lambda order: "garden")
    assert steps.row().unique_key == "garden"


def test_stage_whose_key_another_request_holds_is_not_completed_and_names_it(steps):
    holder, lease = steps.working("holder"), steps.working("late")
    steps.complete(holder, steps.begin(holder), unique_key="house")
    entry = steps.begin(lease)
    with pytest.raises(DuplicateOrderError, match="holder"):
        steps.complete(lease, entry, unique_key="house")
    assert steps.begin(lease).result is None
    assert steps.row("late").unique_key is None


def test_order_that_is_changed_before_it_began_loses_the_key_of_its_former_text(steps):
    place(steps, "house")
    request, _ = steps.claim(key_of=lambda order: None)
    assert request.unique_key is None
