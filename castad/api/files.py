"""Finished files: for who may read the order, and by signed links for vendors."""

from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response
from starlette.types import Message, Receive, Scope, Send

from castad.api.auth import BearerToken, require_scope, require_task_id
from castad.api.problems import ApiError, describe_problems, reply_problem
from castad.api.state import Api, ApiDep
from resources.files.artifacts import is_intact
from resources.files.pictures import FETCHED, UPLOADS, get_picture_type
from resources.ledger.queries.access import ApiKey
from resources.ledger.queries.access import Scope as KeyScope
from resources.ledger.queries.listing import find_artifact
from resources.ledger.queries.overview import ArtifactView

_LONGEST_NAME = 200
_FILE = {"schema": {"type": "string", "format": "binary"}}
# Any type; a generated client knows only a named one.
_ANY_FILE = {"application/octet-stream": _FILE, "*/*": _FILE}
FILE_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file", "content": _ANY_FILE},
    206: {"description": "The part that `Range` asked for", "content": _ANY_FILE},
}
_HEADERS = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox"}

router = APIRouter(tags=["look"])
_require_read_scope = require_scope(KeyScope.READ)


@router.head("/artifacts/{task_id}/{name}", include_in_schema=False)
@router.get(
    "/artifacts/{task_id}/{name}",
    response_class=FileResponse,
    responses={
        **FILE_RESPONSES,
        **describe_problems(400, 401, 403, 404, 410, 416, 422, 429, 502, 503),
    },
    summary="Fetch a file",
)
async def fetch_file(
    request: Request,
    task_id: str,
    name: str,
    api: ApiDep,
    given: BearerToken,
    expires: Annotated[
        int | None, Query(ge=0, le=2**40, description="The expiry of a signed link, as Unix time")
    ] = None,
    signature: Annotated[
        str | None, Query(max_length=200, description="The signature of a signed link")
    ] = None,
) -> Response:
    """Fetch the whole file, or the `Range` of it. A signed link needs no key until it expires."""
    if signature is not None:
        return await run_in_threadpool(
            _serve_signed_link, api, f"{task_id}/{name}", expires, signature
        )
    key = await _require_read_scope(request, api, given)
    return await run_in_threadpool(_serve_to_reader, api, key, task_id, name)


def _serve_to_reader(api: Api, key: ApiKey, task_id: str, name: str) -> Response:
    reader = None if key.is_admin else key.owner
    found = None
    if name.isprintable() and len(name) <= _LONGEST_NAME:
        found = find_artifact(api.db, require_task_id(task_id), name, reader)
    return serve_artifact(api, found)


def serve_artifact(api: Api, found: ArtifactView | None) -> Response:
    """Build the response of the file, or of the part that was asked for; None is an unknown file.

    Raises ApiError `unknown_artifact`, `artifact_missing` or `artifact_damaged`.
    """
    if found is None:
        message = "name: expected the name of a file of this order"
        raise ApiError(HTTPStatus.NOT_FOUND, "unknown_artifact", message, field="name")
    path = api.store.root / found.where
    remedy = f"a redo from {found.stage} makes it again"
    if not path.is_file():
        raise _build_gone_error(f"name: the file {found.name!r} is gone; {remedy}", field="name")
    if not is_intact(path, found.bytes, found.sha256):
        message = f"name: the file {found.name!r} is damaged; {remedy}"
        raise ApiError(HTTPStatus.BAD_GATEWAY, "artifact_damaged", message, field="name")
    return _reply_file(path, found.name, found.media_type)


def _build_gone_error(message: str, field: str | None = None) -> ApiError:
    return ApiError(HTTPStatus.GONE, "artifact_missing", message, field=field)


def _serve_signed_link(api: Api, where: str, expires: int | None, signature: str) -> Response:
    if expires is None or not api.links.is_valid(where, expires, signature):
        message = "signature: expected a link that castad signed and that has not expired"
        raise ApiError(HTTPStatus.FORBIDDEN, "bad_link", message)
    folder, _, name = where.partition("/")
    if folder not in (UPLOADS, FETCHED):
        known = find_artifact(api.db, folder, name)
        if known is None:
            raise _build_gone_error("the file is gone")
        return serve_artifact(api, known)
    path = api.store.root / where
    if not path.is_file() or not is_intact(path, path.stat().st_size, name):
        raise _build_gone_error("the picture is gone")
    return _reply_file(path, name, get_picture_type(path))


def _reply_file(path: Path, name: str, kind: str) -> Response:
    disposition = f"inline; filename*=utf-8''{quote(name, safe='')}"
    headers = {**_HEADERS, "Content-Disposition": disposition}
    return _RangeFileResponse(path, media_type=kind, headers=headers)


class _RangeFileResponse(FileResponse):
    """A FileResponse that refuses an invalid `Range` with a Problem."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file or a Problem."""
        refused: Message | None = None

        async def capture_refusal(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start" and message["status"] >= 400:
                refused = message
            if refused is None:
                await send(message)

        await super().__call__(scope, receive, capture_refusal)
        if refused is not None:
            await _reply_range_refused(refused)(scope, receive, send)


def _reply_range_refused(refused: Message) -> Response:
    is_range = refused["status"] == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
    size = dict(refused["headers"]).get(b"content-range")
    return reply_problem(
        refused["status"],
        "range_not_satisfiable" if is_range else "invalid_input",
        "Range: expected bytes=FIRST-LAST within the file",
        field="Range",
        headers={"Content-Range": size.decode()} if size else {},
    )
