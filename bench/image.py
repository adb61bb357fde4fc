"""1,000 pictures over four stand-ins of ComfyUI of different speed, of which one is killed half way.

Prints what became of the jobs, how busy the servers were, and in which order the jobs began. Exits with 1 where a
job was lost or made twice. Everything is on this machine.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sqlalchemy import select

from resources.ledger.db.database import Database
from resources.ledger.schema.tables import JobStatus, Status, provider_jobs, requests
from tests.fakes.comfyui import FakeComfyUI
from tests.faults.picture_stack import PictureStack, picture_stack

_VARIABLES = {
    "COMFYUI_LOST_SECONDS": "5",
    "CASTAD_RETRY_RENDER": "1",
    # A run here takes seconds, where a true one takes its half minute.
    "CASTAD_POLL_SECONDS": "0.1",
    "CASTAD_POLL_LONGEST": "0.3",
}
_LOOK_SECONDS = 0.5
_MOST_SECONDS = 3_600.0


@dataclass(frozen=True)
class Run:
    """One execution on a server: the request's number, where, and when it began, in seconds since 1970."""

    number: int
    server: int
    began: float


def main() -> int:
    """Run the benchmark and return the exit code."""
    wanted = _parse_arguments()
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="castad-bench-")))
        fakes = [
            opened.enter_context(FakeComfyUI(folder / f"server-{number}"))
            for number in range(len(wanted.seconds))
        ]
        for fake, seconds in zip(fakes, wanted.seconds, strict=True):
            fake.set(delay=seconds)
        variables = {**_VARIABLES, "COMFYUI_SLOTS": str(wanted.slots)}
        with picture_stack(folder, fakes, variables) as stack:
            stack.order(wanted.jobs)
            killed_at = _follow(stack, wanted.jobs, fakes[-1])
            return _report(stack.db, fakes, wanted.seconds, wanted.jobs, killed_at)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.image", description=__doc__)
    parser.add_argument("--jobs", type=int, default=1_000)
    parser.add_argument(
        "--seconds", type=float, nargs="+", default=[1.0, 1.4, 2.0, 3.0], help="a run's, by server"
    )
    parser.add_argument("--slots", type=int, default=3, help="jobs that a server has at once")
    return parser.parse_args()


def _follow(stack: PictureStack, jobs: int, victim: FakeComfyUI) -> float:
    """Kill the victim when half of the orders have ended, and wait for the rest; return when, as a Unix time."""
    killed_at, deadline = 0.0, time.monotonic() + _MOST_SECONDS
    console = Console(stderr=True)
    with console.status("") as shown:
        while time.monotonic() < deadline:
            ended = stack.ended()
            shown.update(f"{ended} of {jobs}")
            if ended >= jobs // 2 and not killed_at:
                killed_at = time.time()
                victim.kill()
            if ended == jobs:
                break
            time.sleep(_LOOK_SECONDS)
    return killed_at


def _report(
    db: Database,
    fakes: Sequence[FakeComfyUI],
    seconds: Sequence[float],
    jobs: int,
    killed_at: float,
) -> int:
    with db.reading() as tx:
        rows = tx.execute(
            select(
                requests.c.task_id, requests.c.status, provider_jobs.c.token, provider_jobs.c.status
            ).select_from(requests.join(provider_jobs))
        ).all()
    completed = {task for task, status, _, _ in rows if status == Status.COMPLETED}
    succeeded = Counter(task for task, _, _, job in rows if job == JobStatus.SUCCEEDED)
    numbers = {token: int(task.rpartition("-")[2]) for task, _, token, _ in rows}
    runs = sorted(_list_runs(fakes, numbers), key=lambda run: run.began)
    again = [number for number, count in Counter(run.number for run in runs).items() if count > 1]
    eaten = {run.number for run in runs if run.server == len(fakes) - 1}
    twice = [number for number in again if number not in eaten]
    table = Table("server", "a run takes", "runs", "busy", title=f"{jobs} jobs")
    for server, taken in enumerate(seconds):
        own = [run for run in runs if run.server == server]
        is_victim = server == len(seconds) - 1
        end = killed_at if is_victim else runs[-1].began
        busy = len(own) * taken / (end - runs[0].began)
        name = f"{server + 1}{' (killed half way)' if is_victim else ''}"
        table.add_row(name, f"{taken:g} s", str(len(own)), f"{busy:.0%}")
    console = Console()
    console.print(table)
    held = {numbers[str(charge["prompt_id"])] for charge in fakes[-1].charges()}
    firsts = [run for run in _keep_first_runs(runs) if run.number not in held]
    order = sorted(run.number for run in firsts)
    away = max(abs(order[place] - run.number) for place, run in enumerate(firsts))
    console.print(
        f"completed {len(completed)}, made twice {len(twice)}, begun again after the kill {len(again)}; "
        f"{runs[-1].began - runs[0].began:.0f} s"
    )
    console.print(
        f"order: none began more than {away} numbers from its turn, but for those of the victim"
    )
    is_right = len(completed) == jobs and not twice and max(succeeded.values()) == 1
    return 0 if is_right else 1


def _list_runs(fakes: Sequence[FakeComfyUI], numbers: Mapping[str, int]) -> Iterator[Run]:
    for server, fake in enumerate(fakes):
        for prompt_id, at in fake.runs_at():
            yield Run(numbers[prompt_id], server, datetime.fromisoformat(at).timestamp())


def _keep_first_runs(runs: Sequence[Run]) -> list[Run]:
    """Return the first run of each job, in order."""
    seen: dict[int, Run] = {}
    for run in runs:
        seen.setdefault(run.number, run)
    return list(seen.values())


if __name__ == "__main__":
    sys.exit(main())
