"""Record with coverage which tests run a function; names are kept, so that moved lines change nothing."""

import ast
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from coverage import CoverageData

FOLDER = Path(".mutate")
_SOURCES = ("resources", "castad/direct", "castad.saver", "sensors", "castad/api")
_MAP = FOLDER / "tests.json"
_RECORDED = ("tests/unit", "tests/integration", "tests/contract")
_OPTIONS = (
    *("--cov", "--cov-context=test", "--cov-report=", "--numprocesses=2", "--dist=loadfile"),
    # Each value of a law is about another guard, so all of them are traced.
    *("-p", "no:castad-tracing"),
)

Tests = Mapping[str, Mapping[str, float]]
"""Per `file::function` the tests that ran it, each with the seconds that it took."""


def read_map() -> Tests:
    """Return the recorded map; record it first where there is none."""
    if not _MAP.exists():
        _record()
    return json.loads(_MAP.read_text())  # type: ignore[no-any-return]


def _record() -> None:
    FOLDER.mkdir(exist_ok=True)
    rcfile, data, times = FOLDER / "coveragerc", FOLDER / "coverage", FOLDER / "junit.xml"
    rcfile.write_text(
        f"[run]\nsource = {','.join(_SOURCES)}\ndata_file = {data}\nparallel = true\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        files = [f"--cov-config={rcfile}", f"--junitxml={times}", f"--basetemp={folder}/tests"]
        subprocess.run([sys.executable, "-m", "pytest", *_RECORDED, *_OPTIONS, *files], check=False)
    write_map(data, times)


def write_map(data: Path, times: Path) -> None:
    """Write the map from coverage's data and the tests' times."""
    seconds = _read_seconds(times)
    covered = CoverageData(str(data))
    covered.read()
    tests: dict[str, dict[str, float]] = defaultdict(dict)
    for name in covered.measured_files():
        file = Path(name)
        path = file.relative_to(Path.cwd()).as_posix() if file.is_absolute() else name
        functions = _find_functions(file.read_text())
        for line, contexts in covered.contexts_by_lineno(name).items():
            for function in functions.get(line, ()):
                for test in {each.split("|")[0] for each in contexts if "::" in each}:
                    tests[f"{path}::{function}"][test] = seconds.get(test, 1.0)
    _MAP.write_text(json.dumps(tests))


def _read_seconds(times: Path) -> dict[str, float]:
    """Return the seconds of each test with its values."""
    return {
        f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name', '')}": float(
            case.get("time", 0)
        )
        for case in ElementTree.parse(times).iter("testcase")
    }


def _find_functions(source: str) -> dict[int, list[str]]:
    """Return per line the qualified names of the functions around it."""
    found: dict[int, list[str]] = defaultdict(list)

    def visit(node: ast.AST, scope: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{scope}.{child.name}".lstrip(".")
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                for line in range(child.body[0].lineno, (child.end_lineno or 0) + 1):
                    found[line].append(inner)
            visit(child, inner)

    visit(ast.parse(source), "")
    return found


def select_tests(tests: Tests, path: str, source: str, scope: str) -> dict[str, float]:
    """Return the tests that run the function or use the module's constant, with their seconds."""
    functions = {scope} if f"{path}::{scope}" in tests else _find_users(source, scope)
    found: dict[str, float] = {}
    for function in functions:
        found |= tests.get(f"{path}::{function}", {})
    if not found:
        for name, its in tests.items():
            found |= its if name.startswith(f"{path}::") else {}
    return found


def count_functions(tests: Tests) -> Counter[str]:
    """Return how many functions each test runs: the fewer, the more it is about each."""
    return Counter(test for its in tests.values() for test in its)


def _find_users(source: str, constant: str) -> set[str]:
    """Return the module's functions that use the constant, by way of other constants too."""
    users: set[str] = set()
    names, seen = {constant}, set[str]()
    tree = ast.parse(source)
    while names - seen:
        seen |= names
        for node in tree.body:
            used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            if not used & seen:
                continue
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                users.add(node.name)
            elif isinstance(node, ast.ClassDef):
                users |= {
                    f"{node.name}.{each.name}"
                    for each in node.body
                    if isinstance(each, ast.FunctionDef)
                    and {name.id for name in ast.walk(each) if isinstance(name, ast.Name)} & seen
                }
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                names = names | {ast.unparse(target)}
    return users
