"""What is refused, and what is only warned of, before anything is bought for an order."""

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


def refuse_unfulfillable(brief: Brief, makers: Mapping[str, str], settings: Settings) -> None:
    """Return if the chosen vendors can fulfill an order and fetch all its files.

    Suno returns whole songs only. Creatomate fetches the song and the pictures by link
    (docs/vendors/creatomate.md); local files have a link only with CASTAD_PUBLIC_URL. Raises InvalidInputError,
    `public_url_missing` where it is needed.
    """
    if brief.stems and makers["song"] != "studio":
        raise InvalidInputError(
            "stems",
            "expected false: Suno makes whole songs only; set SONG_PROVIDER=studio for stems",
        )
    _refuse_private_links(brief, settings)
    if makers["video"] != "creatomate" or settings.public_url is not None:
        return
    if makers["song"] == "studio":
        raise InvalidInputError(
            "CASTAD_PUBLIC_URL",
            "expected the address where vendors can fetch files: Creatomate cannot fetch the studio's song "
            "from this machine; set it, or SONG_PROVIDER=suno, or VIDEO_PROVIDER=studio",
            code=_CODE,
        )
    for field, picture in _pictures(brief):
        if UPLOAD.fullmatch(picture):
            raise InvalidInputError(
                field,
                "expected a link: Creatomate cannot fetch a picture from this machine; "
                "give a link, or set CASTAD_PUBLIC_URL, or VIDEO_PROVIDER=studio",
                code=_CODE,
            )


def _pictures(brief: Brief) -> Iterator[tuple[str, str]]:
    """Every picture of the order, and the field that holds it."""
    for name in PICTURES:
        for index, picture in enumerate(getattr(brief, name)):
            yield f"{name}[{index}]", picture


def _refuse_private_links(brief: Brief, settings: Settings) -> None:
    """Refuse links with a private address; host names are resolved when a link is fetched."""
    allowlist = HostAllowlist(settings.allow_hosts, plain_http=True)
    for field, picture in _pictures(brief):
        problem = None if UPLOAD.fullmatch(picture) else allowlist.find_url_problem(picture)
        if problem is not None:
            raise InvalidInputError(field, problem, code="private_address")


_STUDIO = "studio"
_LONG_NAME = 24
"""Characters that a name may have and still be set large on a phone."""


def remarks(brief: Brief, makers: Mapping[str, str]) -> list[Remark]:
    """What a person may want to change; the order is made all the same."""
    return [*_of_genre(brief, makers), *_of_name(brief), *_of_undrawable(brief, makers)]


def _of_genre(brief: Brief, makers: Mapping[str, str]) -> Iterator[Remark]:
    nearest, unknown = choose_genre(brief.genre)
    if unknown and makers.get("song") == _STUDIO:
        yield Remark("genre_not_played", unknown, {"nearest": nearest.name})


def _of_name(brief: Brief) -> Iterator[Remark]:
    if is_longer_than(brief.customer_name, _LONG_NAME):
        yield Remark(
            "long_name",
            f"customer_name: over {_LONG_NAME} characters are set small, and sung fast",
        )


def _of_undrawable(brief: Brief, makers: Mapping[str, str]) -> Iterator[Remark]:
    missing = find_undrawable("".join(_shown(brief))) if makers.get("video") == _STUDIO else ""
    if missing:
        yield Remark(
            "characters_not_drawn", f"the film leaves out: {missing}", {"missing": missing}
        )


def _shown(brief: Brief) -> tuple[str, ...]:
    """What a film shows: on its cards, and in captions the own words or those that are written of the details."""
    on_cards = (brief.customer_name, brief.region, brief.call_to_action)
    contact = (brief.phone, brief.address, brief.opening_hours, brief.link)
    return (*on_cards, *contact, brief.lyric or brief.detail_region_info)
