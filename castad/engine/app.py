"""castad's own Celery app: its queues, one task, JSON only: a message names a run and cannot carry code."""

from collections.abc import Collection
from typing import Any

from celery import Celery
from kombu.connection import Connection
from kombu.entity import Exchange, Queue

from castad.engine.broker import broker_options
from resources.ledger.worker_queues import DEFAULT_QUEUE
from resources.process.settings import Settings

RECONNECT_SECONDS = 1.0
EXECUTE_RUN = "castad.execute_run"
BROKER_QUEUE = "castad"


class PromptConnection(Connection):
    """A connection to a broker that is tried again every second, however long the broker was down.

    Kombu's own waits longer after each try, up to half a minute.
    """

    def _ensure_connection(self, *args: Any, **known: Any) -> Any:
        seconds = RECONNECT_SECONDS
        waits = {"interval_start": seconds, "interval_step": 0, "interval_max": seconds}
        return super()._ensure_connection(*args, **{**known, **waits})  # type: ignore[no-untyped-call] # no types


def get_broker_queue(queue: str) -> str:
    """The queue's name at the broker."""
    return BROKER_QUEUE if queue == DEFAULT_QUEUE else f"{BROKER_QUEUE}-{queue}"


def make_app(settings: Settings, queues: Collection[str] = (DEFAULT_QUEUE,)) -> Celery:
    """An app on the broker of these settings, with these queues; it connects at first use."""
    names = [get_broker_queue(queue) for queue in queues]
    app = Celery("castad", set_as_current=False)
    app.amqp.Connection = PromptConnection
    app.conf.update(
        **broker_options(settings),
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
    """The broker has the run; its Celery task id is the run id. Raises what the broker raises."""
    name = get_broker_queue(queue)
    app.send_task(EXECUTE_RUN, args=[run_id], task_id=run_id, queue=name, retry=False)
