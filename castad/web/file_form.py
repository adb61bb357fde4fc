"""A form with one file, as browsers send it."""

from dataclasses import dataclass

from fastapi import Request
from starlette.datastructures import UploadFile

from castad.api.forms import FormLimits, multipart

_MOST_FIELDS = 20
_ROOM_FOR_FIELDS = 100_000


@dataclass(frozen=True)
class FileForm:
    """The fields by their names, and the content of the file; empty where none was chosen."""

    fields: dict[str, str]
    file: bytes


async def read_file_form(request: Request, largest: int) -> FileForm:
    """The form; raises InvalidInputError, and ApiError `too_large` or `too_slow`."""
    limits = FormLimits(2 * largest + _ROOM_FOR_FIELDS, largest, _MOST_FIELDS, files=1)
    async with multipart(request, limits) as form:
        items = form.multi_items()
        files = [each for _, each in items if isinstance(each, UploadFile)]
        content = await files[0].read(largest + 1) if files else b""
        return FileForm({name: each for name, each in items if isinstance(each, str)}, content)
