"""Counters and histograms of the ledger's events since this process started."""

from collections.abc import Mapping, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram

from castad.api.labels import ErrorCodeLabels, KnownLabels
from resources.ledger.queries.health import EventOutcomes, read_failure_from_event
from resources.ledger.queries.status import EventView
from resources.ledger.schema.tables import TERMINAL, Status

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

        def counter(name: str, help_text: str, *labels: str) -> Counter:
            return Counter(f"castad_{name}", help_text, labels, registry=registry)

        self._attempts = counter("attempts", "Attempts that started.")
        self._failures = counter(
            "failures",
            "Attempts that failed, by stage and error code, and orders that could not be started; waits excluded.",
            *("stage", "code"),
        )
        self._lost = counter("worker_lost", "Leases that expired or were lost with their worker.")
        self._ended = counter(
            "requests_ended", "Requests that ended, by their final status.", "status"
        )
        self._calls = counter(
            "vendor_calls",
            "Submissions to providers, by outcome.",
            *("provider", "outcome"),
        )
        self._money = counter(
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
        """This event is counted."""
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
            self._failures.labels(self._stage(event, stage), self._code(code)).inc()

    def _count_submission(self, event: EventView) -> None:
        outcome = _VENDOR_CALLS.get(event.type)
        if outcome is not None:
            self._calls.labels(self._provider(event.data.get("provider")), outcome).inc()

    def _count_ends(self, event: EventView, outcomes: EventOutcomes) -> None:
        seconds = outcomes.seconds(event)
        if seconds is not None:
            self._seconds.labels(self._stage(event, event.data.get("stage"))).observe(seconds)
        submission_cost = outcomes.submission_cost(event)
        if submission_cost is not None:
            money = self._money.labels(
                self._provider(submission_cost.provider),
                self._stage(event, submission_cost.stage),
            )
            money.inc(submission_cost.cost / 1_000_000)

    def _stage(self, event: EventView, stage: Any) -> str:
        is_text = isinstance(stage, str)
        name = self._stage_names.get((event.pipeline, stage), stage) if is_text else stage
        return self._known_stage(name)
