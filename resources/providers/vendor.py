"""Load the vendors, and make their providers.

A vendor is a folder `resources/providers/<name>/` whose `vendor.py` holds a `VENDOR`. That module is imported
at the start of every process: what a client needs is imported by the maker.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from threading import Lock

from pydantic_settings import BaseSettings, SettingsConfigDict

from resources.contract.errors import InvalidInputError
from resources.contract.protocol import Json, Provider
from resources.http.addresses import HostAllowlist
from resources.process.loading import load_module_value
from resources.process.setting_types import find_type_errors
from resources.process.settings import Settings, get_variable_name


class VendorSettings(BaseSettings):
    """The variables of one vendor; each vendor's model sets its `env_prefix`, and `base_url` or `addresses`."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", frozen=True)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses at which the vendor is asked."""
        return tuple(filter(None, (getattr(self, "base_url", ""),)))


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
        return {
            get_variable_name(self.settings, field): field for field in self.settings.model_fields
        }

    def has_key(self, settings: Settings) -> bool:
        """Return whether its key is set, or it needs none."""
        if self.key is None or self.settings is None:
            return True
        return bool(getattr(settings.of(self.settings), self.fields[self.key]))


INVALID_VENDOR = "invalid_vendor"

VENDORS = (
    "openai",
    "suno",
    "creatomate",
    "studio",
    "github",
    "comfyui",
    "local",
)

_making = Lock()


@cache
def vendor(name: str) -> Vendor:
    """Load the vendor in the folder of this name. Raises InvalidInputError `invalid_vendor`."""
    folder = f"resources/providers/{name}"
    found = load_module_value(folder, f"{__package__}.{name}.vendor", "VENDOR", INVALID_VENDOR)
    if not isinstance(found, Vendor):
        expected = "expected VENDOR in vendor.py"
    elif misfit := next(find_type_errors(found), None):
        expected = f"VENDOR.{': '.join(misfit)}"
    elif found.name != name:
        expected = f"expected VENDOR.name to be {name}, got {found.name}"
    elif found.key not in (None, *found.fields):
        expected = f"expected VENDOR.key to be a variable of its settings, got {found.key}"
    else:
        return found
    raise InvalidInputError(folder, expected, code=INVALID_VENDOR)


def make_provider(maker: str, kind: str, settings: Settings) -> Provider:
    """Make the vendor's provider of this kind, one per process: all runs share the studio's jobs."""
    with _making:
        return _make(maker, kind, settings)


@cache
def _make(maker: str, kind: str, settings: Settings) -> Provider:
    made = vendor(maker).makers[kind](settings)
    members = [name for name in (*Provider.__annotations__, *vars(Provider)) if name[0] != "_"]
    missing = [name for name in members if not hasattr(made, name)]
    if missing:
        expected = f"expected the maker of {kind} to return a Provider, which has {missing[0]}"
        raise InvalidInputError(f"resources/providers/{maker}", expected, code=INVALID_VENDOR)
    return made


def is_available(maker: str, settings: Settings) -> bool:
    """Return whether this vendor's key is set, or it needs none."""
    return vendor(maker).has_key(settings)


def require_api_key(maker: str, what: str, settings: Settings) -> None:
    """Return if the vendor is available; raises InvalidInputError naming its key, and what it was chosen for."""
    key = vendor(maker).key
    if key is not None and not is_available(maker, settings):
        expected = f"expected a key, since {what} is {maker}"
        raise InvalidInputError(key, expected, code="invalid_setting")


def get_slots(maker: str, settings: Settings) -> int | None:
    """Return how many jobs the vendor takes at once; None for any number."""
    slots = vendor(maker).slots
    return None if slots is None else slots(settings)


def may_call_back(name: str) -> bool:
    """Return whether there is a vendor of this name that sends callbacks."""
    return name in VENDORS and vendor(name).job_id_in_callback is not None


def read_callback_job_id(name: str, body: Json) -> str | None:
    """Read the job's id in the body of a vendor's callback; None without a usable one."""
    read = vendor(name).job_id_in_callback if may_call_back(name) else None
    return read(body) if read is not None else None


def list_configured_hosts(settings: Settings) -> tuple[str, ...]:
    """List the configured hosts of the vendors and of castad itself; they may be private."""
    models = filter(None, (vendor(name).settings for name in VENDORS))
    of_vendors = (url for model in models for url in settings.of(model).addresses)
    urls = [settings.public_url, *of_vendors]
    return tuple(host for url in urls if url for host in HostAllowlist.for_base_url(url).hosts)


def check_settings(settings: Settings) -> None:
    """Return if the variables of all vendors can be used; raises InvalidInputError naming one that cannot."""
    for name in VENDORS:
        if (model := vendor(name).settings) is not None:
            settings.of(model)
