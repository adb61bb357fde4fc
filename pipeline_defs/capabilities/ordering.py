"""How a pipeline's orders are taken, changed and priced, where that differs from other pipelines."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline_defs.faults import catch_error, join_unknown
from pipeline_defs.fields import BriefField, brief_fields
from pipeline_defs.pipeline import Brief, Capability, Fault, Pipeline, Products
from resources.contract.errors import InvalidInputError
from resources.files.artifacts import MEDIA_TYPES


@dataclass(frozen=True)
class Changeable(Capability):
    """The fields of an order that a redo may change, each with the first stage that it concerns."""

    fields: Mapping[str, str]

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield `fields` if it names a field or a stage that the pipeline lacks."""
        names = pipeline.order_model.model_fields
        if unknown := join_unknown(self.fields, names):
            yield (
                "fields",
                f"expected fields of the order: {', '.join(sorted(names))}, got {unknown}",
            )
        if unknown := join_unknown(self.fields.values(), pipeline.stage_names):
            yield "fields", f"expected stages: {', '.join(pipeline.stage_names)}, got {unknown}"


def get_changeable(pipeline: Pipeline) -> Mapping[str, str]:
    """Return the fields that a redo may change, each with the first stage that it concerns."""
    found = pipeline.find_extra(Changeable)
    return {} if found is None else found.fields


def list_changeable_fields(pipeline: Pipeline) -> list[BriefField]:
    """List the fields that a redo may change, in the order of the model."""
    names = get_changeable(pipeline)
    return [field for field in brief_fields(pipeline.order_model) if field.name in names]


@dataclass(frozen=True)
class FormValues(Capability):
    """The initial values of a form that differ from the order's defaults."""

    values: Mapping[str, Any]


def get_form_values(pipeline: Pipeline) -> Mapping[str, Any]:
    """Return the initial values of the pipeline's form that differ from the order's defaults."""
    found = pipeline.find_extra(FormValues)
    return {} if found is None else found.values


@dataclass(frozen=True)
class RemoteAcceptance(Capability):
    """A check of an order over HTTP.

    `check` raises InvalidInputError if the order names a resource of this machine's users.
    """

    check: Callable[[Brief], None]

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield `check` if it raises another error for the example."""
        if raised := catch_error(lambda: self.check(example), InvalidInputError):
            yield "check", f"expected nothing, or InvalidInputError, for the example, got {raised}"


def check_remote(pipeline: Pipeline, payload: Mapping[str, Any]) -> None:
    """Raise InvalidInputError if this order may not come over HTTP."""
    found = pipeline.find_extra(RemoteAcceptance)
    if found is not None:
        found.check(pipeline.parse(payload))


@dataclass(frozen=True)
class TypicalProducts(Capability):
    """Products of usual size by their stages, for the estimate of an order's price."""

    of: Callable[[Brief], Products]

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield `of` if it fails for the example."""
        if raised := catch_error(lambda: dict(self.of(example))):
            yield "of", f"expected products by their stages for the example, got {raised}"


def get_typical_products(pipeline: Pipeline, brief: Brief) -> Products:
    """Return the order's products of usual size, as far as they matter for its price."""
    found = pipeline.find_extra(TypicalProducts)
    return {} if found is None else found.of(brief)


@dataclass(frozen=True)
class MainFile(Capability):
    """The media type of the files that `castad make` prints, or `image/` for any picture.

    A stage has to make such a file.
    """

    media_type: str

    def matches(self, media_type: str) -> bool:
        """Whether a file of this type is a main file."""
        return media_type.startswith(self.media_type)

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield the type if castad gives it to no file."""
        if not any(map(self.matches, MEDIA_TYPES)):
            types = ", ".join(sorted(MEDIA_TYPES))
            yield "media_type", f"expected the type of a file: {types}, got {self.media_type}"


def is_main_file(pipeline: Pipeline, media_type: str) -> bool:
    """Return whether a file of this type is a main file of the pipeline."""
    found = pipeline.find_extra(MainFile)
    return found is not None and found.matches(media_type)


@dataclass(frozen=True)
class Pace(Capability):
    """The stage whose slots limit the orders at work unless the environment does.

    Orders then reach that stage in their order.
    """

    stage: str

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield `stage` if the pipeline has no such stage."""
        if self.stage not in pipeline.stage_names:
            yield "stage", f"expected one of {', '.join(pipeline.stage_names)}, got {self.stage}"


@dataclass(frozen=True)
class Jobs(Capability):
    """A pipeline's additional path at which the API accepts and shows its orders: `<path>/jobs`.

    `listings` are read at `<path>/<name>`: the values that an order may choose from, as JSON.
    """

    path: str
    listings: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
