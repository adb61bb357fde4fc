"""Whether each field of a dataclass holds a value of its type, as a folder's own data may not. Pure."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from resources.contract.refusals import expected_of

_STRICT = ConfigDict(strict=True, arbitrary_types_allowed=True)
_NO_INSTANCE = ("dataclass_type", "dataclass_exact_type")
_EXPECTED = {
    "callable_type": "expected a function",
    "dict_type": "expected a mapping",
    "tuple_type": "expected a tuple",
}


def misfits(value: Any) -> Iterator[tuple[str, str]]:
    """Each field of this dataclass that holds what its type does not allow, and what was expected."""
    for name, (adapter, arguments) in _table(value.__class__).items():
        held = getattr(value, name)
        try:
            adapter.validate_python(held)
        except ValidationError as error:
            errors = error.errors(include_url=False)
            yield f"{name}{_entry(errors[0]['loc'])}", _expected_of(errors)
            continue
        if held is not None and arguments is not None and not _takes(held, arguments):
            yield name, f"expected a function of {arguments} argument{'s' * (arguments != 1)}"


@cache
def _table(kind: type) -> Mapping[str, tuple[TypeAdapter[Any], int | None]]:
    """The type of each field, and how many arguments a function there takes."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        each.name: (TypeAdapter(hints[each.name], config=_STRICT), _arguments(hints[each.name]))
        for each in fields(kind)
    }


def _arguments(hint: Any) -> int | None:
    """How many arguments a function of this type takes; None where the type is no function's."""
    for each in get_args(hint) if get_origin(hint) is UnionType else (hint,):
        if get_origin(each) is Callable:
            return len(get_args(each)[0])
    return None


def _takes(function: Callable[..., Any], arguments: int) -> bool:
    try:
        inspect.signature(function).bind(*range(arguments))
    except TypeError:
        return False
    except ValueError:  # a built-in function may have no signature
        return True
    return True


def _entry(location: tuple[int | str, ...]) -> str:
    """Which entry of the field it is; "" where it is the field itself."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location[:1])


def _expected_of(errors: Sequence[Mapping[str, Any]]) -> str:
    """What the first error says; every class where the value may be an instance of several."""
    first = errors[0]
    classes = [each["ctx"]["class_name"] for each in errors if each["type"] in _NO_INSTANCE]
    if first["type"] in _NO_INSTANCE:
        return f"expected an instance of {' or '.join(dict.fromkeys(classes))}"
    if first["type"] == "is_subclass_of":
        return f"expected a subclass of {first['ctx']['class']}"
    return _EXPECTED.get(first["type"]) or expected_of(first)
