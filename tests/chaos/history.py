"""What happened, as it was read when all was quiet: ledger, Dagster, the vendors' books, disk, our own log."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

UNKNOWN = "submission_unknown"
WORKER_LOST = "worker_lost"
WORKER_KILLED = "worker killed"
WORKER_STOPPED = "worker stopped"
WORKER_TROUBLE = (WORKER_KILLED, WORKER_STOPPED)
MACHINE_STALLED = "machine stood still"
TROUBLE = (*WORKER_TROUBLE, "database down", "database locked", MACHINE_STALLED)
"""What may cost a worker its leases."""

Row = Mapping[str, Any]
"""One row of a table, by column; the `data` of an event is parsed."""


@dataclass(frozen=True)
class Placed:
    """One answer to one order: `made`, `known` (the same order again) or `refused` (another order's name)."""

    at: datetime
    task_id: str
    payload: Row
    outcome: str


@dataclass(frozen=True)
class Cancel:
    """One answer to one wish to cancel: the status it left, or `nothing` where there was no more to stop."""

    at: datetime
    task_id: str
    outcome: str


@dataclass(frozen=True)
class Spoiling:
    """An operator's value that no transition can use: where the order stood when it was taken, or `refused`."""

    at: datetime
    task_id: str
    how: str
    outcome: str

    @property
    def is_taken(self) -> bool:
        """Whether the row has it."""
        return self.outcome != "refused"


@dataclass(frozen=True)
class Deletion:
    """An answer to a DELETE: `deleted`, `refused`, or `nothing` where there was no such order.

    `jobs` are the submissions that were deleted with it, each with its token, status and external_id;
    `events` what had happened to it.
    """

    at: datetime
    task_id: str
    outcome: str
    jobs: Sequence[Row] = ()
    events: Sequence[Row] = ()


@dataclass(frozen=True)
class Disturbance:
    """What the harness broke, and when that was over."""

    kind: str
    at: datetime
    until: datetime
    detail: str = ""


@dataclass(frozen=True)
class Charge:
    """What a vendor would have charged; `token` is the one our order carried, None where it carried none."""

    vendor: str
    at: datetime
    id: str
    token: str | None


@dataclass(frozen=True)
class File:
    """A file below an artifact folder; `home` is whose folder, `where` the path below it."""

    home: str
    where: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Leftover:
    """A folder in which something was being made, and when it last changed."""

    path: str
    at: datetime


@dataclass(frozen=True)
class Run:
    """A Dagster run: its status, and every end its event log tells of."""

    status: str
    ends: Sequence[str] = ()


@dataclass(frozen=True)
class Story:
    """One request and all that belongs to it, each list in the order it was written."""

    request: Row
    events: Sequence[Row]
    attempts: Sequence[Row]
    stages: Sequence[Row]
    jobs: Sequence[Row]
    artifacts: Sequence[Row]

    @property
    def task_id(self) -> str:
        """The request's name."""
        return str(self.request["task_id"])

    def named(self, row: Row) -> str:
        """What a row of a stage is about, in words."""
        return f"{self.task_id} {row['stage']} (generation {row['generation']})"

    def at(self, event: Row) -> str:
        """An event, in words."""
        return f"{self.task_id} #{event['seq']} {event['type']}"

    @property
    def types(self) -> frozenset[str]:
        """The types of all its events."""
        return frozenset(event["type"] for event in self.events)


@dataclass(frozen=True)
class History:
    """Everything the check looks at."""

    requests: Sequence[Row] = ()
    events: Sequence[Row] = ()
    attempts: Sequence[Row] = ()
    stages: Sequence[Row] = ()
    jobs: Sequence[Row] = ()
    artifacts: Sequence[Row] = ()
    orphans: Sequence[Row] = ()
    placed: Sequence[Placed] = ()
    cancels: Sequence[Cancel] = ()
    spoilings: Sequence[Spoiling] = ()
    deletions: Sequence[Deletion] = ()
    disturbances: Sequence[Disturbance] = ()
    charges: Sequence[Charge] = ()
    calls: Mapping[str, Sequence[datetime]] = field(default_factory=dict)
    """When each vendor was called, but for its files."""
    runs: Mapping[str, Run] = field(default_factory=dict)
    files: Sequence[File] = ()
    leftovers: Sequence[Leftover] = ()
    resubmit_below: int = 20_000
    """Micro-dollars: a lost submission cheaper than this may be sent again."""
    read_at: datetime = field(default_factory=lambda: now())

    @cached_property
    def stories(self) -> Sequence[Story]:
        """One a request."""
        events, attempts, stages, jobs, artifacts = (
            _by_request(rows)
            for rows in (self.events, self.attempts, self.stages, self.jobs, self.artifacts)
        )
        return [
            Story(
                request,
                sorted(events[request["id"]], key=lambda event: int(event["seq"])),
                attempts[request["id"]],
                stages[request["id"]],
                jobs[request["id"]],
                artifacts[request["id"]],
            )
            for request in self.requests
        ]

    @cached_property
    def sound_stories(self) -> Sequence[Story]:
        """The stories in which castad alone has written."""
        return [story for story in self.stories if story.task_id not in self.spoiled]

    @cached_property
    def spoiled(self) -> frozenset[str]:
        """The names of the orders that an operator has tried to spoil."""
        return frozenset(each.task_id for each in self.spoilings)

    @cached_property
    def deleted(self) -> frozenset[str]:
        """The names of the orders that were deleted, though some may have been ordered again."""
        return frozenset(each.task_id for each in self.deletions if each.outcome == "deleted")

    @cached_property
    def charges_by_token(self) -> Mapping[str | None, Sequence[Charge]]:
        """The charges of each submission."""
        found: dict[str | None, list[Charge]] = defaultdict(list)
        for charge in self.charges:
            found[charge.token].append(charge)
        return found

    def as_json(self) -> str:
        """All of it as text, for people who look for the cause of a breach."""
        return json.dumps(asdict(self), default=str, ensure_ascii=False, indent=1)

    def disturbed(self, kinds: Iterable[str]) -> Sequence[Disturbance]:
        """What was broken of these kinds."""
        wanted = frozenset(kinds)
        return [each for each in self.disturbances if each.kind in wanted]


def now() -> datetime:
    """The moment, as journals and histories tell it."""
    return datetime.now(UTC)


def _by_request(rows: Sequence[Row]) -> Mapping[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["request_id"]].append(row)
    return found
