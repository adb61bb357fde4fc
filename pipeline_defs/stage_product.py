"""A stage's product: whether it fits its model, and what the asset catalog shows of it."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from dagster import AssetKey, AssetMaterialization
from pydantic import ValidationError

from pipeline_defs.input_errors import first_input_error
from pipeline_defs.pipeline import Pipeline, Stage
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


def refuse_without_main_file(
    pipeline: Pipeline,
    stage: Stage,
    result: Mapping[str, Any],
    stored: Callable[[str], Mapping[str, Any] | None],
) -> None:
    """Return unless this result is the pipeline's last one, and no stage has made the main file.

    `stored` gives the result of another stage once that is completed. Raises PermanentError `product_unfit`.
    """
    if not pipeline.main_file or pipeline.is_needed(stage):
        return
    if any(map(pipeline.is_main, _media_types(result))):
        return
    others = [stored(name) for name in pipeline.stage_names if name != stage.name]
    if None in others:
        return
    made = {kind for each in (result, *others) for kind in _media_types(each or {})}
    if not any(map(pipeline.is_main, made)):
        raise PermanentError(
            f"pipeline_defs/{pipeline.name}: main_file: expected the type of a file that a stage has made: "
            f"{', '.join(sorted(made)) or 'there is none'}, got {pipeline.main_file}",
            code=PRODUCT_UNFIT,
        )


def _media_types(result: Mapping[str, Any]) -> set[str]:
    return {file["media_type"] for file in result.get("files", ())}


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
        fields = {"task_id": attempt.task_id, "stage": stage, "error": type(error).__name__}
        _log.warning("metadata not shown", extra={LOG_FIELDS: fields})
        return AssetMaterialization(key, partition=attempt.task_id, metadata=known)
