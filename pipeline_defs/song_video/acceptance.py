"""Orders that this configuration cannot fulfill are refused before anything is bought for them."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline_defs.song_video.brief import Brief, normalize
from pipeline_defs.song_video.estimate import estimate
from pipeline_defs.song_video.text import UPLOAD
from resources.contract.errors import InvalidInputError
from resources.http.host_allowlist import HostAllowlist
from resources.process.settings import Settings, settings
from resources.providers.registry import provider_for

_CODE = "public_url_missing"


def accept(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The brief with all defaults, if the settings of this process can fulfill it.

    Raises InvalidInputError that names the field of the brief, or the variable, that rules it out.
    """
    order = normalize(payload)
    refuse_unfulfillable(order, settings())
    if settings().max_cost is not None:
        prices = estimate(Brief(**order), lambda stage: provider_for(stage, settings()))
        refuse_over_max_cost(prices, settings())
    return order


def refuse_over_max_cost(prices: Mapping[str, int], settings: Settings) -> None:
    """Return if the stages' prices, in micro-dollars, add up to at most CASTAD_MAX_COST.

    Raises InvalidInputError `over_max_cost`.
    """
    total = sum(prices.values()) / 1_000_000
    if settings.max_cost is None or total <= settings.max_cost:
        return
    listed = ", ".join(f"{stage} {price / 1_000_000:.4f}" for stage, price in prices.items())
    raise InvalidInputError(
        "CASTAD_MAX_COST",
        f"expected at least {total:.4f} USD for this order ({listed}), got {settings.max_cost:.4f}",
        code="over_max_cost",
    )


def refuse_unfulfillable(order: Mapping[str, Any], settings: Settings) -> None:
    """Return if the chosen vendors can fulfill a normalized order and fetch all its files.

    Suno returns whole songs only. Creatomate fetches the song and the pictures by link
    (docs/vendors/creatomate.md); local files have a link only with CASTAD_PUBLIC_URL. Raises InvalidInputError,
    `public_url_missing` where it is needed.
    """
    if order["stems"] and settings.provider("song") != "studio":
        raise InvalidInputError(
            "stems",
            "expected false: Suno makes whole songs only; set SONG_PROVIDER=studio for stems",
        )
    _refuse_private_links(order["images"], settings)
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


def _refuse_private_links(images: Sequence[str], settings: Settings) -> None:
    """Refuse links with a private address; host names are resolved when a link is fetched."""
    allowlist = HostAllowlist(settings.allow_hosts, plain_http=True)
    for index, image in enumerate(images):
        problem = None if UPLOAD.fullmatch(image) else allowlist.url_problem(image)
        if problem is not None:
            raise InvalidInputError(f"images[{index}]", problem, code="private_address")
