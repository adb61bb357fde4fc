"""`make chaos-selftest`: plant a bug, provoke it, and see that the check reports it - and nothing without it."""

import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from castad.stack.processes import StopFlag
from resources.process.settings import PROJECT_ROOT
from tests.chaos.customers import SHORT_BRIEF, do_now, order_now
from tests.chaos.hands import CANCEL_FIRST
from tests.chaos.history import History
from tests.chaos.laws import breaches
from tests.chaos.plan import Wish
from tests.chaos.planted import planted_with
from tests.chaos.reading import Quiet
from tests.chaos.stand import Stand, open_stand
from tests.fakes.faults import Fault

_PAIR = "postgres-redis"
_TASK = "planted"
_LOOK_EVERY = 0.1
_PATIENCE = 120.0
_AT_ONCE = 3


@dataclass(frozen=True)
class Scene:
    """What provokes a bug, and the law it has to be caught by."""

    bug: str
    law: str
    provoke: Callable[["Stage"], None]


@dataclass(frozen=True)
class Stage:
    """One short run: a stand, and the words its scenes are written in."""

    stand: Stand
    quiet: Quiet
    stop: StopFlag

    def until(self, condition: Callable[[], object]) -> bool:
        """Whether it came true in time."""
        deadline = time.monotonic() + _PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                return False
            self.stop.pause(_LOOK_EVERY)
        return True

    def order(self, count: int = 1) -> None:
        names = [_TASK if number == 0 else f"{_TASK}-{number}" for number in range(count)]
        order_now(self.stand, names)

    def until_ended(self) -> None:
        """Every order has ended, and Dagster knows it; where a bug prevents that, time does."""
        self.until(self.quiet.is_quiet)

    def by_hand(self, kind: str, name: str, how: str) -> None:
        do_now(self.stand, [Wish(0.0, kind, name, SHORT_BRIEF, how=how)])

    def file(self, worker: str) -> Path:
        """Where this worker keeps the song."""
        return self.stand.home(worker) / "artifacts" / _TASK / "song.mp3"


def a_zombie_wakes(stage: Stage) -> None:
    """A worker stands still over its lease, another finishes, and it wakes with a song in its hands."""
    stand, worker = stage.stand, stage.stand.start_worker
    worker("one", CASTAD_CRASH="song.after_fetch:STOP")
    stage.order()
    zombie = psutil.Process(stand.workers["one"].pid)
    stage.until(lambda: zombie.status() == psutil.STATUS_STOPPED)
    since = datetime.now(UTC)
    worker("two")
    stage.until_ended()
    zombie.send_signal(signal.SIGCONT)
    stand.journal.broke("worker stopped", since)
    # It has put away its tools and told Dagster, for the second time, how its run ended.
    stage.until(lambda: any(len(run.ends) > 1 for run in stand.read().runs.values()))


def an_answer_is_lost(stage: Stage) -> None:
    stage.stand.vendors["suno"].script(Fault("lose_reply", "submit"))
    stage.stand.start_worker("one")
    stage.order()
    stage.until_ended()


def a_song_takes_long(stage: Stage) -> None:
    stage.stand.vendors["suno"].set(delay=12.0)
    stage.stand.start_worker("one")
    stage.order()
    stage.until_ended()


def a_song_fails_once(stage: Stage) -> None:
    """The vendor's own final status: one retry, and the video after it starts at none."""
    failure = Fault(
        "final_status", "submit", status="GENERATE_AUDIO_FAILED", error_message="no capacity"
    )
    stage.stand.vendors["suno"].script(failure)
    stage.stand.start_worker("one")
    stage.order()
    stage.until_ended()


def a_worker_dies_as_it_stores(stage: Stage) -> None:
    stand = stage.stand
    stand.start_worker("one")
    stage.order()
    stage.until(stage.file("one").exists)
    since = datetime.now(UTC)
    stand.kill_worker("one")
    stand.journal.broke("worker killed", since, "one")
    stand.start_worker("two")
    stage.until_ended()


def two_orders_at_once(stage: Stage) -> None:
    stage.stand.start_worker("one")
    stage.order(2)
    stage.until_ended()


def an_id_comes_twice(stage: Stage) -> None:
    stage.stand.vendors["suno"].script(Fault("repeats", "submit", times=2))
    stage.stand.start_worker("one")
    stage.order(2)
    stage.until_ended()


def a_row_is_spoiled(stage: Stage) -> None:
    """Another is ordered behind it, once castad is seen to dispatch."""
    stage.stand.start_worker("one")
    stage.order()
    stage.until_ended()
    stage.by_hand("spoil", "spoiled", "an event of its next number")
    order_now(stage.stand, [f"{_TASK}-1"])
    stage.until_ended()


def a_video_fails_while_another_waits(stage: Stage) -> None:
    """There is one slot for videos."""
    failure = Fault("final_status", "submit", status="failed", error_message="out of memory")
    stage.stand.vendors["creatomate"].set(delay=2.0)
    stage.stand.vendors["creatomate"].script(failure)
    stage.stand.start_worker("one")
    stage.order(2)
    stage.until_ended()


def a_video_takes_long(stage: Stage) -> None:
    """The other one waits for the slot."""
    stage.stand.vendors["creatomate"].set(delay=4.0)
    stage.stand.start_worker("one")
    stage.order(2)
    stage.until_ended()


def an_order_is_deleted(stage: Stage) -> None:
    """Its song is bought, and the vendor's answer is still on its way."""
    suno = stage.stand.vendors["suno"]
    suno.script(Fault("drip_headers", "submit", pause=0.02))
    stage.stand.start_worker("one")
    stage.order()
    stage.until(lambda: any(each.vendor == "suno" for each in stage.stand.read().charges))
    stage.by_hand("delete", _TASK, CANCEL_FIRST)
    stage.until_ended()


SCENES: Sequence[Scene] = (
    Scene("no_fence", "transitions", a_zombie_wakes),
    Scene("resubmit_on_timeout", "charges", an_answer_is_lost),
    Scene("unknown_is_dead", "living", a_song_takes_long),
    Scene("no_atomic_rename", "files", a_worker_dies_as_it_stores),
    Scene("retries_of_the_order", "retries", a_song_fails_once),
    Scene("any_id_is_believed", "ids", an_id_comes_twice),
    Scene("one_row_fails_all", "delays", a_row_is_spoiled),
    Scene("slots_leak", "starved", a_video_fails_while_another_waits),
    Scene("waits_are_retries", "paced", a_video_takes_long),
    Scene("late_answers_are_dropped", "orphans", an_order_is_deleted),
    Scene("seq_from_a_global_id", "seq", two_orders_at_once),
)


def run_selftest(console: Console, stop: StopFlag) -> int:
    """Every planted bug was reported by its law, and nothing was without it; returns the exit code.

    The plays wait more than they work, so that some run at once, each in a thread that outlives its processes.
    """
    table = Table("planted bug", "has to break", "broke", "without it", box=None)
    good = True
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        plays = [
            (
                scene,
                pool.submit(_play, scene, scene.bug, stop),
                pool.submit(_play, scene, None, stop),
            )
            for scene in SCENES
        ]
        for scene, with_bug, without in plays:
            planted, clean = _broken(with_bug.result()), _broken(without.result())
            caught = scene.law in planted and not clean
            good &= caught
            shown = (", ".join(planted) or "nothing", ", ".join(clean) or "nothing")
            table.add_row(scene.bug, scene.law, *shown, style="green" if caught else "red")
            verdict = "reported, and nothing without it" if caught else "NOT AS IT SHOULD BE"
            console.print(f"{scene.bug}: {verdict}")
            for when, broken in (("with", planted), ("without", clean)) if not caught else ():
                for breach in broken.values():
                    console.print(f"  {when} it: {breach[0]}", style="red", highlight=False)
    console.print(table)
    return 0 if good else 1


def _play(scene: Scene, bug: str | None, stop: StopFlag) -> History:
    with tempfile.TemporaryDirectory(prefix="castad-planted-") as folder:
        extra = {"CASTAD_UNKNOWN_GRACE": "1", **planted_with(bug, str(PROJECT_ROOT))}
        with open_stand(_PAIR, Path(folder), extra) as stand:
            quiet = Quiet(stand.ledger_url, stand.home("one"), stand.database_url)
            try:
                stand.start_daemon()
                scene.provoke(Stage(stand, quiet, stop))
            finally:
                quiet.close()
            stand.stop()
            return stand.read()


def _broken(history: History) -> dict[str, Sequence[str]]:
    return {law: found for law, found in breaches(history).items() if found}
