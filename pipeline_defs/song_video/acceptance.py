"""Orders that this configuration cannot fulfill are refused before anything is bought for them."""

from collections.abc import Iterator, Mapping

from pipeline_defs.fields import UPLOAD
from pipeline_defs.song_video.brief import PICTURES, Brief
from resources.contract.errors import InvalidInputError
from resources.http.addresses import HostAllowlist
from resources.process.settings import Settings

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
