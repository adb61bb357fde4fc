"""A stage's product: whether it fits its model, and what the asset catalog shows of it."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from dagster import AssetKey, AssetMaterialization
from pydantic import ValidationError

from pipeline_defs.input_errors import first_input_error
from pipeline_defs.pipeline import Stage
from resources.contract.errors import PermanentError
from resources.ledger.workers.attempt import Attempt
from resources.process.configure_logging import LOG_FIELDS
from resources.purchase.product_files import PRODUCT_UNFIT

_log = logging.getLogger("castad.run")


def refuse_unfit(stage: Stage, result: Mapping[str, Any]) -> None:
    """Return if the result fits the stage's model; raises PermanentError `product_unfit`."""
    try:
        stage.product.model_validate(result)
    except ValidationError as error:
        fault = first_input_error(error, tuple(stage.product.model_fields))
        raise PermanentError(
            f"{stage.name}: its result does not fit {stage.product.__name__}: {fault.message}",
            code=PRODUCT_UNFIT,
        ) from None


def materialization(
    attempt: Attempt, stage: str, cost: int, describe: Callable[[], Mapping[str, Any]]
) -> AssetMaterialization:
    """The materialization of a completed stage's product, which cost so many micro-dollars.

    Where `describe` fails it lacks the stage's own metadata: the product is made and paid for.
    """
    key = AssetKey([attempt.request.pipeline, stage])
    known: dict[str, Any] = {"task_id": attempt.task_id, "cost_usd": cost / 1_000_000}
    try:
        return AssetMaterialization(
            key, partition=attempt.task_id, metadata={**known, **describe()}
        )
    except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
        fields = {"task_id": attempt.task_id, "error": type(error).__name__}
        _log.warning("%s: its metadata cannot be shown", stage, extra={LOG_FIELDS: fields})
        return AssetMaterialization(key, partition=attempt.task_id, metadata=known)
