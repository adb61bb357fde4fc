"""A castad whose vendors are fakes: orders go through the real sensor, the real job and the real command line."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import httpx
import pytest
from dagster import DagsterInstance, RunRequest, build_sensor_context

from castad.stack.local_daemon import open_instance
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import RATE_LIMITED
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from sensors.requests import requests_sensor
from tests.conftest import forget_foreign_settings
from tests.fakes.creatomate import FakeCreatomate
from tests.fakes.openai import FakeOpenAI
from tests.fakes.server import FakeVendor
from tests.fakes.suno import FakeSuno
from tests.ledger_laws import assert_laws
from tests.ledger_steps import Steps
from tests.one_order import submit_order
from tests.quiet_dagster import quiet_instance
from tests.song_video import JOBS, NAME, SONG_VIDEO, same_brief, song_video

TASK_ID = "shop"
BRIEF: Mapping[str, Any] = {
    "customer_name": "봄날 베이커리",
    "region": "전주",
    "duration_seconds": 10,
}
ONE_EACH = {"lyric": 1, "song": 1, "video": 1}
PATIENCE_SECONDS = 60
FAST = {
    "CASTAD_WATCH_SECONDS": "0.02",
    "CASTAD_POLL_SECONDS": "0.01",
    "CASTAD_POLL_LONGEST": "0.01",
    "CASTAD_STEP_RETRY_DELAY": "0.01",
    "CASTAD_RETRY_LYRIC": "0.01",
    "CASTAD_RETRY_SONG": "0.01",
    "CASTAD_RETRY_VIDEO": "0.01",
    "CASTAD_CALL_DEADLINE": "20",
    "CASTAD_DOWNLOAD_DEADLINE": "20",
    # No pause lasts for the sake of the vendors' rates.
    "SUNO_CALLS_PER_10_SECONDS": "100000",
    "CREATOMATE_CALLS_PER_10_SECONDS": "100000",
}

Environment = Mapping[str, str]


@dataclass
class Vendors:
    """The three fakes, and the environment that leads to them."""

    openai: FakeOpenAI
    suno: FakeSuno
    creatomate: FakeCreatomate

    @property
    def all(self) -> tuple[FakeVendor, ...]:
        return self.openai, self.suno, self.creatomate

    def environment(self) -> dict[str, str]:
        return {
            f"{fake.name.upper()}_{what}": value
            for fake in self.all
            for what, value in (("API_KEY", fake.key), ("BASE_URL", fake.url))
        }

    def charges(self) -> dict[str, int]:
        """How often each vendor would have charged, by the stage that it makes."""
        books = {"lyric": self.openai, "song": self.suno, "video": self.creatomate}
        return {stage: len(fake.charges()) for stage, fake in books.items()}

    def calls(self) -> list[str]:
        """Every route that was asked, at whichever vendor."""
        return [call.route for fake in self.all for call in fake.calls]


@contextmanager
def open_vendors(folder: Path, keys: Mapping[str, str]) -> Iterator[Vendors]:
    """The fakes answer at once, under these keys where a vendor's name has one."""
    books = folder / "books"
    with (
        FakeOpenAI(books, key=keys.get("openai")) as openai,
        FakeSuno(books, key=keys.get("suno")) as suno,
        FakeCreatomate(books, key=keys.get("creatomate")) as creatomate,
    ):
        yield Vendors(openai, suno, creatomate)


@dataclass
class House:
    """A ledger, a Dagster, three vendors, and what works on orders."""

    instance: DagsterInstance
    vendors: Vendors
    environment: Mapping[str, str]

    @property
    def db(self) -> Database:
        return open_database(settings().ledger_url)

    @property
    def request(self) -> Request:
        return get_request(self.db, TASK_ID)

    @property
    def state(self) -> tuple[Status, str | None]:
        return self.request.status, self.request.error_code

    @property
    def steps(self) -> Steps:
        return Steps(self.db)

    def order(self, *, hold: str | None = None, **fields: Any) -> None:
        payload = SONG_VIDEO.normalize({**BRIEF, **fields})
        named = {"pipeline": NAME, "source": "test", "same_order": same_brief, "hold": hold}
        submit_order(self.db, TASK_ID, payload, **named)

    def tick(self) -> tuple[list[RunRequest], str | None]:
        """What the sensor would start now, or why it starts nothing."""
        told = requests_sensor(get_catalog(), JOBS, wait_seconds=0).evaluate_tick(
            build_sensor_context(self.instance)
        )
        return list(told.run_requests or []), told.skip_message

    def work(self) -> None:
        """Attempt after attempt has been made, until nothing more happens by itself soon."""
        pause, deadline = Event(), monotonic() + PATIENCE_SECONDS
        while (wanted := self.tick()[0]) or not self._stands_still():
            assert monotonic() < deadline, f"still {self.state} after a while"
            for each in wanted:
                self._run(each)
            pause.wait(0 if wanted else 0.01)

    def made(self, **fields: Any) -> "House":
        """The order is placed, with these fields of its brief, and worked on."""
        self.order(**fields)
        self.work()
        return self

    def enter(self, patch: pytest.MonkeyPatch, **variables: str) -> "House":
        """This process' settings are this house's, and these."""
        set_environment(patch, {**self.environment, **variables})
        return self

    def spent(self) -> dict[str, int]:
        """Micro-dollars by stage."""
        return build_overview(self.db, self.request.task_id).spent

    def results(self) -> dict[str, Any]:
        """What every completed stage stored."""
        return {
            view.stage: view.result for view in build_overview(self.db, self.request.task_id).stages
        }

    def jobs(self, stage: str) -> list[Any]:
        """Every submission of a stage, the oldest first."""
        return [job for job in self.steps.jobs(TASK_ID) if job.stage == stage]

    def assert_laws(self) -> None:
        """What holds of every request holds of this one, and nothing written down of it repeats a key."""
        assert_kept(self.steps, TASK_ID, [fake.key for fake in self.vendors.all])

    def _run(self, wanted: RunRequest) -> None:
        """One attempt, as the daemon would launch it."""
        song_video.execute_in_process(
            run_config=dict(wanted.run_config),
            tags=dict(wanted.tags),
            instance=self.instance,
            raise_on_error=False,
        )

    def _stands_still(self) -> bool:
        """At its end, or waiting for a person, a vendor that names no moment soon, or another day."""
        request = self.request
        if request.is_terminal or request.error_code == "submission_unknown":
            return True
        if request.held_stage is not None:
            return True
        waits_long = request.error_code not in (None, RATE_LIMITED)
        return request.status is Status.PENDING and waits_long


def assert_kept(steps: Steps, task_id: str, keys: Sequence[str]) -> None:
    """Every law holds of the request, and none of the keys is in what was written down of it."""
    assert_laws(steps, task_id)
    written = "".join(_written(steps, task_id))
    assert [key for key in keys if key in written] == []


def _written(steps: Steps, task_id: str) -> Iterator[str]:
    yield steps.row(task_id).error_message or ""
    for rows in (steps.jobs(task_id), steps.stages(task_id), steps.attempts(task_id)):
        yield from (row.error_message or "" for row in rows)
    yield from (str(event.data) for event in steps.events(task_id))


def ask_suno(suno: FakeSuno, method: str, path: str, **content: Any) -> Any:
    """What the vendor tells somebody who asks it past castad."""
    url = f"{suno.url}/api/v1/generate{path}"
    headers = {"Authorization": f"Bearer {suno.key}"}
    with httpx.Client(trust_env=False, verify=False, headers=headers) as client:
        return client.request(method, url, **content).json()["data"]


def song_of_another(suno: FakeSuno) -> str:
    """The task of a song that somebody else has ordered from the same account."""
    asked = {"customMode": False, "instrumental": True, "model": "V4_5", "prompt": "a waltz"}
    order = {**asked, "callBackUrl": "https://another.example.com/callbacks/suno/another"}
    return str(ask_suno(suno, "POST", "", json=order)["taskId"])


def set_environment(patch: pytest.MonkeyPatch, variables: Environment) -> None:
    """The variables hold, and every later look at the settings sees them."""
    for name, value in variables.items():
        patch.setenv(name, value)
    settings.cache_clear()


@contextmanager
def open_house(
    folder: Path,
    *,
    keeps_history: bool = False,
    database_url: str | None = None,
    keys: Environment | None = None,
) -> Iterator[House]:
    """A house on an empty state. `keeps_history`: its Dagster is the one that the command line reads."""
    home = {"CASTAD_HOME": str(folder / "home")}
    if database_url is not None:
        home["CASTAD_DATABASE_URL"] = database_url
    with open_vendors(folder, keys or {}) as vendors, pytest.MonkeyPatch.context() as patch:
        forget_foreign_settings(patch)
        environment = {**FAST, **home, **vendors.environment()}
        set_environment(patch, environment)
        with _dagster(folder, keeps_history=keeps_history) as instance:
            yield House(instance, vendors, environment)
    settings.cache_clear()


def _dagster(folder: Path, *, keeps_history: bool) -> AbstractContextManager[DagsterInstance]:
    if keeps_history:
        return open_instance(settings())
    return quiet_instance(folder / "dagster")
