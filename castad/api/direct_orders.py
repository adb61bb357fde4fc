"""Orders that the API answers itself: read from a call, checked, and begun."""

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from castad.api.forms import BODY, is_form, read_body, read_form
from castad.api.problems import ApiError
from castad.api.state import Api
from castad.direct.ledger_import import DirectJob, ensure_task_id_available
from castad.direct.pool import BusyError, StoppingError
from castad.orders.order_fields import parse_json, require_object
from castad.orders.submit import LARGEST_ORDER, check_uploads
from pipeline_defs.capabilities import check_remote
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.contract.studio_errors import translate_studio_errors
from resources.files.pictures import UPLOADS, get_picture_source
from resources.ledger.queries.access import ApiKey
from resources.ledger.request import check_task_id, make_task_id
from studio.images import check_header

RETRY_AFTER = {"Retry-After": "2"}


async def begin_job(
    request: Request, api: Api, key: ApiKey, pipeline: Pipeline, named: str | None
) -> tuple[DirectJob, bool]:
    """Find the order's job, or begin it if it is new. Raises InvalidInputError, ConflictError, ApiError `busy`."""
    fields, pictures = await _receive(request, pipeline)
    if fields.pop("pipeline", pipeline.name) != pipeline.name:
        raise InvalidInputError("pipeline", f"expected {pipeline.name}, or none")
    given = fields.pop("task_id", None)
    task_id = _choose_task_id(given, named)
    asked = partial(DirectJob, task_id, key.owner) if given or named else None
    payload = await run_in_threadpool(_check_order, api, pipeline, fields, pictures, asked)
    pool = api.direct.pools[pipeline.name]
    try:
        job, is_new = pool.job(task_id, key.owner, payload, pictures)
    except BusyError as error:
        raise ApiError(
            HTTPStatus.TOO_MANY_REQUESTS, error.code, error.message, headers=RETRY_AFTER
        ) from None
    except StoppingError as error:
        headers = {**RETRY_AFTER, "Connection": "close"}
        raise ApiError(
            HTTPStatus.SERVICE_UNAVAILABLE, error.code, error.message, headers=headers
        ) from None
    if is_new:
        pool.begin(job)
    return job, is_new


def _choose_task_id(in_body: Any, in_header: str | None) -> str:
    given = in_header if in_body is None else in_body
    if given is None:
        return make_task_id()
    if not isinstance(given, str):
        raise InvalidInputError("task_id", "expected text")
    return check_task_id(given)


def _check_order(
    api: Api,
    pipeline: Pipeline,
    fields: Mapping[str, Any],
    pictures: Mapping[str, bytes],
    asked: Callable[[Mapping[str, Any]], DirectJob] | None,
) -> dict[str, Any]:
    """Validate the order and return its payload.

    `asked` makes its job if the client has named it, since another order may have the name.
    """
    for name in pipeline.uploads:
        for index, content in enumerate(pictures.values()):
            with translate_studio_errors():
                check_header(content, f"{name}[{index}]")
    payload = get_catalog().accept_order(pipeline, fields, api.settings)
    check_remote(pipeline, payload)
    if not pictures:
        check_uploads(pipeline, payload, get_picture_source(api.settings))
    if asked is not None:
        job = asked(payload)
        known = api.direct.pools[pipeline.name].find(job.task_id)
        # The same order again is answered from memory.
        if known is None or known.has_failed:
            ensure_task_id_available(api.direct.spool, pipeline, job)
    return payload


async def _receive(
    request: Request, pipeline: Pipeline
) -> tuple[dict[str, Any], Mapping[str, bytes]]:
    """Read the order's fields; a form's picture is named by its content and stays in memory."""
    if not is_form(request):
        content = parse_json(await read_body(request, LARGEST_ORDER), BODY)
        return dict(require_object(content, BODY)), {}
    form = await read_form(request, pipeline)
    fields = dict(form.fields)
    pictures: dict[str, bytes] = {}
    for name, files in form.files.items():
        digests = [hashlib.sha256(file.content).hexdigest() for file in files]
        fields[name] = form.merge_pictures(name, [f"upload:{digest}" for digest in digests])
        given = zip(digests, files, strict=True)
        pictures |= {f"{UPLOADS}/{digest}": file.content for digest, file in given}
    return fields, pictures
