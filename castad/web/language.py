"""The language of a page: Korean or English."""

from typing import Literal, get_args

from fastapi import Request
from starlette.responses import Response

Language = Literal["ko", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
COOKIE = "castad_language"
_YEAR_SECONDS = 365 * 24 * 3600


def language_of(request: Request) -> Language:
    """What `?lang=` says, else what was chosen before, else the first of `Accept-Language` that there is."""
    chosen = (request.query_params.get("lang"), request.cookies.get(COOKIE))
    return next((known for each in chosen if (known := _known(each))), None) or _accepted(
        request.headers.get("accept-language", "")
    )


def remember_choice(request: Request, response: Response) -> None:
    """A language that was chosen by `?lang=` holds for later pages of this browser."""
    chosen = _known(request.query_params.get("lang"))
    if chosen:
        response.set_cookie(
            COOKIE, chosen, max_age=_YEAR_SECONDS, samesite="lax", httponly=True, path="/"
        )


def _accepted(header: str) -> Language:
    """Korean where a browser prefers neither: the first users are Korean shops."""
    names = (part.partition(";")[0].strip().lower()[:2] for part in header.split(","))
    return next((known for name in names if (known := _known(name))), "ko")


def _known(name: str | None) -> Language | None:
    return next((language for language in LANGUAGES if language == name), None)
