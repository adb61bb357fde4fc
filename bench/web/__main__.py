"""`make bench-page`: two hundred open dashboards while five hundred orders go through, and the first screen.

Exit code 0: every dashboard saw every event, 95 % of them within a second; 1: not so.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Annotated, Any, cast

import psutil
import typer
from playwright.sync_api import Browser
from rich.console import Console
from rich.table import Table
from sqlalchemy import func, select

from bench.engine.machine import describe, read_load
from bench.engine.statistics import median, percentile
from bench.web.watchers import LIVE
from resources.ledger.queries.access import Scope
from resources.ledger.schema.tables import events
from resources.process.settings import PROJECT_ROOT
from tests.browser.dashboard_site import ApiProcess, OpenDashboard, api_process
from tests.browser.site import Person, chromium, person
from tests.eventually import eventually

_PAGE = PROJECT_ROOT / "docs" / "page-figures.md"
_TABS, _LOADS = 2, 5
_WITHIN = 1.0
_PATIENCE = 900.0
Rows = list[tuple[str, str]]
_LOADED = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const all = [page, ...performance.getEntriesByType("resource")];
  const sum = (name) => all.reduce((sum, each) => sum + each[name], 0);
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  return { answered: page.responseEnd, shown: paint ? paint.startTime : 0, loaded: page.loadEventEnd,
    bytes: sum("decodedBodySize"), sent: sum("transferSize") };
}"""


@dataclass(frozen=True)
class Seen:
    """What open dashboards saw: how many events each of them, and how late the events came, in seconds."""

    events: Sequence[int]
    lags: Sequence[float]

    def format_rows(self, who: str, written: int) -> Rows:
        """Format the figures."""
        whole = sum(count == written for count in self.events)
        late = ", ".join(
            f"{name} {1000 * percentile(self.lags, share):.0f} ms"
            for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0))
        )
        return [
            (f"{who} that saw each of {written:,} events once", f"{whole} of {len(self.events)}"),
            (f"from written to there, {who}", late),
        ]

    def is_well(self, written: int) -> bool:
        """Return whether nothing was missed and events came within a second."""
        return set(self.events) == {written} and percentile(self.lags, 0.95) < _WITHIN


def bench_page(
    pages: Annotated[int, typer.Option(min=3, help="Dashboards that are open")] = 200,
    orders: Annotated[int, typer.Option(min=1, help="Orders that go through")] = 500,
    rate: Annotated[float, typer.Option(min=0.1, help="Orders a second")] = 8.0,
    keep: Annotated[bool, typer.Option(help="Write docs/page-figures.md")] = True,
) -> None:
    """Measure, print, and write the page."""
    before = read_load()
    with (
        tempfile.TemporaryDirectory() as folder,
        # All dashboards have one key.
        api_process(Path(folder), CASTAD_STREAMS_PER_KEY=str(2 * pages)) as api,
        chromium() as browser,
    ):
        screen = _measure_first_screen(api, browser)
        dashboards, is_well = _open_dashboards(api, browser, pages, orders, rate)
    for title, rows in (("Open dashboards", dashboards), ("First screen", screen)):
        table = Table("", "", title=title, show_header=False)
        for row in rows:
            table.add_row(*row)
        Console().print(table)
    if keep:
        text = Path(__file__).with_name("page.md").read_text()
        _PAGE.write_text(
            text.format(
                **{"pages": pages, "tabs": _TABS, "orders": orders, "rate": rate, "loads": _LOADS},
                dashboards=_format_markdown(dashboards),
                screen=_format_markdown(screen),
                machine=_format_markdown(list(describe().items())),
                measured=f"{datetime.now(UTC):%Y-%m-%d}",
                before=before,
                after=read_load(),
            )
        )
    raise typer.Exit(0 if is_well else 1)


def _format_markdown(rows: Rows) -> str:
    return "\n".join(
        ["|  |  |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows)]
    )


def _measure_first_screen(api: ApiProcess, browser: Browser) -> Rows:
    with person(browser, api.site) as someone:
        someone.log_in()
        cookies: Any = someone.context.cookies()
    seen = []
    for _ in range(_LOADS):
        # Each is a browser that was never here.
        with person(browser, api.site) as someone:
            someone.context.add_cookies(cookies)
            seen.append(_measure_loading(someone))
    return [
        ("bytes", f"{seen[-1]['bytes'] / 1000:.1f} kB"),
        ("bytes as sent, with heads", f"{seen[-1]['sent'] / 1000:.1f} kB"),
        *(
            (what, f"{median([each[name] for each in seen]):.0f} ms")
            for what, name in (
                ("the page's HTML is there, median", "answered"),
                ("something is shown, median", "shown"),
                ("all of it is loaded, median", "loaded"),
            )
        ),
    ]


def _measure_loading(someone: Person) -> dict[str, float]:
    someone.go("/")
    page = someone.page
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
    times: dict[str, float] = page.evaluate(_LOADED)
    return times


def _open_dashboards(
    api: ApiProcess, browser: Browser, pages: int, orders: int, rate: float
) -> tuple[Rows, bool]:
    """Measure the dashboards while orders run; return the figures and whether they are good."""
    process = psutil.Process(api.process.pid)
    with ExitStack() as opened:
        tabs = [opened.enter_context(_open_tab(api, browser)) for _ in range(_TABS)]
        watchers = opened.enter_context(_start_watchers(api, tabs[0], pages - _TABS))
        cpu, began = _read_cpu(process), time.perf_counter()
        subprocess.run(
            _build_command("writer", str(orders), str(rate)), cwd=PROJECT_ROOT, check=True
        )
        dashboards = Seen(**json.loads(watchers.communicate(timeout=_PATIENCE)[0]))
        seconds = time.perf_counter() - began
        used = (_read_cpu(process) - cpu) / seconds
        written = _count_events(api)
        eventually(lambda: all(len(tab.heard) >= written for tab in tabs))
        in_tabs = Seen(
            [_count_heard(tab) for tab in tabs], [lag for tab in tabs for lag in tab.lags]
        )
    rows = [
        *dashboards.format_rows("dashboards", written),
        *in_tabs.format_rows("tabs of Chromium", written),
        ("the orders took", f"{seconds:.0f} s, {written / seconds:.0f} events a second"),
        ("the API process used", f"{100 * used:.0f} % of a core"),
    ]
    return rows, dashboards.is_well(written) and in_tabs.is_well(written)


def _count_heard(tab: OpenDashboard) -> int:
    """Count the events that the tab's stream handed on; return -1 if it handed one on twice."""
    heard = tab.heard
    return len(heard) if len(heard) == len(set(heard)) else -1


def _read_cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _count_events(api: ApiProcess) -> int:
    with api.site.db.reading() as tx:
        return int(tx.execute(select(func.count()).select_from(events)).scalar_one())


@contextmanager
def _open_tab(api: ApiProcess, browser: Browser) -> Iterator[OpenDashboard]:
    with person(browser, api.site) as operator:
        key = api.site.key("operator", Scope.ADMIN)
        operator.log_in(key.text)
        dashboard = OpenDashboard(operator, key)
        dashboard.open()
        dashboard.follow()
        yield dashboard


@contextmanager
def _start_watchers(
    api: ApiProcess, dashboard: OpenDashboard, count: int
) -> "Iterator[subprocess.Popen[str]]":
    """Start `count` dashboards without a browser, with the session of this one."""
    [cookie] = [
        each for each in dashboard.operator.context.cookies() if each["name"] == "castad_session"
    ]
    process = subprocess.Popen(
        _build_command("watchers", api.site.page.rpartition(":")[2], str(count)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT_ROOT,
    )
    says, hears = cast(IO[str], process.stdin), cast(IO[str], process.stdout)
    says.write(f"{cookie['name']}={cookie['value']}\n")
    says.flush()
    try:
        if hears.readline().strip() != LIVE:
            raise RuntimeError("the dashboards could not be opened")
        yield process
    finally:
        process.kill()


def _build_command(what: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"bench.web.{what}", *arguments]


if __name__ == "__main__":
    typer.run(bench_page)
