"""Orders that come from outside of this machine: over HTTP, or from a stream."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from castad.orders.orders_file import CheckedOrder, check_order
from pipeline_defs.capabilities import check_remote
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.files.pictures import PictureSource, get_picture_source
from resources.process.settings import Settings

LARGEST_ORDER = 1_000_000
"""In bytes."""
_OPERATORS_ONLY = (
    "expected 0 or none: another one needs an operator's key (scope admin), the command line or SQL"
)
_NOT_UPLOADED = "expected a picture that was uploaded; POST /pipeline/images accepts one"


def validate_order(
    fields: Mapping[str, Any], settings: Settings, *, by_operator: bool
) -> CheckedOrder:
    """Validate the order, its uploaded pictures in the store; raise InvalidInputError naming the field.

    Only an operator may put an order before those of others.
    """
    order = check_order(fields)
    if not by_operator:
        order = replace(order, fixed=("priority",))
        if order.priority:
            raise InvalidInputError("priority", _OPERATORS_ONLY)
    check_remote(order.pipeline, order.payload)
    refuse_unknown_uploads(order.pipeline, order.payload, get_picture_source(settings))
    return order


def refuse_unknown_uploads(
    pipeline: Pipeline, payload: Mapping[str, Any], pictures: PictureSource
) -> None:
    """Return if every uploaded picture of the order is in the store; raises InvalidInputError naming the field."""
    for name in pipeline.uploads:
        for index, picture in enumerate(payload[name] or ()):
            if not pictures.has_picture(picture):
                raise InvalidInputError(f"{name}[{index}]", _NOT_UPLOADED, code="unknown_upload")
