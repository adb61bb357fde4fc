"""What a stream of many orders sends, frame by frame: each event once, and no id after which one was not sent."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator

import pytest

from castad.api.app import create_app
from castad.api.broadcaster import EventBatch, Subscription
from castad.api.state import Api
from castad.api.streams import StreamSession, stream_many_orders
from castad.views.events import EventLine
from resources.ledger.queries.access import ApiKey, Scope, Secret, find_active_key
from resources.ledger.queries.feed import Cursor
from resources.ledger.transitions.access import create_key, revoke_key
from resources.process.settings import settings
from tests.ledger_steps import Steps

NOWHERE = Cursor(0)
TOO_MANY = 1001


@pytest.fixture
def api(sqlite_ledger_url: str) -> Iterator[Api]:
    api: Api = create_app(settings()).state.api
    yield api
    api.broadcaster.stop()
    api.db.close()


@pytest.fixture
def key(api: Api) -> ApiKey:
    secret = Secret.new()
    create_key(api.db, secret, name="shop", owner="shop", scopes=[Scope.READ])
    found = find_active_key(api.db, secret)
    assert found is not None
    return found


def told(count: int) -> EventBatch:
    """So many events, as they are pushed."""
    ids = range(1, count + 1)
    lines = [EventLine(number, 1, number, "{}", Cursor(number), False) for number in ids]
    return EventBatch(lines, Cursor(count))


def frames_of(session: StreamSession, cursor: Cursor = NOWHERE) -> AsyncIterator[bytes]:
    return stream_many_orders(session, cursor, owner=None, with_orders=False)


def sent(session: StreamSession, cursor: Cursor = NOWHERE) -> list[bytes]:
    async def story() -> list[bytes]:
        return [frame async for frame in frames_of(session, cursor)]

    return asyncio.run(story())


class Pushed(StreamSession):
    """One with these many events pushed while its key is checked, and none later."""

    count = 0

    async def should_continue(self, subscription: Subscription) -> bool:
        if not self.count or not await super().should_continue(subscription):
            return False
        subscription.push(told(self.count))
        self.count = 0
        return True


def pushed(api: Api, key: ApiKey, count: int) -> Pushed:
    session = Pushed(api, key)
    session.count = count
    return session


def test_stream_that_was_cut_off_says_no_id_after_what_it_dropped(api, key):
    [begun] = sent(pushed(api, key, TOO_MANY))
    assert b"id: 0" in begun


def test_what_another_process_has_sent_is_not_sent_again(api, key):
    _, frames = sent(pushed(api, key, 6), Cursor(5, ((2, 3),)))
    assert re.findall(rb"id: (.*)", frames) == [b"5!3-3", b"5", b"6"]


def test_revoked_key_reads_no_more_of_the_past(api, key):
    Steps(api.db).order()
    revoke_key(api.db, key.id)
    assert len(sent(StreamSession(api, key))) == 1
