"""What a deleted order had under way is never another's, and is kept as long as it may be paid for."""

import json
import sqlite3
from contextlib import closing
from functools import partial

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import DailyBudgetError, LeaseLostError, UnknownCallbackError
from resources.ledger.queries.hours import read_statistics
from resources.ledger.queries.money import OrphanList, list_orphans
from resources.ledger.queries.workload import WorkloadScope
from resources.ledger.schema.tables import JobStatus
from resources.ledger.transitions.callbacks import (
    give_up_submission,
    resubmit_request,
    save_callback,
)
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.housekeeping import delete_request
from resources.ledger.transitions.jobs import Budget, Job, save_orphan_if_deleted, save_outcome
from resources.ledger.transitions.stages import StageEntry
from tests.command_line import castad
from tests.ledger_steps import Steps
from tests.table_rows import changes_of

HOUSE = WorkloadScope({"song_video": "lyric"}, 30)
SONG_PRICE = 500_000
GUARDS = ("requests_money_kept", "provider_jobs_money_kept")
KEEPERS = ("requests_orphans_kept", "provider_jobs_orphan_kept")


def sent(
    steps: Steps, task_id: str = "a", token: str = "token of a"
) -> tuple[Lease, StageEntry, Job]:
    lease = steps.working(task_id)
    entry = steps.begin(lease)
    return lease, entry, steps.save_intent(lease, entry, token, SONG_PRICE)


def delete_without_guards(steps: Steps) -> None:
    """Whatever the triggers would have said."""
    of_sqlite = [f"DROP TRIGGER {name}" for name in (*GUARDS, *KEEPERS)]
    of_postgres = ["SET LOCAL session_replication_role = replica", "DELETE FROM provider_jobs"]
    with steps.db.writing() as tx:
        for statement in of_sqlite if steps.db.is_sqlite else of_postgres:
            tx.execute(text(statement))
        for table in ("stages", "attempts", "events", "requests"):
            tx.execute(text(f"DELETE FROM {table}"))


def deleted_after_a_cancel(steps: Steps) -> None:
    steps.edit("status = 'canceled'", "a")
    steps.sql("DELETE FROM requests WHERE task_id = 'a'")


REPLACING = (
    "INSERT OR REPLACE INTO requests (task_id, payload) VALUES ('a', '{}')",
    "UPDATE OR REPLACE requests SET task_id = 'a' WHERE task_id = 'b'",
    "INSERT OR REPLACE INTO provider_jobs (request_id, stage, generation, attempt, provider, token,"
    " request_hash) SELECT request_id, stage, generation, 1, provider, 't', '0' FROM provider_jobs",
)


@pytest.mark.parametrize("statement", REPLACING)
@pytest.mark.parametrize("foreign_keys", ["ON", "OFF"])
@pytest.mark.parametrize("status", ["processing", "canceled"])
def test_nothing_with_money_under_way_is_replaced(
    sqlite_ledger_url, statement, foreign_keys, status
):
    """As the sqlite3 shell types it, which minds no foreign keys unless it is asked to."""
    steps = Steps(Database(sqlite_ledger_url))
    sent(steps)
    steps.edit(f"status = '{status}'", "a")
    steps.order("b")
    with closing(sqlite3.connect(str(steps.db.url.database))) as shell:
        shell.execute(f"PRAGMA foreign_keys = {foreign_keys}")
        with pytest.raises(sqlite3.IntegrityError, match="castad cancel"):
            shell.execute(statement)
    assert [job.token for job in steps.jobs("a")] == ["token of a"]
    steps.db.close()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT OR IGNORE INTO requests (task_id, payload) VALUES ('a', '{}')",
        "INSERT INTO requests (task_id, payload) VALUES ('a', '{}')"
        " ON CONFLICT (task_id) DO UPDATE SET priority = 7",
        "INSERT OR REPLACE INTO requests (task_id, payload) VALUES ('b', '{}')",
    ],
)
def test_statement_that_replaces_nothing_under_way_is_taken(sqlite_ledger_url, statement):
    steps = Steps(Database(sqlite_ledger_url))
    sent(steps)
    steps.order("b")
    steps.sql(statement)
    assert [job.token for job in steps.jobs("a")] == ["token of a"]
    steps.db.close()


def test_nothing_with_money_under_way_is_truncated(postgres_ledger_url):
    with closing(Database(postgres_ledger_url)) as db:
        sent(Steps(db))
        with pytest.raises(IntegrityError, match="castad cancel"):
            Steps(db).sql("TRUNCATE requests CASCADE")


def orphans(steps: Steps) -> OrphanList:
    with steps.db.reading() as tx:
        return list_orphans(tx)


def spent(steps: Steps) -> int:
    return read_statistics(steps.db, HOUSE).spent


@pytest.mark.parametrize("delete", [delete_without_guards, deleted_after_a_cancel])
def test_song_of_a_deleted_order_is_nobodys_and_stored(steps, delete):
    lease, entry, job = sent(steps)
    delete(steps)
    _, _, other = sent(steps, "b", "token of b")
    with pytest.raises(LeaseLostError):
        save_outcome(steps.db, lease, entry, job, JobStatus.SUBMITTED, external_id="song of a")
    (kept,) = orphans(steps).newest
    assert (kept.external_id, kept.task_id, kept.cost) == ("song of a", "a", SONG_PRICE)
    assert (other.status, steps.jobs("b")[0].external_id) == (JobStatus.INTENT, None)


@pytest.mark.parametrize("field", ["request_id", "stage", "generation", "token"])
def test_submission_is_not_settled_by_its_id_alone(steps, field):
    _, _, mine = sent(steps)
    lease, entry, others = sent(steps, "b", "token of b")
    parts = {
        "request_id": (lease, entry, Job(**{**vars(others), "id": mine.id})),
        "stage": (lease, StageEntry("song", 1, None), others),
        "generation": (lease, StageEntry("lyric", 2, None), others),
        "token": (lease, entry, Job(**{**vars(others), "token": "another"})),
    }
    with pytest.raises(Exception, match="is settled already"):
        save_outcome(steps.db, *parts[field], JobStatus.SUBMITTED, external_id="x1")
    assert {job.status for name in "ab" for job in steps.jobs(name)} == {"intent"}


def test_answer_for_a_deleted_order_that_was_being_made_is_kept(steps):
    lease, entry, job = sent(steps)
    job = steps.settle(lease, entry, job, JobStatus.SUBMITTED)
    delete_without_guards(steps)
    save_orphan_if_deleted(steps.db, lease, entry, job)
    assert [orphan.external_id for orphan in orphans(steps).newest] == ["x1"]


def test_submission_that_is_there_is_no_orphan(steps):
    lease, entry, job = sent(steps)
    steps.cancel("a")
    steps.confirm_cancel(lease)
    save_orphan_if_deleted(steps.db, lease, entry, job)
    assert orphans(steps).count == 0


def test_refusal_that_cost_nothing_is_no_orphan(steps):
    lease, entry, job = sent(steps)
    delete_without_guards(steps)
    with pytest.raises(LeaseLostError):
        save_outcome(steps.db, lease, entry, job, JobStatus.FAILED, cost=0)
    assert orphans(steps).count == 0


@pytest.mark.parametrize("decide", [give_up_submission, resubmit_request])
def test_late_answer_after_an_operators_decision_is_an_orphan_that_costs_once(steps, decide):
    lease, entry, job = sent(steps)
    steps.edit("status = 'failed'", "a")
    decide(steps.db, "a")
    with pytest.raises(LeaseLostError):
        save_outcome(steps.db, lease, entry, job, JobStatus.SUBMITTED, external_id="late")
    assert [orphan.external_id for orphan in orphans(steps).newest] == ["late"]
    assert spent(steps) == SONG_PRICE


@pytest.mark.parametrize("decide", [give_up_submission, resubmit_request])
def test_orphan_shows_what_it_has_cost_and_not_what_was_expected(steps, decide):
    lease, entry, job = sent(steps)
    steps.edit("status = 'failed'", "a")
    decide(steps.db, "a")
    known = {"external_id": "late", "cost": SONG_PRICE + 7}
    with pytest.raises(LeaseLostError):
        save_outcome(steps.db, lease, entry, job, JobStatus.SUBMITTED, **known)
    found = orphans(steps)
    assert ([each.cost for each in found.newest], found.cost) == ([SONG_PRICE + 7], SONG_PRICE + 7)


def test_orphan_shows_what_its_submission_has_cost_since(steps):
    sent(steps)
    steps.edit("status = 'failed'", "a")
    give_up_submission(steps.db, "a")
    save_callback(steps.db, "vendor", "token of a", "late")
    steps.sql("UPDATE provider_jobs SET cost = 7")
    assert [each.cost for each in orphans(steps).newest] == [7]


@pytest.mark.parametrize("final_status", [JobStatus.SUCCEEDED, JobStatus.FAILED])
def test_final_status_that_comes_again_for_an_order_that_a_person_deleted_costs_once(
    steps, final_status
):
    lease, entry, job = sent(steps)
    polled = steps.settle(lease, entry, job, JobStatus.SUBMITTED)
    settled = steps.settle(lease, entry, polled, final_status)
    steps.edit("status = 'canceled'", "a")
    delete_request(steps.db, "a", "a test")
    save_orphan_if_deleted(steps.db, lease, entry, settled)
    with pytest.raises(LeaseLostError):
        save_outcome(steps.db, lease, entry, polled, final_status)
    assert (orphans(steps).count, spent(steps)) == (0, SONG_PRICE)


@pytest.mark.parametrize("decide", [give_up_submission, resubmit_request])
def test_callback_after_an_operators_decision_makes_an_orphan_that_costs_once(steps, decide):
    sent(steps)
    steps.edit("status = 'failed'", "a")
    decide(steps.db, "a")
    for _ in range(2):
        save_callback(steps.db, "vendor", "token of a", "late")
    assert [(each.external_id, each.cost) for each in orphans(steps).newest] == [
        ("late", SONG_PRICE)
    ]
    assert spent(steps) == SONG_PRICE


def answered_late(steps: Steps, lease: Lease, entry: StageEntry, job: Job) -> None:
    with pytest.raises(LeaseLostError):
        save_outcome(steps.db, lease, entry, job, JobStatus.SUBMITTED, external_id="late")


def called_back(steps: Steps, *_: object) -> None:
    save_callback(steps.db, "vendor", "token of a", "late")


@pytest.mark.parametrize("first", [answered_late, called_back])
def test_orphan_that_has_its_id_is_given_no_other(steps, first):
    made = sent(steps)
    steps.edit("status = 'failed'", "a")
    give_up_submission(steps.db, "a")
    first(steps, *made)
    named_again = partial(save_callback, steps.db, "vendor", "token of a", "later")
    assert changes_of(steps, named_again) == {}


def test_orphan_that_is_called_back_costs_what_its_submission_does(steps):
    sent(steps)
    steps.edit("status = 'failed'", "a")
    steps.sql("UPDATE provider_jobs SET cost = 7")
    give_up_submission(steps.db, "a")
    called_back(steps)
    assert [each.cost for each in orphans(steps).newest] == [7]


def test_late_refusal_after_an_operators_decision_changes_nothing(steps):
    lease, entry, job = sent(steps)
    steps.edit("status = 'failed'", "a")
    give_up_submission(steps.db, "a")

    def refused() -> None:
        with pytest.raises(LeaseLostError):
            save_outcome(steps.db, lease, entry, job, JobStatus.FAILED, cost=0)

    assert changes_of(steps, refused) == {}


@pytest.mark.parametrize(("status", "cost"), [(JobStatus.FAILED, 7), (JobStatus.SUBMITTED, 0)])
def test_outcome_of_a_deleted_order_is_an_orphan_where_it_cost_or_may_come(steps, status, cost):
    lease, entry, job = sent(steps)
    delete_without_guards(steps)
    with pytest.raises(LeaseLostError):
        save_outcome(steps.db, lease, entry, job, status, cost=cost)
    assert [each.cost for each in orphans(steps).newest] == [cost]


def test_callback_names_an_orphan_and_is_refused(steps):
    sent(steps)
    deleted_after_a_cancel(steps)
    with pytest.raises(UnknownCallbackError):
        save_callback(steps.db, "vendor", "token of a", "song of a")
    assert [orphan.external_id for orphan in orphans(steps).newest] == ["song of a"]


def test_orphans_count_in_all_sums_of_money(steps):
    sent(steps)
    deleted_after_a_cancel(steps)
    told = read_statistics(steps.db, HOUSE)
    assert told.spent == SONG_PRICE
    assert {provider: cost for (provider, _), cost in told.work.spent_today.items()} == {
        "vendor": SONG_PRICE
    }
    lease = steps.working("b")
    with pytest.raises(DailyBudgetError):
        steps.save_intent(lease, steps.begin(lease), "token of b", 1, Budget(day=SONG_PRICE))


def test_orphans_are_shown_to_nobody_but_the_house(steps):
    sent(steps)
    deleted_after_a_cancel(steps)
    own = read_statistics(steps.db, WorkloadScope({"song_video": "lyric"}, 30, owner="somebody"))
    assert (own.spent, own.work.orphans) == (0, None)


def test_doctor_names_orphans(sqlite_ledger_url):
    steps = Steps(Database(sqlite_ledger_url))
    sent(steps)
    deleted_after_a_cancel(steps)
    told = json.loads(castad("doctor", "--json").stdout)
    checks = {check["check"]: check for check in told["checks"]}
    assert "vendor without an id of a (lyric)" in checks["orphans"]["message"]
    steps.db.close()


def test_late_answer_names_its_own_submission_alone(steps):
    sent(steps, "b", "token of b")
    lease, entry, job = sent(steps)
    steps.edit("status = 'failed'", "a")
    give_up_submission(steps.db, "a")
    for external_id in ("late", "later"):
        with pytest.raises(LeaseLostError):
            save_outcome(steps.db, lease, entry, job, JobStatus.SUBMITTED, external_id=external_id)
    named = [job.external_id for task_id in ("a", "b") for job in steps.jobs(task_id)]
    assert named == ["late", None]


def test_order_that_a_person_deleted_settles_no_other(steps):
    steps.completed("b")
    delete_request(steps.db, "b", "a test")
    lease, entry, job = sent(steps)
    polled = steps.settle(lease, entry, job, JobStatus.SUBMITTED)
    deleted_after_a_cancel(steps)
    save_orphan_if_deleted(steps.db, lease, entry, polled)
    with pytest.raises(LeaseLostError):
        save_outcome(steps.db, lease, entry, polled, JobStatus.SUCCEEDED, cost=7)
    assert [each.cost for each in orphans(steps).newest] == [7]


def test_late_answer_of_an_order_that_a_person_gave_up_and_deleted_is_an_orphan(steps):
    lease, entry, job = sent(steps)
    steps.edit("status = 'failed'", "a")
    give_up_submission(steps.db, "a")
    delete_request(steps.db, "a", "a test")
    answered_late(steps, lease, entry, job)
    assert [each.external_id for each in orphans(steps).newest] == ["late"]


def test_submission_that_was_deleted_alone_is_an_orphan_beside_others(steps):
    sent(steps, "b", "token of b")
    lease, entry, job = sent(steps)
    steps.edit("status = 'canceled'", "a")
    steps.sql("DELETE FROM provider_jobs WHERE token = 'token of a'")
    with pytest.raises(LeaseLostError):
        save_outcome(steps.db, lease, entry, job, JobStatus.SUBMITTED, external_id="late")
    assert [each.external_id for each in orphans(steps).newest] == ["late"]


def test_callback_without_an_id_after_an_operators_decision_makes_no_orphan(steps):
    sent(steps)
    steps.edit("status = 'failed'", "a")
    give_up_submission(steps.db, "a")
    seq = steps.row("a").seq
    save_callback(steps.db, "vendor", "token of a", None)
    assert (orphans(steps).count, steps.row("a").seq) == (0, seq)


def test_callback_with_another_submissions_id_makes_no_orphan(steps):
    lease, entry, job = sent(steps, "b", "token of b")
    steps.settle(lease, entry, job, JobStatus.SUBMITTED, external_id="taken")
    sent(steps)
    steps.edit("status = 'failed'", "a")
    give_up_submission(steps.db, "a")
    save_callback(steps.db, "vendor", "token of a", "taken")
    assert orphans(steps).count == 0


def test_look_for_an_orphan_waits_for_no_other_request(shared_ledger, postgres_ledger_url):
    steps = Steps(shared_ledger)
    sent(steps, "b", "token of b")
    lease, entry, job = sent(steps)
    url = shared_ledger.url.update_query_dict({"options": "-c lock_timeout=50"})
    with (
        closing(Database(url.render_as_string(hide_password=False))) as impatient,
        shared_ledger.writing() as tx,
    ):
        tx.execute(text("SELECT 1 FROM requests WHERE task_id = 'b' FOR UPDATE"))
        save_orphan_if_deleted(impatient, lease, entry, job)
    assert orphans(steps).count == 0
