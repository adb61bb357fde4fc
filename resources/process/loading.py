"""Load a value from a folder's module, and recognise Dagster's code server."""

import sys
from importlib import import_module
from typing import Any

from resources.contract.errors import CastadError, InvalidInputError


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


def is_code_server() -> bool:
    """Return whether this process is a Dagster code server."""
    return sys.argv[1:3] == ["api", "grpc"]
