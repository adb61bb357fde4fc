"""The record of an order that has none of its own: it has not begun, or another order has made the same."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pipeline_defs.pipeline import Pipeline, Records
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.queries.reads import stage_result
from resources.ledger.queries.records import (
    RecordFilter,
    RecordView,
    find_record,
    key_holder_of,
    orders_about,
)
from resources.ledger.request import order_in
from resources.ledger.schema.tables import Status


def record_of_order(
    db: Database, pipeline: Pipeline, records: Records, wanted: RecordFilter, task_id: str
) -> RecordView | None:
    """Return the record of this order; None where the key may not read it."""
    found = find_record(db, wanted, task_id)
    return None if found is None else _completed(db, pipeline, records, wanted, found)


def record_by_order(
    db: Database,
    pipeline: Pipeline,
    records: Records,
    wanted: RecordFilter,
    name_key: str,
    version: tuple[str, str] | None,
) -> RecordView | None:
    """Return the record of the newest order that names this; of `version` (a column and its value) if given."""
    for order in orders_about(db, wanted, name_key):
        asked = _asked(pipeline, records, order) or {}
        if asked.get("name_key") != name_key:
            continue
        record = _completed(db, pipeline, records, wanted, order)
        if version is None or record.columns[version[0]] == version[1]:
            return record
    return None


def _completed(
    db: Database, pipeline: Pipeline, records: Records, wanted: RecordFilter, found: RecordView
) -> RecordView:
    """The record with what is known without a row of its own."""
    if found.is_kept:
        return found
    try:
        brief = pipeline.parse(order_in(found.payload) or {})
        stored = {each: stage_result(db, found.task_id, each) for each in pipeline.stage_names}
        results = {name: result for name, result in stored.items() if result is not None}
        same = _record_of_same(db, pipeline, wanted, brief, results)
        if same is not None and found.status is Status.COMPLETED:
            return same
        is_begun = all(each in results for each in _before(pipeline, records))
        known = (
            records.values(brief, pipeline.products(results)) if is_begun else records.asked(brief)
        )
    except (InvalidInputError, ValueError):
        return found
    ended = {"finished_at": found.completed_at} if found.status is Status.COMPLETED else {}
    return replace(found, columns={**found.columns, **ended, **(known or {})})


def _record_of_same(
    db: Database,
    pipeline: Pipeline,
    wanted: RecordFilter,
    brief: Any,
    results: Mapping[str, Mapping[str, Any]],
) -> RecordView | None:
    """The record of the request that holds the order's key, where the reader may read it."""
    keys = (
        pipeline.settle_key(stage, brief, results[stage.name])
        for stage in pipeline.stages
        if stage.name in results
    )
    settled = next((key for key in keys if key is not None), None)
    holder = None if settled is None else key_holder_of(db, pipeline.name, settled.key)
    same = None if holder is None else find_record(db, wanted, holder)
    return same if same is not None and same.is_kept else None


def _before(pipeline: Pipeline, records: Records) -> tuple[str, ...]:
    return pipeline.stage_names[: pipeline.stage_names.index(records.since)]


def _asked(pipeline: Pipeline, records: Records, order: RecordView) -> Mapping[str, Any] | None:
    try:
        return records.asked(pipeline.parse(order_in(order.payload) or {}))
    except InvalidInputError:
        return None
