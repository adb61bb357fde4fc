"""Orders that come from outside of this machine: over HTTP, or from a stream."""

from collections.abc import Mapping
from typing import Any

from castad.orders.orders_file import CheckedOrder, check_order
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.files.pictures import PictureSource, picture_source
from resources.process.settings import Settings

LARGEST_ORDER = 1_000_000
"""In bytes."""
_NOT_UPLOADED = "expected a picture that was uploaded; POST /pipeline/images accepts one"


def validate_order(fields: Mapping[str, Any], settings: Settings) -> CheckedOrder:
    """The order, checked, its uploaded pictures in the store; raises InvalidInputError naming the field."""
    order = check_order(fields)
    order.pipeline.accept_remote(order.pipeline.parse(order.payload))
    refuse_unknown_uploads(order.pipeline, order.payload, picture_source(settings))
    return order


def refuse_unknown_uploads(
    pipeline: Pipeline, payload: Mapping[str, Any], pictures: PictureSource
) -> None:
    """Return if every uploaded picture of the order is in the store; raises InvalidInputError naming the field."""
    for name in pipeline.pictures:
        for index, picture in enumerate(payload[name] or ()):
            if not pictures.has(picture):
                raise InvalidInputError(f"{name}[{index}]", _NOT_UPLOADED, code="unknown_upload")
