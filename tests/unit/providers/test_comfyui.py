"""The client of ComfyUI against the fake: both generations of its API, faults, restarts and several servers."""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from resources.contract.errors import (
    VENDOR_DOWN,
    PermanentError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import InProgress, Product, Succeeded
from resources.providers.comfyui.renderer import ComfyUIRenderer, ProgressFeed, build_sent_graph
from resources.providers.comfyui.server import (
    LEFT_ALONE_SECONDS,
    LOOK_AGAIN_SECONDS,
    ComfyUIServer,
    Fleet,
    sort_servers_by_load,
    split_external_id,
)
from tests.eventually import eventually
from tests.fakes.comfyui import FakeComfyUI
from tests.fakes.faults import Fault

LOST_SECONDS = 60.0
HELD = 1_000.0
GRAPH = {
    "1": {"class_type": "LoadImage", "inputs": {"image": "castad-photo.png"}},
    "2": {"class_type": "ImageInvert", "inputs": {"image": ["1", 0]}},
    "9": {"class_type": "SaveImage", "inputs": {"images": ["2", 0], "filename_prefix": "castad"}},
}


class Clock:
    """A clock that stands still until it is set forward."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        """So much time has passed."""
        self.now += seconds


class Desk:
    """A renderer over some servers, as one process of castad has it, and its clock."""

    def __init__(self, folder: Path, urls: list[str], jobs: Callable[[], list[str]] = list) -> None:
        self.clock = Clock()
        self.photo = folder / "photo.png"
        Image.new("RGB", (32, 24), "red").save(self.photo)
        servers = [
            ComfyUIServer(url, None, deadline_seconds=20.0, download_seconds=20.0) for url in urls
        ]
        fleet = Fleet(servers, jobs, LOST_SECONDS, self.clock, self.clock.pass_by)
        self.renderer = ComfyUIRenderer(fleet, ProgressFeed(), lambda artifact: self.photo, 0.25)
        self.job_input: Mapping[str, Any] = {
            "graph": GRAPH,
            "inputs": [{"name": "castad-photo.png", "where": "task/castad-photo.png"}],
            "pictures": 1,
            "usd": None,
        }

    def submit(self, token: str | None = None) -> str:
        """The id of a job that was accepted."""
        self.renderer.prepare(self.job_input)
        return self.renderer.submit(self.job_input, token or str(uuid.uuid4())).external_id

    def poll(self, job: str) -> InProgress | Succeeded:
        return self.renderer.poll(self.job_input, job)

    def finished(self, job: str) -> Succeeded:
        """The job's success, once it is there."""
        assert eventually(lambda: isinstance(self.poll(job), Succeeded))
        found = self.poll(job)
        assert isinstance(found, Succeeded)
        return found

    def failed(self, job: str) -> Exception:
        """The error of the failed job, once it is there."""
        raised: list[Exception] = []

        def has_failed() -> bool:
            try:
                self.poll(job)
            except (SubmissionFailedError, PermanentError) as error:
                raised.append(error)
            return bool(raised)

        assert eventually(has_failed)
        return raised[0]

    def fetched(self, job: str, folder: Path) -> Product:
        folder.mkdir(exist_ok=True)
        return self.renderer.fetch(self.job_input, self.finished(job).answer, folder)


@pytest.fixture(params=["new", "old"])
def fake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FakeComfyUI]:
    with FakeComfyUI(tmp_path / "comfyui") as opened:
        opened.set(generation=request.param)
        yield opened


@pytest.fixture
def desk(fake: FakeComfyUI, tmp_path: Path) -> Desk:
    return Desk(tmp_path, [fake.url])


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[FakeComfyUI, FakeComfyUI]]:
    with FakeComfyUI(tmp_path / "a") as first, FakeComfyUI(tmp_path / "b") as second:
        yield first, second


# One job


def test_job_has_the_token_as_its_prompt_id(desk, fake):
    token = str(uuid.uuid4())
    job = desk.submit(token)
    desk.finished(job)
    assert (split_external_id(job)[0], fake.runs()) == (token, [token])


def test_job_is_sent_as_its_input_says_byte_by_byte(desk, fake):
    token = str(uuid.uuid4())
    desk.submit(token)
    [sent] = [call.body["prompt"] for call in fake.calls if call.route == "submit"]
    expected = build_sent_graph(desk.job_input, {}, token)
    assert json.dumps(sent) == json.dumps(expected)


def test_pictures_of_a_job_are_fetched_and_numbered(desk, tmp_path):
    product = desk.fetched(desk.submit(), tmp_path / "out")
    [described] = product.result["pictures"]
    assert described == {"node": "9", "name": "rendered-1.png", "width": 16, "height": 16}
    assert [file.name for file in product.files] == ["rendered-1.png"]


def test_input_is_loaded_under_the_name_that_the_server_gave_it(desk, fake):
    fake.script(Fault("renamed", "upload"))
    desk.submit()
    [sent] = [call.body["prompt"] for call in fake.calls if call.route == "submit"]
    assert sent["1"]["inputs"]["image"] == "castad-photo (1).png"


@pytest.mark.parametrize("fault", ["truncate", "html", "empty"])
def test_picture_that_is_not_whole_is_fetched_again(desk, fake, tmp_path, fault):
    job = desk.submit()
    desk.finished(job)
    fake.script(Fault(fault, "file"))
    with pytest.raises(TransientError):
        desk.fetched(job, tmp_path / "first")
    assert desk.fetched(job, tmp_path / "second").files


# Refusals and failures


def test_refused_graph_names_node_class_and_input(desk):
    wrong = {
        **GRAPH,
        "2": {"class_type": "ImageBlur", "inputs": {"image": ["1", 0], "blur_radius": 99}},
    }
    desk.job_input = {**desk.job_input, "graph": wrong}
    with pytest.raises(PermanentError) as refused:
        desk.submit()
    assert refused.value.code == "invalid_workflow"
    assert "node 2 (ImageBlur), input blur_radius: Value 99 bigger than max of 31" in (
        refused.value.message
    )


def test_graph_that_would_run_in_part_is_refused_and_stopped(desk, fake):
    fake.set(delay=HELD)
    fake.script(Fault("partly_valid", "submit"))
    with pytest.raises(PermanentError) as refused:
        desk.submit()
    assert "node 9 (ImageScale), input width" in refused.value.message
    assert eventually(lambda: fake.prompts.seen() == ([], []))


def test_failed_node_is_final_and_named(desk, fake):
    fake.script(Fault("node_error", "submit"))
    error = desk.failed(desk.submit())
    assert isinstance(error, PermanentError)
    assert str(error) == "comfyui: workflow: node 1 (LoadImage) failed: ValueError: a wrong size"


def test_server_out_of_memory_is_freed_and_asked_once_more(desk, fake):
    fake.set(until_free=True)
    error = desk.failed(desk.submit())
    assert isinstance(error, SubmissionFailedError)
    assert (error.code, error.resubmissions, fake.freed) == ("out_of_memory", 1, 1)
    desk.finished(desk.submit())


def test_interrupted_job_may_be_submitted_again(desk, fake):
    fake.script(Fault("interrupted", "submit"))
    error = desk.failed(desk.submit())
    assert isinstance(error, SubmissionFailedError)
    assert error.code == "interrupted"


def test_cancel_stops_its_own_job_only(desk, fake):
    fake.set(delay=HELD)
    running, waiting = desk.submit(), desk.submit()
    assert eventually(lambda: fake.prompts.seen()[0] != [])
    desk.renderer.cancel(waiting)
    [left], pending = fake.prompts.seen()
    assert (left.id, pending) == (split_external_id(running)[0], [])


# What is lost


def test_job_that_a_restart_has_lost_is_certain_on_the_second_look(desk, fake):
    fake.set(delay=HELD)
    job = desk.submit()
    fake.restart()
    assert isinstance(desk.poll(job), InProgress)
    desk.clock.now += LOOK_AGAIN_SECONDS
    with pytest.raises(SubmissionFailedError) as lost:
        desk.poll(job)
    assert lost.value.code == "vanished"


def test_job_that_moves_between_lists_is_not_lost(desk, fake):
    job = desk.submit()
    desk.finished(job)
    fake.script(Fault("missing", "any", times=4))
    assert isinstance(desk.poll(job), InProgress)
    assert fake.unused() == []
    desk.clock.now += LOOK_AGAIN_SECONDS
    assert isinstance(desk.poll(job), Succeeded)


def test_finished_job_is_found_by_its_files_after_a_restart(desk, fake, tmp_path):
    job = desk.submit()
    desk.finished(job)
    fake.restart()
    desk.poll(job)
    desk.clock.now += LOOK_AGAIN_SECONDS
    assert desk.fetched(job, tmp_path / "out").files
    assert len(fake.runs()) == 1


def test_lost_reply_is_looked_for_by_its_id(desk, fake):
    token = str(uuid.uuid4())
    fake.script(Fault("lose_reply", "submit"))
    with pytest.raises(UnknownSubmissionError):
        desk.submit(token)
    found = desk.renderer.find(token)
    assert found is not None
    desk.finished(found)
    assert fake.runs() == [token]


def test_job_that_never_arrived_is_lost_for_certain(desk):
    found = desk.renderer.find(str(uuid.uuid4()))
    assert found is not None
    with pytest.raises(SubmissionFailedError):
        desk.poll(found)


def test_job_is_not_lost_while_a_server_is_silent(desk, fake):
    fake.script(Fault("status", "any", times=2, code=502))
    assert desk.renderer.find(str(uuid.uuid4())) is None


def test_silent_server_proves_nothing(desk, fake):
    job = desk.submit()
    fake.script(Fault("status", "any", times=2, code=502))
    assert isinstance(desk.poll(job), InProgress)
    desk.clock.now += 10 * LOST_SECONDS
    assert isinstance(desk.poll(job), InProgress)


def test_jobs_of_a_server_that_refuses_connections_are_lost_in_time(desk, fake):
    fake.set(delay=HELD)
    job = desk.submit()
    fake.kill()
    assert isinstance(desk.poll(job), InProgress)
    desk.clock.now += LOST_SECONDS
    with pytest.raises(SubmissionFailedError) as lost:
        desk.poll(job)
    assert lost.value.code == "vanished"


# Several servers


def test_jobs_go_to_the_least_loaded_server(two, tmp_path):
    jobs: list[str] = []
    desk = Desk(tmp_path, [fake.url for fake in two], lambda: jobs)
    for fake in two:
        fake.set(delay=HELD)
    for _ in range(6):
        jobs.append(desk.submit())
    assert [len(fake.charges()) for fake in two] == [3, 3]


def test_least_loaded_counts_only_known_jobs():
    assert sort_servers_by_load(["a", "b", "c"], ["x@a", "y@a", "z@b", "old@gone"]) == [
        "c",
        "b",
        "a",
    ]


def test_server_that_is_down_is_left_alone(two, tmp_path):
    desk = Desk(tmp_path, [fake.url for fake in two])
    two[0].kill()
    for _ in range(4):
        desk.submit()
    assert len(two[1].charges()) == 4
    two[0].revive()
    desk.clock.now += 2 * LEFT_ALONE_SECONDS
    for _ in range(4):
        desk.submit()
    assert two[0].charges()


def test_job_waits_where_no_server_answers(tmp_path):
    with FakeComfyUI(tmp_path / "comfyui") as fake:
        desk = Desk(tmp_path, [fake.url])
        fake.kill()
        with pytest.raises(TransientError) as down:
            desk.submit()
        assert down.value.code == VENDOR_DOWN
        assert down.value.retry_after


# Progress


def test_progress_comes_from_the_socket(desk, fake):
    fake.set(delay=HELD)
    job = desk.submit()

    def has_progress() -> bool:
        report = desk.poll(job)
        return isinstance(report, InProgress) and report.progress is not None

    assert eventually(has_progress)


def test_work_does_not_need_the_socket(desk, fake):
    fake.set(is_stalled=True)
    desk.finished(desk.submit())
