"""The flat run config of an order, built from plain fields.

Not from Dagster's Config or StringSource: those accept `{env: NAME}` in place of a text and would copy a secret
of the environment into an order.
"""

import json
from collections.abc import Mapping
from typing import Any

from dagster import ConfigMapping, DagsterInvalidConfigError, Field
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pipeline_defs.pipeline import Normalize
from resources.contract.errors import InvalidInputError
from resources.dagster.run_log import run_console
from resources.ledger.request import check_task_id

_CONSOLE = "console"
LOGGERS = {_CONSOLE: run_console}
"""The loggers of a job with a flat config."""


def flat_config(model: type[BaseModel], normalize: Normalize, pipeline: str) -> ConfigMapping:
    """The config mapping of a job whose order is `model`: flat fields, validated before the run starts."""

    def to_resource(order: Mapping[str, Any]) -> Mapping[str, Any]:
        brief = dict(order)
        task_id = brief.pop("task_id", None)
        try:
            checked = normalize(brief)
            config = {"pipeline": pipeline, "order": json.dumps(checked, ensure_ascii=False)}
            if task_id is not None:
                config["task_id"] = check_task_id(task_id)
        except InvalidInputError as error:
            raise DagsterInvalidConfigError(error.message, [], order) from None
        return {"resources": {"request": {"config": config}}, "loggers": {_CONSOLE: {}}}

    task_id = Field(str, is_required=False, description="The order's task_id; generated if omitted")
    fields = {name: _plain(field) for name, field in model.model_fields.items()}
    return ConfigMapping(config_fn=to_resource, config_schema={"task_id": task_id, **fields})


def _plain(field: FieldInfo) -> Field:
    annotation: Any = field.annotation
    kind = {"str": str, "int": int, "bool": bool}.get(getattr(annotation, "__name__", ""), [str])
    if field.is_required():
        return Field(kind, description=field.description)
    return Field(kind, default_value=field.default, description=field.description)
