"""Checks of an order before anything is bought for it, and warnings that do not refuse it."""

from collections.abc import Iterator, Mapping

from pipeline_defs.fields import UPLOAD
from pipeline_defs.pipeline import Remark
from pipeline_defs.song_video.brief import PICTURES, Brief
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import is_longer_than
from resources.http.addresses import HostAllowlist
from resources.process.settings import Settings
from studio.characters import find_undrawable
from studio.genres import choose_genre

_CODE = "public_url_missing"
_STUDIO = "studio"
_LONG_NAME = 24
"""Characters of a name that is still set large on a phone."""


def check_fulfillable(brief: Brief, makers: Mapping[str, str], settings: Settings) -> None:
    """Raise InvalidInputError unless the chosen providers can fulfill the order and fetch its files.

    Suno returns whole songs only. Creatomate fetches the song and the pictures by link
    (docs/vendors/creatomate.md). Local files have a link only if CASTAD_PUBLIC_URL is set; without it, the error
    has the code `public_url_missing`. A link to a private address is refused as `private_address`.
    """
    if brief.stems and makers["song"] != _STUDIO:
        raise InvalidInputError(
            "stems",
            "expected false: Suno makes whole songs only; set SONG_PROVIDER=studio for stems",
        )
    allowlist = HostAllowlist(settings.allow_hosts, plain_http=True)
    for field, picture in _list_pictures(brief):
        problem = None if UPLOAD.fullmatch(picture) else allowlist.find_url_problem(picture)
        if problem is not None:
            raise InvalidInputError(field, problem, code="private_address")
    if makers["video"] != "creatomate" or settings.public_url is not None:
        return
    if makers["song"] == _STUDIO:
        raise InvalidInputError(
            "CASTAD_PUBLIC_URL",
            "expected the address where vendors can fetch files: Creatomate cannot fetch the studio's song "
            "from this machine; set it, or SONG_PROVIDER=suno, or VIDEO_PROVIDER=studio",
            code=_CODE,
        )
    for field, picture in _list_pictures(brief):
        if UPLOAD.fullmatch(picture):
            raise InvalidInputError(
                field,
                "expected a link: Creatomate cannot fetch a picture from this machine; "
                "give a link, or set CASTAD_PUBLIC_URL, or VIDEO_PROVIDER=studio",
                code=_CODE,
            )


def _list_pictures(brief: Brief) -> Iterator[tuple[str, str]]:
    for name in PICTURES:
        for index, picture in enumerate(getattr(brief, name)):
            yield f"{name}[{index}]", picture


def find_remarks(brief: Brief, makers: Mapping[str, str]) -> list[Remark]:
    """Return what a person may want to change; the order is accepted nevertheless."""
    found = []
    nearest, unknown = choose_genre(brief.genre)
    if unknown and makers.get("song") == _STUDIO:
        found.append(Remark("genre_not_played", unknown, {"nearest": nearest.name}))
    if is_longer_than(brief.customer_name, _LONG_NAME):
        sentence = f"customer_name: over {_LONG_NAME} characters are set small, and sung fast"
        found.append(Remark("long_name", sentence))
    if makers.get("video") == _STUDIO:
        on_cards = (brief.customer_name, brief.region, brief.call_to_action)
        contact = (brief.phone, brief.address, brief.opening_hours, brief.link)
        captions = brief.lyric or brief.detail_region_info
        missing = find_undrawable("".join((*on_cards, *contact, captions)))
        if missing:
            sentence = f"the film leaves out: {missing}"
            found.append(Remark("characters_not_drawn", sentence, {"missing": missing}))
    return found
