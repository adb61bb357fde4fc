"""What a vendor says of itself: a folder `resources/providers/<name>/` whose `vendor.py` holds a `VENDOR`.

That module is imported at the start of every process: what a client needs is imported by the maker.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from resources.contract.protocol import Json, Provider
from resources.process.settings import Settings, variable_of
from resources.process.variable_names import (
    OWN_PREFIX,
    is_of_vendors,
    nearest,
    unknown_variable,
)


class VendorSettings(BaseSettings):
    """The variables of one vendor; each vendor's model sets its `env_prefix`, and `base_url` or `addresses`."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", frozen=True)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses at which the vendor is asked."""
        return tuple(filter(None, (getattr(self, "base_url", ""),)))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment and `.env`. Raises InvalidInputError for a variable that is misspelt there."""
        for source in (env_settings, dotenv_settings):
            _refuse_misspelt(cls, getattr(source, "env_vars", {}))
        return (init_settings, env_settings, dotenv_settings)


def _refuse_misspelt(model: type[VendorSettings], given: Iterable[str]) -> None:
    """No variable is nearly one of this model's; what else begins with its prefix is another program's."""
    prefix = str(model.model_config["env_prefix"])
    known = [variable_of(model, field) for field in model.model_fields]
    own = [name for name in known if name.startswith(prefix)]
    addresses = [name for name in known if is_of_vendors(name)]
    for name in sorted({each.upper() for each in given} - {*known}):
        similar = own if name.startswith(prefix) else addresses if is_of_vendors(name) else []
        if meant := nearest(name, similar, prefix if similar is own else OWN_PREFIX):
            raise unknown_variable(name, meant)


@dataclass(frozen=True)
class NeededProgram:
    """What a vendor needs on this machine. `find` says where it is, and raises an error where it is missing.

    Without an `is_optional` one works are made all the same, with a remark.
    """

    name: str
    find: Callable[[], str]
    remedy: str
    is_optional: bool = False


@dataclass(frozen=True)
class Vendor:
    """A vendor. `makers` has a maker for each kind of product that it can make.

    `key` is the variable without which it cannot be used, None where it needs none. `job_id_in_callback` reads the
    job's id from a callback's body and returns None without a usable one; a vendor without it never calls back.
    `castad doctor` looks for what it `needs`, and for one without makers asks how its `account` stands.
    `slots` are the jobs that it takes at once, without it any number.
    """

    name: str
    makers: Mapping[str, Callable[[Settings], Provider]]
    settings: type[VendorSettings] | None = None
    key: str | None = None
    job_id_in_callback: Callable[[Json], str | None] | None = None
    needs: tuple[NeededProgram, ...] = ()
    account: Callable[[Settings], str] | None = None
    slots: Callable[[Settings], int] | None = None

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
