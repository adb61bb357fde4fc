"""ComfyUI: executes graphs on one or several servers (docs/vendors/comfyui.md)."""

from typing import Annotated

from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode, SettingsConfigDict

from resources.contract.protocol import Provider
from resources.process.setting_types import ApiKey, Seconds, Usd, WebAddress
from resources.process.settings import Settings
from resources.providers.vendor import Vendor, VendorSettings

_LONGEST_ADDRESS = 120


def _split_addresses(given: object) -> object:
    if not isinstance(given, str):
        return given
    return tuple(dict.fromkeys(url.strip() for url in given.split(",") if url.strip()))


Servers = Annotated[
    tuple[Annotated[WebAddress, Field(max_length=_LONGEST_ADDRESS)], ...],
    NoDecode,
    BeforeValidator(_split_addresses),
]


class ComfyUISettings(VendorSettings):
    """The settings of ComfyUI, from the variables `COMFYUI_…` and CASTAD_COMFYUI_URLS."""

    model_config = SettingsConfigDict(env_prefix="COMFYUI_")

    urls: Servers = Field(
        (),
        validation_alias="CASTAD_COMFYUI_URLS",
        description="the addresses of ComfyUI's servers, with commas between them",
    )
    api_key: ApiKey = Field(SecretStr(""), description="sent as a bearer; unset: none is needed")
    slots: int = Field(2, ge=1, description="jobs that a server has at once; it runs one of them")
    lost_seconds: Seconds = Field(
        60.0,
        description="seconds for which a server has refused connections when its jobs are lost",
    )
    usd_per_job: Usd = Field(0.0, description="price of a job whose template names none (USD)")

    @property
    def addresses(self) -> tuple[str, ...]:
        """The URLs of the servers."""
        return self.urls


def _make_renderer(settings: Settings) -> Provider:
    from resources.files.pictures import get_picture_source
    from resources.ledger.db.database import open_database
    from resources.ledger.queries.money import list_polled_external_ids
    from resources.providers.comfyui.answers import NAME
    from resources.providers.comfyui.renderer import ComfyUIRenderer, ProgressFeed
    from resources.providers.comfyui.server import ComfyUIServer, Fleet

    own = settings.of(ComfyUISettings)
    servers = (
        ComfyUIServer(
            url,
            own.api_key.get_secret_value() or None,
            deadline_seconds=settings.call_deadline,
            download_seconds=settings.download_deadline,
        )
        for url in own.urls
    )
    fleet = Fleet(
        servers,
        lambda: list_polled_external_ids(open_database(settings.ledger_url), NAME),
        own.lost_seconds,
    )
    return ComfyUIRenderer(
        fleet, ProgressFeed(), get_picture_source(settings).open, own.usd_per_job
    )


def _count_slots(settings: Settings) -> int:
    own = settings.of(ComfyUISettings)
    return len(own.urls) * own.slots


VENDOR = Vendor(
    "comfyui",
    {"render": _make_renderer},
    ComfyUISettings,
    key="CASTAD_COMFYUI_URLS",
    slots=_count_slots,
)
