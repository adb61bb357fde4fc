"""What was answered without the ledger is imported afterwards, once, with what it cost."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import ConflictError
from resources.ledger.queries.money import sum_spent_today
from resources.ledger.queries.status import get_request, list_events_after, read_stage_result
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.import_completed import (
    AnsweredOrder,
    DoneStage,
    Purchase,
    import_completed,
    publish_spool_costs,
    save_unwanted_purchases,
)
from resources.ledger.transitions.orders import NewRequest, retry_request
from tests.one_order import submit_order

SCAN = get_catalog().get_pipeline("scan")
PAYLOAD = SCAN.normalize({"note": "소주병"})
ORDER = NewRequest("s1", PAYLOAD, "scan", "direct", SCAN.is_same_order, owner="shop")


def purchase(token: str, cost: int = 40, error: str | None = None) -> Purchase:
    return Purchase("openai", token, "0" * 64, cost, error)


def done(worker: str = "direct:1", *bought: Purchase) -> AnsweredOrder:
    stages = [
        DoneStage("vision", {"a": 1}, 3.0, 2.0, bought),
        DoneStage("rule", {"rule": None}, 2.0, 1.5),
    ]
    return AnsweredOrder(ORDER, worker, stages)


def failed(worker: str = "direct:1") -> AnsweredOrder:
    stage = DoneStage("vision", None, 3.0, 2.0, [purchase("lost", 7, "submission_unknown")])
    return AnsweredOrder(ORDER, worker, [stage], ("refused", "the model refused"))


def count(db: Database, table: str) -> int:
    with db.reading() as tx:
        return int(tx.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def test_imported_answer_is_a_completed_request_of_its_owner(db):
    request = import_completed(db, done())
    assert (request.status, request.owner, request.attempt) == (Status.COMPLETED, "shop", 1)
    assert read_stage_result(db, "s1", "vision") == {"a": 1}


def test_imported_answer_has_the_events_of_any_other(db):
    request = import_completed(db, done())
    events, _ = list_events_after(db, request.id, 0)
    stages = ["stage_started", "stage_completed"] * 2
    assert [each.type for each in events] == ["created", "claimed", *stages, "completed"]
    assert [each.seq for each in events] == list(range(1, len(events) + 1))


def test_importing_again_changes_nothing(db):
    import_completed(db, done("direct:1", purchase("t1")))
    before = get_request(db, "s1")
    import_completed(db, done("direct:1", purchase("t1")))
    assert get_request(db, "s1") == before
    assert (count(db, "provider_jobs"), count(db, "attempts")) == (1, 1)


def test_second_answer_of_the_same_order_adds_its_cost_only(db):
    import_completed(db, done("direct:1", purchase("t1")))
    before = get_request(db, "s1")
    for _ in range(2):
        import_completed(db, done("direct:2", purchase("t2")))
    assert get_request(db, "s1") == before
    assert sum_spent_today(db) == 80


def test_purchase_of_an_answer_says_why_it_is_of_no_use(db):
    import_completed(db, failed())
    import_completed(db, done("direct:2", purchase("t2")))
    import_completed(db, done("direct:3", purchase("t3"), purchase("t4", error="rejected")))
    query = "SELECT status, error_code FROM provider_jobs ORDER BY token"
    with db.reading() as tx:
        found = [tuple(row) for row in tx.execute(text(query))]
    assert found == [
        ("failed", "submission_unknown"),
        ("succeeded", None),
        ("failed", "already_done"),
        ("failed", "rejected"),
    ]


def test_failed_answer_is_a_dead_letter_whose_cost_counts(db):
    request = import_completed(db, failed())
    assert (request.status, request.error_code) == (Status.DEAD, "refused")
    assert sum_spent_today(db) == 7


def test_failed_answer_has_completed_no_stage_that_failed(db):
    request = import_completed(db, failed())
    told = [event.type for event in list_events_after(db, request.id, 0)[0]]
    assert told[-2:] == ["stage_started", "dead"]


def test_answer_after_a_failed_one_completes_the_request(db):
    import_completed(db, failed())
    request = import_completed(db, done("direct:2", purchase("t2")))
    assert (request.status, request.attempt, request.error_code) == (Status.COMPLETED, 2, None)
    assert sum_spent_today(db) == 47


def test_failed_answer_can_be_retried_as_a_run(db):
    import_completed(db, failed())
    assert retry_request(db, "s1").status is Status.PENDING


def test_answer_whose_task_id_is_another_orders_is_refused(db):
    other = SCAN.normalize({"note": "신문지"})
    submit_order(
        db, "s1", other, pipeline="scan", source="api", same_order=SCAN.is_same_order, owner="shop"
    )
    with pytest.raises(ConflictError):
        import_completed(db, done())


def test_answer_to_a_request_that_waits_for_a_run_leaves_it_waiting(db):
    submit_order(
        db,
        "s1",
        PAYLOAD,
        pipeline="scan",
        source="api",
        same_order=SCAN.is_same_order,
        owner="shop",
    )
    import_completed(db, done("direct:1", purchase("t1")))
    assert get_request(db, "s1").status is Status.PENDING
    assert sum_spent_today(db) == 40


def test_answer_of_another_owner_is_refused(db):
    import_completed(db, done())
    theirs = replace(done("direct:2"), order=replace(ORDER, owner="other"))
    with pytest.raises(ConflictError):
        import_completed(db, theirs)


def test_imported_cost_counts_once_where_its_spool_had_published_it(db):
    publish_spool_costs(db, "here", {"direct:1": 40, "direct:9": 1})
    import_completed(db, done("direct:1", purchase("t1")))
    assert sum_spent_today(db) == 41


def test_purchases_of_an_answer_that_cannot_be_stored_count_once(db):
    publish_spool_costs(db, "here", {"direct:1": 40})
    stage = DoneStage("vision", None, 3.0, 2.0, [purchase("t1")])
    for _ in range(2):
        save_unwanted_purchases(db, "s1", "direct:1", [stage], "no such pipeline")
    assert sum_spent_today(db) == 40


def test_answer_that_was_sent_under_anothers_name_says_so(db):
    request = import_completed(db, replace(done(), sent_as="theirs"))
    claimed = next(
        each for each in list_events_after(db, request.id, 0)[0] if each.type == "claimed"
    )
    assert claimed.data["message"] == "it was sent as 'theirs', which is another order's task_id"


def test_answer_is_known_by_its_request_and_its_worker(db):
    import_completed(db, done())
    import_completed(db, done("direct:2"))
    other = replace(done(), order=replace(ORDER, task_id="s2"))
    request = import_completed(db, other)
    assert (request.task_id, request.status, request.attempt) == ("s2", Status.COMPLETED, 1)
