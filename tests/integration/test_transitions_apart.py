"""Every legal transition changes its own alone: no other request, no stage before, nothing made before a redo."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import pytest
from sqlalchemy import select

from resources.files.artifacts import StoredArtifact
from resources.ledger.db.database import Database
from resources.ledger.request import Request
from resources.ledger.rules import Failure, Outcome, RetryDelays
from resources.ledger.schema.tables import JobStatus, metadata, requests
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.stages import StageEntry
from tests.ledger_laws import edges
from tests.ledger_steps import AT_ONCE, STAGES, Steps
from tests.legal_walks import WALKS


def _bystanders(steps: Steps) -> None:
    """Have another request in each state, none of them due, with jobs, files, a budget and a hold of their own."""
    done = steps.filmed("by-completed")
    steps.choose_cover(done, "by-completed")
    _made_thrice(steps)
    steps.lost("by-lost")
    steps.lost_for_good("by-dead")
    steps.order("by-canceled")
    steps.cancel("by-canceled")
    steps.held("by-held")
    steps.order("by-dispatched")
    steps.dispatch()
    steps.failed("by-failed")
    steps.order("by-pending")
    steps.sql(
        "UPDATE requests SET not_before = '2999-01-01 00:00:00' WHERE status IN ('pending', 'failed')"
    )
    steps.edit("dispatched_at = '2999-01-01 00:00:00'", "by-dispatched")
    # Last, so that no end of another one ends these too.
    for number, stage in enumerate(STAGES):
        lease = steps.working(f"by-{stage}", owner=f"worker:{9 - number}")
        for earlier in STAGES[:number]:
            steps.make_stage(lease, earlier)
        entry = steps.begin(lease, stage)
        job = steps.save_intent(lease, entry, f"token of by-{stage}")
        if number:
            steps.settle(lease, entry, job, JobStatus.SUBMITTED, external_id=f"x{9 - number}")
    steps.sql("UPDATE requests SET unique_key = task_id WHERE status <> 'canceled'")


def _made_thrice(steps: Steps) -> None:
    """Have another request of many transitions and attempts, with stages made again and not yet approved."""
    steps.completed("by-redone")
    for generation in (1, 2):
        steps.redo("by-redone", generation=generation)
        lease = steps.take("by-redone", owner="worker:6")
        for stage in STAGES:
            entry = steps.begin(lease, stage)
            token = f"token of by-redone {stage} {entry.generation}"
            steps.settle(lease, entry, steps.save_intent(lease, entry, token), JobStatus.SUCCEEDED)
            steps.complete(lease, entry)


def _rows_but_of(steps: Steps, task_id: str) -> dict[str, list[tuple[object, ...]]]:
    """Return every table's rows but those of the request."""
    with steps.db.reading() as tx:
        found = tx.execute(select(requests.c.id).where(requests.c.task_id == task_id)).scalar()
        rows = {}
        for table in metadata.sorted_tables:
            query = select(table).order_by(*table.primary_key.columns)
            if table is requests:
                query = query.where(table.c.task_id.like("by-%"))
            elif "request_id" in table.c:
                query = query.where(table.c.request_id.is_distinct_from(found))
            rows[table.name] = [tuple(row) for row in tx.execute(query)]
    return rows


def _rows_of(steps: Steps, task_id: str) -> dict[str, list[dict[str, object]]]:
    """Return the request's row and every other table's rows of it."""
    with steps.db.reading() as tx:
        key = tx.execute(select(requests.c.id).where(requests.c.task_id == task_id)).scalar()
        return {
            table.name: [
                dict(row)
                for row in tx.execute(
                    select(table)
                    .where((table.c.id if table is requests else table.c.request_id) == key)
                    .order_by(*table.primary_key.columns)
                ).mappings()
            ]
            for table in metadata.sorted_tables
            if table is requests or "request_id" in table.c
        }


def _without_chance(rows: dict[str, list[dict[str, object]]]) -> dict[str, list[dict[str, object]]]:
    """Return the rows without what is another number or another moment each time."""
    return {
        table: [
            {
                name: isinstance(value, datetime) or value
                for name, value in row.items()
                if name not in ("id", "request_id")
            }
            for row in its
        ]
        for table, its in rows.items()
    }


Rows = dict[str, list[dict[str, object]]]
Edge = tuple[str, str, str]


@dataclass
class Apart:
    """What each legal transition leaves of its request alone and beside others, and what of those it changes."""

    alone: dict[Edge, Rows] = field(default_factory=dict)
    beside: dict[Edge, Rows] = field(default_factory=dict)
    changed: dict[Edge, dict[str, list[tuple[object, ...]]]] = field(default_factory=dict)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def apart(request, new_ledger_file, tmp_path_factory):
    """Walk every edge in an empty ledger, and beside other requests, which are made once."""
    if request.param == "postgres":
        db = request.getfixturevalue("shared_ledger")
    else:
        file = shutil.copy(new_ledger_file, tmp_path_factory.mktemp("apart"))
        db = Database(f"sqlite:///{file}")
    steps, found = Steps(db), Apart()
    for edge, walk in WALKS.items():
        steps.empty()
        walk(steps)
        found.alone[edge] = _without_chance(_rows_of(steps, "r"))
    crowd: dict[str, list[tuple[object, ...]]] = {}
    for edge, walk in WALKS.items():
        if not crowd or _rows_but_of(steps, "r") != crowd:
            steps.empty()
            _bystanders(steps)
            crowd = _rows_but_of(steps, "r")
        walk(steps)
        found.beside[edge] = _without_chance(_rows_of(steps, "r"))
        after = _rows_but_of(steps, "r")
        found.changed[edge] = {
            name: [row for row in rows if row not in after[name]] for name, rows in crowd.items()
        }
        steps.forget("r")
    yield found
    if request.param == "sqlite":
        db.close()


@pytest.mark.parametrize("edge", WALKS, ids=lambda edge: ":".join(edge))
def test_every_legal_transition_changes_rows_of_its_request_alone(apart, edge):
    assert {name: rows for name, rows in apart.changed[edge].items() if rows} == {}


@pytest.mark.parametrize("edge", WALKS, ids=lambda edge: ":".join(edge))
def test_every_legal_transition_is_the_same_beside_other_requests(apart, edge):
    assert apart.beside[edge] == apart.alone[edge]


@dataclass
class SettledSteps(Steps):
    """Steps of a request that has done something before: it is kept in `settled` as it was then."""

    settled: dict[str, list[dict[str, object]]] = field(default_factory=dict)

    def make_bought(self, lease: Lease, stages: Sequence[str]) -> None:
        """Make each stage by a submission, with a file."""
        for stage in stages:
            entry = super().begin(lease, stage)
            job = self.save_intent(lease, entry, f"token of {lease.task_id} {stage}")
            self.settle(lease, entry, job, JobStatus.SUCCEEDED)
            file = StoredArtifact(f"{stage}-before.mp4", "0" * 64, 1, "video/mp4", f"r/{stage}")
            self.complete(lease, entry, files=[file])

    def keep_settled(self, task_id: str) -> None:
        """Keep what no later transition may change."""
        rows = _rows_of(self, task_id)
        rows["stages"] = [row for row in rows["stages"] if row["completed_at"]]
        rows["attempts"] = [row for row in rows["attempts"] if row["ended_at"]]
        kept = ("stages", "attempts", "provider_jobs", "artifacts", "events")
        self.settled = {table: rows[table] for table in kept}

    def lost_of_settled(self) -> dict[str, list[dict[str, object]]]:
        """Return what was settled and is not as it was any more."""
        now = _rows_of(self, "r")
        lost = {
            table: [row for row in rows if row not in now[table]]
            for table, rows in self.settled.items()
        }
        return {table: rows for table, rows in lost.items() if rows}


class LateSteps(SettledSteps):
    """Steps of a request that has its lyric and song, each with a submission, and begins its video."""

    def working(self, task_id: str = "r", owner: str = "worker:1") -> Lease:
        lease = super().working(task_id, owner)
        if not self.stages(task_id):
            self.make_bought(lease, STAGES[:-1])
            self.keep_settled(task_id)
        return lease

    def begin(self, lease: Lease, stage: str = "video", slots: int | None = None) -> StageEntry:
        return super().begin(lease, "video", slots)

    def make_all(self, lease: Lease) -> None:
        self.make_stage(lease, "video")

    def fail_as(
        self, lease: Lease, failure: Failure, stage: str = "video", delays: RetryDelays = AT_ONCE
    ) -> tuple[Request, Outcome]:
        return super().fail_as(lease, failure, "video", delays)


class RedoneSteps(SettledSteps):
    """Steps of a request that was completed once, and whose stages are made again: the later, the more often."""

    def working(self, task_id: str = "r", owner: str = "worker:1") -> Lease:
        is_first = task_id not in self.task_ids()
        lease = super().working(task_id, owner)
        if not is_first:
            return lease
        self.make_bought(lease, STAGES)
        for stage in ("video", "song"):
            self.redo(task_id, stage)
            again = self.take(task_id)
            for each in STAGES[STAGES.index(stage) :]:
                self.make_stage(again, each)
        self.redo(task_id)
        self.keep_settled(task_id)
        return self.take(task_id, owner=owner)


_OF_AN_EARLIER_STAGE = (
    "cover_chosen",
    "stage_completed",
    "redone",
    "approved",
    "revised",
    "chosen",
    "rejected",
)


@pytest.mark.parametrize(
    "edge",
    [edge for edge in WALKS if edge[0] not in _OF_AN_EARLIER_STAGE],
    ids=lambda edge: ":".join(edge),
)
def test_every_transition_of_a_stage_changes_nothing_of_the_stages_before(steps, edge):
    late = LateSteps(steps.db)
    WALKS[edge](late)
    assert late.lost_of_settled() == {}


@pytest.mark.parametrize("edge", WALKS, ids=lambda edge: ":".join(edge))
def test_every_transition_changes_nothing_of_what_was_made_before_a_redo(steps, edge):
    again = RedoneSteps(steps.db)
    WALKS[edge](again)
    assert again.lost_of_settled() == {}
    assert edge in edges(again.events())
