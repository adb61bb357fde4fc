"""One request with its stages, attempts and artifacts, read by one statement."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, Table, bindparam, case, func, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import Text, TypeDecorator

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.reads import columns_of
from resources.ledger.queries.waiters import count_ahead, is_waiting_in_order
from resources.ledger.queries.webhook_list import DeliveryView
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import moment_of, now
from resources.ledger.schema.tables import (
    StageStatus,
    artifacts,
    attempts,
    provider_jobs,
    requests,
    stages,
    webhook_deliveries,
)


@dataclass(frozen=True)
class StageView:
    """One stage. `cost` in micro-dollars, `progress` in [0, 1].

    `attempts` counts how often the stage was begun, `retry_count` its failures that were followed by a retry.
    """

    stage: str
    generation: int = 1
    status: str = "pending"
    attempts: int = 0
    retry_count: int = 0
    result: Mapping[str, Any] | None = None
    cost: int = 0
    error_code: str | None = None
    error_message: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    progress: float | None = None
    progress_note: str = ""
    approved_at: datetime | None = None
    approved_by: str | None = None


@dataclass(frozen=True)
class AttemptView:
    """One attempt of a request."""

    number: int
    run_id: str | None
    worker: str
    started_at: datetime
    ended_at: datetime | None
    error_code: str | None
    error_message: str | None


@dataclass(frozen=True)
class ArtifactView:
    """An artifact; `where` is relative to the artifact folder."""

    name: str
    stage: str
    generation: int
    media_type: str
    bytes: int
    sha256: str
    where: str


@dataclass(frozen=True)
class Overview:
    """A request and what belongs to it at one moment; `spent` in micro-dollars by stage.

    `stages` has the newest generation of each begun stage, in the order of their begin; `before` is the number of
    requests ahead, where the request waits in the order of asking.
    """

    request: Request
    at: datetime
    stages: list[StageView]
    spent: dict[str, int]
    attempts: list[AttemptView]
    artifacts: list[ArtifactView]
    before: int | None = None
    webhooks: list[DeliveryView] = field(default_factory=list)


@retry_transient
def overview_of(db: Database, task_id: str) -> Overview:
    """The overview of the request with this task_id; raises UnknownRequestError."""
    with db.reading() as tx:
        row = tx.execute(_OVERVIEW, {"task_id": task_id}).one_or_none()
    if row is None:
        raise UnknownRequestError(task_id)
    return Overview(
        request=Request.of(row),
        at=row.at,
        stages=_stages(row),
        spent={stage: int(cost) for stage, cost in row.spent},
        attempts=[_attempt(entry) for entry in sorted(entry[1:] for entry in row.tries)],
        artifacts=[ArtifactView(*entry[1:]) for entry in sorted(row.files)],
        webhooks=[_webhook(entry) for entry in sorted(entry[1:] for entry in row.webhooks)],
        before=row.before,
    )


def _stages(row: Row[Any]) -> list[StageView]:
    newest = {entry[1]: entry for entry in sorted(row.made)}
    return [_as_limited(_stage(entry), row) for entry in sorted(newest.values())]


def _as_limited(view: StageView, row: Row[Any]) -> StageView:
    """The current stage has the request's own retry_count, which a retry or an edit may have changed."""
    if view.stage != row.stage or view.status == StageStatus.COMPLETED:
        return view
    return replace(view, retry_count=row.retry_count)


def _stage(entry: list[Any]) -> StageView:
    stored = dict(zip(StageView.__dataclass_fields__, entry[1:], strict=True))
    stored["result"] = None if stored["result"] is None else json.loads(stored["result"])
    stored["progress_note"] = stored["progress_note"] or ""
    for name in ("started_at", "completed_at", "approved_at"):
        stored[name] = moment_of(stored[name])
    return StageView(**stored)


def _attempt(entry: list[Any]) -> AttemptView:
    number, run_id, worker, started, ended, code, message = entry
    began = moment_of(started)
    if began is None:
        raise ValueError(f"attempt {number} has no beginning")
    return AttemptView(number, run_id, worker, began, moment_of(ended), code, message)


def _webhook(entry: list[Any]) -> DeliveryView:
    stored = dict(zip(DeliveryView.__dataclass_fields__, entry, strict=True))
    for name in ("due_at", "created_at", "updated_at"):
        stored[name] = moment_of(stored[name])
    return DeliveryView(**stored)


class _Parsed(TypeDecorator[Any]):
    """JSON: text on SQLite, already parsed by psycopg2 on Postgres."""

    impl = Text
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value


class _listed(FunctionElement[Any]):
    """All rows as a JSON list of lists, in any order; empty where there are none."""

    type = _Parsed()
    inherit_cache = True


@compiles(_listed, "sqlite")
def _listed_sqlite(element: _listed, compiler: SQLCompiler, **kw: Any) -> str:
    return f"json_group_array(json_array({compiler.process(element.clauses, **kw)}))"


@compiles(_listed)
def _listed_postgres(element: _listed, compiler: SQLCompiler, **kw: Any) -> str:
    columns = compiler.process(element.clauses, **kw)
    return f"coalesce(json_agg(json_build_array({columns})), '[]'::json)"


def _rows_of(table: Table, view: type, name: str) -> Any:
    """The request's rows in the table, each a list of its id and the view's fields."""
    rows = select(_listed(table.c.id, *columns_of(table, view)))
    return rows.where(table.c.request_id == requests.c.id).scalar_subquery().label(name)


_SPENT = (
    select(provider_jobs.c.stage, func.sum(provider_jobs.c.cost).label("cost"))
    .where(provider_jobs.c.request_id == requests.c.id)
    .group_by(provider_jobs.c.stage)
    .correlate(requests)
    .subquery()
)
_OVERVIEW: Select[Any] = select(
    requests,
    now().label("at"),
    case((is_waiting_in_order(), count_ahead())).label("before"),
    _rows_of(stages, StageView, "made"),
    select(_listed(_SPENT.c.stage, _SPENT.c.cost)).scalar_subquery().label("spent"),
    _rows_of(attempts, AttemptView, "tries"),
    _rows_of(artifacts, ArtifactView, "files"),
    _rows_of(webhook_deliveries, DeliveryView, "webhooks"),
).where(requests.c.task_id == bindparam("task_id"))
