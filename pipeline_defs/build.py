"""A pipeline's ops and job, built from its data."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from dagster import (
    In,
    JobDefinition,
    OpDefinition,
    OpExecutionContext,
    Out,
    PendingNodeInvocation,
    in_process_executor,
    job,
    op,
)

from pipeline_defs.catalog import Catalog, catalog
from pipeline_defs.checks import INVALID_PIPELINE
from pipeline_defs.config import LOGGERS, flat_config
from pipeline_defs.pipeline import Pipeline, Stage
from pipeline_defs.stage import StageExecution, op_retry_policy, run_stage
from pipeline_defs.stage_tools import stage_tools
from resources.contract.errors import InvalidInputError
from resources.dagster.request_resource import RunPlan, request_resource
from resources.dagster.request_runs import PIPELINE_TAG
from resources.dagster.stage_io import stage_io_manager
from resources.files.artifacts import ArtifactStore
from resources.process.settings import settings

_PRIORITY = "dagster/priority"


def stage_ops(pipeline: Pipeline) -> list[PendingNodeInvocation[OpDefinition]]:
    """The op of each stage, in the order in which a run begins them; its node has the stage's name."""
    return [_stage_op(pipeline, stage).alias(stage.name) for stage in pipeline.stages]


def _op_name(pipeline: Pipeline, stage: Stage) -> str:
    # Ops and jobs share one namespace in Dagster; no pipeline and no stage has a capital letter in its name.
    return f"{pipeline.name}_STAGE_{stage.name}"


def _stage_op(pipeline: Pipeline, stage: Stage) -> OpDefinition:
    describe = _metadata_function(pipeline, stage)

    @op(
        name=_op_name(pipeline, stage),
        description=stage.title,
        ins={need: In(pipeline.stage("needs", need).product) for need in pipeline.needs(stage)},
        out=Out(stage.product, io_manager_key="stages"),
        required_resource_keys={"request"},
        retry_policy=op_retry_policy(),
        # Without priorities, steps that do not need each other begin in the order of their names.
        tags={_PRIORITY: str(-pipeline.stages.index(stage))},
    )
    def execute(context: OpExecutionContext, **inputs: Any) -> Any:
        execution = StageExecution(pipeline, stage, inputs, describe)
        return run_stage(context, context.resources.request, stage_tools(), execution)

    return execute


def _no_metadata(product: Any, store: ArtifactStore) -> Mapping[str, Any]:
    return {}


def _metadata_function(
    pipeline: Pipeline, stage: Stage
) -> Callable[[Any, ArtifactStore], Mapping[str, Any]]:
    if not stage.metadata:
        return _no_metadata
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


def request_job(
    pipeline: Pipeline, pipelines: Catalog | None = None
) -> Callable[[Callable[[], None]], JobDefinition]:
    """Decorates the graph of the pipeline's ops: it becomes the job of the pipeline's requests.

    `pipelines` is the catalog that the pipeline stands in; the default is the project's.

    Raises InvalidInputError where the graph does not connect the ops as the stages' `needs` say.
    """

    def build(graph: Callable[[], None]) -> JobDefinition:
        plan = RunPlan(
            pipeline.name,
            pipeline.same_order,
            pipeline.key_of,
            lambda: (pipelines or catalog()).stages(pipeline, settings()),
            lambda: (pipelines or catalog()).slots(pipeline, settings()),
            pipeline.settles_shared_key,
        )
        built = job(
            name=pipeline.name,
            description=pipeline.title,
            config=flat_config(
                pipeline, lambda order: (pipelines or catalog()).accept(pipeline, order, settings())
            ),
            executor_def=in_process_executor,
            logger_defs=LOGGERS,
            resource_defs={
                "request": request_resource(plan),
                "stages": stage_io_manager,
            },
            # The ledger decides about retries; Dagster's run retries would add runs that were not dispatched.
            tags={"dagster/max_retries": "0", PIPELINE_TAG: pipeline.name},
        )(graph)
        _check_graph(pipeline, built)
        return built

    return build


def _check_graph(pipeline: Pipeline, built: JobDefinition) -> None:
    stages = {_op_name(pipeline, stage): stage.name for stage in pipeline.stages}
    ops = {
        node.name: stages.get(node.definition.name, node.definition.name) for node in built.nodes
    }
    found = {node: _node_call(built, node, op) for node, op in ops.items()}
    expected = {
        stage.name: _call(stage.name, {need: [need] for need in pipeline.needs(stage)})
        for stage in pipeline.stages
    }
    if found != expected:
        raise InvalidInputError(
            f"pipeline_defs/{pipeline.name}",
            f"job: expected the graph {_graph(expected)}; got {_graph(found)}",
            code=INVALID_PIPELINE,
        )


def _node_call(built: JobDefinition, node: str, op: str) -> str:
    connected = built.dependency_structure.input_to_upstream_outputs_for_node(node)
    inputs = {
        given.input_name: [output.node.name for output in outputs]
        for given, outputs in connected.items()
    }
    return _call(op, inputs)


def _call(op: str, inputs: Mapping[str, Sequence[str]]) -> str:
    """An op with the ops whose products its inputs are, as Python would call it."""
    given = (f"{name}={' and '.join(inputs[name])}" for name in sorted(inputs))
    return f"{op}({', '.join(given)})"


def _graph(calls: Mapping[str, str]) -> str:
    return ", ".join(calls[name] for name in sorted(calls))
