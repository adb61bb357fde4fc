"""Breaks each guard of a write once, and reports the breaks that no test catches: `make mutate`."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import pytest
from rich.console import Console

from tests.mutate.coverage_map import FOLDER, Tests, read_map
from tests.mutate.guards import Break, find_breaks
from tests.mutate.session import BreakingSession

SOURCES = (
    "resources/ledger/transitions",
    "resources/ledger/queries/feed.py",
    "resources/ledger/rules.py",
    "resources/ledger/limits.py",
    "resources/purchase",
    "resources/delivery",
    "castad/direct",
    "sensors/event_mirror.py",
)
_KINDS = ("order", "lock", "where", "limit", "refusal", "condition")
"""The kinds of breaks in the order in which they are tried."""
_ACCEPTED = Path("tests/mutate/accepted.toml")
_RESULTS = FOLDER / "results.jsonl"
_REPORT = FOLDER / "report.md"


@dataclass(frozen=True)
class Planted:
    """One break of one file."""

    path: str
    each: Break
    nth: int = 1
    """Which one it is of those that would have the same name."""

    @property
    def key(self) -> str:
        """The break's name, which stays while the guard is not edited."""
        each, nth = self.each, "" if self.nth == 1 else f" ({self.nth})"
        edit = f"{each.was} -> {' '.join(each.text.split())}"
        return f"{self.path}::{each.function} {each.kind}{nth}: {edit}"


def main() -> int:
    """Break the guards, print how each was caught, and return 1 if a break without an explanation survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutate", description=__doc__)
    parser.add_argument("files", nargs="*", help="files to break; default: all guards of writes")
    parser.add_argument("--base", help="break only what changed since this commit")
    parser.add_argument("--kind", choices=_KINDS, help="break only guards of this kind")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    tests = read_map()
    accepted = tomllib.loads(_ACCEPTED.read_text())["breaks"] if _ACCEPTED.exists() else {}
    planted = [
        each
        for each in _plant(options.files or SOURCES, options.base)
        if options.kind in (None, each.each.kind)
    ]
    console = Console(markup=False, highlight=False, soft_wrap=True)
    console.print(f"{len(planted)} breaks")
    survived = 0
    for done, (broken, caught) in enumerate(_try_all(planted, tests, options.jobs), 1):
        explained = accepted.get(broken.key)
        survived += caught is None and explained is None
        outcome = caught or explained or "SURVIVED"
        console.print(f"{done}/{len(planted)} {outcome}: {broken.key[:150]}")
    _write_report(planted, accepted)
    console.print(f"{len(planted)} breaks, {survived} survived without an explanation: {_REPORT}")
    return 1 if survived else 0


def _plant(paths: Iterable[str], base: str | None) -> Iterator[Planted]:
    for path in paths:
        for file in sorted(Path(path).rglob("*.py")) if Path(path).is_dir() else [Path(path)]:
            changed = None if base is None else _read_changed_lines(base, file)
            seen = Counter[str]()
            for each in find_breaks(file.read_text()):
                key = Planted(file.as_posix(), each).key
                seen[key] += 1
                if changed is None or each.line in changed:
                    yield Planted(file.as_posix(), each, seen[key])


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
    """Yield each break with the test that caught it; what an earlier call has caught is not tried again."""
    known = _read_results()
    new = [(each.key, each.path, each.each) for each in planted if known.get(each.key) is None]
    new.sort(key=lambda each: _KINDS.index(each[2].kind))
    fork = get_context("fork")
    workers = [
        fork.Process(target=_try_some, args=(new[job::jobs], tests, job)) for job in range(jobs)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    known = _read_results()
    for each in planted:
        if each.key in known:
            yield each, known[each.key]


def _try_some(planted: list[tuple[str, str, Break]], tests: Tests, job: int) -> None:
    with (FOLDER / f"session-{job}.txt").open("w") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    files = {test.split("::")[0] for its in tests.values() for test in its}
    there = sorted(file for file in files if Path(file).exists())
    with tempfile.TemporaryDirectory() as folder:
        options = ["--timeout=120", "-p", "no:cacheprovider", f"--basetemp={folder}/tests"]
        plugins = [BreakingSession(planted, tests, _RESULTS)]
        sys.exit(pytest.main([*options, *there], plugins=plugins))


def _read_results() -> dict[str, str | None]:
    if not _RESULTS.exists():
        return {}
    return dict(json.loads(line) for line in _RESULTS.read_text().splitlines())


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
