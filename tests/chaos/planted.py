"""Bugs that castad does not have, planted from outside into processes that otherwise run the real thing."""

import dataclasses
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, FromClause, exists, func, select

from resources.contract.errors import TransientError, UnknownSubmissionError
from resources.contract.protocol import BeforeSend, Receipt, StageInput, allow_send
from resources.files.artifacts import ArtifactStore, StoredArtifact
from resources.ledger import rules
from resources.ledger.db.database import Database
from resources.ledger.limits import Limits
from resources.ledger.queries import dispatch as dispatch_queries
from resources.ledger.queries import health as run_health
from resources.ledger.request import Request
from resources.ledger.schema.tables import StageStatus, Status, events, requests, stages
from resources.ledger.transitions import core, jobs, rescue
from resources.ledger.transitions import core as unusable_rows
from resources.ledger.transitions import jobs as job_ids
from resources.ledger.workers.attempt import Attempt
from resources.providers.suno.band import SunoBand

PLANTING = Path(__file__).parent / "planting"
SLOW_DISK_SECONDS = 3.0
_PACKAGES = ("castad", "pipeline_defs", "resources", "sensors")
T = TypeVar("T")


def no_fence() -> None:
    """Whoever once held the lease goes on as if it still did."""

    def held(status: Status, attempt: int, fence: int, lease: core.Lease) -> None:
        return

    _replace(core.ensure_lease_holds, held)
    _replace_method(Attempt, "ensure_may_continue", lambda attempt: None)
    _replace_method(Attempt, "is_still_held", lambda attempt: True)
    # A transition is checked against the table too, and would be refused there.
    core.TRANSITIONS = dict.fromkeys(core.TRANSITIONS, frozenset(product(Status, Status)))


def resubmit_on_timeout() -> None:
    """No answer is taken for a refusal, so the job is sent again."""
    submit = SunoBand.submit

    def sent_again(
        band: SunoBand, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        try:
            return submit(band, job_input, token, before_send)
        except UnknownSubmissionError as error:
            raise TransientError(error.message) from None

    _replace_method(SunoBand, "submit", sent_again)


def unknown_is_dead() -> None:
    """A run whose health nobody can tell counts as dead, and its request is begun again while it works."""

    def dead(sign: object, *, age: float, grace: float) -> run_health.RunHealth:
        return run_health.RunHealth.LOST

    def nobody(db: Database) -> frozenset[str]:
        return frozenset()

    def bury_all(db: Database, poison_deaths: int) -> list[Request]:
        with db.writing() as tx:
            working: ColumnElement[bool] = requests.c.status == Status.PROCESSING

            def bury(request: Request) -> Request:
                return rescue.end_lost_attempt(tx, request, poison_deaths)

            return rescue._transition_oldest_requests(tx, working, bury)

    _replace(run_health.assess_run_health, dead)
    _replace(run_health.read_open_run_ids, nobody)
    _replace(rescue.rescue_expired_leases, bury_all)


def no_atomic_rename() -> None:
    """A file is written where it is looked for, piece by piece."""
    move = ArtifactStore.move_into_store

    def in_place(store: ArtifactStore, file: Path, artifact: StoredArtifact) -> None:
        content = file.read_bytes()
        target = store.root / artifact.where
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as stream:
            stream.write(content[: len(content) // 2])
            stream.flush()
            os.fsync(stream.fileno())
            time.sleep(SLOW_DISK_SECONDS)
            stream.write(content[len(content) // 2 :])
        move(store, file, artifact)

    _replace_method(ArtifactStore, "move_into_store", in_place)


def any_id_is_believed() -> None:
    """A vendor may call two jobs by one id."""

    def nobodys(tx: Connection, job: Any, external_id: str) -> None:
        return

    _leave_out(
        f"INDEX IF EXISTS provider_jobs_one_per_{name}" for name in ("external_id", "heard_id")
    )
    _replace(job_ids.find_id_owner, nobodys)


def seq_from_a_global_id() -> None:
    """Events are numbered over all requests together."""
    tell = core._write_event

    def numbered(tx: Connection, before: Status, updated: Request, *known: Any) -> None:
        newest = tx.execute(select(func.max(events.c.id))).scalar() or 0
        tell(tx, before, dataclasses.replace(updated, seq=newest + 1), *known)

    _replace(tell, numbered)


def retries_of_the_order() -> None:
    """What failed in one stage counts in the next."""
    transition_leased = core.transition_leased_request

    def counting_on(
        tx: Connection,
        lease: core.Lease,
        event_type: str,
        changes: Mapping[str, Any] | None = None,
        **detail: Any,
    ) -> Request:
        kept = {name: value for name, value in (changes or {}).items() if name != "retry_count"}
        return transition_leased(tx, lease, event_type, kept, **detail)

    _replace(transition_leased, counting_on)


def slots_leak() -> None:
    """Who fails in a stage keeps its slot."""

    holds = dispatch_queries._build_holds_condition

    def kept(of: FromClause, limit: str) -> ColumnElement[bool]:
        kind, _, name = limit.partition(":")
        if kind != "stage":
            return holds(of, limit)
        held = stages.c.status.in_((StageStatus.PROCESSING, StageStatus.FAILED))
        at_stage = stages.c.stage == name.partition(".")[2]
        return exists().where(stages.c.request_id == of.c.id, at_stage, held)

    read_ledger = dispatch_queries._read_ledger
    failed = select(requests.c.pipeline, requests.c.stage).where(requests.c.status == Status.FAILED)

    def leaked(tx: Connection, limits: Limits) -> Any:
        ledger = read_ledger(tx, limits)
        free = Counter(dict(ledger.room.free))
        free.subtract(f"stage:{pipeline}.{stage}" for pipeline, stage in tx.execute(failed))
        return dataclasses.replace(ledger, room=dataclasses.replace(ledger.room, free=free))

    _replace(holds, kept)
    _replace(read_ledger, leaked)


def waits_are_retries() -> None:
    """Whoever waits for a slot or a permit has used up a retry."""
    decide_failure = rules.decide_failure

    def counted(
        request: Request, failure: rules.Failure, *known: Any, **more: Any
    ) -> rules.Outcome:
        outcome = decide_failure(request, failure, *known, **more)
        waits = failure.action is rules.FailureAction.WAIT
        return dataclasses.replace(outcome, retry_count=outcome.retry_count + waits)

    _replace(decide_failure, counted)


def one_row_fails_all() -> None:
    """A row that cannot be changed fails the transaction in which it is changed with others."""

    def all_or_none(tx: Connection, keys: Sequence[int], work: Callable[[Request], T]) -> list[T]:
        return unusable_rows._transition_requests(tx, keys, work)

    _replace(unusable_rows.transition_each_request, all_or_none)


def late_answers_are_dropped() -> None:
    """What a deleted order has bought is deleted with it, and what the vendor answers later is not kept."""
    guarded = ("requests", "provider_jobs")
    _leave_out(f"TRIGGER IF EXISTS {table}_money_kept ON {table}" for table in guarded)
    _replace(jobs._save_deleted_submission, lambda *known: None)


PLANTS: Mapping[str, Callable[[], None]] = {
    plant.__name__: plant
    for plant in (
        no_fence,
        resubmit_on_timeout,
        unknown_is_dead,
        no_atomic_rename,
        any_id_is_believed,
        one_row_fails_all,
        slots_leak,
        waits_are_retries,
        late_answers_are_dropped,
        seq_from_a_global_id,
        retries_of_the_order,
    )
}


def planted_with(bug: str | None, path: str) -> dict[str, str]:
    """What a process' environment has to hold, so that it and its children have the bug; None: none."""
    if bug is None:
        return {}
    return {"CHAOS_BUG": bug, "PYTHONPATH": os.pathsep.join((str(PLANTING), path))}


def _leave_out(parts: Iterable[str]) -> None:
    """The schema has these parts no more, once it is up to date."""
    migrate, statements = Database._migrate, [f"DROP {part}" for part in parts]

    def without(db: Database) -> None:
        migrate(db)
        with db.writing() as tx:
            for statement in statements:
                tx.exec_driver_sql(statement)

    _replace_method(Database, "_migrate", without)


def _replace(original: Callable[..., Any], planted: Callable[..., Any]) -> None:
    """Every module that knows the function by its name knows the other one instead."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _PACKAGES:
            for attribute, value in list(vars(module).items()):
                if value is original:
                    setattr(module, attribute, planted)


def _replace_method(owner: type, name: str, planted: Callable[..., Any]) -> None:
    assert callable(getattr(owner, name)), "a planted bug replaces a method that is there"
    setattr(owner, name, planted)
