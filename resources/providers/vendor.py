"""What a vendor says of itself: a folder `resources/providers/<name>/` whose `vendor.py` holds a `VENDOR`.

That module is imported at the start of every process: what a client needs is imported by the maker.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic_settings import BaseSettings, SettingsConfigDict

from resources.contract.protocol import Json, Provider
from resources.process.setting_types import WebAddress
from resources.process.settings import Settings, variable_of


class VendorSettings(BaseSettings):
    """The variables of one vendor; each vendor's model sets its `env_prefix` and its default address."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", frozen=True)

    base_url: WebAddress


@dataclass(frozen=True)
class Vendor:
    """A vendor. `makers` has a maker for each kind of product that it can make.

    `key` is the variable without which it cannot be used, None where it needs none. `job_id_in_callback` reads the
    job's id from a callback's body and returns None without a usable one; a vendor without it never calls back.
    """

    name: str
    makers: Mapping[str, Callable[[Settings], Provider]]
    settings: type[VendorSettings] | None = None
    key: str | None = None
    job_id_in_callback: Callable[[Json], str | None] | None = None

    @property
    def fields(self) -> Mapping[str, str]:
        """The field of its settings that holds each of its variables."""
        if self.settings is None:
            return {}
        return {variable_of(self.settings, field): field for field in self.settings.model_fields}

    def has_key(self, settings: Settings) -> bool:
        """Whether its key is set, or it needs none."""
        if self.key is None or self.settings is None:
            return True
        return bool(getattr(settings.of(self.settings), self.fields[self.key]))
