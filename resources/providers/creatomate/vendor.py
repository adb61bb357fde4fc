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

    @property
    def rate(self) -> Rate:
        """How often the account may call, polls included."""
        return Rate(self.calls_per_10_seconds, 10)


def _make_camera(settings: Settings) -> Provider:
    from resources.files.artifacts import make_public_link_builder
    from resources.files.pictures import get_picture_source
    from resources.providers.background_jobs import get_rate_gate
    from resources.providers.creatomate.camera import CreatomateCamera
    from resources.providers.creatomate.render_script import SourceChecker
    from resources.providers.vendor import list_configured_hosts

    own = settings.of(CreatomateSettings)
    sources = SourceChecker(
        make_public_link_builder(settings),
        get_picture_source(settings).find_fetched,
        list_configured_hosts(settings),
        settings.allow_hosts,
        settings.call_deadline,
    )
    gate = get_rate_gate(settings, CreatomateCamera.name, own.rate)
    return CreatomateCamera(own, settings, sources, gate)


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
