"""Errors as Problem Details, and the log of every call."""

import logging
import math
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from castad.direct.pool import StoppingError
from resources.contract.errors import (
    CastadError,
    InvalidInputError,
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    StateUnavailableError,
    TransientError,
)
from resources.files.artifacts import DamagedArtifactError, MissingArtifactError
from resources.ledger.db.retry import is_transient_db_error
from resources.ledger.db.sqlite_file import DatabaseFileError, DatabaseLockedError, FileMissingError
from resources.ledger.ledger_errors import (
    ConflictError,
    DatabaseNewerError,
    DuplicateOrderError,
    LedgerError,
    NothingToRetryError,
    UnknownCallbackError,
    UnknownDeliveryError,
    UnknownKeyError,
    UnknownLoginLinkError,
    UnknownProfileError,
    UnknownRequestError,
    UnknownShareLinkError,
)
from resources.ledger.request import is_task_id
from resources.process.configure_logging import LOG_FIELDS, log_traceback

MEDIA_TYPE = "application/problem+json"
VERSION = "/v1"
"""Begins the paths of the API."""
_RETRY_AFTER_SECONDS = 2
# The nearest class of an error counts, so that each has a status; a refusal is no bug, whatever its class.
_STATUSES: Mapping[type[CastadError], HTTPStatus] = {
    CastadError: HTTPStatus.CONFLICT,
    LedgerError: HTTPStatus.CONFLICT,
    DatabaseNewerError: HTTPStatus.SERVICE_UNAVAILABLE,
    UnknownKeyError: HTTPStatus.NOT_FOUND,
    UnknownDeliveryError: HTTPStatus.NOT_FOUND,
    UnknownLoginLinkError: HTTPStatus.NOT_FOUND,
    UnknownShareLinkError: HTTPStatus.NOT_FOUND,
    UnknownProfileError: HTTPStatus.NOT_FOUND,
    UnknownRequestError: HTTPStatus.NOT_FOUND,
    UnknownCallbackError: HTTPStatus.NOT_FOUND,
    NothingToRetryError: HTTPStatus.NOT_FOUND,
    MissingArtifactError: HTTPStatus.GONE,
    DamagedArtifactError: HTTPStatus.BAD_GATEWAY,
    InvalidInputError: HTTPStatus.UNPROCESSABLE_ENTITY,
    StateUnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
    StoppingError: HTTPStatus.SERVICE_UNAVAILABLE,
    ProviderError: HTTPStatus.BAD_GATEWAY,
    PermanentError: HTTPStatus.UNPROCESSABLE_ENTITY,
    OutOfCreditsError: HTTPStatus.SERVICE_UNAVAILABLE,
    TransientError: HTTPStatus.SERVICE_UNAVAILABLE,
}
_CODES = {404: "not_found", 405: "method_not_allowed", 416: "range_not_satisfiable"}
_NO_DATABASE = "the database does not answer; try again"
_NO_SERVICE = "a service that this call needs does not answer; try again"
# Paths and processes go to the log only: clients may be anyone.
_FILE_ERROR_DETAILS = {
    DatabaseLockedError.error_code: "the ledger is locked by another process; try again",
    FileMissingError.error_code: "the ledger's file is missing; try again",
}
_log = logging.getLogger("castad.api")


class Problem(BaseModel):
    """An error. `code` is stable, `detail` is one sentence for people, `field` names the part in question."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "type": "about:blank",
                    "title": "Unprocessable Entity",
                    "status": 422,
                    "detail": "duration_seconds: expected at least 10",
                    "code": "invalid_input",
                    "field": "duration_seconds",
                }
            ]
        },
    )

    type: str = Field(
        "about:blank", description="RFC 9457; always this, `code` is the error's type"
    )
    title: str = Field(description="The phrase of the HTTP status")
    status: int = Field(description="The HTTP status")
    detail: str = Field(description="One sentence for people")
    code: str = Field(description="A stable code for programs")
    field: str | None = Field(
        description="The field, parameter or header in question; null where there is not one"
    )


class ApiError(CastadError):
    """An error of the HTTP layer: it has a `status` and may add headers and members to the body."""

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        message: str,
        *,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.status = status
        self.field = field
        self.headers = dict(headers or {})
        self.members = dict(members or {})


def describe_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe a route's error responses for its OpenAPI description."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in statuses
    }


def reply_problem(
    status: int,
    code: str,
    detail: str,
    *,
    field: str | None = None,
    headers: Mapping[str, str] | None = None,
    members: Mapping[str, Any] | None = None,
) -> Response:
    """Build the response of one problem."""
    body = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        code=code,
        field=field,
        **(members or {}),
    )
    return Response(
        body.model_dump_json(), status, headers=dict(headers or {}), media_type=MEDIA_TYPE
    )


def reply_to_error(error: Exception) -> Response:
    """Build the response to an error of a route; an unexpected error is logged with its traceback."""
    if isinstance(error, ApiError):
        return reply_problem(
            error.status,
            error.code,
            error.message,
            field=error.field,
            headers=error.headers,
            members=error.members,
        )
    if isinstance(error, CastadError):
        return _reply_to_castad_error(error)
    if isinstance(error, HTTPException):
        code = _CODES.get(error.status_code, "http_error")
        return reply_problem(error.status_code, code, str(error.detail), headers=error.headers)
    if isinstance(error, RequestValidationError):
        return _reply_invalid(error)
    if isinstance(error, DatabaseFileError):
        _log.warning("database not available: %s [%s]", error.sentence, error.error_code)
        return _reply_unavailable(
            _FILE_ERROR_DETAILS.get(error.error_code, _NO_DATABASE), error.error_code
        )
    if isinstance(error, SQLAlchemyError) and is_transient_db_error(error):
        return _reply_unavailable(_NO_DATABASE)
    log = log_traceback(error)
    _log.error("unexpected error: %s; the details are in %s", type(error).__name__, log)
    return reply_problem(
        500, "internal_error", "an unexpected error; the operator's log has the details"
    )


def _reply_to_castad_error(error: CastadError) -> Response:
    status = next(_STATUSES[kind] for kind in type(error).__mro__ if kind in _STATUSES)
    if status is HTTPStatus.SERVICE_UNAVAILABLE:
        _log.warning("service not available: %s [%s]", error.message, error.code)
        # A vendor's own sentence is shown.
        detail = error.message if isinstance(error, ProviderError) else _NO_SERVICE
        wait = getattr(error, "retry_after", None) or _RETRY_AFTER_SECONDS
        headers = {"Retry-After": str(math.ceil(wait))}
        return reply_problem(503, error.code, detail, headers=headers)
    if error.code in (ConflictError.code, DuplicateOrderError.code):
        status = HTTPStatus.CONFLICT
    field = getattr(error, "field", None) or _find_field(error.message)
    return reply_problem(status, error.code, error.message, field=field)


def _find_field(message: str) -> str | None:
    """Find the field of a ledger's error, whose sentence begins with its name if it is about one."""
    name, colon, _ = message.partition(": ")
    return name if colon and name.isidentifier() else None


def _reply_unavailable(detail: str, code: str = StateUnavailableError.code) -> Response:
    return reply_problem(503, code, detail, headers={"Retry-After": str(_RETRY_AFTER_SECONDS)})


def _reply_invalid(error: RequestValidationError) -> Response:
    """Build the response to a parameter of path, query or header that FastAPI could not parse."""
    first = error.errors()[0]
    field = str(first["loc"][-1])
    expected = str(first["msg"])
    expected = expected[:1].lower() + expected[1:]
    return reply_problem(422, InvalidInputError.code, f"{field}: {expected}", field=field)


def install_problem_handlers(app: FastAPI) -> None:
    """Answer every error of a route with a Problem."""

    async def answer(request: Request, error: Exception) -> Response:
        response, path = reply_to_error(error), request.url.path
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            methods = _list_methods(app, path) or _list_methods(app, VERSION + path)
            response.headers["Allow"] = ", ".join(methods)
        elif isinstance(error, HTTPException) and response.status_code == HTTPStatus.NOT_FOUND:
            # In a thread, because the first call builds the description.
            versioned: list[str] = await run_in_threadpool(_list_methods, app, VERSION + path)
            if versioned:
                detail = f"path: expected it to begin with {VERSION}"
                return reply_problem(404, "not_found", detail)
        return response

    for kind in (CastadError, HTTPException, RequestValidationError, SQLAlchemyError):
        app.add_exception_handler(kind, answer)


def _list_methods(app: FastAPI, asked: str) -> list[str]:
    """List the methods that the description has for the path; the router only names one route's."""
    described: dict[str, dict[str, Any]] = app.openapi()["paths"]
    here = [item for path, item in described.items() if compile_path(path)[0].match(asked)]
    exact = [described[asked]] if asked in described else here
    return sorted({method.upper() for item in exact for method in item})


_CLIENT_CLOSED_REQUEST = 499  # nginx's status for a client that left before the response


class AccessLog:
    """ASGI middleware; the outermost of the application's own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the call, and log it with its task_id and the id of its key."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.monotonic(), 0

        async def observe_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _forbid_keeping(scope, message)
            await send(message)

        try:
            await self._app(scope, receive, observe_status)
        except ClientDisconnect:
            status = _CLIENT_CLOSED_REQUEST
        except Exception as error:
            if status:
                raise
            await reply_to_error(error)(scope, receive, observe_status)
        finally:
            scope["app"].state.api.open_reads.end(scope)
            _log_request(scope, status, time.monotonic() - started)


def _forbid_keeping(scope: Scope, started: Message) -> None:
    """Forbid caches to keep what needed a key or a cookie, and responses without a cache policy."""
    headers = MutableHeaders(raw=started["headers"])
    is_kept = headers.get("cache-control", "no-store") != "no-store"
    if "key_id" in scope.get("state", {}) or not is_kept:
        headers["Cache-Control"] = "private, no-store"


def _log_request(scope: Scope, status: int, seconds: float) -> None:
    """Log by the route and not the path: a client's text belongs in no log and no metric's label."""
    route = getattr(scope.get("route"), "path", "-")
    scope["app"].state.api.metrics.observe(scope["method"], route, status, seconds)
    known = scope.get("state", {})
    task_id = known.get("task_id") or scope.get("path_params", {}).get("task_id")
    fields = {"key": known.get("key_id"), "task_id": task_id if is_task_id(task_id) else None}
    _log.info(
        "request answered: %s %s %d in %.0f ms",
        scope["method"],
        route,
        status,
        1000 * seconds,
        extra={LOG_FIELDS: fields},
    )
