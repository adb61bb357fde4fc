"""Make the Celery app, publish runs with it, and check the broker.

The app has a broker queue per queue, one task, and JSON only: a message names a run and cannot carry code.
"""

from collections.abc import Collection
from contextlib import suppress
from typing import Any

from amqp.exceptions import AccessRefused, NotAllowed
from celery import Celery
from kombu.connection import Connection
from kombu.entity import Exchange, Queue
from kombu.exceptions import OperationalError

from castad.engine.broker import build_broker_options, get_broker_name
from resources.contract.errors import CastadError
from resources.ledger.limits import DEFAULT_QUEUE
from resources.process.settings import Settings

RECONNECT_SECONDS = 1.0
EXECUTE_RUN = "castad.execute_run"
BROKER_QUEUE = "castad"
# A wrong password, missing rights or virtual host: not transient.
_AMQP_REFUSALS = (AccessRefused, NotAllowed)
_NO_SUCH_DATABASE = "DB index"


class PromptConnection(Connection):
    """A connection that is retried every second, however long the broker was down.

    Kombu's stock connection waits longer after each try, up to half a minute.
    """

    def _ensure_connection(self, *args: Any, **known: Any) -> Any:
        seconds = RECONNECT_SECONDS
        waits = {"interval_start": seconds, "interval_step": 0, "interval_max": seconds}
        return super()._ensure_connection(*args, **{**known, **waits})  # type: ignore[no-untyped-call] # no types


def get_broker_queue(queue: str) -> str:
    """Get the queue's name at the broker."""
    return BROKER_QUEUE if queue == DEFAULT_QUEUE else f"{BROKER_QUEUE}-{queue}"


def make_app(settings: Settings, queues: Collection[str] = (DEFAULT_QUEUE,)) -> Celery:
    """Make an app for the broker of these settings and these queues; it connects at first use."""
    names = [get_broker_queue(queue) for queue in queues]
    app = Celery("castad", set_as_current=False)
    app.amqp.Connection = PromptConnection
    app.conf.update(
        **build_broker_options(settings),
        broker_connection_timeout=5,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        # RabbitMQ closes a channel whose message is unacknowledged for 30 min; Celery would then consume no more.
        broker_channel_error_retry=True,
        task_queues=[
            Queue(name, Exchange(name, type="direct"), routing_key=name) for name in names
        ],
        task_default_queue=BROKER_QUEUE,
        task_default_exchange=BROKER_QUEUE,
        task_default_routing_key=BROKER_QUEUE,
        task_serializer="json",
        accept_content=["json"],
        # No caller reads results: the ledger holds the state of every run.
        result_backend=None,
        task_ignore_result=True,
        # Early: a lost message is published again from the ledger, a redelivered one would only be dropped.
        task_acks_late=False,
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        event_queue_durable=False,
    )
    return app


def publish(app: Celery, run_id: str, queue: str = DEFAULT_QUEUE) -> None:
    """Publish the run to the broker, with the run id as Celery task id; raises kombu's errors."""
    name = get_broker_queue(queue)
    app.send_task(EXECUTE_RUN, args=[run_id], task_id=run_id, queue=name, retry=False)


class BrokerRefusesError(CastadError):
    """The broker answers and refuses the connection."""

    code = "broker_refuses"


class BrokerDownError(CastadError):
    """The broker does not answer."""

    code = "broker_down"


def ping_broker(settings: Settings) -> None:
    """Connect to the broker; raises BrokerRefusesError and BrokerDownError."""
    with make_app(settings).connection_for_write() as connection:
        try:
            # For Redis, only opening a channel connects.
            _ = connection.default_channel
        except (
            OperationalError,
            *connection.connection_errors,
            *connection.channel_errors,
        ) as error:
            # kombu wraps most errors of the broker's library, but not all.
            raise _make_broker_error(settings, error.__cause__ or error) from None


def raise_if_broker_refuses(settings: Settings) -> None:
    """Raise BrokerRefusesError if the broker refuses a connection; a broker that is down passes."""
    with suppress(BrokerDownError):
        ping_broker(settings)


def _make_broker_error(settings: Settings, error: BaseException) -> CastadError:
    reply = getattr(error, "reply_text", "") or error
    where = f"CASTAD_BROKER_URL: {get_broker_name(settings)}"
    if _is_refusal(error):
        return BrokerRefusesError(
            f"{where} refuses the connection ({reply}); check user, password, rights and database"
        )
    return BrokerDownError(f"{where} does not answer: {reply}")


def _is_refusal(error: BaseException) -> bool:
    # Here, because the library takes 8 MB of every process that asks a broker which is not Redis.
    from redis.exceptions import AuthenticationError, NoPermissionError

    refusals = (*_AMQP_REFUSALS, AuthenticationError, NoPermissionError)
    return isinstance(error, refusals) or _NO_SUCH_DATABASE in str(error)
