"""GitHub: which commit a ref names, and the tarball of a commit (docs/vendors/github.md). It sells nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from resources.process.setting_types import ApiKey, WebAddress
from resources.process.settings import Settings
from resources.providers.vendor import Vendor, VendorSettings

if TYPE_CHECKING:
    from resources.providers.github.rest_client import GitHubClient


class GitHubSettings(VendorSettings):
    """The settings of GitHub, from the variables `GITHUB_…`."""

    model_config = SettingsConfigDict(env_prefix="GITHUB_")

    token: ApiKey = Field(
        SecretStr(""), description="unset: 60 calls an hour, and public repositories only"
    )
    base_url: WebAddress = Field(
        "https://api.github.com",
        validation_alias="GITHUB_API_URL",
        description="the address of its API",
    )


def make_github_client(settings: Settings) -> GitHubClient:
    """Build a client for GitHub by these settings."""
    from resources.providers.github.rest_client import GitHubClient

    own = settings.of(GitHubSettings)
    return GitHubClient(
        own.base_url,
        own.token.get_secret_value(),
        deadline_seconds=settings.call_deadline,
        download_seconds=settings.download_deadline,
    )


VENDOR = Vendor(
    "github",
    {},
    GitHubSettings,
    account=lambda settings: make_github_client(settings).account_status(),
)
