"""A form with one file, as browsers send it."""

from dataclasses import dataclass

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from castad.api.request_body import BODY, body_deadline, limited_stream
from resources.contract.errors import InvalidInputError

_MOST_FIELDS = 20
_ROOM_FOR_FIELDS = 100_000


@dataclass(frozen=True)
class FileForm:
    """The fields by their names, and the content of the file; empty where none was chosen."""

    fields: dict[str, str]
    file: bytes


async def read_file_form(request: Request, largest: int) -> FileForm:
    """The form; raises InvalidInputError, and ApiError `too_large` or `too_slow`."""
    parser = MultiPartParser(
        request.headers,
        limited_stream(request, 2 * largest + _ROOM_FOR_FIELDS),
        max_files=1,
        max_fields=_MOST_FIELDS,
        max_part_size=largest,
    )
    try:
        async with body_deadline():
            form = await parser.parse()
    except (MultiPartException, KeyError, UnicodeDecodeError):
        raise InvalidInputError(BODY, "expected a form with one file") from None
    try:
        items = form.multi_items()
        files = [each for _, each in items if isinstance(each, UploadFile)]
        content = await files[0].read(largest + 1) if files else b""
        return FileForm({name: each for name, each in items if isinstance(each, str)}, content)
    finally:
        await form.close()
