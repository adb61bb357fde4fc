"""Who goes on: no more than there is room for, in the order of asking, and nobody idles for another."""

import heapq
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.ledger.admission import (
    Candidate,
    FreeCapacity,
    PipelineStage,
    QueueCapacity,
    QueueSlots,
    Waiters,
    WorkerGroup,
    admit,
    format_permit_wait,
    format_slot_wait,
    is_waiting_for_limit,
    parse_permit_wait,
)

STAGES = tuple(PipelineStage("song_video", stage) for stage in ("lyric", "song", "video"))
SLOTS = dict(zip(STAGES, (2, 2, 1), strict=True))
needs = st.sampled_from([None, *STAGES])
vendors = st.sampled_from([None, "suno", "creatomate"])


@st.composite
def crowds(draw: st.DrawFn) -> list[Candidate]:
    count = draw(st.integers(0, 12))
    asked = st.integers(0, 5).map(str)
    return [
        Candidate(number, draw(st.integers(-1, 1)), draw(asked), draw(needs), draw(vendors))
        for number in range(count)
    ]


rooms = st.builds(
    FreeCapacity,
    st.integers(0, 6),
    st.dictionaries(st.sampled_from(STAGES), st.integers(-1, 3)),
    st.dictionaries(st.sampled_from(["suno", "creatomate"]), st.integers(-1, 3)),
)


def left_of(
    admitted: list[Candidate], room: FreeCapacity
) -> tuple[int, Counter[PipelineStage | None], Counter[str | None]]:
    slots: Counter[PipelineStage | None] = Counter(room.slots)
    permits: Counter[str | None] = Counter(room.permits)
    slots.subtract(each.slot for each in admitted if each.slot in room.slots)
    permits.subtract(each.permit for each in admitted if each.permit in room.permits)
    return room.runs - len(admitted), slots, permits


def fits(
    each: Candidate,
    room: FreeCapacity,
    slots: Counter[PipelineStage | None],
    permits: Counter[str | None],
) -> bool:
    has_slot = each.slot not in room.slots or slots[each.slot] > 0
    return has_slot and (each.permit not in room.permits or permits[each.permit] > 0)


@given(crowds(), rooms)
def test_no_more_are_admitted_than_there_is_room_for(crowd, room):
    runs, slots, permits = left_of(admit(crowd, room), room)
    assert runs >= 0
    for kind, before in ((slots, room.slots), (permits, room.permits)):
        assert all(kind[name] >= min(count, 0) for name, count in before.items())


@given(crowds(), rooms)
def test_nobody_is_left_behind_who_has_room(crowd, room):
    admitted = admit(crowd, room)
    runs, slots, permits = left_of(admitted, room)
    others = [each for each in crowd if each not in admitted]
    assert runs == 0 or not any(fits(each, room, slots, permits) for each in others)


@given(crowds(), rooms)
def test_nobody_overtakes_in_a_line(crowd, room):
    admitted = admit(crowd, room)
    for each in admitted:
        for other in crowd:
            same = (other.waiters, other.slot) == (each.waiters, each.slot)
            before = (-other.priority, other.asked, other.id) < (
                -each.priority,
                each.asked,
                each.id,
            )
            assert not (same and before) or other in admitted


QUEUES = ("default", "fast")
workers = st.builds(
    WorkerGroup,
    st.sampled_from([None, frozenset({"default"}), frozenset({"fast"})]),
    st.integers(0, 3),
)
crowds_of_queues = st.lists(
    st.tuples(st.integers(-1, 1), needs, vendors, st.sampled_from(QUEUES), st.sampled_from("ab"))
).map(
    lambda rows: [
        Candidate(number, priority, str(number), slot, permit, queue, pipeline)
        for number, (priority, slot, permit, queue, pipeline) in enumerate(rows)
    ]
)
capacities = st.builds(
    QueueCapacity,
    st.lists(workers, max_size=3).map(tuple),
    st.dictionaries(st.sampled_from("ab"), st.integers(0, 2)),
)


@given(crowds_of_queues, rooms, capacities)
def test_request_that_lacks_a_slot_or_a_permit_takes_no_worker_of_another(crowd, room, queues):
    room = replace(room, runs=len(crowd), queues=queues)
    admitted = admit(crowd, room)
    _, slots, permits = left_of(admitted, room)
    for other in crowd:
        taken = QueueSlots(queues)
        assert all(taken.take(each.queue, each.pipeline) for each in admitted)
        is_left_behind = other not in admitted and fits(other, room, slots, permits)
        assert not (is_left_behind and taken.take(other.queue, other.pipeline))


@pytest.mark.parametrize("slots", [0, 1])
def test_request_without_a_limited_stage_takes_no_slot_of_one(slots):
    room = FreeCapacity(9, {STAGES[0]: slots}, {"suno": slots})
    free = [Candidate(number, 0, "0") for number in range(3)]
    bound = Candidate(3, 0, "0", STAGES[0], "suno")
    assert admit([*free, bound], room) == [*free, bound][: 3 + slots]


@pytest.mark.parametrize(
    ("room", "admitted"),
    [
        (FreeCapacity(2, {}, {}), 2),
        (FreeCapacity(9, {}, {"suno": 1}), 1),
        (FreeCapacity(9, {STAGES[0]: 1}, {}), 1),
    ],
)
def test_last_one_that_has_room_is_the_last_one_admitted(room, admitted):
    crowd = [Candidate(number, 0, "0", STAGES[0], "suno") for number in range(3)]
    assert admit(crowd, room) == crowd[:admitted]


def test_request_that_waits_for_a_permit_is_among_the_waiters_of_its_vendor():
    assert Candidate(1, 0, "0", STAGES[1], "suno").waiters == Waiters("permit:suno")


@given(st.lists(st.sampled_from(["lyric", "song", "suno"]), max_size=5))
def test_line_is_read_as_it_is_written(names):
    for name in names:
        assert (
            is_waiting_for_limit(format_slot_wait(name)),
            parse_permit_wait(format_slot_wait(name)),
        ) == (True, None)
        assert (
            is_waiting_for_limit(format_permit_wait(name)),
            parse_permit_wait(format_permit_wait(name)),
        ) == (True, name)
        assert not is_waiting_for_limit(name)


# 300 orders against the schedule they should have


def seconds_of(order: int, stage: int) -> int:
    """How long the vendor of this stage takes for it: each has a pace of its own."""
    return (3, 11, 7)[stage] + (order * 7 + stage * 5) % 4


def ideal(orders: int) -> dict[tuple[int, int], int]:
    """When each stage of each order begins where slots are given in the order of asking, by heaps alone."""
    free = [[0] * SLOTS[stage] for stage in STAGES]
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
        end = begin + seconds_of(order, stage)
        heapq.heappush(free[stage], end)
        if stage + 1 < len(STAGES):
            heapq.heappush(heaps[stage + 1], (end, order, stage + 1))
    return begins


def scheduled(orders: int) -> dict[tuple[int, int], int]:
    """The same by `admit`, asked again whenever something has ended."""
    waiting = {(order, 0): 0 for order in range(orders)}
    running: list[tuple[int, int, int]] = []
    begins: dict[tuple[int, int], int] = {}
    now = 0
    while waiting or running:
        busy = Counter(STAGES[stage] for _, _, stage in running)
        room = FreeCapacity(
            200 - len(running), {name: SLOTS[name] - busy[name] for name in STAGES}, {}
        )
        crowd = [
            Candidate(order, 0, f"{asked:09}", STAGES[stage])
            for (order, stage), asked in waiting.items()
        ]
        for each in admit(crowd, room):
            assert each.slot is not None
            stage = STAGES.index(each.slot)
            del waiting[each.id, stage]
            begins[each.id, stage] = now
            heapq.heappush(running, (now + seconds_of(each.id, stage), each.id, stage))
        now = running[0][0]
        while running and running[0][0] == now:
            _, order, stage = heapq.heappop(running)
            if stage + 1 < len(STAGES):
                waiting[order, stage + 1] = now
    return begins


def test_300_orders_have_the_schedule_they_should_have():
    assert scheduled(300) == ideal(300)
