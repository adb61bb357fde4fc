"""The databases that fault tests copy, and the table they print."""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from xdist.remote import Producer

from tests.faults.case import Case
from tests.faults.house import House, make_template, open_house
from tests.faults.pairs import ByStand
from tests.faults.standing import Standing
from tests.postgres_server import PostgresServer

OpenHouse = Callable[[str, str], AbstractContextManager[House]]
_TEMPLATE = "faults_template"


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByStand:
    """A stand is started once, and not once a process."""
    return ByStand(config, log)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("faults") / "home", None)


@pytest.fixture(scope="session")
def postgres_template(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer
) -> Path:
    url = postgres_server.create(_TEMPLATE)
    return make_template(tmp_path_factory.mktemp("faults") / "home", url)


@pytest.fixture
def house(request: pytest.FixtureRequest, tmp_path: Path) -> OpenHouse:
    """Opens a house on a database ("sqlite" or "postgres") with a crash planned."""

    @contextmanager
    def opened(database: str, crash: str) -> Iterator[House]:
        template: Path = request.getfixturevalue(f"{database}_template")
        if database == "sqlite":
            with open_house(tmp_path / uuid4().hex, template, None, crash) as made:
                yield made
            return
        server: PostgresServer = request.getfixturevalue("postgres_server")
        name = f"faults_{uuid4().hex}"
        url = server.create(name, _TEMPLATE)
        try:
            with open_house(tmp_path, template, url, crash) as made:
                yield made
        finally:
            server.drop(name)

    return opened


@pytest.fixture(scope="session")
def standing(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Standing]:
    """The stand of a pair, for all cases on it."""
    stands = Standing(request.param, lambda: tmp_path_factory.mktemp("stand"))
    yield stands
    stands.close()


@pytest.fixture
def case(standing: Standing, request: pytest.FixtureRequest) -> Iterator[Case]:
    """A case on the stand where all is well; one that fails leaves the stand to nobody else."""
    opened = Case(standing.ready(), request.node.originalname.removeprefix("test_"))
    yield opened
    opened.close()
    if opened.has_failed:
        standing.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A case that fails tells how its orders ended."""
    report = yield
    case = getattr(item, "funcargs", {}).get("case")
    if report.when == "call" and report.failed and isinstance(case, Case):
        case.has_failed = True
        report.sections.append(("how it ended", case.story()))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line a crash point, one column a database and an action."""
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            told = dict(report.user_properties)
            if report.when == "call" and "point" in told:
                shown = told.get("outcome", "?") if outcome == "passed" else "FAILED"
                rows[told["point"]][f"{told['database']} {told['action']}"] = shown
    if not rows:
        return
    columns = sorted({column for row in rows.values() for column in row})
    width = max(len(point) for point in rows)
    terminalreporter.section("crash points: how the order ended, charges for lyric/song/video")
    terminalreporter.line(" " * width + "  " + "  ".join(f"{name:<17}" for name in columns))
    for point, row in sorted(rows.items()):
        cells = "  ".join(f"{row.get(column, '-'):<17}" for column in columns)
        terminalreporter.line(f"{point:<{width}}  {cells}")
