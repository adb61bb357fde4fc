"""Looks at what castad's own words do not tell: messages in the broker, Dagster's runs and daemons."""

from collections import Counter
from collections.abc import Mapping, Sequence

from amqp import ChannelError
from celery import Celery
from sqlalchemy import NullPool, bindparam, create_engine, text

from castad.engine.app import BROKER_QUEUE, make_app
from resources.dagster.request_resource import ATTEMPT_TAG, TASK_ID_TAG
from resources.process.settings import Settings
from tests.chaos.stand import Stand
from tests.faults.standing import WORKER

_RUNS = text(
    "SELECT named.value, numbered.value FROM run_tags AS named"
    " JOIN run_tags AS numbered ON numbered.run_id = named.run_id AND numbered.key = :attempt"
    " WHERE named.key = :task_id AND named.value IN :names"
).bindparams(bindparam("names", expanding=True))
_DAEMON = text("SELECT daemon_id FROM daemon_heartbeats WHERE daemon_type = 'SENSOR'")


class Messages:
    """The runs that were handed to the broker and taken by nobody."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def waiting(self) -> int:
        """How many there are."""
        with self._app.connection() as connection:
            try:
                asked = connection.default_channel.queue_declare(BROKER_QUEUE, passive=True)
            except ChannelError:
                return 0  # a queue that nothing waits in need not be there
            return int(asked.message_count)

    def close(self) -> None:
        """No connection is held."""
        self._app.close()


def messages_of(stand: Stand) -> Messages:
    """The messages in this stand's broker."""
    url = None if stand.broker is None else stand.broker.url
    return Messages(make_app(Settings(home=stand.home(WORKER), broker_url=url)))


class DagsterLooks:
    """What Dagster has stored about a stand."""

    def __init__(self, stand: Stand) -> None:
        history = stand.home(WORKER) / "dagster" / "history"
        url = stand.database_url or f"sqlite:///{history / 'runs.db'}"
        self._engine = create_engine(url, poolclass=NullPool)

    def close(self) -> None:
        """No connection is held."""
        self._engine.dispose()

    def runs_of(self, task_ids: Sequence[str]) -> Mapping[tuple[str, str], int]:
        """How many runs there are for each attempt of these requests."""
        asked = {"task_id": TASK_ID_TAG, "attempt": ATTEMPT_TAG, "names": list(task_ids)}
        with self._engine.connect() as connection:
            return Counter((name, number) for name, number in connection.execute(_RUNS, asked))

    def sensor_daemon(self) -> str | None:
        """The id of the daemon that was the last to say that it looks after the sensors."""
        with self._engine.connect() as connection:
            return connection.execute(_DAEMON).scalar_one_or_none()
