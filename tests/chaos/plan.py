"""What will be ordered, canceled and broken, and when: all of it follows from the seed. Pure."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.chaos.hands import DELETES, SPOILERS
from tests.fakes.faults import Fault

DUPLICATES = 0.10
OF_THEM_OTHERS = 0.33
CANCELS = 0.10
VENDOR_FAULTS = 0.05
SPOILINGS = 0.08
DELETIONS = 0.08
PICTURES = 0.25
_PICTURE = {
    "workflow": {
        "1": {
            "class_type": "EmptyImage",
            "inputs": {"width": 16, "height": 16, "batch_size": 1, "color": 0},
        },
        "2": {
            "class_type": "SaveImage",
            "inputs": {"images": ["1", 0], "filename_prefix": "castad"},
        },
    }
}
_SPOILED_LATER = 0.5
_NAMES = ("봄날 베이커리", "Blue Door Café", "한강 자전거", "Maple Dental", "달빛 세탁소")
_REGIONS = ("전주", "서울", "Busan", "제주")


@dataclass(frozen=True)
class Wish:
    """What is done `at` so many seconds: `order` and `cancel`, `spoil` and `delete` by an operator, `fault`.

    `how` is an operator's way to do it; with a `fault` a vendor goes wrong.
    """

    at: float
    kind: str
    task_id: str
    payload: Mapping[str, Any]
    vendor: str = ""
    fault: Fault | None = None
    how: str = ""
    callback_url: str | None = None


@dataclass(frozen=True)
class Break:
    """What the harness breaks `at` so many seconds, for so many."""

    at: float
    kind: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Rhythm:
    """How often a kind comes, in seconds between two (from, to), and how long it lasts (from, to)."""

    kind: str
    every: tuple[float, float]
    lasts: tuple[float, float] = (0.0, 0.0)


POSTGRES = (
    Rhythm("worker killed", (20, 40)),
    Rhythm("database down", (60, 120), (0, 5)),
    Rhythm("broker restarted", (90, 90)),
    Rhythm("daemon killed", (100, 200)),
)
SQLITE = (
    Rhythm("worker killed", (20, 40)),
    Rhythm("database locked", (60, 120), (1, 5)),
    Rhythm("daemon killed", (100, 200)),
)

_WRONG: Mapping[str, Sequence[Fault]] = {
    "openai": (
        Fault("lose_reply", "submit"),
        Fault("status", "submit", code=500),
        Fault("reset", "submit"),
        Fault("garbage_after", "submit", raw=b"<html>"),
        Fault("rate_limited", "submit", retry_after=1),
    ),
    "suno": (
        Fault("lose_reply", "submit"),
        Fault("reset_after", "submit"),
        Fault("status", "submit", code=503),
        Fault(
            "final_status", "submit", status="GENERATE_AUDIO_FAILED", error_message="no capacity"
        ),
        Fault("rate_limited", "submit", retry_after=1),
        Fault("status", "poll", code=502),
        Fault("truncate", "file"),
        Fault("html", "file"),
    ),
    "creatomate": (
        Fault("lose_reply", "submit"),
        Fault("status_after", "submit", code=504),
        Fault("reset", "submit"),
        Fault("final_status", "submit", status="failed", error_message="out of memory"),
        Fault("rate_limited", "submit", retry_after=1),
        Fault("reset", "poll"),
        Fault("truncate", "file"),
    ),
}


_WRONG_AT_SERVERS: Sequence[Fault] = (
    Fault("restart", "submit"),
    Fault("lose_reply", "submit"),
    Fault("interrupted", "submit"),
    Fault("status_after", "submit", code=504),
    Fault("status", "job", code=502),
    Fault("missing", "job"),
    Fault("truncate", "file"),
)


def wishes(seed: int, orders: int, pace: float) -> Sequence[Wish]:
    """What customers and vendors do, in order of time; an order comes every `pace` seconds on average."""
    dice, hands, painters = (random.Random(seed + step) for step in (0, 3, 5))
    made: list[Wish] = []
    at = 0.0
    for number in range(orders):
        at += dice.uniform(0.2, 1.8) * pace
        made.extend(_around_one_order(dice, at, f"chaos-{number:04}"))
        made.extend(_by_hand(hands, at, number))
        made.extend(_pictures(painters, at, number))
    return sorted(made, key=lambda wish: wish.at)


def breaks(seed: int, rhythms: Sequence[Rhythm]) -> Iterator[Break]:
    """What is broken, in order of time, for ever."""
    dice = random.Random(seed + 1)
    due = [(dice.uniform(*rhythm.every), rhythm) for rhythm in rhythms]
    while True:
        at, rhythm = min(due, key=lambda each: each[0])
        yield Break(at, rhythm.kind, dice.uniform(*rhythm.lasts))
        due.remove((at, rhythm))
        due.append((at + dice.uniform(*rhythm.every), rhythm))


def _around_one_order(dice: random.Random, at: float, task_id: str) -> Iterator[Wish]:
    payload = _brief(dice)
    yield Wish(at, "order", task_id, payload)
    if dice.random() < DUPLICATES:
        other = dice.random() < OF_THEM_OTHERS
        again = {**payload, "genre": "another order"} if other else payload
        yield Wish(at + dice.uniform(0, 30), "order", task_id, again)
    if dice.random() < CANCELS:
        yield Wish(at + dice.uniform(0, 10), "cancel", task_id, {})
    for vendor, faults in _WRONG.items():
        if dice.random() < VENDOR_FAULTS:
            yield Wish(at, "fault", task_id, {}, vendor, dice.choice(faults))


def _pictures(dice: random.Random, at: float, number: int) -> Iterator[Wish]:
    """Now and then a picture is also ordered, ordered again, canceled, or its server goes wrong."""
    task_id = f"picture-{number:04}"
    if dice.random() < PICTURES:
        yield Wish(at, "order", task_id, _PICTURE)
        if dice.random() < DUPLICATES:
            yield Wish(at + dice.uniform(0, 10), "order", task_id, _PICTURE)
        if dice.random() < CANCELS:
            yield Wish(at + dice.uniform(0, 5), "cancel", task_id, {})
        if dice.random() < 4 * VENDOR_FAULTS:
            yield Wish(at, "fault", task_id, {}, "comfyui", dice.choice(_WRONG_AT_SERVERS))


def _by_hand(dice: random.Random, at: float, number: int) -> Iterator[Wish]:
    """Now and then an order is deleted, and an extra one is spoiled: at once, or while it is worked on."""
    if dice.random() < DELETIONS:
        how = dice.choice(DELETES)
        yield Wish(at + dice.uniform(0, 20), "delete", f"chaos-{number:04}", {}, how=how)
    if dice.random() < SPOILINGS:
        task_id, payload = f"spoiled-{number:04}", _brief(dice)
        how = dice.choice(tuple(SPOILERS))
        if dice.random() < _SPOILED_LATER:
            yield Wish(at, "order", task_id, payload)
            at += dice.uniform(0, 20)
        yield Wish(at, "spoil", task_id, payload, how=how)


def _brief(dice: random.Random) -> Mapping[str, Any]:
    return {
        "customer_name": dice.choice(_NAMES),
        "region": dice.choice(_REGIONS),
        "duration_seconds": 10,
    }
