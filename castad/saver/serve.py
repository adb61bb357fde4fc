"""Serve `castad worker --queue saves`: deliver this machine's spool and fill it from RabbitMQ's queues."""

import logging
import threading

from castad.direct.service import list_targets
from castad.engine.app import PromptConnection, raise_if_broker_refuses
from castad.engine.broker import build_broker_options, get_broker_name
from castad.saver.queues import SaveConsumer, make_tolerant_handler
from castad.stack.processes import StopRequested, catch_stop_signals
from pipeline_defs.capabilities import list_stateless
from pipeline_defs.catalog import get_catalog
from resources.delivery.spool import make_spool_loop, open_spool
from resources.process.configure_logging import LOG_FIELDS, configure_logging
from resources.process.settings import Settings

SAVES = "saves"
"""The queue name of workers that execute no runs."""
_LOOK_SECONDS = 0.2
# The consumer may be waiting for a broker. Unacknowledged messages are not lost.
_STOP_SECONDS = 3.0

_log = logging.getLogger("castad.saver")


def run_saver(settings: Settings) -> int:
    """Consume and deliver saves until a signal stops this process; return the exit code.

    Without RabbitMQ, only deliver this machine's spool. If the consumer ends by itself, return exit code 1. Raises
    BrokerRefusesError.
    """
    configure_logging()
    raise_if_broker_refuses(settings)
    delivery = make_spool_loop(open_spool(settings.home), list_targets(get_catalog()))
    consumer = _make_consumer(settings)
    _log.info("saver started", extra={LOG_FIELDS: {"broker": get_broker_name(settings)}})
    with catch_stop_signals() as flag:
        delivery.stay_awake()
        thread = None if consumer is None else threading.Thread(target=consumer.run, daemon=True)
        if thread is not None:
            thread.start()
        try:
            while thread is None or thread.is_alive():
                flag.pause(_LOOK_SECONDS)
            _log.error("messages are taken no more")
            code = 1
        except StopRequested:
            code = 0
        if consumer is not None and thread is not None:
            consumer.should_stop = True
            thread.join(_STOP_SECONDS)
        delivery.rest()
    return code


def _make_consumer(settings: Settings) -> SaveConsumer | None:
    if settings.broker_url is None or not settings.broker_url.startswith("amqp"):
        return None
    queues = {
        name: queue for each in list_stateless(get_catalog()) for name, queue in each.queues.items()
    }
    options = build_broker_options(settings)
    connection = PromptConnection(  # type: ignore[no-untyped-call] # the library has no types
        options["broker_url"],
        ssl=options["broker_use_ssl"] or None,
        heartbeat=options["broker_heartbeat"],
        transport_options={"frame_handler": make_tolerant_handler},
    )
    return SaveConsumer(connection, queues, open_spool(settings.home))
