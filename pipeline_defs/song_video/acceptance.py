"""Orders that this configuration cannot fulfill are refused before anything is bought for them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pipeline_defs.song_video.brief import Brief
from pipeline_defs.text import UPLOAD
from resources.contract.errors import InvalidInputError
from resources.http.host_allowlist import HostAllowlist

if TYPE_CHECKING:
    from resources.process.settings import Settings

_CODE = "public_url_missing"


def refuse_unfulfillable(brief: Brief, makers: Mapping[str, str], settings: "Settings") -> None:
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
    _refuse_private_links(brief.images, settings)
    if makers["video"] != "creatomate" or settings.public_url is not None:
        return
    if makers["song"] == "studio":
        raise InvalidInputError(
            "CASTAD_PUBLIC_URL",
            "expected the address where vendors can fetch files: Creatomate cannot fetch the studio's song "
            "from this machine; set it, or SONG_PROVIDER=suno, or VIDEO_PROVIDER=studio",
            code=_CODE,
        )
    for index, image in enumerate(brief.images):
        if UPLOAD.fullmatch(image):
            raise InvalidInputError(
                f"images[{index}]",
                "expected a link: Creatomate cannot fetch a picture from this machine; "
                "give a link, or set CASTAD_PUBLIC_URL, or VIDEO_PROVIDER=studio",
                code=_CODE,
            )


def _refuse_private_links(images: Sequence[str], settings: "Settings") -> None:
    """Refuse links with a private address; host names are resolved when a link is fetched."""
    allowlist = HostAllowlist(settings.allow_hosts, plain_http=True)
    for index, image in enumerate(images):
        problem = None if UPLOAD.fullmatch(image) else allowlist.url_problem(image)
        if problem is not None:
            raise InvalidInputError(f"images[{index}]", problem, code="private_address")
