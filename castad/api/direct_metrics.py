"""Metrics of the orders that this process answers itself, and of this machine's spool."""

from collections.abc import Iterator

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from castad.direct.pool import DirectService
from resources.contract.errors import StateUnavailableError


class DirectMetrics(Collector):
    """Read at the time of the scrape; the spool's are absent where it cannot be read."""

    def __init__(self, service: DirectService) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        """The metrics as they are now."""
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
        yield from self._spool()

    def _spool(self) -> Iterator[Metric]:
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
