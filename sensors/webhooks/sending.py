"""The sender of webhooks in the process that evaluates sensors: a tick keeps it awake and waits for nothing."""

from functools import lru_cache, partial

from pipeline_defs.catalog import Catalog, catalog
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.overview import overview_of
from resources.ledger.queries.webhook_list import Webhook
from resources.process.settings import Settings, settings
from sensors.stop_lock import call_on_release
from sensors.webhooks.body import webhook_body
from sensors.webhooks.sender import WebhookSender

# Until a tick that comes late. Where the sensor is switched off, sending ends after this.
_AWAKE_SECONDS = 20.0


def keep_sending() -> None:
    """Webhooks that are due until the next tick are sent."""
    _shared_sender().stay_awake(_AWAKE_SECONDS)


def make_sender(db: Database, config: Settings, pipelines: Catalog) -> WebhookSender:
    """A sender for the orders of these pipelines."""
    return WebhookSender(db, config, partial(_body_of, db, pipelines))


def _body_of(db: Database, pipelines: Catalog, delivery: Webhook) -> str:
    return webhook_body(delivery, overview_of(db, delivery.task_id), pipelines)


@lru_cache(maxsize=1)
def _shared_sender() -> WebhookSender:
    config = settings()
    sender = make_sender(open_database(config.ledger_url), config, catalog())
    call_on_release(sender.rest)
    return sender
