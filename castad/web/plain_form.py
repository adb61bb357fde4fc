"""Forms without files, as browsers send them."""

from urllib.parse import parse_qsl

from fastapi import Request

from castad.api.request_body import BODY, read_body
from resources.contract.errors import InvalidInputError

_LARGEST = 1_000_000
_MOST_FIELDS = 200


async def read_plain_form(request: Request) -> dict[str, str]:
    """The fields by their names, the last of those with one name.

    Raises InvalidInputError, and ApiError `too_large` or `too_slow`.
    """
    body = await read_body(request, _LARGEST)
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            max_num_fields=_MOST_FIELDS,
            errors="strict",
        )
    except ValueError:
        expected = f"expected a form of at most {_MOST_FIELDS} fields in UTF-8"
        raise InvalidInputError(BODY, expected) from None
    return dict(pairs)
