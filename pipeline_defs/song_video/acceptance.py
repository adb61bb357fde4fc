"""Orders that this configuration can never make are refused before anything is bought for them."""

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
    """The brief with every default filled in, where it can be made as this process is set up.

    Raises InvalidInputError naming the field of the brief, or the variable, that stands against it.
    """
    order = normalize(payload)
    refuse_unfulfillable(order, settings())
    if settings().max_cost is not None:
        prices = estimate(Brief(**order), lambda stage: provider_for(stage, settings()))
        refuse_over_max_cost(prices, settings())
    return order


def refuse_over_max_cost(prices: Mapping[str, int], settings: Settings) -> None:
    """Return where the stages' prices, in micro-dollars, together are within CASTAD_MAX_COST.

    So no order is begun that could not be finished. Raises InvalidInputError `over_max_cost`.
    """
    total = sum(prices.values()) / 1_000_000
    if settings.max_cost is None or total <= settings.max_cost:
        return
    listed = ", ".join(f"{stage} {price / 1_000_000:.4f}" for stage, price in prices.items())
    raise InvalidInputError(
        "CASTAD_MAX_COST",
        f"expected at least {total:.4f} USD for this order ({listed}), it is {settings.max_cost:.4f}",
        code="over_max_cost",
    )


def refuse_unfulfillable(order: Mapping[str, Any], settings: Settings) -> None:
    """Return where the vendors that are set can make a normalized order, and reach every file of it.

    Suno hands out whole songs only. Creatomate fetches the song and the pictures by link (notes/providers.md
    A.3); what lies on this machine has one only where CASTAD_PUBLIC_URL is set. Raises InvalidInputError, for
    that `public_url_missing`.
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
    """A link that says by itself that it leads to a private address; names are looked up when it is fetched."""
    allowlist = HostAllowlist(settings.allow_hosts, plain_http=True)
    for index, image in enumerate(images):
        refusal = None if UPLOAD.fullmatch(image) else allowlist.url_problem(image)
        if refusal is not None:
            raise InvalidInputError(f"images[{index}]", refusal, code="private_address")
