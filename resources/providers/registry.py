"""The vendors: a line each, the folder's name. A vendor's client is imported when its provider is made."""

from functools import cache
from threading import Lock

from resources.contract.errors import InvalidInputError
from resources.contract.protocol import Json, Provider
from resources.http.host_allowlist import HostAllowlist
from resources.process.field_types import misfits
from resources.process.load_folder import load
from resources.process.settings import Settings
from resources.providers.vendor import Vendor

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
    """The vendor in the folder of this name.

    Raises InvalidInputError `invalid_vendor` where the folder does not say what VENDOR has to.
    """
    folder = f"resources/providers/{name}"
    found = load(folder, f"{__package__}.{name}.vendor", "VENDOR", INVALID_VENDOR)
    if not isinstance(found, Vendor):
        expected = "expected VENDOR in vendor.py"
    elif misfit := next(misfits(found), None):
        expected = f"VENDOR.{': '.join(misfit)}"
    elif found.name != name:
        expected = f"expected VENDOR.name to be {name}, got {found.name}"
    elif found.key not in (None, *found.fields):
        expected = f"expected VENDOR.key to be a variable of its settings, got {found.key}"
    else:
        return found
    raise InvalidInputError(folder, expected, code=INVALID_VENDOR)


def make_provider(maker: str, kind: str, settings: Settings) -> Provider:
    """The vendor's provider of this kind of product; one per process, since all runs share the studio's jobs.

    Raises InvalidInputError `invalid_vendor` where it lacks a member of Provider.
    """
    with _making:
        return _made(maker, kind, settings)


@cache
def _made(maker: str, kind: str, settings: Settings) -> Provider:
    made = vendor(maker).makers[kind](settings)
    members = [name for name in (*Provider.__annotations__, *vars(Provider)) if name[0] != "_"]
    missing = [name for name in members if not hasattr(made, name)]
    if missing:
        expected = f"expected the maker of {kind} to return a Provider, which has {missing[0]}"
        raise InvalidInputError(f"resources/providers/{maker}", expected, code=INVALID_VENDOR)
    return made


def is_available(maker: str, settings: Settings) -> bool:
    """Whether this vendor's key is set, or it needs none."""
    return vendor(maker).has_key(settings)


def refuse_missing_key(maker: str, what: str, settings: Settings) -> None:
    """Return if the vendor is available; raises InvalidInputError naming its key, and what it was chosen for."""
    key = vendor(maker).key
    if key is not None and not is_available(maker, settings):
        expected = f"expected a key, since {what} is {maker}"
        raise InvalidInputError(key, expected, code="invalid_setting")


def slots_at(maker: str, settings: Settings) -> int | None:
    """How many jobs the vendor takes at once; None for any number."""
    slots = vendor(maker).slots
    return None if slots is None else slots(settings)


def calls_back(name: str) -> bool:
    """Whether there is a vendor of this name that sends callbacks."""
    return name in VENDORS and vendor(name).job_id_in_callback is not None


def job_id_in_callback(name: str, body: Json) -> str | None:
    """The job's id in the body of a vendor's callback; None without a usable one, or where it never calls back."""
    read = vendor(name).job_id_in_callback if calls_back(name) else None
    return read(body) if read is not None else None


def configured_hosts(settings: Settings) -> tuple[str, ...]:
    """The hosts of the vendors' addresses and of castad's own, as configured; they may be private."""
    models = filter(None, (vendor(name).settings for name in VENDORS))
    of_vendors = (url for model in models for url in settings.of(model).addresses)
    urls = [settings.public_url, *of_vendors]
    return tuple(host for url in urls if url for host in HostAllowlist.for_base_url(url).hosts)


def refuse_unusable(settings: Settings) -> None:
    """Return if the variables of all vendors can be used; raises InvalidInputError naming one that cannot."""
    for name in VENDORS:
        if (model := vendor(name).settings) is not None:
            settings.of(model)
