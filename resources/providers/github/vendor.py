"""GitHub: which commit a ref names, and the tarball of a commit (docs/vendors/github.md). It sells nothing."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from resources.process.setting_types import ApiKey, WebAddress
from resources.process.settings import Settings
from resources.providers.vendor import Vendor, VendorSettings


class GitHubSettings(VendorSettings):
    """The variables `GITHUB_…`."""

    model_config = SettingsConfigDict(env_prefix="GITHUB_")

    token: ApiKey = SecretStr("")
    base_url: WebAddress = Field("https://api.github.com", validation_alias="GITHUB_API_URL")


def _account(settings: Settings) -> str:
    from resources.providers.github.client import GitHubClient

    return GitHubClient(settings).account_status()


VENDOR = Vendor("github", {}, GitHubSettings, account=_account)
