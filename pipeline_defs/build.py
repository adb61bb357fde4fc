"""Build a pipeline's ops, job and run config from its data.

The flat run config of an order has plain fields, not Dagster's Config or StringSource. Those accept `{env: NAME}`
in place of a text and would copy a secret of the environment into an order.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from dagster import Any as AnyConfig
from dagster import (
    Array,
    ConfigMapping,
    DagsterInvalidConfigError,
    Enum,
    EnumValue,
    Field,
    In,
    JobDefinition,
    Noneable,
    OpDefinition,
    OpExecutionContext,
    Out,
    in_process_executor,
    job,
    op,
)

from pipeline_defs.capabilities import can_settle_shared_key, get_unique_key
from pipeline_defs.catalog import Catalog, get_catalog
from pipeline_defs.checks import INVALID_PIPELINE
from pipeline_defs.fields import BriefField, FieldType, convert_to_json, list_order_fields
from pipeline_defs.pipeline import Pipeline, Stage
from pipeline_defs.stage import StageExecution, StageTools, make_op_retry_policy, run_stage
from resources.contract.errors import InvalidInputError
from resources.dagster.request_resource import (
    PIPELINE_TAG,
    RunPlan,
    request_resource,
    stage_io_manager,
)
from resources.dagster.run_log import run_console
from resources.files.artifacts import ArtifactStore, open_artifact_store
from resources.ledger.request import check_task_id
from resources.process.settings import settings
from resources.purchase.attempt_ledger import AttemptLedger

Accept = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""The payload with all defaults; raises InvalidInputError."""

_CONSOLE = "console"
LOGGERS = {_CONSOLE: run_console}

_EMPTY: tuple[Any, ...] = (None, "", [])
_SCALARS = {"text": str, "whole number": int, "number": float, "yes or no": bool}


def make_flat_config(pipeline: Pipeline, accept: Accept) -> ConfigMapping:
    """Make the config mapping of the pipeline's job: flat fields, validated before the run starts.

    The Launchpad lists every field and shows an empty required one as an error. If only task_id is given, the run
    is a new attempt of that stored request. Otherwise `accept` validates the order, and a missing required field
    is refused by name. The config may contain the pipeline's name, so that an order file can be used as run
    config.
    """
    fields = list_order_fields(pipeline.order_model)
    schema = {
        field.name: _make_config_field(field, f"{pipeline.name}_{field.name}") for field in fields
    }
    unset = {name: field.default_value for name, field in schema.items() if field.default_provided}
    needed = [field.name for field in fields if field.required]

    def build_run_config(config: Mapping[str, Any]) -> Mapping[str, Any]:
        given = dict(config)
        named = given.pop("pipeline", pipeline.name)
        task_id = given.pop("task_id", None)
        order = {
            name: given[name] for name in given if name not in needed or given[name] not in _EMPTY
        }
        is_attempt = task_id is not None and {**unset, **order} == unset
        request = {}
        if named != pipeline.name:
            expected = f"pipeline: expected {pipeline.name}, got {ascii(named)[:80]}"
            raise DagsterInvalidConfigError(expected, [], config)
        try:
            if task_id is not None:
                request["task_id"] = check_task_id(task_id)
            if not is_attempt:
                request["order"] = json.dumps(accept(order), ensure_ascii=False)
        except InvalidInputError as error:
            raise DagsterInvalidConfigError(error.message, [], config) from None
        return {"resources": {"request": {"config": request}}, "loggers": {_CONSOLE: {}}}

    described = {
        "pipeline": f"{pipeline.name}, or left out",
        "task_id": "The order's task_id; generated if omitted",
    }
    options = {
        name: Field(str, is_required=False, description=text) for name, text in described.items()
    }
    return ConfigMapping(build_run_config, {**options, **schema})


class _NeededField(Field):
    """A Dagster field that may be omitted, but not be empty.

    The Launchpad prefills it as `[]`, which its type refuses. An empty text would be valid, and Dagster cannot
    prefill `null`.
    """

    def __init__(self, kind: Any, description: str) -> None:
        super().__init__(kind, is_required=True, description=description)
        self._is_required, self._default_value = False, []


def _make_config_field(field: BriefField, unique_name: str) -> Field:
    """Make the Dagster config field of an order field; `unique_name` names its enum type, if it has one."""
    kind = _make_config_type(field.type, unique_name)
    if field.required and field.type.kind in _SCALARS and not field.type.is_optional:
        return _NeededField(kind, field.description)
    if field.required or field.default is None:
        return Field(kind, is_required=False, description=field.description)
    default = convert_to_json(field.default)
    return Field(kind, default_value=default, description=field.description)


def _make_config_type(kind: FieldType, unique_name: str) -> Any:
    if kind.is_optional:
        return Noneable(
            _make_config_type(FieldType(kind.kind, kind.choices, kind.item), unique_name)
        )
    if kind.kind == "choice":
        return Enum(unique_name, [EnumValue(value) for value in kind.choices])
    if kind.kind == "list" and kind.item is not None:
        return Array(_make_config_type(kind.item, unique_name))
    if kind.kind == "json":
        return AnyConfig
    return _SCALARS[kind.kind]


_PRIORITY = "dagster/priority"


def _make_op(pipeline: Pipeline, stage: Stage) -> OpDefinition:
    describe = _load_metadata_function(pipeline, stage)

    @op(
        # Ops and jobs share one namespace; no pipeline and no stage has a capital letter in its name.
        name=f"{pipeline.name}_STAGE_{stage.name}",
        description=stage.title,
        ins={
            need: In(pipeline.get_stage("needs", need).product)
            for need in pipeline.get_needed_stages(stage)
        },
        out=Out(stage.product, io_manager_key="stages"),
        required_resource_keys={"request"},
        retry_policy=make_op_retry_policy(),
        # Without priorities, Dagster begins independent steps in the order of their names.
        tags={_PRIORITY: str(-pipeline.stages.index(stage))},
    )
    def execute(context: OpExecutionContext, **inputs: Any) -> Any:
        attempt = context.resources.request
        ledger = AttemptLedger(attempt, attempt.stage(stage.name))
        execution = StageExecution(pipeline, stage, inputs, describe, ledger)
        tools = StageTools(settings(), open_artifact_store(settings()))
        return run_stage(context, attempt, tools, execution)

    return execute


def _load_metadata_function(
    pipeline: Pipeline, stage: Stage
) -> Callable[[Any, ArtifactStore], Mapping[str, Any]]:
    """Import the function of `stage.metadata`; without one, return a function that returns no metadata.

    Raises InvalidInputError if it cannot be imported.
    """
    if not stage.metadata:
        return lambda product, store: {}
    module, _, name = stage.metadata.partition(":")
    try:
        found: Callable[[Any, ArtifactStore], Mapping[str, Any]] = getattr(
            import_module(module), name
        )
    except (ImportError, AttributeError) as error:
        raise InvalidInputError(
            f"pipeline_defs/{pipeline.name}",
            f"{stage.name}.metadata: {error}",
            code=INVALID_PIPELINE,
        ) from None
    return found


def make_job(pipeline: Pipeline, pipelines: Catalog | None = None) -> JobDefinition:
    """Build the Dagster job of the pipeline's requests: one op per stage, connected by the stages' `needs`.

    `pipelines` is the catalog that contains the pipeline; the default is the project's catalog.
    """
    ops = {stage.name: _make_op(pipeline, stage).alias(stage.name) for stage in pipeline.stages}

    def graph() -> None:
        made: dict[str, Any] = {}
        for stage in pipeline.stages:
            needed = {need: made[need] for need in pipeline.get_needed_stages(stage)}
            made[stage.name] = ops[stage.name](**needed)

    catalog = pipelines or get_catalog()
    plan = RunPlan(
        pipeline.name,
        pipeline.is_same_order,
        partial(get_unique_key, pipeline),
        lambda: catalog.list_stage_settings(pipeline, settings()),
        lambda: catalog.read_slots(pipeline, settings()),
        can_settle_shared_key(pipeline),
    )
    return job(
        name=pipeline.name,
        description=pipeline.title,
        config=make_flat_config(
            pipeline, lambda order: catalog.accept_order(pipeline, order, settings())
        ),
        executor_def=in_process_executor,
        logger_defs=LOGGERS,
        resource_defs={"request": request_resource(plan), "stages": stage_io_manager},
        # The ledger decides about retries; Dagster's run retries would add runs that were not dispatched.
        tags={"dagster/max_retries": "0", PIPELINE_TAG: pipeline.name},
    )(graph)


def make_periodic_job(
    name: str, work: OpDefinition, max_seconds: int, description: str
) -> JobDefinition:
    """Make a job of this one op, for a schedule to start; operators may start it too.

    The next run continues its work. A run whose worker was lost ends after `max_seconds`.
    """

    @job(
        name=name,
        description=description,
        executor_def=in_process_executor,
        logger_defs=LOGGERS,
        tags={"dagster/max_retries": "0", "dagster/max_runtime": str(max_seconds)},
    )
    def periodic() -> None:
        work()

    return periodic
