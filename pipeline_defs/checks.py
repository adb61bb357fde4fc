"""A pipeline that cannot work is refused when it is loaded, by its folder and the field that is wrong."""

import re
from collections.abc import Collection, Iterable, Iterator
from importlib.abc import InspectLoader
from importlib.util import find_spec

from pipeline_defs.fields import brief_fields
from pipeline_defs.pipeline import BoughtStage, Pipeline, Stage
from resources.contract.errors import InvalidInputError
from resources.providers.registry import VENDORS, vendor

OPTIONS = ("task_id", "pipeline", "priority", "max_retries", "not_before", "callback_url")
"""The fields of every order that are about its processing, not its content."""

INVALID_PIPELINE = "invalid_pipeline"

_NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")
_NAME_EXPECTED = "expected small letters, digits and underscores, at most 48"


def check_pipeline(folder: str, pipeline: Pipeline) -> None:
    """Return if the pipeline of this folder is complete; raises InvalidInputError."""
    for field, expected in _faults(folder, pipeline):
        raise InvalidInputError(
            f"pipeline_defs/{folder}", f"{field}: {expected}", code=INVALID_PIPELINE
        )


def _faults(folder: str, pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    if pipeline.name != folder or not _NAME.fullmatch(folder):
        yield "name", f"expected the folder's name, {folder}; {_NAME_EXPECTED}"
    if not _NAME.fullmatch(pipeline.lane):
        yield "lane", _NAME_EXPECTED
    if not pipeline.stages:
        yield "stages", "expected at least one stage"
    if not _is_there(f"pipeline_defs.{folder}.job:job"):
        yield "job", "expected `job` in job.py"
    for index, stage in enumerate(pipeline.stages):
        for field, expected in _stage_faults(pipeline, index, stage):
            yield f"stages[{index}].{field}", expected
    yield from _brief_faults(pipeline)


def _stage_faults(pipeline: Pipeline, index: int, stage: Stage) -> Iterator[tuple[str, str]]:
    earlier = pipeline.stage_names[:index]
    if not _NAME.fullmatch(stage.name):
        yield "name", _NAME_EXPECTED
    if stage.name in earlier:
        yield "name", f"expected another name; {stage.name} is there twice"
    if unknown := _other(stage.needs or (), earlier):
        yield (
            "needs",
            f"expected stages before it: {', '.join(earlier) or 'there is none'}, got {unknown}",
        )
    if stage.retry_seconds <= 0:
        yield "retry_seconds", "expected more than 0"
    if stage.places is not None and stage.places < 1:
        yield "places", "expected at least 1, or None"
    if stage.metadata and not _is_there(stage.metadata):
        yield "metadata", f"expected module:function, got {stage.metadata}"
    if isinstance(stage, BoughtStage):
        yield from _maker_faults(stage)


def _maker_faults(stage: BoughtStage) -> Iterator[tuple[str, str]]:
    unknown = _other(stage.makers, VENDORS)
    if unknown or not stage.makers:
        yield "makers", f"expected at least one of {', '.join(VENDORS)}, got {unknown or 'none'}"
        return
    kind = stage.kind or stage.name
    for maker in stage.makers:
        if kind not in vendor(maker).makers:
            kinds = ", ".join(vendor(maker).makers)
            yield "kind", f"expected what {maker} makes: {kinds}, got {kind}"


def _other(given: Iterable[str], known: Collection[str]) -> str:
    """Those that are not known, "" where all are."""
    return ", ".join(each for each in given if each not in known)


def _is_there(function: str) -> bool:
    """Whether the module binds this name; it is not executed, since it loads Dagster."""
    module, _, name = function.partition(":")
    try:
        found = find_spec(module)
    except (ImportError, ValueError):
        return False
    loader = None if found is None else found.loader
    code = loader.get_code(module) if isinstance(loader, InspectLoader) else None
    return code is not None and name in code.co_names


def _brief_faults(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    try:
        names = {field.name for field in brief_fields(pipeline.brief)}
        brief = pipeline.parse(pipeline.example)
        is_text = isinstance(pipeline.summary(brief), str)
        pipeline.key_of(pipeline.example)
    except InvalidInputError as error:
        yield "brief or example", error.message
        return
    except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
        yield (
            "summary or unique_key",
            f"expected text for the example, got {type(error).__name__}: {error}",
        )
        return
    if not is_text:
        yield "summary", "expected text for the example"
    if pipeline.shared and pipeline.unique_key is None:
        yield "shared", "expected a unique_key, by which an order is known to be the same"
    if taken := names & set(OPTIONS):
        yield "brief", f"expected other names than those of an order's options: {', '.join(taken)}"
    fields = f"expected fields of the brief: {', '.join(sorted(names))}"
    if unknown := _other(pipeline.pictures, names):
        yield "pictures", f"{fields}, got {unknown}"
    if unknown := _other(pipeline.changeable, names):
        yield "changeable", f"{fields}, got {unknown}"
    if unknown := _other(pipeline.changeable.values(), pipeline.stage_names):
        yield "changeable", f"expected stages: {', '.join(pipeline.stage_names)}, got {unknown}"
    yield from _input_faults(pipeline)


def _input_faults(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    """Every bought stage builds its input from the example and the products of usual size: so it has a price."""
    brief = pipeline.parse(pipeline.example)
    for index, stage in enumerate(pipeline.stages):
        if isinstance(stage, BoughtStage):
            try:
                stage.order(brief, "example", pipeline.typical(brief))
            except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
                reason = f"{type(error).__name__}: {error}"
                yield (
                    f"stages[{index}].order",
                    f"expected an input for the example and `typical`, got {reason}",
                )
