"""Checks of the sources of used orders: an order is made again when its source has changed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline_defs.capabilities.unique_key import UniqueKey
from pipeline_defs.faults import find_binding_fault
from pipeline_defs.pipeline import Brief, Capability, Fault, Pipeline, Stage
from resources.process.settings import Settings
from resources.providers.vendor import VENDORS


@dataclass(frozen=True)
class SourceKey:
    """The source of an order and the part of it, as short texts that are equal for the same source.

    If the pipeline has a projection, `subject` is its `name_key`: reading a row counts as a use.
    """

    subject: str
    part: str = ""


@dataclass(frozen=True)
class Found:
    """The definite order that an order resolves to now; it has a unique key.

    `order` is None if it may not be made without a client's request. The source compares the `mark` to detect a
    change.
    """

    order: Mapping[str, Any] | None
    mark: str = ""


FindOrder = Callable[[Any, str, Settings], Found | None]
"""A function of the order, the last mark and the settings; it returns None if the source has not changed.

It raises the errors of `resources.contract.errors`.
"""


@dataclass(frozen=True)
class SourceCheck(Capability):
    """A check of a used order's source: the order is made again when the key that its `stage` settles has changed.

    `source_key` returns the source for an order and the stage's product. It returns None if the source cannot
    change or is not for other owners. `find` is "module:FindOrder"; it asks this `vendor` at most `an_hour` times
    an hour, which leaves the rest of the vendor's limit to waiting orders.
    """

    stage: str
    source_key: Callable[[Any, Any], SourceKey | None]
    find: str
    vendor: str
    an_hour: Callable[[Settings], int]

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield each field that does not fit the pipeline."""
        key = pipeline.find_extra(UniqueKey)
        if key is None or self.stage not in key.settled or not key.shared:
            # What a check orders has no owner.
            yield "stage", "expected a stage that settles the key of a shared pipeline"
        if fault := find_binding_fault(self.find):
            yield "find", fault
        if self.vendor not in VENDORS:
            yield "vendor", f"expected one of {', '.join(VENDORS)}, got {self.vendor}"


def read_source_key(
    pipeline: Pipeline, stage: Stage, brief: Brief, result: Mapping[str, Any]
) -> SourceKey | None:
    """Return the order's source from a stage's stored result; None if the order is not submitted again."""
    check = pipeline.find_extra(SourceCheck)
    if check is None or check.stage != stage.name:
        return None
    return check.source_key(brief, stage.product.model_validate(result))
