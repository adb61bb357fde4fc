"""Load the vendors, make their providers, and check the declaration in a folder, a vendor's or a pipeline's.

A vendor is a folder `resources/providers/<name>/` whose `vendor.py` holds a `VENDOR`. That module is imported
at the start of every process: what a client needs is imported by the maker.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from threading import Lock
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from resources.contract.errors import CastadError, InvalidInputError, describe_expected
from resources.contract.protocol import Json, Provider
from resources.http.addresses import HostAllowlist
from resources.process.settings import Settings, get_variable_name


class VendorSettings(BaseSettings):
    """The base of a vendor's settings; each vendor's model sets `env_prefix`, and `base_url` or `addresses`."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", frozen=True)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The URLs of the vendor's servers."""
        return tuple(filter(None, (getattr(self, "base_url", ""),)))


@dataclass(frozen=True)
class NeededProgram:
    """A program or font that a vendor needs on this machine.

    `find` returns where it is and raises an error if it is missing; `remedy` says how to install it. Without one
    that `is_optional`, products are made all the same, with a note.
    """

    name: str
    find: Callable[[], str]
    remedy: str
    is_optional: bool = False


@dataclass(frozen=True)
class Vendor:
    """A vendor and its provider makers.

    `makers` has a function for each kind of product that makes its provider. `key` is the variable without which
    the vendor cannot be used, None if it needs none. `job_id_in_callback` reads the job's id from a callback's
    body, None without a usable one; without this function the vendor never calls back. `castad doctor` looks for
    the programs in `needs`, and calls `account` of a vendor without makers for its state. `slots` returns how many
    jobs the vendor takes at once; without it there is no limit.
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
        """The field of the vendor's settings by the environment variable that sets it."""
        if self.settings is None:
            return {}
        return {
            get_variable_name(self.settings, field): field for field in self.settings.model_fields
        }


INVALID_VENDOR = "invalid_vendor"

_STRICT = ConfigDict(strict=True, arbitrary_types_allowed=True)
_NO_INSTANCE = ("dataclass_type", "dataclass_exact_type")
_EXPECTED = {
    "callable_type": "expected a function",
    "dict_type": "expected a mapping",
    "tuple_type": "expected a tuple",
}

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
def load_vendor(name: str) -> Vendor:
    """Load the vendor in the folder of this name, once per process. Raises InvalidInputError `invalid_vendor`."""
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


def load_module_value(folder: str, module: str, name: str, code: str) -> Any:
    """Import the folder's module and return its attribute `name`; None if the module has none.

    Raises InvalidInputError with this code, naming the folder, if the module is missing or raises an error.
    """
    file = f"{module.rpartition('.')[2]}.py"
    try:
        return getattr(import_module(module), name, None)
    except CastadError:
        raise
    except ModuleNotFoundError as error:
        is_own = error.name is not None and f"{module}.".startswith(f"{error.name}.")
        expected = f"expected a file {file}" if is_own else f"{file}: {error}"
    except Exception as error:  # noqa: BLE001 - the folder's code may raise anything
        expected = f"{file}: {type(error).__name__}: {error}"
    raise InvalidInputError(folder, " ".join(expected.split()), code=code)


def find_type_errors(value: Any) -> Iterator[tuple[str, str]]:
    """Yield each field of a dataclass instance whose value has the wrong type, with the sentence "expected …"."""
    for name, (adapter, arguments) in _build_table(value.__class__).items():
        held = getattr(value, name)
        try:
            adapter.validate_python(held)
        except ValidationError as error:
            errors = error.errors(include_url=False)
            # The place inside of the field, such as `[0]`.
            inside = [
                f"[{each}]" if isinstance(each, int) else f".{each}" for each in errors[0]["loc"]
            ]
            yield "".join([name, *inside[:1]]), _describe_expected(errors)
            continue
        if held is not None and arguments is not None and not _may_take(held, arguments):
            yield name, f"expected a function of {arguments} argument{'s' * (arguments != 1)}"


@cache
def _build_table(kind: type) -> Mapping[str, tuple[TypeAdapter[Any], int | None]]:
    """Map each field of a dataclass to its type, and to its number of arguments if it is a function."""
    hints = get_type_hints(kind, include_extras=True)
    table = {}
    for field in fields(kind):
        hint = hints[field.name]
        types = get_args(hint) if get_origin(hint) is UnionType else (hint,)
        counts = (len(get_args(each)[0]) for each in types if get_origin(each) is Callable)
        table[field.name] = TypeAdapter(hint, config=_STRICT), next(counts, None)
    return table


def _may_take(function: Callable[..., Any], arguments: int) -> bool:
    try:
        inspect.signature(function).bind(*range(arguments))
    except TypeError:
        return False
    except ValueError:  # a built-in function may have no signature
        return True
    return True


def _describe_expected(errors: Sequence[Mapping[str, Any]]) -> str:
    first = errors[0]
    classes = [each["ctx"]["class_name"] for each in errors if each["type"] in _NO_INSTANCE]
    if first["type"] in _NO_INSTANCE:
        return f"expected an instance of {' or '.join(dict.fromkeys(classes))}"
    if first["type"] == "is_subclass_of":
        return f"expected a subclass of {first['ctx']['class']}"
    return _EXPECTED.get(first["type"]) or describe_expected(first)


def make_provider(maker: str, kind: str, settings: Settings) -> Provider:
    """Return the vendor's provider of this kind of product, made once per process and settings.

    `maker` is the vendor's name. All runs of a process share the provider and its jobs. Raises InvalidInputError.
    """
    with _making:
        return _make_checked_provider(maker, kind, settings)


@cache
def _make_checked_provider(maker: str, kind: str, settings: Settings) -> Provider:
    """Make the provider and check that it has all members of `Provider`."""
    made = load_vendor(maker).makers[kind](settings)
    members = [name for name in (*Provider.__annotations__, *vars(Provider)) if name[0] != "_"]
    missing = [name for name in members if not hasattr(made, name)]
    if missing:
        expected = f"expected the maker of {kind} to return a Provider, which has {missing[0]}"
        raise InvalidInputError(f"resources/providers/{maker}", expected, code=INVALID_VENDOR)
    return made


def is_vendor_available(maker: str, settings: Settings) -> bool:
    """Return whether the key of the vendor named `maker` is set, or it needs none."""
    vendor = load_vendor(maker)
    if vendor.key is None or vendor.settings is None:
        return True
    return bool(getattr(settings.of(vendor.settings), vendor.fields[vendor.key]))


def require_api_key(maker: str, setting: str, settings: Settings) -> None:
    """Check that the key of the vendor named `maker` is set, if it needs one.

    `setting` is the variable that names the vendor. Raises InvalidInputError naming the key and that setting.
    """
    key = load_vendor(maker).key
    if key is not None and not is_vendor_available(maker, settings):
        expected = f"expected a key, since {setting} is {maker}"
        raise InvalidInputError(key, expected, code="invalid_setting")


def get_vendor_slots(maker: str, settings: Settings) -> int | None:
    """Return how many jobs the vendor takes at once; None for no limit."""
    slots = load_vendor(maker).slots
    return None if slots is None else slots(settings)


def may_call_back(name: str) -> bool:
    """Return whether a vendor of this name exists and sends callbacks."""
    return name in VENDORS and load_vendor(name).job_id_in_callback is not None


def read_callback_job_id(name: str, body: Json) -> str | None:
    """Read the job's id from the body of a vendor's callback; None without a usable one, or for another vendor."""
    read = load_vendor(name).job_id_in_callback if may_call_back(name) else None
    return read(body) if read is not None else None


def list_configured_hosts(settings: Settings) -> tuple[str, ...]:
    """List the configured hosts of all vendors and of castad's public address; they may be private."""
    models = filter(None, (load_vendor(name).settings for name in VENDORS))
    of_vendors = (url for model in models for url in settings.of(model).addresses)
    urls = [settings.public_url, *of_vendors]
    return tuple(host for url in urls if url for host in HostAllowlist.for_base_url(url).hosts)


def check_vendor_settings(settings: Settings) -> None:
    """Check the variables of all vendors. Raises InvalidInputError naming one that cannot be used."""
    for name in VENDORS:
        if (model := load_vendor(name).settings) is not None:
            settings.of(model)
