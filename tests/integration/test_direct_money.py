"""What direct answers buy: it is in the spool before it is sent, and counts whatever becomes of the import."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from castad.direct.pool import list_targets
from castad.stack.processes import find_free_port
from pipeline_defs.catalog import get_catalog
from resources.delivery.spool import Spool, deliver_spool, open_spool
from resources.ledger.queries.money import sum_spent_today
from resources.ledger.queries.status import get_request
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from tests.api_house import House, served
from tests.direct_house import ANSWER, events_of
from tests.eventually import eventually
from tests.fakes.faults import ALWAYS, Fault
from tests.fakes.openai import FakeOpenAI
from tests.integration.test_direct_vendor import ADVICE, GLASS, KEY, say

ORDER = {"note": "소주병", "task_id": "s1"}
HOUR = 3600.0


@pytest.fixture
def openai(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sqlite_ledger_url: str
) -> Iterator[FakeOpenAI]:
    with FakeOpenAI(tmp_path / "vendor", key=KEY) as vendor:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_USD_IN", "1")
        monkeypatch.setenv("OPENAI_USD_OUT", "1")
        monkeypatch.setenv("OPENAI_BASE_URL", vendor.url)
        settings.cache_clear()
        yield vendor


@pytest.fixture
def budget(monkeypatch: pytest.MonkeyPatch, openai: FakeOpenAI) -> int:
    """What one day may cost, in micro-dollars: a few scans."""
    limit = 3 * price() + 1
    monkeypatch.setenv("CASTAD_DAILY_BUDGET", str(limit / 1e6))
    settings.cache_clear()
    return limit


def price() -> int:
    pipeline = get_catalog().get_pipeline("scan")
    payload = get_catalog().accept_order(pipeline, {"note": "소주병"}, settings())
    return sum(get_catalog().estimate_prices(pipeline, payload, settings()).values())


def charged(vendor: FakeOpenAI) -> int:
    return sum(charge["cost"] for charge in vendor.charges())


def are_imported() -> bool:
    deliver_spool(open_spool(settings().home), list_targets(get_catalog()))
    return not open_spool(settings().home).waiting()


def forget(house: House) -> None:
    """The process has no answer in memory."""
    house.app.state.api.direct.pools["scan"]._jobs.clear()


def ends_of(house: House, count: int) -> list[str]:
    """The code or status of each of so many scans under one name, each as if it came to a fresh process."""
    client, ends = house.as_("shop"), []
    for _ in range(count):
        with client.stream("POST", ANSWER, json=ORDER) as answer:
            if answer.status_code != 200:
                ends.append(str(answer.status_code))
                continue
            last = list(answer.iter_lines())[-2]
            ends.append("daily_budget" if "daily_budget" in last else "answered")
        forget(house)
    return ends


def test_scans_under_anothers_task_id_stop_at_the_budget_and_are_imported(openai, budget):
    openai.script(*(Fault("completion", "submit", object=each) for each in (GLASS, ADVICE) * 40))
    with served() as house:
        house.steps.order("s1")
        ends = ends_of(house, 40)
        assert ends[0] == "answered"
        assert set(ends[1:]) <= {"answered", "daily_budget", "409"}
        assert eventually(are_imported)
        assert eventually(lambda: sum_spent_today(house.db) == charged(openai))
    assert 0 < charged(openai) <= budget


def test_concurrent_scans_of_two_processes_stay_within_the_budget(openai, budget):
    openai.script(Fault("completion", "submit", object=GLASS, times=ALWAYS))
    with served() as first, served() as second, ThreadPoolExecutor(8) as clients:
        both = [first.as_("shop"), second.as_("shop")]

        def scan(number: int) -> None:
            events_of(both[number % 2], {**ORDER, "task_id": f"s{number}"})

        scan(30)
        list(clients.map(scan, range(30)))
    assert 0 < charged(openai) <= budget


@contextmanager
def full_disk() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_nothing_is_bought_with_a_full_disk_while_a_budget_is_set(openai, budget):
    with served() as house:
        client = house.as_("shop")
        events_of(client, {**ORDER, "task_id": "warm"})
        before = len(openai.calls)
        with full_disk():
            last = events_of(client, ORDER)[-1]
    assert (last["error"]["code"], len(openai.calls)) == ("spool_unavailable", before)


def test_answer_is_bought_with_a_full_disk_where_no_budget_is_set(openai):
    say(openai, GLASS, ADVICE)
    with served() as house:
        client = house.as_("shop")
        with full_disk():
            last = events_of(client, ORDER)[-1]
    assert last["result"]["kept"] is False


@contextmanager
def process_that_waits_for(vendor: FakeOpenAI) -> Iterator[subprocess.Popen[bytes]]:
    """An API of its own with a scan whose call was sent, and is never answered."""
    vendor.script(Fault("hang_after", "submit", times=ALWAYS))
    port = find_free_port()
    command = [sys.executable, "-m", "castad", "api", "--port", str(port)]
    api = subprocess.Popen(command, env=os.environ, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        assert eventually(lambda: is_answered(f"{url}/healthz"))
        key = (settings().home / "admin.key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}"}
        httpx.post(f"{url}/v1/scan", headers=headers, json=ORDER, trust_env=False)
        assert eventually(lambda: len(vendor.charges()) == 1)
        yield api
    finally:
        api.kill()
        api.wait()


def is_answered(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


@pytest.mark.processes
def test_call_of_a_process_that_was_killed_counts_and_is_imported(openai):
    with process_that_waits_for(openai):
        """It is killed amid the call."""
    with served() as house:
        assert eventually(lambda: sum_spent_today(house.db) >= charged(openai))
        assert [each.is_intent for each in open_spool(settings().home).waiting()] == [True]
        later = Spool(settings().home, lambda: open_spool(settings().home).now + 2 * HOUR)
        assert eventually(lambda: deliver_spool(later, list_targets(get_catalog())) == 1)
        request = get_request(house.db, "s1")
        assert (request.status, request.error_code) == (Status.DEAD, "answer_interrupted")
        [job] = house.steps.jobs("s1")
        assert job.cost >= charged(openai)
