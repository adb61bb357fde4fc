"""Dagster's instance, safe for many runs in one process."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from dagster import DagsterEventType, DagsterInstance, EventLogEntry
from dagster._core.instance.ref import InstanceRef
from dagster._core.snap import ExecutionPlanSnapshot

_PLANS_REMEMBERED = 32
_ENDING = frozenset(
    {
        DagsterEventType.RUN_CANCELING,
        DagsterEventType.RUN_CANCELED,
        DagsterEventType.RUN_FAILURE,
        DagsterEventType.RUN_SUCCESS,
    }
)


class CastadInstance(DagsterInstance):
    """What dagster.yaml names as its instance class.

    The stock class configures Python's logging anew for every run as soon as dagster.yaml holds any setting;
    two runs of one process that begin at once then wait for each other's locks for ever.
    """

    @classmethod
    def config_schema(cls) -> Mapping[str, Any]:
        """No settings beyond Dagster's own."""
        return {}

    @classmethod
    def config_defaults(cls, base_dir: str) -> Mapping[str, Any]:
        """Dagster's own."""
        return InstanceRef.config_defaults(base_dir)

    def get_yaml_python_handlers(self) -> Sequence[logging.Handler]:
        """None: dagster.yaml configures no handlers."""
        return []

    def should_store_event(self, event: EventLogEntry) -> bool:
        """Whether there is room for it in the log: a run ends once, whoever says so first.

        A worker that was taken for lost ends its run too, as soon as it learns of that.
        """
        if event.dagster_event_type in _ENDING:
            run = self.get_run_by_id(event.run_id)
            if run is not None and run.is_finished:
                return False
        return super().should_store_event(event)

    def get_execution_plan_snapshot(self, snapshot_id: str) -> ExecutionPlanSnapshot:
        """The plan of this id, which is its content's hash: read and parsed once, not for every run."""
        return self._plan_of(snapshot_id)

    @cached_property
    def _plan_of(self) -> Callable[[str], ExecutionPlanSnapshot]:
        return lru_cache(maxsize=_PLANS_REMEMBERED)(super().get_execution_plan_snapshot)
