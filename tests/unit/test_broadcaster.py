"""What one stream has still to read: all of it in order, or nothing and the word that it was cut off."""

import asyncio
from collections.abc import Callable

from castad.api.broadcaster import EventBatch, Subscription
from castad.readmodels.event_line import EventLine
from resources.ledger.queries.feed import Cursor

NOWHERE = Cursor(0)


def line(seq: int, request_id: int = 1) -> EventLine:
    return EventLine(seq, request_id, seq, "{}", Cursor(seq), None)


def batch(*seqs: int) -> EventBatch:
    return EventBatch([line(seq) for seq in seqs], Cursor(max(seqs)))


def told(subscription: Subscription) -> list[int]:
    news = asyncio.run(subscription.next_batch(0.001))
    return [each.seq for each in news.lines]


def everything() -> Callable[[EventLine], bool]:
    return lambda each: True


def test_what_was_told_is_read_once_and_in_order() -> None:
    subscription = Subscription(everything(), NOWHERE)
    subscription.push(batch(1, 2))
    subscription.push(batch(3))
    assert [told(subscription), told(subscription)] == [[1, 2, 3], []]


def test_what_is_not_wanted_is_not_told() -> None:
    subscription = Subscription(lambda each: each.request_id == 2, NOWHERE)
    subscription.push(EventBatch([line(1, 1), line(2, 2)], NOWHERE))
    assert told(subscription) == [2]


def test_cursor_is_of_what_has_been_read() -> None:
    subscription = Subscription(everything(), NOWHERE)
    subscription.push(batch(1))
    subscription.push(batch(2))
    assert asyncio.run(subscription.next_batch(0.001)).cursor == Cursor(2)


def test_who_reads_a_thousand_at_a_time_is_not_cut_off() -> None:
    subscription = Subscription(everything(), NOWHERE)
    subscription.push(batch(*range(1000)))
    assert (len(told(subscription)), subscription.is_dropped) == (1000, False)


def test_who_falls_further_behind_is_cut_off_and_keeps_nothing() -> None:
    subscription = Subscription(everything(), NOWHERE)
    subscription.push(batch(*range(600)))
    subscription.push(batch(*range(600, 1200)))
    subscription.push(batch(1200))
    assert (told(subscription), subscription.is_dropped) == ([], True)


def test_who_waits_hears_at_once() -> None:
    async def story() -> list[int]:
        subscription = Subscription(everything(), NOWHERE)
        waiting = asyncio.create_task(subscription.next_batch(60))
        await asyncio.sleep(0)
        subscription.push(batch(1))
        return [each.seq for each in (await waiting).lines]

    assert asyncio.run(story()) == [1]


def test_who_waits_is_told_that_it_was_cut_off() -> None:
    async def story() -> bool:
        subscription = Subscription(everything(), NOWHERE)
        waiting = asyncio.create_task(subscription.next_batch(60))
        await asyncio.sleep(0)
        subscription.push(batch(*range(1001)))
        await waiting
        return subscription.is_dropped

    assert asyncio.run(story())
