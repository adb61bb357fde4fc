"""The flat run config of an order, built from plain fields.

Not from Dagster's Config or StringSource: those accept `{env: NAME}` in place of a text and would copy a secret
of the environment into an order.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from dagster import Any as AnyConfig
from dagster import (
    Array,
    ConfigMapping,
    DagsterInvalidConfigError,
    Enum,
    EnumValue,
    Field,
    Noneable,
)

from pipeline_defs.fields import BriefField, FieldType, brief_fields
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.dagster.run_log import run_console
from resources.ledger.request import check_task_id

Accept = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""The payload with all defaults; raises InvalidInputError."""

_CONSOLE = "console"
LOGGERS = {_CONSOLE: run_console}
"""The loggers of a job with a flat config."""

_SCALARS = {"text": str, "whole number": int, "number": float, "yes or no": bool}


def flat_config(pipeline: Pipeline, accept: Accept) -> ConfigMapping:
    """The config mapping of the pipeline's job: flat fields, validated before the run starts.

    A text that an order must have is optional here and empty unless given: a Launchpad that opens lists every
    field instead of an error, and an order without it is refused by name.
    """
    fields = brief_fields(pipeline.brief)
    blank = [field.name for field in fields if _is_blank_text(field)]

    def to_resource(order: Mapping[str, Any]) -> Mapping[str, Any]:
        given = {name: value for name, value in order.items() if name not in blank or value != ""}
        task_id = given.pop("task_id", None)
        try:
            config = {"order": json.dumps(accept(given), ensure_ascii=False)}
            if task_id is not None:
                config["task_id"] = check_task_id(task_id)
        except InvalidInputError as error:
            raise DagsterInvalidConfigError(error.message, [], order) from None
        return {"resources": {"request": {"config": config}}, "loggers": {_CONSOLE: {}}}

    task_id = Field(str, is_required=False, description="The order's task_id; generated if omitted")
    schema = {field.name: _config_field(field, f"{pipeline.name}_{field.name}") for field in fields}
    return ConfigMapping(config_fn=to_resource, config_schema={"task_id": task_id, **schema})


def _is_blank_text(field: BriefField) -> bool:
    return field.required and field.type.kind == "text"


def _config_field(field: BriefField, unique_name: str) -> Field:
    kind = _config_type(field.type, unique_name)
    if _is_blank_text(field):
        return Field(kind, default_value="", description=field.description)
    if field.required:
        return Field(kind, description=field.description)
    if field.default is None:
        return Field(kind, is_required=False, description=field.description)
    return Field(kind, default_value=_json_of(field.default), description=field.description)


def _config_type(kind: FieldType, unique_name: str) -> Any:
    if kind.is_optional:
        return Noneable(_config_type(FieldType(kind.kind, kind.choices, kind.item), unique_name))
    if kind.kind == "choice":
        return Enum(unique_name, [EnumValue(value) for value in kind.choices])
    if kind.kind == "list" and kind.item is not None:
        return Array(_config_type(kind.item, unique_name))
    if kind.kind == "json":
        return AnyConfig
    return _SCALARS[kind.kind]


def _json_of(default: Any) -> Any:
    return default.model_dump(mode="json") if hasattr(default, "model_dump") else default
