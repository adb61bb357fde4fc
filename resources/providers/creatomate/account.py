"""The account at Creatomate: its key, prices and rate, from the variables `CREATOMATE_…`."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from resources.contract.protocol import Rate
from resources.process.setting_types import ApiKey, Usd, WebAddress
from resources.providers.vendor import VendorSettings


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
