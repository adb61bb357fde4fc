"""Keep the sender of webhooks awake from tick to tick."""

from functools import lru_cache
from typing import Any

from pipeline_defs.catalog import get_catalog
from resources.delivery.loop import DeliveryLoop
from resources.delivery.webhooks import make_webhook_loop
from resources.ledger.db.database import open_database
from resources.ledger.queries.health import Overview
from resources.ledger.queries.webhooks import Webhook
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from sensors.dispatch_waiter import call_on_release

# Covers a late tick. After the sensor was switched off, sending ends after this time.
_AWAKE_SECONDS = 20.0


def keep_sending() -> None:
    """Run the webhook loop for 20 more seconds, which lasts until the sensor's next tick; return at once."""
    _get_shared_loop().stay_awake(_AWAKE_SECONDS)


@lru_cache(maxsize=1)
def _get_shared_loop() -> DeliveryLoop[Webhook]:
    """Return this process' webhook loop, made at the first call; it stops with the stack."""
    loop = make_webhook_loop(open_database(settings().ledger_url), settings(), read_result)
    call_on_release(loop.rest)
    return loop


def read_result(overview: Overview) -> Any:
    """Read the pipeline's result of a completed order.

    Return None if the order is not completed, its pipeline is gone, or the result does not fit this release.
    """
    pipeline = get_catalog().find_pipeline(overview.request.pipeline)
    if overview.request.status is not Status.COMPLETED or pipeline is None:
        return None
    return pipeline.build_result(
        {view.stage: view.result for view in overview.stages if view.result is not None}
    )
