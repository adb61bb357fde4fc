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

from pipeline_defs.fields import BriefField, FieldType, as_json, brief_fields
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.dagster.run_log import run_console
from resources.ledger.request import check_task_id

Accept = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""The payload with all defaults; raises InvalidInputError."""

_CONSOLE = "console"
LOGGERS = {_CONSOLE: run_console}
"""The loggers of a job with a flat config."""

_EMPTY: tuple[Any, ...] = (None, "", [])
_SCALARS = {"text": str, "whole number": int, "number": float, "yes or no": bool}


def flat_config(pipeline: Pipeline, accept: Accept) -> ConfigMapping:
    """The config mapping of the pipeline's job: flat fields, validated before the run starts.

    A Launchpad that opens lists every field, and those that an order must have as empty, an error there.
    Left out they are none: a task_id alone names a request, and the run is an attempt of it, with its row's order.
    An order that lacks one is refused by name. The pipeline's own name may stand in it, so that the file of an
    order is a run config too.
    """
    fields = brief_fields(pipeline.brief)
    schema = {field.name: _config_field(field, f"{pipeline.name}_{field.name}") for field in fields}
    unset = {name: field.default_value for name, field in schema.items() if field.default_provided}
    needed = [field.name for field in fields if field.required]

    def to_resource(config: Mapping[str, Any]) -> Mapping[str, Any]:
        given = dict(config)
        named = given.pop("pipeline", pipeline.name)
        task_id = given.pop("task_id", None)
        order = {
            name: given[name] for name in given if name not in needed or given[name] not in _EMPTY
        }
        is_attempt = task_id is not None and {**unset, **order} == unset
        request = {}
        try:
            _refuse_other(pipeline, named)
            if task_id is not None:
                request["task_id"] = check_task_id(task_id)
            if not is_attempt:
                request["order"] = json.dumps(accept(order), ensure_ascii=False)
        except InvalidInputError as error:
            raise DagsterInvalidConfigError(error.message, [], config) from None
        return {"resources": {"request": {"config": request}}, "loggers": {_CONSOLE: {}}}

    return ConfigMapping(to_resource, {**_option_fields(pipeline), **schema})


def _option_fields(pipeline: Pipeline) -> dict[str, Field]:
    described = {
        "pipeline": f"{pipeline.name}, or left out",
        "task_id": "The order's task_id; generated if omitted",
    }
    return {
        name: Field(str, is_required=False, description=description)
        for name, description in described.items()
    }


def _refuse_other(pipeline: Pipeline, name: str) -> None:
    """Return if this is the pipeline's name; raises InvalidInputError."""
    if name != pipeline.name:
        expected = f"expected {pipeline.name}, got {ascii(name)[:80]}"
        raise InvalidInputError("pipeline", expected)


class _NeededField(Field):
    """A field that may be left out, but not be empty; the Launchpad prefills it as `[]`, which its type refuses.

    An empty text would be valid there, and Dagster prefills no `null`.
    """

    def __init__(self, kind: Any, description: str) -> None:
        super().__init__(kind, is_required=True, description=description)
        self._is_required, self._default_value = False, []


def _config_field(field: BriefField, unique_name: str) -> Field:
    kind = _config_type(field.type, unique_name)
    if field.required and field.type.kind in _SCALARS and not field.type.is_optional:
        return _NeededField(kind, field.description)
    if field.required or field.default is None:
        return Field(kind, is_required=False, description=field.description)
    default = as_json(field.default)
    return Field(kind, default_value=default, description=field.description)


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
