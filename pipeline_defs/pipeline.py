"""What the sensors and the faces have to know of a pipeline; each folder beside this file makes one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dagster import JobDefinition

Normalize = Callable[[Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True)
class Pipeline:
    """A kind of order and the job that makes it.

    `normalize` returns a payload with every default filled in, and raises InvalidInputError naming the
    field that cannot be used, or the setting that stands against it.
    """

    name: str
    stages: tuple[str, ...]
    job: JobDefinition
    normalize: Normalize

    def run_config(self, task_id: str, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The run config of an attempt: the flat order and its task_id."""
        return {**self.normalize(payload), "task_id": task_id}
