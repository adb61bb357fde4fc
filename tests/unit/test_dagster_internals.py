"""The private names of Dagster that castad uses are there: the files that name them are read, and not imported.

An import of it would end this module at the first name that is gone, and with it every test that says which.
"""

import ast
import importlib
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
INTERNALS = ast.parse((ROOT / "resources" / "dagster" / "internals.py").read_text())
CONFIGURED = yaml.safe_load((ROOT / "dagster.yaml").read_text()).values()
NAMES = [
    *(
        (node.module, alias.name)
        for node in INTERNALS.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    ),
    *(
        (part["module"], part["class"])
        for part in CONFIGURED
        if isinstance(part, dict) and str(part.get("module")).startswith("dagster._")
    ),
]


def exists(module: str, name: str) -> bool:
    try:
        return find_spec(module) is not None and hasattr(importlib.import_module(module), name)
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize(("module", "name"), NAMES, ids=lambda part: part)
def test_private_name_of_dagster_is_still_there(module, name):
    assert exists(module, name), (
        f"this Dagster has no {module}.{name}: docs/upgrading-dagster.md says what to look at"
    )


@pytest.mark.parametrize("module", ["dagster._core.gone", "dagster._gone.away", "dagster._serdes"])
def test_name_that_is_gone_is_missed(module):
    assert not exists(module, "Gone")


def test_private_names_were_read_in_the_dagster_that_is_pinned():
    [version] = [
        ast.literal_eval(node.value)
        for node in INTERNALS.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "VERSION"
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"dagster=={version}" in project["dependencies"]
