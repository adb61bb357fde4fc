"""An ended order is deleted: its rows, its files and pictures, its runs and events in Dagster's storage."""

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pipeline_defs.catalog import get_catalog
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import (
    list_files_in,
    list_picture_references,
    remove_fetched_picture,
    remove_stored_file,
)
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.retention import find_owner_of_deleted, is_mentioned
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request
from resources.ledger.transitions.housekeeping import delete_request

if TYPE_CHECKING:
    from dagster import DagsterInstance


def delete_order(
    db: Database, store: ArtifactStore, instance: "DagsterInstance", task_id: str, deleted_by: str
) -> None:
    """Nothing of the ended order is left but its costs and the note that it was deleted.

    One that was cut off is finished by another. Raises UnknownRequestError and IllegalTransitionError.
    """
    from sensors.event_mirror import mirror_events
    from sensors.retention_job import delete_log

    began = time.time()
    try:
        get_request(db, task_id)
    except UnknownRequestError:
        if find_owner_of_deleted(db, task_id) is None:
            raise
    else:
        # What is mirrored after the deletion would stay.
        while mirror_events(instance):
            pass
        deleted = delete_request(db, task_id, deleted_by)
        for file in deleted.files:
            remove_stored_file(store, file.where, older_than=began)
        _remove_pictures(db, store, deleted.request, began)
    for where, _, _ in list_files_in(store, task_id):
        remove_stored_file(store, where, older_than=began)
    delete_log(instance, task_id)


def _remove_pictures(db: Database, store: ArtifactStore, request: Request, began: float) -> None:
    """The pictures that were uploaded or fetched for this order are gone, unless another order has them."""
    for reference in _pictures_of(request):
        if "url" in reference:
            remove_fetched_picture(store, reference)
        elif not is_mentioned(db, reference["where"].rpartition("/")[2]):
            remove_stored_file(store, reference["where"], older_than=began)


def _pictures_of(request: Request) -> Iterator[Mapping[str, Any]]:
    pipeline, order = get_catalog().find_pipeline(request.pipeline), request.order()
    if pipeline is not None and order is not None:
        fields = [name for name in pipeline.uploads if _is_texts(order.get(name))]
        yield from list_picture_references(order, fields, request.task_id)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
