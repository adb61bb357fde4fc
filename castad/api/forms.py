"""Request bodies within limits of size and time, and orders as forms with their pictures."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any

from anyio import to_thread
from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from castad.api.problems import ApiError
from castad.api.state import Api
from castad.orders.submit import LARGEST_ORDER
from pipeline_defs.fields import list_order_fields
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.files.pictures import PictureSource, get_picture_source
from resources.ledger.queries.access import ApiKey
from studio.images import LARGEST_FILE as LARGEST_PICTURE

BODY = "the body"
_BODY_SECONDS = 60.0


async def read_body(request: Request, max_bytes: int) -> bytes:
    """Read the body; raise ApiError `too_large` as soon as it exceeds `max_bytes`, `too_slow` after a minute."""
    collected = bytearray()
    async with limit_body_time():
        async for chunk in stream_body(request, max_bytes):
            collected += chunk
    return bytes(collected)


def decode_text(body: bytes) -> str:
    """Decode a body in UTF-8, with or without a byte order mark; raises InvalidInputError."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError(BODY, "expected UTF-8 text") from None


@asynccontextmanager
async def limit_body_time() -> AsyncIterator[None]:
    """Let the block read a body for a minute; raise ApiError `too_slow` afterwards."""
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            yield
    except TimeoutError:
        raise ApiError(
            HTTPStatus.REQUEST_TIMEOUT,
            "too_slow",
            f"{BODY}: expected all of it within {_BODY_SECONDS:g} s",
            field=BODY,
            headers={"Connection": "close"},
        ) from None


async def stream_body(request: Request, max_bytes: int) -> AsyncGenerator[bytes, None]:
    """Yield the pieces of the body; raise ApiError `too_large` as soon as it exceeds `max_bytes`."""
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > max_bytes:
            raise ApiError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "too_large",
                f"{BODY}: expected at most {max_bytes / 1_000_000:g} MB",
                field=BODY,
                headers={"Connection": "close"},
            )
        yield chunk


LARGEST_FORM = 64_000_000
_MOST_FILES = 20
_MOST_FIELDS = 50
_FORM = "multipart/form-data"


@dataclass(frozen=True)
class FormFile:
    """A picture of a form; `after` links of its field come before it."""

    name: str
    content: bytes
    after: int


@dataclass(frozen=True)
class Form:
    """The members of an order, and the pictures of each of its fields that holds some."""

    fields: Mapping[str, Any]
    files: Mapping[str, Sequence[FormFile]]

    def merge_pictures(self, name: str, references: Sequence[str | None]) -> list[str]:
        """Merge the references of a field's files with its links, in the form's order; None is left out."""
        merged: list[str | None] = [*self.fields.get(name, [])]
        for index, (file, reference) in enumerate(zip(self.files[name], references, strict=True)):
            merged.insert(file.after + index, reference)
        return [each for each in merged if each is not None]


@dataclass(frozen=True)
class StoredForm:
    """The fields of a form whose usable pictures are stored.

    `names` are the names of the files by reference, `refused` the names of the unusable ones with their errors.
    """

    fields: dict[str, Any]
    names: Mapping[str, str]
    refused: Sequence[tuple[str, InvalidInputError]]


@dataclass(frozen=True)
class FormLimits:
    """What a form may have at most: octets in all, octets of one field, fields, files."""

    octets: int
    part_octets: int
    fields: int
    files: int


def is_form(request: Request) -> bool:
    """Return whether the body is a form with files."""
    kind = request.headers.get("content-type", "").partition(";")[0]
    return kind.strip().lower() == _FORM


async def read_form(request: Request, pipeline: Pipeline) -> Form:
    """Read the form and parse its nested fields; raises InvalidInputError, ApiError `too_large` or `too_slow`."""
    form = await read_unparsed_form(request, pipeline)
    return Form(parse_nested_fields(form.fields, pipeline), form.files)


async def read_unparsed_form(request: Request, pipeline: Pipeline) -> Form:
    """Read the form, its fields as texts and lists of texts; raises as `read_form` does."""
    limits = FormLimits(LARGEST_FORM, LARGEST_ORDER, _MOST_FIELDS, _MOST_FILES)
    async with parse_multipart(request, limits) as form:
        return await _sort_parts(form, pipeline)


@asynccontextmanager
async def parse_multipart(request: Request, limits: FormLimits) -> AsyncIterator[FormData]:
    """Parse the form, and delete its files after the block; raises as `read_form` does."""
    parser = MultiPartParser(
        request.headers,
        stream_body(request, limits.octets),
        max_files=limits.files,
        max_fields=limits.fields,
        max_part_size=limits.part_octets,
    )
    try:
        async with limit_body_time():
            form = await parser.parse()
    except (MultiPartException, KeyError, UnicodeDecodeError):
        raise InvalidInputError(
            BODY, f"expected a form of at most {limits.fields} fields and {limits.files} files"
        ) from None
    try:
        yield form
    finally:
        await form.close()


async def store_pictures(api: Api, key: ApiKey, form: Form) -> dict[str, Any]:
    """Store the form's pictures, and return its fields.

    Raises InvalidInputError naming the field of an unusable picture, and ApiError `upload_quota`.
    """
    stored = await store_usable_pictures(api, key, form)
    for _, error in stored.refused:
        raise error
    return stored.fields


async def store_usable_pictures(api: Api, key: ApiKey, form: Form) -> StoredForm:
    """Store the form's usable pictures; raises ApiError `upload_quota`."""
    api.upload_quota.take(
        key.id, sum(len(file.content) for files in form.files.values() for file in files)
    )
    store = partial(_store, form, get_picture_source(api.settings))
    return await to_thread.run_sync(store, limiter=api.picture_threads)


def _store(form: Form, pictures: PictureSource) -> StoredForm:
    stored = StoredForm({**form.fields}, names := {}, refused := [])
    for name, files in form.files.items():
        references: list[str | None] = []
        for index, file in enumerate(files):
            try:
                reference = pictures.store_bytes(file.content, f"{name}[{index}]")
            except InvalidInputError as error:
                refused.append((file.name, error))
                references.append(None)
            else:
                names[reference] = file.name
                references.append(reference)
        stored.fields[name] = form.merge_pictures(name, references)
    return stored


async def _sort_parts(form: FormData, pipeline: Pipeline) -> Form:
    known = {
        name: field
        for field in list_order_fields(pipeline.order_model)
        for name in (field.name, field.flag.name)
    }
    fields: dict[str, Any] = {}
    files: dict[str, list[FormFile]] = {}
    for name, value in form.multi_items():
        field = known.get(name)
        if isinstance(value, UploadFile):
            if field is None or field.name not in pipeline.uploads:
                expected = f"expected no file; {' and '.join(pipeline.uploads)} are files"
                raise InvalidInputError(name[:40], expected)
            content = await value.read(LARGEST_PICTURE + 1)
            after = len(fields.get(field.name, []))
            files.setdefault(field.name, []).append(FormFile(value.filename or "", content, after))
        elif field is not None and field.type.is_nested and not value.strip():
            continue  # a browser sends what was left empty too, and nothing is no JSON
        elif field is not None and field.type.kind == "list":
            fields.setdefault(field.name, []).append(value)
        else:
            fields[name if field is None else field.name] = value
    return Form(fields, files)


def parse_nested_fields(fields: Mapping[str, Any], pipeline: Pipeline) -> dict[str, Any]:
    """Parse a form's nested fields as JSON; raises InvalidInputError naming the field."""
    known = {field.name: field for field in list_order_fields(pipeline.order_model)}
    return {
        name: known[name].parse(value) if name in known else value for name, value in fields.items()
    }
