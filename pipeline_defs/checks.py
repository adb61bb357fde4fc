"""Check pipelines and orders."""

import keyword
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from pipeline_defs.capabilities import get_typical_products
from pipeline_defs.fields import BriefField, FieldType, convert_to_json, list_order_fields
from pipeline_defs.pipeline import (
    BoughtStage,
    Fault,
    Pipeline,
    Stage,
    catch_error,
    find_binding_fault,
    find_unknown,
    join_unknown,
)
from resources.contract.errors import InvalidInputError
from resources.process.settings import Settings
from resources.providers.vendor import VENDORS, find_type_errors, load_vendor

ORDER_OPTIONS = (
    *("task_id", "pipeline", "priority", "max_retries", "not_before", "callback_url", "notify"),
    *("hold", "hold_seconds", "hold_then"),
)
"""The fields of every order that are about its processing, not its content."""

RESERVED = frozenset(
    (
        *ORDER_OPTIONS,
        *("target", "dry_run", "as_json", "json", "help", "from", "stage", "generation"),
    )
)
"""Names that neither a field nor its option may have, since commands and calls use them.

An option is compared with its hyphens as underscores.
"""

_FLAG = re.compile(r"\w[\w-]*")


def find_brief_faults(fields: Sequence[BriefField]) -> Iterator[Fault]:
    """Yield each order field that cannot be a command-line option or a parameter, and what was expected."""
    owners: dict[str, str] = {}
    for field in fields:
        if field.name in RESERVED:
            yield field.name, "expected another name: an option of commands or orders has this one"
        for option in field.options:
            name = option.removeprefix("--")
            if not _FLAG.fullmatch(name):
                yield field.name, f"expected a flag of letters, digits and hyphens, got {name!a}"
            elif name.replace("-", "_") in RESERVED:
                yield field.name, f"expected another flag: {option} is an option of commands"
            elif option in owners:
                yield field.name, f"expected another flag: {option} is that of {owners[option]}"
            owners[option] = field.name


def find_example_faults(pipeline: Pipeline) -> Iterator[Fault]:
    """Yield each function of the pipeline that fails for the pipeline's example order, with what was expected."""
    try:
        brief = pipeline.parse(pipeline.example)
    except InvalidInputError as error:
        yield "example", error.message
        return
    except Exception as error:  # noqa: BLE001 - a validator of the folder may raise anything
        yield "example", f"expected a valid order, got {type(error).__name__}: {error}"
        return
    if raised := catch_error(lambda: _check_text(pipeline.summary(brief))):
        yield "summary", f"expected text for the example, got {raised}"
    # The makers that need no key; the example may need other settings.
    makers = {
        each.name: each.makers[-1] if isinstance(each, BoughtStage) else ""
        for each in pipeline.stages
    }
    settings = Settings.model_construct()
    if raised := catch_error(
        lambda: pipeline.acceptance(brief, makers, settings), InvalidInputError
    ):
        yield "acceptance", f"expected nothing, or InvalidInputError, for the example, got {raised}"
    for extra in pipeline.extras:
        for field, expected in extra.find_faults(pipeline, brief):
            yield f"{type(extra).__name__}.{field}", expected
    expected = "for the example and its TypicalProducts, got"
    typical = get_typical_products(pipeline, brief)
    for index, stage in enumerate(pipeline.stages):
        if isinstance(stage, BoughtStage) and (
            raised := catch_error(partial(stage.job_input, brief, "example", typical))
        ):
            yield f"stages[{index}].job_input", f"expected an input {expected} {raised}"
    # Only TypicalProducts of all stages make a result.
    is_known = set(pipeline.stage_names) <= set(typical)
    if is_known and (raised := catch_error(lambda: convert_to_json(pipeline.result(typical)))):
        yield "result", f"expected JSON {expected} {raised}"


def _check_text(summary: Any) -> None:
    if not isinstance(summary, str):
        raise TypeError(f"{type(summary).__name__} is no text")


INVALID_PIPELINE = "invalid_pipeline"

RESERVED_BY_DAGSTER = frozenset(
    (
        *("context", "conf", "config", "meta", "input", "output", "type", "arg_dict"),
        *("input_arg_dict", "output_arg_dict", "dict", "int", "str", "float", "bool"),
        *keyword.kwlist,
    )
)
"""Names that Dagster allows for no op and no job.

They are listed here since importing Dagster takes a second.
"""

RESERVED_BY_CASTAD = frozenset({"source_checks", "report", "retention"})
"""The names of castad's own jobs."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")
_NAME_EXPECTED = "expected small letters, digits and underscores, at most 48"


def check_pipeline(folder: str, pipeline: Pipeline) -> None:
    """Check the pipeline of this folder. Raises InvalidInputError with its first fault."""
    for field, expected in _find_faults(folder, pipeline):
        raise InvalidInputError(
            f"pipeline_defs/{folder}", f"{field}: {expected}", code=INVALID_PIPELINE
        )


def _find_faults(folder: str, pipeline: Pipeline) -> Iterator[Fault]:
    yield from find_type_errors(pipeline)
    parts: list[tuple[str, Any]] = [(type(each).__name__, each) for each in pipeline.extras]
    for index, stage in enumerate(pipeline.stages):
        name = f"stages[{index}]"
        parts += [
            (name, stage),
            (f"{name}.revision", stage.revision),
            (f"{name}.choices", stage.choices),
        ]
    for name, part in parts:
        for field, expected in find_type_errors(part) if part else ():
            yield f"{name}.{field}", expected
    if pipeline.name != folder or not _NAME.fullmatch(folder):
        yield "name", f"expected the folder's name, {folder}; {_NAME_EXPECTED}"
    if folder in RESERVED_BY_DAGSTER | RESERVED_BY_CASTAD:
        yield "name", _explain_reserved(folder)
    if not _NAME.fullmatch(pipeline.queue):
        yield "queue", _NAME_EXPECTED
    for index, stage in enumerate(pipeline.stages):
        for field, expected in _find_stage_faults(pipeline, index, stage):
            yield f"stages[{index}].{field}", expected
    kinds = [type(each).__name__ for each in pipeline.extras]
    if twice := next((each for each in kinds if kinds.count(each) > 1), ""):
        yield "extras", f"expected each capability once; {twice} is there twice"
    yield from _find_field_faults(pipeline)
    yield from find_example_faults(pipeline)


def _find_stage_faults(pipeline: Pipeline, index: int, stage: Stage) -> Iterator[Fault]:
    earlier = pipeline.stage_names[:index]
    if not _NAME.fullmatch(stage.name):
        yield "name", _NAME_EXPECTED
    if stage.name in RESERVED_BY_DAGSTER:
        yield "name", _explain_reserved(stage.name)
    if stage.name in earlier:
        yield "name", f"expected another name; {stage.name} is there twice"
    needs = stage.needs or ()
    yield from find_unknown("needs", needs, earlier, "stages before it")
    if twice := next((need for need in needs if needs.count(need) > 1), ""):
        yield "needs", f"expected each stage once; {twice} is there twice"
    if stage.metadata and (fault := find_binding_fault(stage.metadata)):
        yield "metadata", fault
    if stage.revision and (
        unknown := join_unknown(stage.revision.model.model_fields, stage.product.model_fields)
    ):
        yield "revision.model", f"expected fields of {stage.product.__name__}, got {unknown}"
    if not isinstance(stage, BoughtStage):
        return
    kind, unknown = stage.kind or stage.name, join_unknown(stage.makers, VENDORS)
    if unknown or not stage.makers:
        known = ", ".join(name for name in VENDORS if load_vendor(name).makers)
        yield "makers", f"expected at least one of {known}, got {unknown or 'none'}"
        return
    for maker in stage.makers:
        if kind not in load_vendor(maker).makers:
            kinds = ", ".join(load_vendor(maker).makers)
            yield "kind", f"expected what {maker} makes: {kinds}, got {kind}"


def _explain_reserved(name: str) -> str:
    return f"expected another name; Dagster, Python or castad reserves {name}"


def _find_field_faults(pipeline: Pipeline) -> Iterator[Fault]:
    try:
        fields = list_order_fields(pipeline.order_model)
    except InvalidInputError as error:
        yield "order_model", error.message
        return
    for field, expected in find_brief_faults(fields):
        yield f"order_model: {field}", expected
    names = sorted(field.name for field in fields)
    yield from find_unknown("uploads", pipeline.uploads, names, "fields of the order")
    texts = FieldType("text")
    uploads = [field for field in fields if field.name in pipeline.uploads]
    if others := [each.name for each in uploads if each.type.item != texts]:
        yield "uploads", f"expected lists of texts, got {', '.join(others)}"
