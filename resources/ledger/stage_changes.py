"""What a stage of a pipeline changes besides itself: the request's record, and its unique key. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RecordChange:
    """What a request's record holds in the columns that are the pipeline's own; `table` is one of the ledger's."""

    table: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class SettledKey:
    """The unique key that a request has by the result of a stage, and whether all owners share its holder."""

    key: str
    is_shared: bool
