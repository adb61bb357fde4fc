"""Gauges: the workload and Dagster's health at the time of the scrape."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Gauge

from castad.api.labels import OTHER, KnownLabels
from castad.stack.local_daemon import DaemonHealth
from resources.ledger.limits import SAME_ORDER, SETTINGS
from resources.ledger.queries.webhooks import DeliverySums
from resources.ledger.queries.workload import Workload
from resources.ledger.schema.tables import OPEN_STATUSES, Status


class Gauges:
    """The gauges of a workload and of the Dagster daemon's health."""

    def __init__(
        self, registry: CollectorRegistry, stages: Sequence[str], providers: Sequence[str]
    ) -> None:
        self._stages, self._providers = stages, providers
        self._stage, self._provider = KnownLabels(stages), KnownLabels(providers)

        def gauge(name: str, help_text: str, *labels: str) -> Gauge:
            return Gauge(f"castad_{name}", help_text, labels, registry=registry)

        self._requests = gauge(
            "requests",
            "Requests by status and current stage; the stage is empty for completed and canceled ones, and for "
            "dead ones that never reached a stage.",
            "status",
            "stage",
        )
        self._due = gauge("requests_due", "Requests that could start now.", "stage")
        self._waiting = gauge(
            "requests_waiting",
            "Pending requests by what they wait for: a slot at a stage, a permit at a provider, "
            "a provider's final status, a paused provider, other settings.",
            "reason",
            "name",
        )
        self._oldest_due = gauge(
            "oldest_due_seconds", "Time since the oldest request that is due became due, 0 if none."
        )
        self._oldest_running = gauge(
            "oldest_running_seconds",
            "Time since the oldest running attempt started, 0 if none runs.",
        )
        self._workers = gauge("workers", "Workers that are alive.")
        self._slots = gauge("slots", "Slots of the living workers: runs that they can execute.")
        self._slots_free = gauge("slots_free", "Slots in which no run executes.")
        self._queues_unserved = gauge(
            "queues_unserved", "Queues in which requests are due and that no living worker serves."
        )
        self._paused = gauge(
            "provider_paused", "1 while the provider is paused, else 0.", "provider"
        )
        self._spent = gauge(
            "money_spent_today_usd",
            "US dollars that were or may have been charged since midnight UTC.",
            *("provider", "stage"),
        )
        self._orphans = gauge(
            "orphans", "Submissions that were or may have been charged and belong to no order."
        )
        self._orphans_usd = gauge("orphans_usd", "US dollars that the orphans cost together.")
        self._webhooks = gauge(
            "webhooks", "Webhooks stored: pending, delivered, dead, disabled.", "status"
        )
        self._webhooks_late = gauge(
            "webhooks_oldest_due_seconds",
            "Time since the oldest webhook that is due became due, 0 if none.",
        )
        self._heartbeat_age = gauge(
            "daemon_heartbeat_age_seconds", "Time since the Dagster daemon's heartbeat.", "daemon"
        )
        self._tick = gauge(
            "sensor_tick_age_seconds", "Time since the sensor's last tick started.", "sensor"
        )

        self._tick_failures = gauge(
            "sensor_failed_ticks",
            "Ticks of the sensor that have failed in a row, 0 where the last one did not.",
            "sensor",
        )

    def update(
        self, work: Workload, webhooks: DeliverySums, daemon_health: DaemonHealth | None
    ) -> None:
        """The gauges show this workload and health; those of Dagster are absent where it could not be read."""
        self._update_requests(work)
        self._update_waiting(work)
        self._oldest_due.set(work.oldest_due or 0.0)
        self._oldest_running.set(work.oldest_running or 0.0)
        if work.worker_pool is not None:
            self._workers.set(work.worker_pool.workers)
            self._slots.set(work.worker_pool.slots)
            self._slots_free.set(work.worker_pool.free)
            self._queues_unserved.set(len(work.worker_pool.unserved))
        paused = {self._provider(each.provider) for each in work.paused}
        for provider in (*self._providers, OTHER):
            self._paused.labels(provider).set(provider in paused)
        if work.orphans is not None:
            self._orphans.set(work.orphans.count)
            self._orphans_usd.set(work.orphans.cost / 1_000_000)
        self._spent.clear()
        for (provider, stage), cost in work.spent_today.items():
            cell = self._spent.labels(self._provider(provider), self._stage(stage))
            cell.inc(cost / 1_000_000)
        for status, count in webhooks.by_status.items():
            self._webhooks.labels(status).set(count)
        self._webhooks_late.set(webhooks.oldest_due_seconds)
        self._update_daemon_health(daemon_health)

    def _update_requests(self, work: Workload) -> None:
        self._requests.clear()
        self._due.clear()
        for status in Status:
            for stage in _stages_of(status, self._stages):
                self._requests.labels(status, stage)
        for stage in self._stages:
            self._due.labels(stage)
        for (status, at_stage), count in work.requests.items():
            self._requests.labels(status, self._stage(at_stage)).inc(count)
        for due_at, backlog in work.due.items():
            self._due.labels(self._stage(due_at)).inc(backlog.count)

    def _update_waiting(self, work: Workload) -> None:
        self._waiting.clear()
        for stage in self._stages:
            self._waiting.labels("slot", stage)
            self._waiting.labels("approval", stage)
        for provider in self._providers:
            self._waiting.labels("permit", provider)
            self._waiting.labels("final_status", provider)
        for waits_for, count in work.waiting.items():
            kind, _, name = waits_for.partition(":")
            if kind in ("slot", "approval"):
                cell = self._waiting.labels(kind, self._stage(name))
            elif kind in ("permit", "final_status"):
                cell = self._waiting.labels(kind, self._provider(name))
            elif waits_for in (SETTINGS, SAME_ORDER):
                cell = self._waiting.labels(waits_for, "")
            else:
                cell = self._waiting.labels("paused", self._provider(waits_for))
            cell.inc(count)

    def _update_daemon_health(self, daemon_health: DaemonHealth | None) -> None:
        self._heartbeat_age.clear()
        self._tick.clear()
        self._tick_failures.clear()
        if daemon_health is None:
            return
        if daemon_health.heartbeat_age is not None:
            self._heartbeat_age.labels("sensor").set(daemon_health.heartbeat_age)
        for sensor, age in daemon_health.tick_ages.items():
            self._tick.labels(sensor).set(age)
            self._tick_failures.labels(sensor)
        for failure in daemon_health.failures:
            if failure.name in daemon_health.tick_ages:
                self._tick_failures.labels(failure.name).set(failure.count)


def _stages_of(status: Status, stages: Sequence[str]) -> Sequence[str]:
    """The stage labels that are always present; a dead request may never have reached a stage."""
    if status is Status.DEAD:
        return (*stages, "")
    return stages if status in OPEN_STATUSES else ("",)
