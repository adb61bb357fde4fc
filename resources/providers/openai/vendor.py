"""OpenAI, or any server with a compatible API: lyrics, and answers by a schema (docs/vendors/openai.md)."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from resources.contract.protocol import Provider
from resources.process.setting_types import ApiKey, Usd, WebAddress
from resources.process.settings import Settings
from resources.providers.vendor import Vendor, VendorSettings


class OpenAISettings(VendorSettings):
    """The settings of OpenAI, from the variables `OPENAI_…`."""

    model_config = SettingsConfigDict(env_prefix="OPENAI_")

    api_key: ApiKey = Field(SecretStr(""), description="the key; unset: OpenAI is not used")
    base_url: WebAddress = Field(
        "https://api.openai.com/v1", description="the address of its API, or of a compatible one"
    )
    model: str = Field("gpt-4o-mini", description="the model")
    store: bool = Field(
        True,
        description="the vendor keeps completions for 30 days, so that a lost one is found again",
    )
    usd_in: Usd = Field(0.15, description="USD per million tokens sent")
    usd_out: Usd = Field(0.60, description="USD per million tokens received")


def _make_lyricist(settings: Settings) -> Provider:
    from resources.providers.openai.lyricist import OpenAILyricist

    own = settings.of(OpenAISettings)
    return OpenAILyricist(
        api_key=own.api_key.get_secret_value(),
        base_url=own.base_url,
        model=own.model,
        usd_in=own.usd_in,
        usd_out=own.usd_out,
        store=own.store,
        deadline_seconds=settings.call_deadline,
    )


def _make_structured(settings: Settings) -> Provider:
    from resources.files.pictures import get_picture_source
    from resources.providers.openai.structured import OpenAIStructured

    own = settings.of(OpenAISettings)
    return OpenAIStructured(
        api_key=own.api_key.get_secret_value(),
        open_image=get_picture_source(settings).open,
        base_url=own.base_url,
        model=own.model,
        usd_in=own.usd_in,
        usd_out=own.usd_out,
        store=own.store,
        deadline_seconds=settings.call_deadline,
    )


VENDOR = Vendor(
    "openai",
    {"lyric": _make_lyricist, "vision": _make_structured, "answer": _make_structured},
    OpenAISettings,
    key="OPENAI_API_KEY",
)
