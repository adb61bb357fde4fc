"""Orders that this configuration can never make are refused before anything is bought for them."""

from collections.abc import Mapping
from typing import Any

from pipeline_defs.song_video.brief import normalize
from pipeline_defs.song_video.text import UPLOAD
from resources.errors import InvalidInputError
from resources.settings import Settings, settings

_CODE = "public_url_missing"


def accept(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The brief with every default filled in, where it can be made as this process is set up.

    Raises InvalidInputError naming the field of the brief, or the variable, that stands against it.
    """
    order = normalize(payload)
    refuse_unmakeable(order, settings())
    return order


def refuse_unmakeable(order: Mapping[str, Any], settings: Settings) -> None:
    """Return where the vendors that are set can reach every file of a normalized order.

    Creatomate fetches the song and the pictures by link (notes/providers.md A.3); what lies on this machine
    has one only where CASTAD_PUBLIC_URL is set. Raises InvalidInputError `public_url_missing`.
    """
    if settings.provider("video") != "creatomate" or settings.public_url is not None:
        return
    if settings.provider("song") == "studio":
        raise InvalidInputError(
            "CASTAD_PUBLIC_URL",
            "expected the address where vendors can fetch files: Creatomate cannot fetch the studio's song "
            "from this machine; set it, or SONG_PROVIDER=suno, or VIDEO_PROVIDER=studio",
            code=_CODE,
        )
    for index, image in enumerate(order["images"]):
        if UPLOAD.fullmatch(image):
            raise InvalidInputError(
                f"images[{index}]",
                "expected a link: Creatomate cannot fetch a picture from this machine; "
                "give a link, or set CASTAD_PUBLIC_URL, or VIDEO_PROVIDER=studio",
                code=_CODE,
            )
