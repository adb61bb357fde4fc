"""What a stage of a pipeline changes in addition to itself: the request's projection, and its unique key. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ProjectionChange:
    """What a request's projection holds in the pipeline's own columns; `table` is one of the ledger's."""

    table: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class SettledKey:
    """The unique key that a request has by the result of a stage, and whether all owners share its holder."""

    key: str
    is_shared: bool
