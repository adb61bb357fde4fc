"""Find faults in what a pipeline's folder defines."""

from collections.abc import Callable, Collection, Iterable
from importlib.abc import InspectLoader
from importlib.util import find_spec


def catch_error(call: Callable[[], object], *allowed: type[Exception]) -> str:
    """Call the function and return the text of the error that it raises.

    Return "" if it raises no error or one of the allowed classes.
    """
    try:
        call()
    except allowed:
        return ""
    except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def join_unknown(given: Iterable[str], known: Collection[str]) -> str:
    """Join the given names that are not in `known` by commas; return "" if all are known."""
    return ", ".join(each for each in given if each not in known)


def find_binding_fault(function: str) -> str:
    """Return what is wrong with a "module:function" reference; "" if the module binds the name.

    The module is compiled but not executed, since it may load Dagster, which is slow.
    """
    module, _, name = function.partition(":")
    expected = f"expected module:function, got {function}"
    try:
        found = find_spec(module)
        loader = None if found is None else found.loader
        code = loader.get_code(module) if isinstance(loader, InspectLoader) else None
    except (ImportError, ValueError):
        return expected
    except Exception as error:  # noqa: BLE001 - the folder's code may raise anything
        return " ".join(f"{type(error).__name__}: {error}".split())
    return "" if code is not None and name in code.co_names else expected
