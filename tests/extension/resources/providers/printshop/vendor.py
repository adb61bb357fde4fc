"""The print shop: printings of posters."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from resources.contract.protocol import Provider, Rate
from resources.process.setting_types import ApiKey, Usd, WebAddress
from resources.process.settings import Settings
from resources.providers.vendor import Vendor, VendorSettings


class PrintshopSettings(VendorSettings):
    """The variables `PRINTSHOP_…`."""

    model_config = SettingsConfigDict(env_prefix="PRINTSHOP_")

    api_key: ApiKey = SecretStr("")
    base_url: WebAddress = "https://api.printshop.example"
    usd_per_copy: Usd = Field(0.25, description="price of one copy on A3; A2 is twice as much")
    calls_per_10_seconds: int = Field(20, ge=1, description="calls that the shop allows in 10 s")


def _printer(settings: Settings) -> Provider:
    from resources.providers.background_jobs import get_rate_gate
    from resources.providers.printshop.answers import RATE_SECONDS
    from resources.providers.printshop.printer import Printer

    own = settings.of(PrintshopSettings)
    rate = Rate(own.calls_per_10_seconds, RATE_SECONDS)
    return Printer(
        api_key=own.api_key.get_secret_value(),
        base_url=own.base_url,
        usd_per_copy=own.usd_per_copy,
        rate=rate,
        gate=get_rate_gate(settings, "printshop", rate),
        deadline_seconds=settings.call_deadline,
    )


VENDOR = Vendor("printshop", {"printing": _printer}, PrintshopSettings, key="PRINTSHOP_API_KEY")
