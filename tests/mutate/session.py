"""One pytest session that tries many breaks: each in a fork, which ends with the first test that fails."""

import gc
import json
import os
import select
import signal
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from math import sqrt
from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.mutate.coverage_map import Tests, count_functions, select_tests
from tests.mutate.guards import Break
from tests.mutate.loaded_module import NotPlantedError, plant

LONGEST = 20.0
"""Seconds of tests, as they were recorded, that one break is given."""
_HANGS_AFTER = 150.0


class BreakingSession:
    """A pytest plugin: instead of the collected tests, run those of each break in a fork of the session."""

    def __init__(
        self, planted: Sequence[tuple[str, str, Break]], tests: Tests, results: Path
    ) -> None:
        self._planted = planted
        self._tests = tests
        self._breadth = count_functions(tests)
        self._results = results
        self._items: Mapping[str, pytest.Item] = {}
        self._anchors: list[pytest.Item] = []
        self._sound: set[pytest.Item] = set()
        self._broken: set[pytest.Item] = set()
        """Tests that fail without a break too, in a fork: they prove nothing."""
        self._failed: str | None = None
        self._engines: list[Engine] = []
        self._catches = Counter[str]()
        """How many breaks each test function has caught so far."""

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every break, and write what caught it."""
        self._items = {item.nodeid: item for item in session.items}
        self._anchors = list({item.path.parent: item for item in session.items}.values())
        self._start_servers(session.items)
        self._engines = [held for held in gc.get_objects() if isinstance(held, Engine)]
        # What the collector leaves alone is not copied into each fork.
        gc.collect()
        gc.freeze()
        for key, path, each in self._planted:
            caught = self._try(path, each)
            self._catches[(caught or "").split("[")[0]] += 1
            with self._results.open("a") as file:
                file.write(json.dumps([key, caught]) + "\n")
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the first failure."""
        if report.failed and self._failed is None:
            self._failed = report.nodeid

    def _start_servers(self, items: Iterable[pytest.Item]) -> None:
        """Run one test of each session-wide fixture, so that all forks find its server running."""
        started: set[str] = set()
        for item in items:
            fixtures = set(getattr(item, "fixturenames", ())) & _SERVERS
            if fixtures - started:
                self._run(item)
                started |= fixtures

    def _try(self, path: str, each: Break) -> str | None:
        """Return the first test that fails with this break and passes without it."""
        chosen = [self._items[name] for name in self._choose(path, each) if name in self._items]
        while True:
            caught = self._run_apart(
                [item for item in chosen if item not in self._broken], path, each
            )
            suspect = next((item for item in chosen if item.nodeid == caught), None)
            if suspect is None or suspect in self._sound:
                return caught
            is_broken = self._run_apart([suspect], path, None) is not None
            (self._broken if is_broken else self._sound).add(suspect)
            if not is_broken:
                return caught

    def _run_apart(
        self, chosen: Sequence[pytest.Item], path: str, each: Break | None
    ) -> str | None:
        """Run the tests in a fork; return the first that fails."""
        if not chosen:
            return None
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            try:
                os.write(writing, self._run_broken(path, each, chosen).encode() or b"-")
            finally:
                # Where pytest itself fails, the fork must not go on as the session, and end what both share.
                os._exit(0)
        os.close(writing)
        try:
            ready, _, _ = select.select([reading], [], [], 2 * _HANGS_AFTER)
            answer = os.read(reading, 10_000).decode() if ready else f"hangs {2 * _HANGS_AFTER:g} s"
        finally:
            os.close(reading)
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        return None if answer == "-" else answer or "the process died"

    def _choose(self, path: str, each: Break) -> list[str]:
        """Return the tests to run, the shortest and most particular first, as long as the time suffices."""
        source = Path(path).read_text()
        found = dict(select_tests(self._tests, path, source, each.function))
        files = {test.split("::")[0] for test in found}
        # A test that is newer than the map may be about what its neighbours in the file are about.
        newer = (name for name in self._items if name not in self._breadth)
        found |= {name: 0.1 for name in newer if name.split("::")[0] in files}
        if each.kind not in _ABOUT_LOCKS:
            # What SQLite shows quickly, Postgres shows as well.
            quick = {name.replace("sqlite", "postgres") for name in found if "sqlite" in name}
            found = {name: seconds for name, seconds in found.items() if name not in quick}
        values, costs = Counter[str](), dict[str, float]()
        budget, chosen = LONGEST, list[str]()
        for test in sorted(found, key=lambda name: found[name] * self._breadth.get(name, 50)):
            # Two of a test's values show less than two tests.
            function = test.split("[")[0]
            values[function] += 1
            costs[test] = found[test] * self._breadth.get(test, 50) * sqrt(values[function])
            costs[test] /= 1 + self._catches[function]
            if each.kind in _ABOUT_LOCKS and "_locks.py" in function:
                costs[test] = 0.0
            if each.kind == "where" and "_apart.py" in function:
                costs[test] *= _SOONER
        for test in sorted(costs, key=costs.__getitem__):
            budget -= found[test]
            if budget > 0 or not chosen:
                chosen.append(test)
        return chosen

    def _run_broken(self, path: str, each: Break | None, chosen: Sequence[pytest.Item]) -> str:
        """Return the first test that fails, or nothing."""
        for held in self._engines:
            # A connection that two processes use answers neither.
            held.dispose(close=False)
        try:
            if each is not None:
                plant(path, each)
        except (NotPlantedError, SyntaxError):
            # What cannot be planted, or in a file that was edited meanwhile, has not been caught either.
            return ""
        except Exception as error:  # noqa: BLE001 - a module that cannot be loaded fails every test
            return f"import: {type(error).__name__}"
        self._failed = None
        deadline = time.monotonic() + _HANGS_AFTER
        for item in chosen:
            self._run(item)
            if self._failed is not None:
                return self._failed
            if time.monotonic() > deadline:
                break
        return ""

    def _run(self, item: pytest.Item) -> None:
        """Run one test; only the session's fixtures stay set up, since the next one lies in another folder."""
        elsewhere = next(each for each in self._anchors if each.path.parent != item.path.parent)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=elsewhere)


_ABOUT_LOCKS = {"lock", "order"}
"""The kinds of breaks that are tried first with the tests in files about locks: few others can see them."""
_SOONER = 0.1
"""By how much the laws of bystanders (about all transitions) come before as broad tests: they show a lost term."""
_SERVERS = {"postgres_server", "shared_ledger", "new_postgres_ledger", "new_ledger_file"}
