"""What one stream has still to read: all of it in order, or nothing and the word that it was cut off."""

import asyncio

from castad.api.broadcaster import EventBatch, Subscription
from castad.views.events import EventLine, LiveProgress
from resources.ledger.queries.feed import Cursor

NOWHERE = Cursor(0)


def line(seq: int, request_id: int = 1) -> EventLine:
    return EventLine(seq, request_id, seq, "{}", Cursor(seq), False)


def batch(*seqs: int) -> EventBatch:
    return EventBatch([line(seq) for seq in seqs], Cursor(max(seqs)))


def told(subscription: Subscription) -> list[int]:
    news = asyncio.run(subscription.wait_for_batch(0.001))
    return [each.seq for each in news.lines]


def test_what_was_told_is_read_once_and_in_order():
    subscription = Subscription(None, NOWHERE)
    subscription.push(batch(1, 2))
    subscription.push(batch(3))
    assert [told(subscription), told(subscription)] == [[1, 2, 3], []]


def test_what_is_not_wanted_is_not_told():
    subscription = Subscription(2, NOWHERE)
    subscription.push(EventBatch([line(1, 1), line(2, 2)], NOWHERE))
    assert told(subscription) == [2]


def test_cursor_is_of_what_has_been_read():
    subscription = Subscription(None, NOWHERE)
    subscription.push(batch(1))
    subscription.push(batch(2))
    assert asyncio.run(subscription.wait_for_batch(0.001)).cursor == Cursor(2)


def test_who_reads_a_thousand_at_a_time_is_not_cut_off():
    subscription = Subscription(None, NOWHERE)
    subscription.push(batch(*range(1000)))
    assert (len(told(subscription)), subscription.is_dropped) == (1000, False)


def test_who_falls_further_behind_is_cut_off_and_keeps_nothing():
    subscription = Subscription(None, NOWHERE)
    subscription.push(batch(*range(600)))
    subscription.push(batch(*range(600, 1200)))
    subscription.push(batch(1200))
    assert (told(subscription), subscription.is_dropped) == ([], True)


def test_who_waits_hears_at_once():
    async def story() -> list[int]:
        subscription = Subscription(None, NOWHERE)
        waiting = asyncio.create_task(subscription.wait_for_batch(60))
        await asyncio.sleep(0)
        subscription.push(batch(1))
        return [each.seq for each in (await waiting).lines]

    assert asyncio.run(story()) == [1]


def test_who_waits_is_told_that_it_was_cut_off():
    async def story() -> bool:
        subscription = Subscription(None, NOWHERE)
        waiting = asyncio.create_task(subscription.wait_for_batch(60))
        await asyncio.sleep(0)
        subscription.push(batch(*range(1001)))
        await waiting
        return subscription.is_dropped

    assert asyncio.run(story())


def progress(percent: int, expected_seconds: int | None = None) -> LiveProgress:
    return LiveProgress("t", "song", percent, "", expected_seconds)


def push(subscription: Subscription, told: LiveProgress) -> None:
    subscription.push_progress({1: told})


def shown(subscription: Subscription) -> list[LiveProgress]:
    return list(asyncio.run(subscription.wait_for_batch(0.001)).progress)


def test_progress_is_told_once_and_only_the_newest():
    subscription = Subscription(1, NOWHERE)
    push(subscription, progress(10))
    push(subscription, progress(20))
    assert [shown(subscription), shown(subscription)] == [[progress(20)], []]


def test_progress_that_differs_in_its_expected_seconds_alone_is_no_news():
    subscription = Subscription(1, NOWHERE)
    push(subscription, progress(10, 9))
    shown(subscription)
    push(subscription, progress(10, 8))
    assert shown(subscription) == []


def test_progress_from_before_an_event_is_not_told_after_it():
    subscription = Subscription(1, NOWHERE)
    push(subscription, progress(10))
    subscription.push(batch(1))
    assert shown(subscription) == []


def test_progress_that_events_overtook_unread_is_shown_when_it_is_read_again():
    subscription = Subscription(1, NOWHERE)
    push(subscription, progress(10))
    subscription.push(batch(1))
    assert shown(subscription) == []
    push(subscription, progress(10))
    assert shown(subscription) == [progress(10)]


def test_changed_orders_reach_who_wants_them_after_their_events():
    subscription = Subscription(None, NOWHERE, wants_orders=True)
    subscription.push(batch(1))
    subscription.push_orders(b"orders")
    news = asyncio.run(subscription.wait_for_batch(0.001))
    assert ([each.seq for each in news.lines], news.orders) == ([1], [b"orders"])


def test_who_leaves_too_many_changed_orders_unread_is_cut_off():
    subscription = Subscription(None, NOWHERE, wants_orders=True)
    for _ in range(101):
        subscription.push_orders(b"orders")
    assert subscription.is_dropped
