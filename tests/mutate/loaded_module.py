"""Plants a break in a module that is loaded already, so that nothing has to be imported again."""

import ast
import sys
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from tests.mutate.guards import Break


class NotPlantedError(Exception):
    """The break is in code that ran at import and that nothing can be told of any more."""


def plant(path: str, each: Break) -> None:
    """Replace the broken function's code, or the broken constant and those made from it, in this process.

    Raises NotPlantedError where the break is in neither, or the module is not loaded.
    """
    module = sys.modules.get(path.removesuffix(".py").replace("/", "."))
    if module is None:
        raise NotPlantedError
    source = Path(path).read_text()
    broken: dict[str, Any] = {"__name__": module.__name__, "__file__": path}
    exec(compile(each.apply(source), path, "exec"), broken)
    if isinstance(broken.get(each.function.split(".")[0]), FunctionType | type):
        _replace_code(_find(vars(module), each.function), _find(broken, each.function))
    elif each.function and each.function.isidentifier():
        _replace_constants(module, broken, each.function, source)
    else:
        raise NotPlantedError


def _find(names: dict[str, Any], qualified: str) -> FunctionType:
    """Return the function behind its decorators, for one within a function the outer one, which makes it.

    Raises NotPlantedError for a class.
    """
    first, *others = qualified.split(".")
    found = names[first]
    for name in others:
        if not isinstance(found, type):
            break
        found = vars(found)[name]
    while not isinstance(found, FunctionType) or hasattr(found, "__wrapped__"):
        match found:
            case property():
                found = found.fget
            case cached_property():
                found = found.func
            case staticmethod() | classmethod():
                found = found.__func__
            case _ if hasattr(found, "__wrapped__"):
                found = found.__wrapped__
            case _:
                raise NotPlantedError
    return found


def _replace_code(function: FunctionType, broken: FunctionType) -> None:
    if function.__code__.co_freevars != broken.__code__.co_freevars:
        raise NotPlantedError
    function.__code__ = broken.__code__


def _replace_constants(
    module: ModuleType, broken: dict[str, Any], constant: str, source: str
) -> None:
    """Replace the constant and what the module makes of it, also where other modules have imported them."""
    for name in _find_dependents(source, constant):
        old, new = vars(module).get(name), broken.get(name)
        for other in list(sys.modules.values()):
            names = getattr(other, "__dict__", {})
            for known in [known for known, value in names.items() if value is old]:
                names[known] = new


def _find_dependents(source: str, constant: str) -> list[str]:
    found = [constant]
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if used & set(found) and ast.unparse(target) not in found:
                found.append(ast.unparse(target))
    return found
