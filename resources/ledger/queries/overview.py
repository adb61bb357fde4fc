"""Read a request with all that belongs to it, in one query."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    Row,
    ScalarSelect,
    Select,
    Table,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import Text, TypeDecorator

from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.limits import FINAL_STATUS_PREFIX, SLOT_PREFIX
from resources.ledger.queries.status import list_columns
from resources.ledger.queries.webhooks import DeliveryView
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import moment_of, now
from resources.ledger.schema.tables import (
    IS_WAITING_FOR_LIMIT,
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
    """The newest generation of one stage; `cost` in micro-dollars, `progress` in [0, 1].

    `attempts` is how often the stage was begun, `retry_count` the number of its failures that a retry
    followed.
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
    """One attempt of a request; `ended_at` is None while it is open."""

    number: int
    run_id: str | None
    worker: str
    started_at: datetime
    ended_at: datetime | None
    error_code: str | None
    error_message: str | None


@dataclass(frozen=True)
class ArtifactView:
    """An artifact of a request; `where` is its path relative to the artifact folder."""

    name: str
    stage: str
    generation: int
    media_type: str
    bytes: int
    sha256: str
    where: str


@dataclass(frozen=True)
class Overview:
    """A request with its stages, attempts, artifacts and webhooks, read at one moment.

    `stages` has the newest generation of each begun stage, in the order in which they began. `spent` is in
    micro-dollars by stage. `before` is the number of requests ahead, None if the request does not wait in a
    line.
    """

    request: Request
    at: datetime
    stages: list[StageView]
    spent: dict[str, int]
    attempts: list[AttemptView]
    artifacts: list[ArtifactView]
    before: int | None = None
    webhooks: list[DeliveryView] = field(default_factory=list)

    @property
    def cost(self) -> int:
        """All that was or may have been charged so far, in micro-dollars."""
        return sum(self.spent.values())


def build_overview(db: Database, task_id: str) -> Overview:
    """Read the overview of the request with this task_id; raise UnknownRequestError if there is none."""
    row = db.fetch_one(_OVERVIEW, task_id=task_id)
    if row is None:
        raise UnknownRequestError(task_id)
    return Overview(
        request=Request.of(row),
        at=row.at,
        stages=_make_stages(row),
        spent={stage: int(cost) for stage, cost in row.spent},
        attempts=_make_views(AttemptView, row.tries),
        artifacts=_make_views(ArtifactView, row.files),
        webhooks=_make_views(DeliveryView, row.webhooks),
        before=row.before,
    )


def _make_stages(row: Row[Any]) -> list[StageView]:
    """Build the views of the newest generation of each stage, in the order in which they began."""
    newest = {entry[1]: entry for entry in sorted(row.made)}
    return [_make_stage(entry, row) for entry in sorted(newest.values())]


def _make_stage(entry: list[Any], row: Row[Any]) -> StageView:
    """Build a stage's view from its entry in the list `made` of the overview's row."""
    stored = dict(zip(StageView.__dataclass_fields__, entry[1:], strict=True))
    stored["result"] = None if stored["result"] is None else json.loads(stored["result"])
    stored["progress_note"] = stored["progress_note"] or ""
    for name in ("started_at", "completed_at", "approved_at"):
        stored[name] = moment_of(stored[name])
    if stored["stage"] == row.stage and stored["status"] != StageStatus.COMPLETED:
        # A retry or an edit may have changed the current stage's count in the request alone.
        stored["retry_count"] = row.retry_count
    return StageView(**stored)


def _make_views(view: Any, entries: Iterable[list[Any]]) -> list[Any]:
    """Build a view of the dataclass `view` from each entry of `_select_rows`, in the order of the rows' ids."""
    moments, made = _list_moment_positions(view), []
    for _, *values in sorted(entries):
        for place in moments:
            values[place] = moment_of(values[place])
        made.append(view(*values))
    return made


@cache
def _list_moment_positions(view: type) -> list[int]:
    """List the positions of the dataclass's fields that hold a time."""
    moments = (datetime, datetime | None)
    return [place for place, each in enumerate(fields(view)) if each.type in moments]


class _Parsed(TypeDecorator[Any]):
    """A JSON value: SQLite returns it as text, psycopg2 already parsed."""

    impl = Text
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value


class _json_rows(FunctionElement[Any]):
    """The SQL function that returns all rows as a JSON list of lists, in any order; empty if there are none."""

    type = _Parsed()
    inherit_cache = True


@compiles(_json_rows, "sqlite")
def _compile_json_rows_for_sqlite(element: _json_rows, compiler: SQLCompiler, **kw: Any) -> str:
    return f"json_group_array(json_array({compiler.process(element.clauses, **kw)}))"


@compiles(_json_rows)
def _compile_json_rows_for_postgres(element: _json_rows, compiler: SQLCompiler, **kw: Any) -> str:
    columns = compiler.process(element.clauses, **kw)
    return f"coalesce(json_agg(json_build_array({columns})), '[]'::json)"


def _select_rows(table: Table, view: type, name: str) -> Any:
    """Build the column `name` with the request's rows in the table.

    Each is a list of the row's id and the fields of the dataclass `view`.
    """
    rows = select(_json_rows(table.c.id, *list_columns(table, view)))
    return rows.where(table.c.request_id == requests.c.id).scalar_subquery().label(name)


_ahead = requests.alias("ahead")
# A vendor's final status comes when it comes, in no order.
_IS_WAITING_IN_ORDER = and_(
    IS_WAITING_FOR_LIMIT, requests.c.waits_for.not_like(f"{FINAL_STATUS_PREFIX}%")
)


def _count_ahead() -> ScalarSelect[int]:
    """Build the column with the number of requests that are served before one that waits in the same line."""
    asked_before = or_(
        _ahead.c.asked_at < requests.c.asked_at,
        and_(_ahead.c.asked_at == requests.c.asked_at, _ahead.c.id < requests.c.id),
    )
    goes_first = or_(
        _ahead.c.priority > requests.c.priority,
        and_(_ahead.c.priority == requests.c.priority, asked_before),
    )
    of_all_pipelines = _ahead.c.waits_for.not_like(f"{SLOT_PREFIX}%")
    return (
        select(func.count(_ahead.c.id))
        .where(
            IS_WAITING_FOR_LIMIT,
            _ahead.c.waits_for == requests.c.waits_for,
            or_(of_all_pipelines, _ahead.c.pipeline == requests.c.pipeline),
            goes_first,
        )
        .correlate(requests)
        .scalar_subquery()
    )


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
    case((_IS_WAITING_IN_ORDER, _count_ahead())).label("before"),
    _select_rows(stages, StageView, "made"),
    select(_json_rows(_SPENT.c.stage, _SPENT.c.cost)).scalar_subquery().label("spent"),
    _select_rows(attempts, AttemptView, "tries"),
    _select_rows(artifacts, ArtifactView, "files"),
    _select_rows(webhook_deliveries, DeliveryView, "webhooks"),
).where(requests.c.task_id == bindparam("task_id"))
