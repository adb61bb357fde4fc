"""Who goes on: `admit` against its definition written down as plainly as possible, and 300 orders in time."""

import heapq
from collections import Counter
from dataclasses import replace
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from resources.ledger.limits import (
    PERMIT_PREFIX,
    SLOT_PREFIX,
    Candidate,
    Room,
    admit,
    format_wait,
    is_waiting_for_limit,
    parse_wait,
    rank_workers,
)
from tests.tables import rows_beside

QUEUES = ("default", "fast")
SLOTS = {"stage:p.lyric": 2, "stage:p.song": 2, "stage:p.video": 1}
NEEDS = st.sampled_from(
    [
        tuple(filter(None, needs))
        for needs in product(
            ("pipeline:p", "pipeline:q"), ("", *SLOTS), ("", "vendor:suno", "vendor:creatomate")
        )
    ]
)
LIMITED = st.sampled_from(["pipeline:p", *SLOTS, "vendor:suno", "vendor:creatomate"])
WORKERS = {
    "worker:default": frozenset({"default"}),
    "worker:fast": frozenset({"fast"}),
    "worker:default,fast": frozenset(QUEUES),
    "worker:*": None,
}


@st.composite
def crowds(draw: st.DrawFn) -> list[Candidate]:
    asked = st.integers(0, 5).map(str)
    return [
        Candidate(
            number,
            draw(st.integers(-1, 1)),
            draw(asked),
            draw(NEEDS),
            draw(st.sampled_from(QUEUES)),
        )
        for number in range(draw(st.integers(0, 12)))
    ]


@st.composite
def rooms(draw: st.DrawFn) -> Room:
    alive = draw(st.dictionaries(st.sampled_from([*WORKERS]), st.integers(0, 4), min_size=1))
    free = draw(st.dictionaries(LIMITED, st.integers(-1, 3)))
    return Room(
        {**free, **alive},
        rank_workers({name: WORKERS[name] for name in alive}, QUEUES),
        draw(st.dictionaries(st.sampled_from(QUEUES), st.integers(0, 2))),
        draw(st.sampled_from([(), ("fast",), ("fast", "default"), ("default", "fast")])),
    )


def admitted_by_definition(crowd: list[Candidate], room: Room, at_most: int) -> list[Candidate]:
    """Ask one by one who is next of those not asked yet, and admit it if nothing that it needs is used up."""
    used: Counter[str] = Counter()
    left, admitted = list(crowd), list[Candidate]()

    def has_room(limit: str) -> bool:
        return limit not in room.free or used[limit] < room.free[limit]

    def line_of(each: Candidate) -> tuple[str, str | None]:
        limited = [need for need in each.needs if need in room.free]
        return each.queue, limited[-1] if limited else None

    def asked_before(one: Candidate, other: Candidate) -> bool:
        if one.priority != other.priority:
            return one.priority > other.priority
        return (one.asked, one.id) < (other.asked, other.id)

    def is_first(each: Candidate) -> bool:
        ahead = [one for one in left if line_of(one) == line_of(each) and asked_before(one, each)]
        return not ahead

    def turn(each: Candidate) -> tuple[int, int, int, int]:
        of_queue = sum(one.queue == each.queue for one in admitted)
        at_work = room.at_work.get(each.queue, 0) + of_queue
        served = room.served.index(each.queue) if each.queue in room.served else len(room.served)
        return at_work, -served, -each.priority, each.id

    while left and len(admitted) < at_most:
        each = min(filter(is_first, left), key=turn)
        left.remove(each)
        serving = [
            name
            for name, of in WORKERS.items()
            if name in room.free and (of is None or each.queue in of) and has_room(name)
        ]
        if serving and all(map(has_room, each.needs)):
            # The workers that fewer queues can use.
            breadth = {name: len(WORKERS[name] or "every queue") for name in serving}
            used.update([min(serving, key=lambda name: breadth[name]), *each.needs])
            admitted.append(each)
    return admitted


@settings(max_examples=300)
@given(crowds(), rooms(), st.integers(0, 8))
def test_those_are_admitted_who_are_by_definition(crowd, room, at_most):
    assert admit(crowd, room, at_most) == admitted_by_definition(crowd, room, at_most)


@given(crowds(), rooms(), st.integers(0, 8))
def test_no_more_are_admitted_than_there_is_room_for(crowd, room, at_most):
    admitted = admit(crowd, room, at_most)
    taken = Counter(need for each in admitted for need in each.needs)
    assert len(admitted) <= min(at_most, room.free_run_count)
    assert all(taken[name] <= max(free, 0) for name, free in room.free.items())


@given(crowds(), rooms(), st.integers(0, 8))
def test_nobody_overtakes_in_a_line(crowd, room, at_most):
    admitted = admit(crowd, room, at_most)
    for each in admitted:
        for other in crowd:
            same = (other.queue, other.needs) == (each.queue, each.needs)
            ahead = (-other.priority, other.asked, other.id)
            before = ahead < (-each.priority, each.asked, each.id)
            assert not (same and before) or other in admitted


ONE_QUEUE = Room({"worker:*": 9}, {"default": ("worker:*",)})


@rows_beside
def test_last_one_that_has_room_is_the_last_one_admitted(free, at_most, admitted):
    needs = ("pipeline:p", "owner:a", "stage:p.lyric", "vendor:suno")
    crowd = [Candidate(number, 0, "0", needs) for number in range(3)]
    room = replace(ONE_QUEUE, free={**ONE_QUEUE.free, **free})
    assert admit(crowd, room, at_most) == crowd[:admitted]


@given(st.sampled_from(["lyric", "song", "suno"]))
def test_wait_is_read_as_it_is_written(name):
    assert (
        parse_wait(PERMIT_PREFIX, format_wait(SLOT_PREFIX, name)),
        is_waiting_for_limit(name),
    ) == (None, False)
    assert parse_wait(PERMIT_PREFIX, format_wait(PERMIT_PREFIX, name)) == name
    assert is_waiting_for_limit(format_wait(SLOT_PREFIX, name))
    assert is_waiting_for_limit(format_wait(PERMIT_PREFIX, name))


# 300 orders against the schedule they should have


def measure_seconds(order: int, stage: int) -> int:
    """How long the vendor of this stage takes for it: each has a pace of its own."""
    return (3, 11, 7)[stage] + (order * 7 + stage * 5) % 4


def ideal(orders: int) -> dict[tuple[int, int], int]:
    """When each stage of each order begins where slots are given in the order of asking, by heaps alone."""
    free = [[0] * count for count in SLOTS.values()]
    begins: dict[tuple[int, int], int] = {}
    asking = [(0, order, 0) for order in range(orders)]
    heaps: list[list[tuple[int, int, int]]] = [sorted(asking), [], []]
    while any(heaps):
        stage = min(
            (number for number, heap in enumerate(heaps) if heap),
            key=lambda number: (max(heaps[number][0][0], min(free[number])), number),
        )
        asked, order, _ = heapq.heappop(heaps[stage])
        begin = max(asked, heapq.heappop(free[stage]))
        begins[order, stage] = begin
        end = begin + measure_seconds(order, stage)
        heapq.heappush(free[stage], end)
        if stage + 1 < len(SLOTS):
            heapq.heappush(heaps[stage + 1], (end, order, stage + 1))
    return begins


def scheduled(orders: int) -> dict[tuple[int, int], int]:
    """The same by `admit`, asked again whenever something has ended."""
    names = list(SLOTS)
    waiting = {(order, 0): 0 for order in range(orders)}
    running: list[tuple[int, int, int]] = []
    begins: dict[tuple[int, int], int] = {}
    now = 0
    while waiting or running:
        busy = Counter(names[stage] for _, _, stage in running)
        free = {name: count - busy[name] for name, count in SLOTS.items()}
        room = replace(ONE_QUEUE, free={"worker:*": 200 - len(running), **free})
        crowd = [
            Candidate(order, 0, f"{asked:09}", (names[stage],))
            for (order, stage), asked in waiting.items()
        ]
        for each in admit(crowd, room, 200):
            stage = names.index(each.needs[0])
            del waiting[each.id, stage]
            begins[each.id, stage] = now
            heapq.heappush(running, (now + measure_seconds(each.id, stage), each.id, stage))
        now = running[0][0]
        while running and running[0][0] == now:
            _, order, stage = heapq.heappop(running)
            if stage + 1 < len(SLOTS):
                waiting[order, stage + 1] = now
    return begins


def test_300_orders_have_the_schedule_they_should_have():
    assert scheduled(300) == ideal(300)
