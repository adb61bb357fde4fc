"""Prometheus metrics: gauges of the current state, and counters of the ledger's events.

Counters start at 0 with the process, as Prometheus expects. Every API process counts the events of all orders:
scrape only one process, or sums count each event several times. Only the metrics of HTTP calls and live streams
are per process.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from castad.api.counters import Counters
from castad.api.gauges import Gauges
from castad.api.labels import method_label
from castad.readmodels.stats import workload_scope
from castad.stack.local_daemon import DaemonHealth
from pipeline_defs.catalog import Catalog
from resources.ledger.db.database import Database
from resources.ledger.queries.feed import Feed, open_feed_from_now
from resources.ledger.queries.health import read_event_outcomes
from resources.ledger.queries.status import EventView
from resources.ledger.queries.webhooks import sum_deliveries
from resources.ledger.queries.workload import read_workload
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import Settings
from resources.providers.vendor import VENDORS

_log = logging.getLogger("castad.metrics")

_HTTP_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


class Metrics:
    """This process' metrics in their own registry. Thread-safe.

    `read_daemon_health` may raise.
    """

    def __init__(
        self,
        db: Database,
        settings: Settings,
        pipelines: Catalog,
        read_daemon_health: Callable[[], DaemonHealth],
    ) -> None:
        self._db, self._read_daemon_health = db, read_daemon_health
        self._scope = workload_scope(pipelines, settings.lease_seconds)
        self._registry = CollectorRegistry()
        names = pipelines.stage_names
        self._gauges = Gauges(self._registry, tuple(names.values()), VENDORS)
        self._counters = Counters(self._registry, names, VENDORS)
        self.sse_clients = Gauge(
            "castad_sse_clients",
            "Clients that follow events live from this process.",
            registry=self._registry,
        )
        self._http_requests = Counter(
            "castad_http_requests",
            "HTTP calls that this process answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._http_seconds = Histogram(
            "castad_http_request_duration_seconds",
            "Time to answer an HTTP call, by route.",
            ("route",),
            buckets=_HTTP_SECONDS,
            registry=self._registry,
        )
        self._feed: Feed | None = None
        with suppress(SQLAlchemyError):
            self._begin_feed()
        self._uncounted: Sequence[EventView] = ()
        self._render_lock = Lock()

    def include(self, collector: Collector) -> None:
        """What this collector reads at each scrape is among the metrics."""
        self._registry.register(collector)

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """One HTTP call is counted. `route` is the path's template, never the path that a client sent."""
        self._http_requests.labels(method_label(method), route, status).inc()
        self._http_seconds.labels(route).observe(seconds)

    def render(self) -> tuple[bytes, str]:
        """The metrics in Prometheus' text format, and its content type.

        Raises the database's error where it does not answer; the next call counts the events that this one missed.
        """
        with self._render_lock:
            work, webhooks = read_workload(self._db, self._scope), sum_deliveries(self._db)
            self._gauges.update(work, webhooks, self.daemon_health())
            self._count_new_events()
            return generate_latest(self._registry), CONTENT_TYPE_PLAIN_0_0_4

    def _begin_feed(self) -> Feed:
        """Return the feed of events, from the first time at which the ledger answered."""
        if self._feed is None:
            self._feed = open_feed_from_now(self._db)
        return self._feed

    def _count_new_events(self) -> None:
        feed = self._begin_feed()
        while list_new_events := self._uncounted or feed.list_new_events():
            # The feed yields each event once: they are kept here until the ledger has yielded their outcomes.
            self._uncounted = list_new_events
            outcomes = read_event_outcomes(self._db, list_new_events)
            self._uncounted = ()
            for event in list_new_events:
                self._counters.count(event, outcomes)

    def daemon_health(self) -> DaemonHealth | None:
        """Return the health of the sensors, None where Dagster's storage cannot be read."""
        try:
            return self._read_daemon_health()
        except Exception as error:  # noqa: BLE001 - Dagster's storages raise errors of many kinds
            _log.warning(
                "daemon health not readable", extra={LOG_FIELDS: {"error": type(error).__name__}}
            )
            return None
