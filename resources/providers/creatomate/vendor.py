"""Creatomate: videos (docs/vendors/creatomate.md)."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from resources.contract.protocol import Json, Provider, Rate
from resources.process.setting_types import ApiKey, Usd, WebAddress
from resources.process.settings import Settings
from resources.providers.vendor import Vendor, VendorSettings


class CreatomateSettings(VendorSettings):
    """The settings of Creatomate, from the variables `CREATOMATE_…`."""

    model_config = SettingsConfigDict(env_prefix="CREATOMATE_")

    api_key: ApiKey = Field(SecretStr(""), description="the key; unset: Creatomate is not used")
    base_url: WebAddress = Field("https://api.creatomate.com", description="the address of its API")
    template_id: str | None = Field(None, description="unset: castad's own RenderScript")
    calls_per_10_seconds: int = Field(
        30, ge=1, description="calls of any kind that Creatomate allows in 10 s"
    )
    usd_per_credit: Usd = Field(0.02, description="price of one credit in your plan (USD)")


def _make_camera(settings: Settings) -> Provider:
    from resources.files.artifacts import make_public_link_builder
    from resources.files.pictures import get_picture_source
    from resources.providers.background_jobs import get_rate_gate
    from resources.providers.creatomate.camera import CreatomateCamera
    from resources.providers.vendor import list_configured_hosts

    own = settings.of(CreatomateSettings)
    rate = Rate(own.calls_per_10_seconds, 10)
    return CreatomateCamera(
        api_key=own.api_key.get_secret_value(),
        base_url=own.base_url,
        template_id=own.template_id,
        usd_per_credit=own.usd_per_credit,
        public_url=settings.public_url,
        link_to=make_public_link_builder(settings),
        fetched=get_picture_source(settings).find_fetched,
        allow_hosts=settings.allow_hosts,
        trusted_hosts=list_configured_hosts(settings),
        rate=rate,
        gate=get_rate_gate(settings, CreatomateCamera.name, rate),
        deadline_seconds=settings.call_deadline,
        download_seconds=settings.download_deadline,
    )


def _read_callback_job_id(body: Json) -> str | None:
    from resources.providers.creatomate.answers import read_id

    return read_id(body)


VENDOR = Vendor(
    "creatomate",
    {"video": _make_camera},
    CreatomateSettings,
    key="CREATOMATE_API_KEY",
    job_id_in_callback=_read_callback_job_id,
)
