"""The Dagster instance of the process that evaluates sensors."""

import threading

from dagster import DagsterInstance, SensorEvaluationContext

from resources.dagster.internals import InstanceRef


class SharedInstance:
    """Opened at the first tick and kept, as opening one for every tick takes longer than all else in it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: tuple[InstanceRef, DagsterInstance] | None = None

    def of(self, context: SensorEvaluationContext) -> DagsterInstance:
        """The instance that the tick belongs to."""
        ref = context.instance_ref
        if ref is None:
            return context.instance
        with self._lock:
            if self._opened is None or self._opened[0] != ref:
                self._opened = ref, DagsterInstance.from_ref(ref)
            return self._opened[1]


shared_instance = SharedInstance().of
