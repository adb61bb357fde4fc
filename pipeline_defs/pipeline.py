"""What the sensors, the CLI and the API need of a pipeline; each folder beside this file defines one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dagster import JobDefinition

Normalize = Callable[[Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True)
class Pipeline:
    """A kind of order and the job that fulfills it.

    `normalize` returns the payload with all defaults, and raises InvalidInputError that names the invalid field
    or the setting that rules the order out.
    """

    name: str
    stages: tuple[str, ...]
    job: JobDefinition
    normalize: Normalize

    def run_config(self, task_id: str, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The run config of an attempt: the flat order and its task_id."""
        return {**self.normalize(payload), "task_id": task_id}
