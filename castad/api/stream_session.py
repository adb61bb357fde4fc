"""What every live stream has: its reasons to end, and what is sent while nothing happens."""

import anyio
from sse_starlette import ServerSentEvent

from castad.api.state import Api
from castad.api.subscription import Subscription
from resources.ledger.queries.access import ApiKey

KEEP_ALIVE_SECONDS = 1.0
KEEP_ALIVE = ServerSentEvent(comment="", sep="\n").encode()


class StreamSession:
    """A stream's reasons to end: a slow client, a revoked key, the process' shutdown."""

    def __init__(self, api: Api, key: ApiKey) -> None:
        self.api = api
        self.key = key
        self.stopping = anyio.Event()

    async def should_continue(self, subscription: Subscription) -> bool:
        """Whether none of them has come true; called before every wait."""
        return not subscription.is_dropped and await self.may_read()

    async def may_read(self) -> bool:
        """Whether neither the key's end nor the process' has come."""
        return not self.stopping.is_set() and await self.api.key_cache.is_valid(self.key)
