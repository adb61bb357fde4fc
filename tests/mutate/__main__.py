"""Breaks each guard of a write once, and reports the breaks that no test catches: `make mutate`."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from queue import Queue

import pytest
from rich.console import Console

from tests.mutate.coverage_map import FOLDER, Tests, read_map, select_tests
from tests.mutate.guards import Break, find_breaks

SOURCES = (
    "resources/ledger/moves",
    "resources/ledger/queries/feed.py",
    "resources/ledger/rules.py",
    "resources/ledger/admission.py",
    "resources/purchase",
    "resources/spool",
    "castad/direct",
    "sensors/outbox.py",
    "sensors/webhooks",
)
_ACCEPTED = Path("tests/mutate/accepted.toml")
_RESULTS = FOLDER / "results.jsonl"
_REPORT = FOLDER / "report.md"
_PACKAGES = ("dagster", "sqlalchemy", "fastapi", "httpx", "psycopg2", "pydantic_settings", "celery")
_LONGEST = 300.0
"""Seconds of tests, as they were recorded, that one break is given."""


@dataclass(frozen=True)
class Planted:
    """One break of one file."""

    path: str
    each: Break

    @property
    def key(self) -> str:
        """The break's name, which stays while the guard is not edited."""
        each = self.each
        return (
            f"{self.path}::{each.function} {each.kind}: {each.was} -> {' '.join(each.text.split())}"
        )


def main() -> int:
    """Break the guards, print how each was caught, and return 1 if a break without an explanation survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutate", description=__doc__)
    parser.add_argument("files", nargs="*", help="files to break; default: all guards of writes")
    parser.add_argument("--base", help="break only what changed since this commit")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    tests = read_map()
    for name in _PACKAGES:
        import_module(name)
    accepted = tomllib.loads(_ACCEPTED.read_text())["breaks"] if _ACCEPTED.exists() else {}
    planted = list(_plant(options.files or SOURCES, options.base))
    console = Console(markup=False, highlight=False, soft_wrap=True)
    console.print(f"{len(planted)} breaks")
    survived = 0
    for done, (broken, caught) in enumerate(_try_all(planted, tests, options.jobs), 1):
        explained = accepted.get(broken.key)
        survived += caught is None and explained is None
        told = caught or explained or "SURVIVED"
        console.print(f"{done}/{len(planted)} {told}: {broken.key[:150]}")
    _write_report(planted, accepted)
    console.print(f"{len(planted)} breaks, {survived} survived without an explanation: {_REPORT}")
    return 1 if survived else 0


def _plant(paths: Iterable[str], base: str | None) -> Iterator[Planted]:
    for path in paths:
        for file in sorted(Path(path).rglob("*.py")) if Path(path).is_dir() else [Path(path)]:
            changed = None if base is None else _read_changed_lines(base, file)
            for each in find_breaks(file.read_text()):
                if changed is None or each.line in changed:
                    yield Planted(file.as_posix(), each)


def _read_changed_lines(base: str, file: Path) -> set[int]:
    diff = subprocess.run(
        ["git", "diff", "-U0", base, "--", str(file)], capture_output=True, text=True, check=True
    )
    lines: set[int] = set()
    for header in (line for line in diff.stdout.splitlines() if line.startswith("@@")):
        first, _, count = header.split("+")[1].split(" ")[0].partition(",")
        lines |= set(range(int(first), int(first) + int(count or 1)))
    return lines


def _try_all(
    planted: list[Planted], tests: Tests, jobs: int
) -> Iterator[tuple[Planted, str | None]]:
    """Yield each break with the test that caught it; what an earlier call has tried is not tried again."""
    known = _read_results()
    folders: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory(prefix="castad-mutate-") as parent:
        for number in range(jobs):
            folders.put(_copy_tree(Path(parent) / str(number)))

        def attempt(each: Planted) -> tuple[Planted, str | None]:
            if each.key in known:
                return each, known[each.key]
            folder = folders.get()
            try:
                caught = _try_one(folder, each, tests)
            finally:
                folders.put(folder)
            with _RESULTS.open("a") as file:
                file.write(json.dumps([each.key, caught]) + "\n")
            return each, caught

        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(attempt, planted)


def _read_results() -> dict[str, str | None]:
    if not _RESULTS.exists():
        return {}
    return dict(json.loads(line) for line in _RESULTS.read_text().splitlines())


def _copy_tree(folder: Path) -> Path:
    """Return a copy of the project's files; the tests run there, by the project's interpreter."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if Path(name).exists():
            shutil.copy(name, target)
    return folder


def _try_one(folder: Path, planted: Planted, tests: Tests) -> str | None:
    """Return the first test that fails with this break, or None."""
    file = folder / planted.path
    source = file.read_text()
    chosen: list[str] = []
    budget = _LONGEST
    for test, seconds in select_tests(tests, planted.path, source, planted.each.function):
        budget -= seconds
        if budget < 0:
            break
        if (folder / test.split("::")[0]).exists():
            chosen.append(test)
    if not chosen:
        return None
    file.write_text(planted.each.apply(source))
    try:
        return _run(folder, chosen)
    finally:
        file.write_text(source)


def _run(folder: Path, chosen: list[str]) -> str | None:
    """Run the tests in a fork of this process, which has loaded all packages but the project's own."""
    output = folder / ".output"
    child = get_context("fork").Process(target=_run_tests, args=(folder, chosen, output))
    child.start()
    child.join(_LONGEST * 3)
    if child.exitcode is None:
        os.killpg(child.pid or 0, signal.SIGKILL)
        child.join()
        return f"hangs for {_LONGEST * 3:.0f} s"
    if child.exitcode == 0:
        return None
    lines = output.read_text(errors="replace").splitlines()
    failed = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return failed[0].split(" ")[1] if failed else f"exit {child.exitcode}: {lines[-1:]}"


def _run_tests(folder: Path, chosen: list[str], output: Path) -> None:
    os.setsid()
    os.chdir(folder)
    with output.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.path[0] = str(folder)
    for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
        del sys.modules[name]
    options = ["-x", "--timeout=120", "-p", "no:cacheprovider", f"--basetemp={folder / '.tmp'}"]
    quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    sys.exit(pytest.main([*options, *quiet, *chosen]))


def _write_report(planted: list[Planted], accepted: dict[str, str]) -> None:
    known = _read_results()
    rows = [
        f"| `{each.path}:{each.each.line}` {each.each.function} | {each.each.kind}: `{each.each.was[:80]}` "
        f"| {known.get(each.key) or accepted.get(each.key, '**survived**')} |"
        for each in planted
    ]
    _REPORT.write_text(
        "\n".join(["| guard | broken how | caught by |", "|---|---|---|", *rows, ""])
    )


if __name__ == "__main__":
    sys.exit(main())
