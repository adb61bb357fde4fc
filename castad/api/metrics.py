"""Prometheus metrics: gauges of the current state, counters of the ledger's events, and direct answers.

Counters start at 0 with the process, as Prometheus expects. Every API process counts the events of all orders:
scrape only one process, or sums count each event several times. Only the metrics of HTTP calls and live streams
are per process.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from castad.direct.pool import DirectService
from castad.stack.local_daemon import DaemonHealth
from castad.views.scope import make_workload_scope
from pipeline_defs.catalog import Catalog
from resources.contract.errors import StateUnavailableError
from resources.ledger.db.database import Database
from resources.ledger.limits import SAME_ORDER, SETTINGS
from resources.ledger.queries.feed import Feed, open_feed_from_now
from resources.ledger.queries.health import (
    EventOutcomes,
    read_event_outcomes,
    read_failure_from_event,
)
from resources.ledger.queries.status import EventView
from resources.ledger.queries.webhooks import DeliverySums, sum_deliveries
from resources.ledger.queries.workload import Workload, read_workload
from resources.ledger.schema.tables import OPEN_STATUSES, TERMINAL, Status
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import Settings
from resources.providers.vendor import VENDORS

OTHER = "other"
_MAX_CODES = 100
_CODE = re.compile(r"[a-z][a-z0-9_]{0,47}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class KnownLabels:
    """Known names are labels; any other name is `other`, and a missing one the empty label."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)

    def __call__(self, name: object) -> str:
        """Return the label of this name."""
        if name is None or name == "":
            return ""
        return name if isinstance(name, str) and name in self._names else OTHER


class ErrorCodeLabels:
    """The first hundred well-formed error codes are labels; any other is `other`."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._lock = Lock()

    def __call__(self, code: str) -> str:
        """Return the label of this code."""
        with self._lock:
            if code not in self._seen:
                if len(self._seen) >= _MAX_CODES or not _CODE.fullmatch(code):
                    return OTHER
                self._seen.add(code)
            return code


def label_method(method: str) -> str:
    """Return the HTTP method, or `other` for an unknown one."""
    return method if method in _METHODS else OTHER


_GAUGES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "requests": (
        "Requests by status and current stage; the stage is empty for completed and canceled "
        "ones, and for dead ones that never reached a stage.",
        ("status", "stage"),
    ),
    "requests_due": ("Requests that could start now.", ("stage",)),
    "requests_waiting": (
        "Pending requests by what they wait for: a slot at a stage, a permit at a provider, a "
        "provider's final status, a paused provider, other settings.",
        ("reason", "name"),
    ),
    "oldest_due_seconds": ("Time since the oldest request that is due became due, 0 if none.", ()),
    "oldest_running_seconds": (
        "Time since the oldest running attempt started, 0 if none runs.",
        (),
    ),
    "workers": ("Workers that are alive.", ()),
    "slots": ("Slots of the living workers: runs that they can execute.", ()),
    "slots_free": ("Slots in which no run executes.", ()),
    "queues_unserved": ("Queues in which requests are due and that no living worker serves.", ()),
    "provider_paused": ("1 while the provider is paused, else 0.", ("provider",)),
    "money_spent_today_usd": (
        "US dollars that were or may have been charged since midnight UTC.",
        ("provider", "stage"),
    ),
    "orphans": ("Submissions that were or may have been charged and belong to no order.", ()),
    "orphans_usd": ("US dollars that the orphans cost together.", ()),
    "webhooks": ("Webhooks stored: pending, delivered, dead, disabled.", ("status",)),
    "webhooks_oldest_due_seconds": (
        "Time since the oldest webhook that is due became due, 0 if none.",
        (),
    ),
    "daemon_heartbeat_age_seconds": ("Time since the Dagster daemon's heartbeat.", ("daemon",)),
    "sensor_tick_age_seconds": ("Time since the sensor's last tick started.", ("sensor",)),
    "sensor_failed_ticks": (
        "Ticks of the sensor that have failed in a row, 0 where the last one did not.",
        ("sensor",),
    ),
}
"""What each gauge says, and its labels."""


class Gauges:
    """The gauges of a workload and of the Dagster daemon's health."""

    def __init__(
        self, registry: CollectorRegistry, stages: Sequence[str], providers: Sequence[str]
    ) -> None:
        self._stages, self._providers = stages, providers
        self._label_stage, self._provider = KnownLabels(stages), KnownLabels(providers)
        self._of = {
            name: Gauge(f"castad_{name}", help_text, labels, registry=registry)
            for name, (help_text, labels) in _GAUGES.items()
        }

    def update(
        self, work: Workload, webhooks: DeliverySums, daemon_health: DaemonHealth | None
    ) -> None:
        """Set the gauges to this workload and health; remove those of Dagster if it could not be read."""
        self._update_requests(work)
        self._update_waiting(work)
        self._of["oldest_due_seconds"].set(work.oldest_due or 0.0)
        self._of["oldest_running_seconds"].set(work.oldest_running or 0.0)
        if work.worker_pool is not None:
            self._of["workers"].set(work.worker_pool.workers)
            self._of["slots"].set(work.worker_pool.slots)
            self._of["slots_free"].set(work.worker_pool.free)
            self._of["queues_unserved"].set(len(work.worker_pool.unserved))
        paused = {self._provider(each.provider) for each in work.paused}
        for provider in (*self._providers, OTHER):
            self._of["provider_paused"].labels(provider).set(provider in paused)
        if work.orphans is not None:
            self._of["orphans"].set(work.orphans.count)
            self._of["orphans_usd"].set(work.orphans.cost / 1_000_000)
        self._of["money_spent_today_usd"].clear()
        for (provider, stage), cost in work.spent_today.items():
            cell = self._of["money_spent_today_usd"].labels(
                self._provider(provider), self._label_stage(stage)
            )
            cell.inc(cost / 1_000_000)
        for status, count in webhooks.by_status.items():
            self._of["webhooks"].labels(status).set(count)
        self._of["webhooks_oldest_due_seconds"].set(webhooks.oldest_due_seconds)
        self._update_daemon_health(daemon_health)

    def _update_requests(self, work: Workload) -> None:
        self._of["requests"].clear()
        self._of["requests_due"].clear()
        for status in Status:
            for stage in _list_stages(status, self._stages):
                self._of["requests"].labels(status, stage)
        for stage in self._stages:
            self._of["requests_due"].labels(stage)
        for (status, at_stage), count in work.requests.items():
            self._of["requests"].labels(status, self._label_stage(at_stage)).inc(count)
        for due_at, backlog in work.due.items():
            self._of["requests_due"].labels(self._label_stage(due_at)).inc(backlog.count)

    def _update_waiting(self, work: Workload) -> None:
        self._of["requests_waiting"].clear()
        for stage in self._stages:
            self._of["requests_waiting"].labels("slot", stage)
            self._of["requests_waiting"].labels("approval", stage)
        for provider in self._providers:
            self._of["requests_waiting"].labels("permit", provider)
            self._of["requests_waiting"].labels("final_status", provider)
        for waits_for, count in work.waiting.items():
            kind, _, name = waits_for.partition(":")
            if kind in ("slot", "approval"):
                cell = self._of["requests_waiting"].labels(kind, self._label_stage(name))
            elif kind in ("permit", "final_status"):
                cell = self._of["requests_waiting"].labels(kind, self._provider(name))
            elif waits_for in (SETTINGS, SAME_ORDER):
                cell = self._of["requests_waiting"].labels(waits_for, "")
            else:
                cell = self._of["requests_waiting"].labels("paused", self._provider(waits_for))
            cell.inc(count)

    def _update_daemon_health(self, daemon_health: DaemonHealth | None) -> None:
        self._of["daemon_heartbeat_age_seconds"].clear()
        self._of["sensor_tick_age_seconds"].clear()
        self._of["sensor_failed_ticks"].clear()
        if daemon_health is None:
            return
        if daemon_health.heartbeat_age is not None:
            self._of["daemon_heartbeat_age_seconds"].labels("sensor").set(
                daemon_health.heartbeat_age
            )
        for sensor, age in daemon_health.tick_ages.items():
            self._of["sensor_tick_age_seconds"].labels(sensor).set(age)
            self._of["sensor_failed_ticks"].labels(sensor)
        for failure in daemon_health.failures:
            if failure.name in daemon_health.tick_ages:
                self._of["sensor_failed_ticks"].labels(failure.name).set(failure.count)


def _list_stages(status: Status, stages: Sequence[str]) -> Sequence[str]:
    """List the stage labels that are always present; a dead request may never have reached a stage."""
    if status is Status.DEAD:
        return (*stages, "")
    return stages if status in OPEN_STATUSES else ("",)


_STAGE_SECONDS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200)
_VENDOR_CALLS = {
    "submitted": "submitted",
    "submission_unknown": "unknown",
    "submission_failed": "failed",
    "submission_succeeded": "succeeded",
}


class Counters:
    """Metrics of events; the caller hands in each event once.

    `stage_names` is the name under which each stage of a pipeline is counted.
    """

    def __init__(
        self,
        registry: CollectorRegistry,
        stage_names: Mapping[tuple[str, str], str],
        providers: Sequence[str],
    ) -> None:
        self._stage_names, stages = stage_names, tuple(stage_names.values())
        self._known_stage, self._provider, self._code = (
            KnownLabels(stages),
            KnownLabels(providers),
            ErrorCodeLabels(),
        )

        def add_counter(name: str, help_text: str, *labels: str) -> Counter:
            return Counter(f"castad_{name}", help_text, labels, registry=registry)

        self._attempts = add_counter("attempts", "Attempts that started.")
        self._failures = add_counter(
            "failures",
            "Attempts that failed, by stage and error code, and orders that could not be started; waits excluded.",
            *("stage", "code"),
        )
        self._lost = add_counter(
            "worker_lost", "Leases that expired or were lost with their worker."
        )
        self._ended = add_counter(
            "requests_ended", "Requests that ended, by their final status.", "status"
        )
        self._calls = add_counter(
            "vendor_calls",
            "Submissions to providers, by outcome.",
            *("provider", "outcome"),
        )
        self._money = add_counter(
            "money_spent_usd",
            "US dollars that were or may have been charged, counted when a stage is completed or its "
            "submission has failed.",
            *("provider", "stage"),
        )
        self._seconds = Histogram(
            "castad_stage_seconds",
            "Time from the first start of a completed stage to its end.",
            ("stage",),
            buckets=_STAGE_SECONDS,
            registry=registry,
        )
        for status in TERMINAL:
            self._ended.labels(status)
        for stage in stages:
            self._seconds.labels(stage)
        for provider in providers:
            for outcome in _VENDOR_CALLS.values():
                self._calls.labels(provider, outcome)

    def count(self, event: EventView, outcomes: EventOutcomes) -> None:
        """Count this event."""
        if event.type == "claimed":
            self._attempts.inc()
        if event.type == "worker_lost":
            self._lost.inc()
        if event.after in TERMINAL and event.before != event.after:
            self._ended.labels(Status(event.after)).inc()
        self._count_failure(event)
        self._count_submission(event)
        self._count_ends(event, outcomes)

    def _count_failure(self, event: EventView) -> None:
        failure = read_failure_from_event(event)
        if failure is not None:
            stage, code = failure
            self._failures.labels(self._label_stage(event, stage), self._code(code)).inc()

    def _count_submission(self, event: EventView) -> None:
        outcome = _VENDOR_CALLS.get(event.type)
        if outcome is not None:
            self._calls.labels(self._provider(event.data.get("provider")), outcome).inc()

    def _count_ends(self, event: EventView, outcomes: EventOutcomes) -> None:
        seconds = outcomes.seconds(event)
        if seconds is not None:
            self._seconds.labels(self._label_stage(event, event.data.get("stage"))).observe(seconds)
        submission_cost = outcomes.submission_cost(event)
        if submission_cost is not None:
            money = self._money.labels(
                self._provider(submission_cost.provider),
                self._label_stage(event, submission_cost.stage),
            )
            money.inc(submission_cost.cost / 1_000_000)

    def _label_stage(self, event: EventView, stage: Any) -> str:
        is_text = isinstance(stage, str)
        name = self._stage_names.get((event.pipeline, stage), stage) if is_text else stage
        return self._known_stage(name)


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
        self._scope = make_workload_scope(pipelines, settings.lease_seconds)
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
        """Add what this collector reads at each scrape to the metrics."""
        self._registry.register(collector)

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one HTTP call. `route` is the path's template, never the path that a client sent."""
        self._http_requests.labels(label_method(method), route, status).inc()
        self._http_seconds.labels(route).observe(seconds)

    def render(self) -> tuple[bytes, str]:
        """Render the metrics in Prometheus' text format, and return them with their content type.

        Raises the database's error if it does not answer; the next call counts the events that this one missed.
        """
        with self._render_lock:
            work, webhooks = read_workload(self._db, self._scope), sum_deliveries(self._db)
            self._gauges.update(work, webhooks, self.find_daemon_health())
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

    def find_daemon_health(self) -> DaemonHealth | None:
        """Return the health of the sensors, None where Dagster's storage cannot be read."""
        try:
            return self._read_daemon_health()
        except Exception as error:  # noqa: BLE001 - Dagster's storages raise errors of many kinds
            _log.warning(
                "daemon health not readable", extra={LOG_FIELDS: {"error": type(error).__name__}}
            )
            return None


class DirectMetrics(Collector):
    """Read at the time of the scrape; the spool's are absent where it cannot be read."""

    def __init__(self, service: DirectService) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        """Collect the metrics as they are now."""
        answers = CounterMetricFamily(
            "castad_direct_answers",
            "Orders that this process answered itself.",
            labels=("pipeline", "outcome"),
        )
        not_kept = CounterMetricFamily(
            "castad_direct_not_kept",
            "Answers whose saves and import could not be written to the spool.",
            labels=("pipeline",),
        )
        at_work = GaugeMetricFamily(
            "castad_direct_open", "Such orders at work or waiting.", labels=("pipeline",)
        )
        for name, pool in self._service.pools.items():
            counts = pool.answering.counts
            answers.add_metric((name, "completed"), counts.completed)
            answers.add_metric((name, "failed"), counts.failed)
            not_kept.add_metric((name,), counts.not_kept)
            at_work.add_metric((name,), pool.open_jobs)
        yield from (answers, not_kept, at_work)
        yield from self._collect_spool()

    def _collect_spool(self) -> Iterator[Metric]:
        saves = GaugeMetricFamily(
            "castad_saves", "Entries of this machine's spool by target.", labels=("target", "state")
        )
        try:
            counts = self._service.spool.counts()
        except StateUnavailableError:
            return
        for target in self._service.targets:
            for is_dead, state in ((False, "waiting"), (True, "dead")):
                saves.add_metric((target, state), counts.get((target, is_dead), 0))
        yield saves
