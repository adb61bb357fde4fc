"""One stage by one vendor in bad weather: judged by the vendor's own books and by what people see."""

import json
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from dagster import (
    DagsterInstance,
    JobDefinition,
    OpExecutionContext,
    ResourceParam,
    in_process_executor,
    job,
    op,
)

from pipeline_defs.catalog import get_catalog
from pipeline_defs.song_video.products import Lyric, Song
from pipeline_defs.song_video.stage_inputs import (
    build_lyric_input,
    build_song_input,
    build_video_input,
)
from pipeline_defs.stage import StageExecution, make_op_retry_policy, run_stage
from resources.contract.protocol import Provider, StageInput, StageSettings
from resources.dagster.request_resource import RunPlan, request_resource
from resources.files.artifacts import ArtifactStore, StoredArtifact, open_artifact_store
from resources.ledger.db.database import open_database
from resources.ledger.queries.overview import build_overview
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.workers.attempt import Attempt
from resources.process.settings import Settings, settings
from resources.providers.vendor import make_provider
from resources.purchase.attempt_ledger import AttemptLedger
from studio.camera.film import FRAMES
from tests.eventually import eventually
from tests.fakes import media
from tests.fakes.creatomate import FakeCreatomate
from tests.fakes.faults import ALWAYS, GARBAGE, Fault
from tests.fakes.nowhere import deaf, refusing
from tests.fakes.openai import FakeOpenAI
from tests.fakes.server import FakeVendor
from tests.fakes.suno import TONES, FakeSuno
from tests.integration.sender_process import sleeper
from tests.integration.vendor_house import (
    BRIEF,
    FAST,
    ask_suno,
    assert_kept,
    set_environment,
    song_of_another,
)
from tests.ledger_steps import Steps
from tests.quiet_dagster import quiet_instance
from tests.song_video import SONG_VIDEO, check_brief, normalize, same_brief

pytestmark = pytest.mark.processes

TASK_ID = "r"
SONG_SECONDS = 4.0
DONE = (Status.COMPLETED, None)
UNKNOWN = (Status.FAILED, "submission_unknown")
TWO_HOURS = 7200.0
# Where something hangs: long enough for a busy machine, short enough to wait for.
SHORT = {"CASTAD_CALL_DEADLINE": "0.5", "CASTAD_DOWNLOAD_DEADLINE": "1"}
HANGS = ("hang_headers", "hang_after", "hang_body", "endless")
VENDORS: Mapping[str, type[FakeVendor]] = {
    "lyric": FakeOpenAI,
    "song": FakeSuno,
    "video": FakeCreatomate,
}
WORDS = "[Verse]\n아침 햇살 따라 걷는 이 거리에\n반가운 웃음이 문을 열어 주네\n[Chorus]\n오늘도 우리 함께"


def orders(link: str | None) -> Mapping[str, StageInput]:
    """What each stage is asked for, as the ones before would have left it; the song is at the link."""
    brief = check_brief(BRIEF)
    sound = StoredArtifact(
        name="song.mp3", sha256="", bytes=1, media_type="audio/mpeg", where="s.mp3"
    )
    song = Song(seconds=SONG_SECONDS, genre=brief.genre, timeline=[], url=link, files=[sound])
    return {
        "lyric": build_lyric_input(brief, TASK_ID, {}),
        "song": build_song_input(brief, TASK_ID, {"lyric": Lyric(title="봄날", text=WORDS)}),
        "video": build_video_input(brief, TASK_ID, {"song": song}),
    }


def sung_by(suno: FakeSuno) -> str:
    """The link of a song that Suno has made."""
    told = ask_suno(suno, "GET", "/record-info", params={"taskId": song_of_another(suno)})
    return str(told["response"]["sunoData"][0]["audioUrl"])


@dataclass
class Errand:
    """One stage of one order, the vendor that makes it, and attempts made by hand, whatever is due.

    The vendor is asked without the pauses that its rate calls for.
    """

    stage: str
    vendor: Any
    instance: DagsterInstance
    patch: pytest.MonkeyPatch
    song: str | None

    @property
    def store(self) -> ArtifactStore:
        return open_artifact_store(settings())

    def provider(self, stage: StageSettings) -> Provider:
        unhurried = copy(make_provider(stage.maker, stage.kind, settings()))
        unhurried.rate = None
        return unhurried

    @property
    def settings(self) -> Settings:
        return settings()

    def run(self, times: int = 1) -> "Errand":
        for _ in range(times):
            self._job().execute_in_process(instance=self.instance, raise_on_error=False)
        return self

    def _job(self) -> JobDefinition:
        [chosen] = (
            each
            for each in get_catalog().list_stage_settings(SONG_VIDEO, settings())
            if each.name == self.stage
        )
        plan = RunPlan("song_video", same_brief, lambda order: None, lambda: [chosen], lambda: None)
        request = request_resource(plan).configured(
            {"task_id": TASK_ID, "order": json.dumps(normalize(BRIEF))}
        )
        stage = replace(
            SONG_VIDEO.get_stage("stage", self.stage),
            job_input=lambda brief, task_id, products: orders(self.song)[self.stage],
        )

        @op(name=self.stage, retry_policy=make_op_retry_policy())
        def only(
            context: OpExecutionContext,
            request: ResourceParam[Attempt],
        ) -> None:
            ledger = AttemptLedger(request, request.stage(stage.name))
            execution = StageExecution(SONG_VIDEO, stage, {}, lambda *of: {}, ledger)
            run_stage(context, request, self, execution)

        @job(executor_def=in_process_executor, resource_defs={"request": request})
        def one_stage() -> None:
            only()

        return one_stage

    @property
    def steps(self) -> Steps:
        return Steps(open_database(settings().ledger_url))

    @property
    def state(self) -> tuple[Status, str | None]:
        row = self.steps.row()
        return row.status, row.error_code

    @property
    def reason(self) -> str:
        return str(self.steps.row().error_message)

    @property
    def jobs(self) -> list[str]:
        return [each.status for each in self.steps.jobs()]

    @property
    def charges(self) -> int:
        return len(self.vendor.charges())

    @property
    def cost(self) -> int:
        """Micro-dollars, of everything that was or may have been charged."""
        return sum(build_overview(self.steps.db, self.steps.row().task_id).spent.values())

    @property
    def result(self) -> Any:
        [stage] = self.steps.stages()
        return json.loads(stage.result)

    def in_weather(self, *faults: Fault) -> "Errand":
        if any(fault.kind in HANGS for fault in faults):
            set_environment(self.patch, SHORT)
        self.vendor.script(*faults)
        return self

    @property
    def address(self) -> str:
        """The variable that leads to the vendor."""
        return f"{self.vendor.name.upper()}_BASE_URL"

    def polls(self) -> int:
        return [call.route for call in self.vendor.calls].count("poll")

    def assert_laws(self) -> None:
        assert_kept(self.steps, TASK_ID, [self.vendor.key])


StartErrand = Callable[[str], Errand]


@pytest.fixture(scope="module", autouse=True)
def files_at_hand() -> None:
    """No vendor takes time to make what it sends."""
    songs = [media.song(SONG_SECONDS, hertz) for hertz in TONES]
    media.video(*FRAMES["vertical"], SONG_SECONDS, songs[0])


@pytest.fixture
def errand(
    tmp_path: Path, sqlite_ledger_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[StartErrand]:
    """Starts a stage's errand on a ledger of its own; a video's song is at Suno."""
    with (
        ExitStack() as vendors,
        quiet_instance(tmp_path / "dagster") as instance,
    ):

        def start(stage: str) -> Errand:
            vendor = vendors.enter_context(VENDORS[stage](tmp_path / "books"))
            name, song = vendor.name.upper(), None
            known = {f"{name}_API_KEY": vendor.key, f"{name}_BASE_URL": vendor.url}
            if stage == "video":
                suno = vendors.enter_context(FakeSuno(tmp_path / "suno"))
                known["SUNO_BASE_URL"], song = suno.url, sung_by(suno)
            set_environment(monkeypatch, {**FAST, **known})
            return Errand(stage, vendor, instance, monkeypatch, song)

        yield start


both = pytest.mark.parametrize("stage", ["song", "video"])
every = pytest.mark.parametrize("stage", VENDORS)

# Sending the order

# One of each kind: that every other is told as one of these, tests/contract shows.
ACCEPTED = {
    "no JSON": Fault("garbage_after", "submit", raw=GARBAGE["html"]),
    "wrong types inside": Fault("garbage_after", "submit", raw=GARBAGE["wrong types inside"]),
    "200 megabytes": Fault("garbage_after", "submit", megabytes=200),
    "lost reply": Fault("lose_reply", "submit"),
    "server error": Fault("status_after", "submit", code=500),
    "silence in the body": Fault("hang_body", "submit"),
}
NOT_ACCEPTED = {
    "server error": Fault("status", "submit", code=500),
    "silence": Fault("hang_headers", "submit"),
}


@both
@pytest.mark.parametrize("fault", ACCEPTED.values(), ids=ACCEPTED)
def test_dear_order_whose_answer_cannot_be_read_is_unknown_and_never_sent_again(
    errand, stage, fault
):
    sent = errand(stage).in_weather(fault).run(times=2)
    assert (sent.state, sent.jobs, sent.charges) == (UNKNOWN, [JobStatus.UNKNOWN], 1)
    sent.assert_laws()


@both
@pytest.mark.parametrize("fault", NOT_ACCEPTED.values(), ids=NOT_ACCEPTED)
def test_dear_order_that_may_have_been_taken_is_unknown_though_it_was_not(errand, stage, fault):
    sent = errand(stage).in_weather(fault).run(times=2)
    assert (sent.state, sent.jobs, sent.charges) == (UNKNOWN, [JobStatus.UNKNOWN], 0)
    sent.assert_laws()


@pytest.mark.parametrize("fault", ACCEPTED.values(), ids=ACCEPTED)
def test_lyric_whose_answer_cannot_be_read_is_found_or_cheaply_written_again(errand, fault):
    sent = errand("lyric").in_weather(fault).run()
    if sent.state != DONE:
        sent.run()
    assert sent.state == DONE
    assert sent.charges <= 2
    sent.assert_laws()


@contextmanager
def refused() -> Iterator[str]:
    yield refusing()


@every
@pytest.mark.parametrize("nowhere", [deaf, refused], ids=["silence", "refused"])
def test_vendor_that_cannot_be_reached_was_sent_nothing_and_costs_nothing(
    errand, monkeypatch, stage, nowhere
):
    sent = errand(stage)
    with nowhere() as url:
        set_environment(monkeypatch, {**SHORT, sent.address: url})
        sent.run()
    assert (sent.state, sent.cost) == ((Status.FAILED, "provider_unreachable"), 0)
    assert (set(sent.jobs) - {JobStatus.FAILED}, sent.charges) == (set(), 0)
    sent.assert_laws()


@every
def test_vendor_that_can_be_reached_again_makes_what_was_ordered(errand, monkeypatch, stage):
    sent = errand(stage)
    set_environment(monkeypatch, {sent.address: refusing()})
    sent.run()
    set_environment(monkeypatch, {sent.address: sent.vendor.url})
    assert (sent.run().state, sent.charges) == (DONE, 1)
    sent.assert_laws()


@every
def test_sender_that_slept_over_its_lease_right_before_its_first_byte_sends_nothing(errand, stage):
    sent = errand(stage)
    sent.steps.order(TASK_ID, dict(normalize(BRIEF)))
    with sleeper(stage, TASK_ID, orders(sent.song)[stage]) as zombie:
        assert eventually(lambda: bool(sent.steps.rescue()))
        charges = sent.run().charges
        zombie.wake()
    assert sent.charges == charges
    if sent.state != DONE:
        sent.run()
    assert (sent.state, sent.charges) == (DONE, 1)
    sent.assert_laws()


# Asking how it stands

OFF_THE_LINE = (
    *(Fault("hang_headers", "poll"), Fault("hang_body", "poll")),
    *(Fault("reset", "poll"), Fault("status", "poll", code=500)),
)


def garbage(*names: str) -> tuple[Fault, ...]:
    return tuple(Fault("garbage_after", "poll", raw=GARBAGE[name]) for name in names)


TELL_NOTHING = {
    "no answer": OFF_THE_LINE,
    "no JSON": garbage("html", "empty", "truncated", "invalid UTF-8"),
    "hostile JSON": (
        *garbage("wrong types", "wrong types inside", "deep nesting"),
        Fault("garbage_after", "poll", megabytes=200),
    ),
}


@both
@pytest.mark.parametrize("faults", TELL_NOTHING.values(), ids=TELL_NOTHING)
def test_answers_that_tell_nothing_are_no_final_status(errand, stage, faults):
    asked = errand(stage).in_weather(*faults).run()
    assert (asked.state, asked.charges, asked.vendor.unused()) == (DONE, 1, [])
    asked.assert_laws()


def test_vendor_whose_clock_is_wrong_is_left_alone_for_as_long_as_it_means(errand):
    asked = errand("video")
    asked.vendor.set(clock_offset=TWO_HOURS)
    asked.in_weather(Fault("rate_limited", "poll", retry_after=1, as_date=True)).run()
    assert (asked.state, asked.charges) == (DONE, 1)


# The vendor's own final status

FAILED = {
    "song": Fault(
        "final_status", "submit", status="GENERATE_AUDIO_FAILED", error_message="no GPU left"
    ),
    "video": Fault("final_status", "submit", status="failed", error_message="no GPU left"),
}


@both
def test_failure_that_the_vendor_reports_buys_one_new_submission_that_is_counted(errand, stage):
    made = errand(stage).in_weather(FAILED[stage]).run()
    assert (made.state[0], made.steps.row().retry_count, made.charges) == (Status.FAILED, 1, 1)
    price = made.cost
    made.run()
    assert (made.state, made.charges) == (DONE, 2)
    assert made.cost == 2 * price
    made.assert_laws()


@both
def test_failure_that_the_vendor_reports_is_dead_with_its_words_once_the_retries_are_spent(
    errand, stage
):
    made = errand(stage).in_weather(FAILED[stage])
    made.steps.order(TASK_ID, {}, max_retries=0)
    made.run()
    assert (made.state[0], made.charges) == (Status.DEAD, 1)
    assert "no GPU left" in made.reason
    made.assert_laws()


def test_words_that_are_not_sung_are_dead_after_one_charge(errand):
    made = errand("song").in_weather(Fault("final_status", "submit", status="SENSITIVE_WORD_ERROR"))
    assert (made.run().state, made.charges) == ((Status.DEAD, "sensitive_words"), 1)
    made.assert_laws()


def test_song_that_the_vendor_could_not_announce_is_delivered_all_the_same(errand):
    told = Fault("final_status", "submit", status="CALLBACK_EXCEPTION", audio=2)
    made = errand("song").in_weather(told).run()
    assert (made.state, made.charges) == (DONE, 1)
    made.assert_laws()


def test_what_the_vendor_called_done_first_is_what_is_delivered(errand):
    made = errand("song").in_weather(
        Fault("final_status", "submit", changes=True), Fault("status", "file", times=3, code=503)
    )
    made.run()
    assert made.state == (Status.FAILED, "bad_download")
    [saved] = made.steps.jobs()
    made.run()
    first = [song["id"] for song in json.loads(saved.answer)["songs"]]
    assert [song["id"] for song in made.result["songs"]] == first
    assert (made.state, made.charges, made.polls()) == (DONE, 1, 1)
    made.assert_laws()


# The file

BROKEN_FILES = {
    "cut song": ("song", Fault("truncate", "file")),
    "cut film": ("video", Fault("truncate", "file")),
    "song of another type": ("song", Fault("html", "file")),
    "film of another type": ("video", Fault("html", "file")),
    "empty song": ("song", Fault("empty", "file")),
    "film cut before it was sent": ("video", Fault("short", "file", bytes=1000)),
    "film silent in the middle": ("video", Fault("hang_body", "file")),
    "song without end": ("song", Fault("endless", "file")),
    "expired link of a song": ("song", Fault("expired", "file")),
    "expired link of a film": ("video", Fault("expired", "file")),
}


@pytest.mark.parametrize(("stage", "fault"), BROKEN_FILES.values(), ids=BROKEN_FILES)
def test_file_that_came_broken_is_fetched_again_for_the_same_charge(errand, stage, fault):
    made = errand(stage).in_weather(fault).run()
    assert (made.state, made.charges, made.vendor.unused()) == (DONE, 1, [])
    made.assert_laws()


@both
def test_file_that_is_gone_for_good_is_dead_and_not_bought_again(errand, stage):
    made = errand(stage).in_weather(Fault("expired", "file", times=ALWAYS)).run()
    assert (made.state, made.charges) == ((Status.DEAD, "artifact_expired"), 1)
    made.assert_laws()


@pytest.fixture
def bystander() -> Iterator[socket.socket]:
    """A server of this machine that nobody was sent to."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


@both
def test_file_that_redirects_to_this_machine_is_refused_without_a_connection(
    errand, stage, bystander
):
    elsewhere = f"http://127.0.0.1:{bystander.getsockname()[1]}/file"
    made = errand(stage).in_weather(Fault("redirect", "file", times=ALWAYS, location=elsewhere))
    assert (made.run().state, made.charges) == ((Status.DEAD, "private_address"), 1)
    with pytest.raises(BlockingIOError):
        bystander.accept()
    made.assert_laws()


@both
def test_file_that_redirects_to_a_clouds_own_address_is_refused(errand, stage):
    elsewhere = "http://169.254.169.254/latest/meta-data"
    made = errand(stage).in_weather(Fault("redirect", "file", times=ALWAYS, location=elsewhere))
    assert (made.run().state, made.charges) == ((Status.DEAD, "private_address"), 1)
    made.assert_laws()
