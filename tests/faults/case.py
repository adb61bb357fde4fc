"""One case on a stand, and the words it is written in: order, break, wait for, and how it ended."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property

from sqlalchemy import select
from sqlalchemy.exc import DatabaseError

from resources.ledger.db.database import Database
from resources.ledger.queries.status import get_request, list_event_views, read_clock
from resources.ledger.request import Request
from resources.ledger.schema.tables import provider_jobs, requests, workers
from resources.ledger.transitions.rescue import register_worker, unregister_worker
from tests.chaos.customers import SHORT_BRIEF, do_now, order_now
from tests.chaos.plan import Wish
from tests.chaos.reading import Quiet
from tests.chaos.stand import Stand
from tests.faults.ends import End, end_of
from tests.faults.looks import DagsterLooks, Messages, messages_of
from tests.faults.standing import DAEMON, WORKER
from tests.faults.story import tell

_SONG_NEVER = 1_000_000.0
_PATIENCE_SECONDS = 90.0
_LOOK_EVERY = 0.05
_GHOST = "ghost"
_SLOTS = 5


class Case:
    """What happens to orders of one name on a stand where all was well when it began."""

    def __init__(self, stand: Stand, name: str) -> None:
        self.stand = stand
        self.has_failed = False
        self.task_ids: Sequence[str] = ()
        self._name = name
        self._closing = ExitStack()
        # Patient: whoever looks right after a break has no connection either.
        self.ledger = Database(stand.ledger_url).with_retry_budget(_PATIENCE_SECONDS / 3)
        self._closing.callback(self.ledger.close)
        self._quiet = Quiet(stand.ledger_url, stand.home(WORKER), stand.database_url)
        self._closing.callback(self._quiet.close)
        self._dagster = DagsterLooks(stand)
        self._closing.callback(self._dagster.close)
        self._began = {log: log.stat().st_size for log in stand.folder.glob("*.log")}
        self.until_listed(1)

    def close(self) -> None:
        """Nothing is held, and nobody is stopped, any more."""
        self._closing.close()

    @cached_property
    def messages(self) -> Messages:
        """What waits in the broker."""
        messages = messages_of(self.stand)
        self._closing.callback(messages.close)
        return messages

    def order(self, count: int = 1) -> None:
        """So many requests are stored."""
        self.task_ids = [f"{self._name}-{number}" for number in range(count)]
        order_now(self.stand, self.task_ids)

    def order_calling(self, callback_url: str) -> None:
        """One request is stored whose end this address is to get."""
        [task_id] = self.task_ids = [f"{self._name}-0"]
        do_now(self.stand, [Wish(0.0, "order", task_id, SHORT_BRIEF, callback_url=callback_url)])

    def order_and_wait_for_song(self) -> None:
        """The song is sent for, and will be waited for until `finish_song`."""
        self.stand.vendors["suno"].set(delay=_SONG_NEVER)
        self.order()
        self.until(lambda: self._waits_for_song, "the song is sent for")

    def finish_song(self) -> None:
        """The song is done when it is next asked for."""
        self.stand.vendors["suno"].set(delay=0.0)

    @property
    def request(self) -> Request:
        """The first request."""
        return get_request(self.ledger, self.task_ids[0])

    @property
    def events(self) -> Sequence[str]:
        """The types of all events of the first request."""
        return [event.type for event in list_event_views(self.ledger, self.request)]

    @property
    def launches(self) -> Mapping[tuple[str, str], int]:
        """How many Dagster runs each attempt of its requests has."""
        return self._dagster.runs_of(self.task_ids)

    @property
    def holder(self) -> str:
        """The worker of the stand that holds the first request."""
        owner = self.request.lease_owner or ""
        ids = {name: self.stand.home(name) / "workers" / "id" for name in self.stand.workers}
        return next(name for name, path in ids.items() if path.read_text().split()[0] in owner)

    @property
    def daemon(self) -> str | None:
        """Which daemon has told last that it looks after the sensors."""
        return self._dagster.sensor_daemon()

    @property
    def is_delivery_given_up(self) -> bool:
        """Whether the daemon could not hand a run to the broker."""
        return self.has_logged(DAEMON, "run not published")

    def has_lost_its_lease_for(self, seconds: float) -> bool:
        """Whether nobody has renewed the lease of the first request since long before it ran out."""
        until = self.request.lease_until
        return until is not None and (read_clock(self.ledger) - until).total_seconds() > seconds

    def has_logged(self, part: str, words: str) -> bool:
        """Whether a part has written these words to its log since the case began."""
        log = self.stand.folder / f"{part}.log"
        with log.open("rb") as file:
            file.seek(self._began.get(log, 0))
            return words.encode() in file.read()

    @property
    def _waits_for_song(self) -> bool:
        songs = select(provider_jobs.c.external_id).join_from(requests, provider_jobs)
        mine = songs.where(requests.c.task_id == self.task_ids[0], provider_jobs.c.stage == "song")
        with self.ledger.reading() as tx:
            known = tx.execute(mine).scalars().all()
        return any(known) and self.request.lease_owner is not None

    def until(self, condition: Callable[[], object], what: str) -> None:
        """It came true; a database that does not answer has not said so yet."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        pause = threading.Event()
        while not self._is(condition):
            assert time.monotonic() < deadline, f"never came: {what}"
            pause.wait(_LOOK_EVERY)

    def until_listed(self, number: int) -> None:
        """So many workers at least are listed with slots."""
        listed = select(workers.c.name).where(workers.c.slots > 0, workers.c.name != _GHOST)

        def are_listed() -> bool:
            with self.ledger.reading() as tx:
                return len(tx.execute(listed).all()) >= number

        self.until(are_listed, f"{number} workers offer slots")

    def _is(self, condition: Callable[[], object]) -> bool:
        try:
            return bool(condition())
        except DatabaseError:
            return False

    def until_renewed(self) -> None:
        """The worker that holds the first request has renewed its lease once more."""
        before = self.request.lease_until
        assert before is not None
        self.until(lambda: (self.request.lease_until or before) > before, "the lease is renewed")

    def until_quiet(self) -> None:
        """Every request and every run has ended, and every event is mirrored."""
        self.until(self._quiet.is_quiet, "every order and every run has ended")

    def end(self) -> End:
        """How all has ended, once it has."""
        self.until_quiet()
        return end_of(self.stand.read(), self.task_ids)

    def story(self) -> str:
        """How its orders stand, and what every part said last."""
        return tell(self.ledger, self.task_ids, self.stand.folder)

    @contextmanager
    def slots_that_nobody_has(self) -> Iterator[Callable[[], None]]:
        """Call what is yielded now and then: a worker seems to live that takes no run from anybody."""

        def beat() -> None:
            register_worker(self.ledger, _GHOST, _GHOST, slots=_SLOTS, poison_deaths=_SLOTS)

        yield beat
        unregister_worker(self.ledger, _GHOST, _GHOST)
