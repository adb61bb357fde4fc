"""Suno through sunoapi.org: songs (docs/vendors/suno.md)."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from resources.contract.protocol import Json, Provider, Rate
from resources.process.setting_types import ApiKey, Usd, WebAddress
from resources.process.settings import Settings
from resources.providers.vendor import Vendor, VendorSettings


class SunoSettings(VendorSettings):
    """The settings of Suno, from the variables `SUNO_…`."""

    model_config = SettingsConfigDict(env_prefix="SUNO_")

    api_key: ApiKey = Field(SecretStr(""), description="the key; unset: Suno is not used")
    base_url: WebAddress = Field("https://api.sunoapi.org", description="the address of its API")
    model: str = Field("V4_5", description="the model")
    credits: int = Field(12, ge=0, description="credits that one submission costs")
    usd_per_credit: Usd = Field(0.005, description="price of one credit in your plan (USD)")
    calls_per_10_seconds: int = Field(
        20, ge=1, description="calls of any kind that Suno allows in 10 s"
    )


def _make_band(settings: Settings) -> Provider:
    from resources.providers.background_jobs import get_rate_gate
    from resources.providers.suno.band import SunoBand

    own = settings.of(SunoSettings)
    rate = Rate(own.calls_per_10_seconds, 10)
    return SunoBand(
        api_key=own.api_key.get_secret_value(),
        base_url=own.base_url,
        model=own.model,
        credits=own.credits,
        usd_per_credit=own.usd_per_credit,
        public_url=settings.public_url,
        allow_hosts=settings.allow_hosts,
        rate=rate,
        gate=get_rate_gate(settings, SunoBand.name, rate),
        deadline_seconds=settings.call_deadline,
        download_seconds=settings.download_deadline,
    )


def _read_callback_job_id(body: Json) -> str | None:
    from resources.providers.suno.answers import read_callback_job_id

    return read_callback_job_id(body)


VENDOR = Vendor(
    "suno",
    {"song": _make_band},
    SunoSettings,
    key="SUNO_API_KEY",
    job_id_in_callback=_read_callback_job_id,
)
