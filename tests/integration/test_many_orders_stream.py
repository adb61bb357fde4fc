"""What a stream of many orders sends, frame by frame: each event once, and no id after which one was not sent."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from castad.api.app import create_app
from castad.api.many_orders_stream import many_frames
from castad.api.state import Api
from castad.api.stream_session import StreamSession
from castad.api.subscription import EventBatch, Subscription
from castad.readmodels.event_line import EventLine
from resources.ledger.moves.keys import create_key
from resources.ledger.queries.api_keys import ApiKey, Scope, Secret, find_active_key
from resources.ledger.queries.feed import Cursor
from resources.process.settings import settings

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


def lines(count: int) -> list[EventLine]:
    return [
        EventLine(number, 1, number, "{}", Cursor(number), False) for number in range(1, count + 1)
    ]


def frames_of(session: StreamSession, cursor: Cursor = NOWHERE) -> AsyncIterator[bytes]:
    return many_frames(session, cursor, owner=None, with_orders=False)


def sent(session: StreamSession, cursor: Cursor = NOWHERE) -> list[bytes]:
    async def story() -> list[bytes]:
        return [frame async for frame in frames_of(session, cursor)]

    return asyncio.run(story())


class Overwhelmed(StreamSession):
    """While its key is checked, more happens than a stream may leave unread."""

    async def should_continue(self, subscription: Subscription) -> bool:
        may = await super().should_continue(subscription)
        subscription.push(EventBatch(lines(TOO_MANY), Cursor(TOO_MANY)))
        return may


def test_stream_that_was_cut_off_says_no_id_after_what_it_dropped(api: Api, key: ApiKey) -> None:
    assert [b"id: 0" in frame for frame in sent(Overwhelmed(api, key))] == [True]
