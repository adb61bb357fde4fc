"""The loop that claims, sends and records, on a store in memory."""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import pytest

from resources.delivery.engine import (
    Decision,
    DeliveryFailure,
    DeliveryLoop,
    Schedule,
    Shares,
    deliver_due,
)
from resources.ledger.schema.tables import DeliveryStatus
from tests.eventually import eventually

AWAY = DeliveryFailure("it is away", "unreachable")
REFUSED = DeliveryFailure("it is refused", "odd", DeliveryStatus.DEAD)


@dataclass(frozen=True)
class Message:
    id: int
    target: str
    attempt: int = 0


class MemoryStore:
    """A failed message is due again at once, at the end of its row."""

    kind = "message"

    def __init__(self, *targets: str) -> None:
        self.due = [Message(number, target) for number, target in enumerate(targets)]
        self.dead: list[int] = []
        self.claimed: set[str] = set()
        self.claims = 0
        self.error: Exception | None = None
        self.is_lost = False
        self._lock = threading.Lock()

    def claim(self, busy: Collection[str]) -> Sequence[Message]:
        self.claims += 1
        if self.error is not None:
            raise self.error
        with self._lock:
            free = [each for each in self.due if each.target not in {*busy, *self.claimed}]
            if free:
                self.claimed.add(free[0].target)
            return [each for each in free if each.target == free[0].target][:2]

    def record(self, delivery: Message, failure: DeliveryFailure | None) -> Decision | None:
        if self.error is not None:
            raise self.error
        decision = Schedule((0.0,), lifetime=3600).decide(failure, delivery.attempt, 0)
        with self._lock:
            self.due.remove(delivery)
            if decision.status is DeliveryStatus.PENDING:
                self.due.append(replace(delivery, attempt=delivery.attempt + 1))
            elif decision.status is DeliveryStatus.DEAD:
                self.dead.append(delivery.id)
        return None if self.is_lost else decision

    def release(self, target: str) -> None:
        self.claimed.discard(target)


class Sender:
    """Delivers, except to the targets for which it has a failure; waits for a target that hangs."""

    def __init__(self, **failures: DeliveryFailure) -> None:
        self.failures = failures
        self.sent: list[int] = []
        self.hanging: dict[str, threading.Event] = {}

    def __call__(self, message: Message) -> DeliveryFailure | None:
        if message.target in self.hanging:
            self.hanging[message.target].wait(60)
        self.sent.append(message.id)
        return self.failures.get(message.target)


Begin = Callable[..., DeliveryLoop[Message]]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Begin to deliver; at the end nothing is under way."""
    loops: list[DeliveryLoop[Message]] = []

    def make(store: MemoryStore, send: Sender, *idle: Callable[[], float]) -> DeliveryLoop[Message]:
        loops.append(make_loop(store, send, *idle))
        loops[-1].stay_awake()
        return loops[-1]

    yield make
    for loop in loops:
        loop.rest()
    assert not [each.name for each in threading.enumerate() if "message" in each.name]


def make_loop(
    store: MemoryStore, send: Sender, *idle: Callable[[], float], look_seconds: float = 0.01
) -> DeliveryLoop[Message]:
    return DeliveryLoop(store, send, Shares(8, 1, 8), look_seconds, *idle)


@pytest.mark.parametrize("loops", [1, 2])
def test_all_that_is_due_is_delivered_once_and_in_order(begin, loops):
    store, send = MemoryStore(*"abcd" * 20), Sender()
    for _ in range(loops):
        begin(store, send)
    assert eventually(lambda: not store.due)
    assert [each for each in send.sent if each % 4 == 0] == [*range(0, 80, 4)]
    assert sorted(send.sent) == [*range(80)]


def test_failed_delivery_is_tried_again_and_a_final_one_is_not(begin):
    store, send = MemoryStore(*"xyz"), Sender(x=AWAY, y=REFUSED)
    begin(store, send)
    assert eventually(lambda: send.sent.count(0) > 2)
    del send.failures["x"]
    assert eventually(lambda: not store.due)
    assert (store.dead, send.sent.count(1), send.sent.count(2)) == ([1], 1, 1)


def test_target_that_hangs_delays_no_other(begin):
    store, send = MemoryStore(*"hhhaaa"), Sender()
    send.hanging["h"] = threading.Event()
    begin(store, send)
    assert eventually(lambda: [each.target for each in store.due] == ["h"] * 3)
    send.hanging["h"].set()
    assert eventually(lambda: not store.due)


def test_loop_of_which_all_are_under_way_claims_no_more(begin):
    store, send = MemoryStore(*"abcdefghi"), Sender()
    go = threading.Event()
    send.hanging = dict.fromkeys("abcdefghi", go)
    begin(store, send)
    assert eventually(lambda: len(store.claimed) == 8)
    claims = store.claims
    time.sleep(0.05)
    assert store.claims == claims
    go.set()
    assert eventually(lambda: not store.due)


def test_end_during_a_search_leads_to_another_search_at_once(begin):
    class Slow(MemoryStore):
        def claim(self, busy: Collection[str]) -> Sequence[Message]:
            found = super().claim(busy)
            if self.claims == 2:
                send.hanging["a"].set()
                assert eventually(lambda: loop._changes > 0)
            return found

    store, send = Slow("a", "a", "a"), Sender()
    send.hanging["a"] = threading.Event()
    loop = make_loop(store, send, look_seconds=60)
    loop.stay_awake()
    assert eventually(lambda: not store.due)
    loop.rest()


def test_store_with_nothing_due_is_searched_once_a_period(begin):
    store = MemoryStore()
    begin(store, Sender())
    assert eventually(lambda: store.claims > 1)
    before = store.claims
    time.sleep(0.1)
    assert store.claims - before <= 12


def test_rest_begins_nothing_more_and_waits_for_what_is_under_way(begin):
    store, send = MemoryStore(*"aaa"), Sender()
    send.hanging["a"] = threading.Event()
    loop = begin(store, send)
    assert eventually(lambda: bool(store.claimed))
    resting = threading.Thread(target=loop.rest)
    resting.start()
    resting.join(0.05)
    assert resting.is_alive()
    send.hanging["a"].set()
    resting.join(60)
    assert (send.sent, len(store.due), store.claimed) == ([0], 2, set())


def test_loop_ends_when_nobody_keeps_it_awake_and_begins_again(begin):
    store, send = MemoryStore(), Sender()
    loop = make_loop(store, send)
    loop.stay_awake(0.03)
    assert eventually(lambda: loop._thread is None)
    store.due = [Message(7, "a")]
    loop.stay_awake(60)
    assert eventually(lambda: send.sent == [7])
    loop.rest()


def test_loop_whose_thread_cannot_start_begins_at_the_next_call():
    store, send = MemoryStore("a"), Sender()
    loop = make_loop(store, send)
    # No machine has this much memory for a thread.
    threading.stack_size(2**50)
    try:
        with pytest.raises(RuntimeError, match="new thread"):
            loop.stay_awake()
    finally:
        threading.stack_size(0)
    loop.stay_awake()
    assert eventually(lambda: send.sent == [0])
    loop.rest()


def test_store_that_fails_stops_no_loop_and_its_text_is_not_in_the_log(begin, caplog):
    store, send = MemoryStore("a"), Sender()
    store.error = ConnectionError("postgresql://user:secret@host")
    begin(store, send)
    assert eventually(lambda: len(caplog.records) > 1)
    store.error = None
    assert eventually(lambda: not store.due)
    assert {each.getMessage() for each in caplog.records} == {"messages not begun: ConnectionError"}


def test_try_that_cannot_be_saved_is_not_repeated_in_circles(begin, caplog):
    class Full(MemoryStore):
        def record(self, delivery: Message, failure: DeliveryFailure | None) -> Decision | None:
            raise OSError

    store, send = Full("a"), Sender()
    began = time.monotonic()
    begin(store, send)
    assert eventually(lambda: len(send.sent) == 5)
    assert time.monotonic() - began >= 4 * 0.01
    assert caplog.records[0].getMessage() == "messages not saved: OSError"


@pytest.mark.parametrize(
    ("failure", "is_lost", "logged"),
    [
        (None, False, []),
        (AWAY, False, ["message not delivered yet"]),
        (REFUSED, False, ["message dead"]),
        (replace(REFUSED, ends=DeliveryStatus.DISABLED), False, ["message disabled"]),
        (REFUSED, True, []),
    ],
)
def test_first_failure_and_the_end_are_in_the_log(failure, is_lost, logged, caplog):
    store = MemoryStore("a")
    store.is_lost = is_lost
    send = Sender() if failure is None else Sender(a=failure)
    with caplog.at_level("INFO"):
        deliver_due(store, send)
        if failure is AWAY:
            deliver_due(store, send)
    assert [each.getMessage() for each in caplog.records] == logged


def test_target_that_fails_is_skipped_where_all_are_tried_once():
    store, send = MemoryStore(*"xxaxa"), Sender(x=AWAY)
    assert deliver_due(store, send) == 2
    assert (send.sent, store.claimed) == ([0, 2, 4], set())


def test_nothing_is_tried_after_the_time_is_over():
    store, send = MemoryStore(*"ab"), Sender()
    assert deliver_due(store, send, 0) == 0


# A process that answers people


class Idle:
    """For how long the process has answered nobody, as it says each time it is asked."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.asked = 0

    def __call__(self) -> float:
        self.asked += 1
        return self.seconds


@pytest.mark.parametrize(("seconds", "least", "most"), [(0.25, 1, 1), (1.0, 1, 1), (0.0, 2, 13)])
def test_deliveries_wait_until_the_process_is_quiet_but_no_longer_than_three_seconds(
    begin, seconds, least, most
):
    idle, asked = Idle(seconds), []
    store = MemoryStore("a")

    class Asking(Sender):
        def __call__(self, message: Message) -> DeliveryFailure | None:
            asked.append(idle.asked)
            return super().__call__(message)

    begin(store, Asking(), idle)
    assert eventually(lambda: not store.due)
    assert least <= asked[0] <= most


def test_messages_wait_while_people_are_answered(begin):
    idle, store, send = Idle(0.0), MemoryStore("a"), Sender()
    loop = begin(store, send, idle)
    assert eventually(lambda: idle.asked > 1)
    assert (send.sent, store.claims) == ([], 0)
    loop.rest()
    assert (send.sent, store.claims) == ([], 0)
