"""The Dagster instance of the process that evaluates sensors."""

import threading

from dagster import DagsterInstance, SensorEvaluationContext

from resources.dagster.internals import InstanceRef


class SharedInstance:
    """An instance opened at the first tick and kept: opening one takes longer than the rest of a tick."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: tuple[InstanceRef, DagsterInstance] | None = None

    def of(self, context: SensorEvaluationContext) -> DagsterInstance:
        """The instance of the tick."""
        ref = context.instance_ref
        if ref is None:
            return context.instance
        with self._lock:
            if self._opened is None or self._opened[0] != ref:
                self._opened = ref, DagsterInstance.from_ref(ref)
            return self._opened[1]


shared_instance = SharedInstance().of

PERIOD_SECONDS = 4
"""The period of sensors that do not wait inside their ticks.

Dagster's own daemon looks at sensors every 5 s, and would skip every second time if the period were 5 s too.
"""
