"""Check pipelines and orders."""

import keyword
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.abc import InspectLoader
from importlib.util import find_spec
from typing import Any

from pipeline_defs.fields import BriefField, FieldType, as_json, brief_fields
from pipeline_defs.pipeline import BoughtStage, Brief, LocalStage, Pipeline, Products, Stage
from resources.contract.errors import InvalidInputError
from resources.files.artifacts import MEDIA_TYPES
from resources.process.setting_types import misfits
from resources.process.settings import Settings
from resources.providers.vendor import VENDORS, vendor

ORDER_OPTIONS = (
    *("task_id", "pipeline", "priority", "max_retries", "not_before", "callback_url"),
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


def find_brief_faults(fields: Sequence[BriefField]) -> Iterator[tuple[str, str]]:
    """Yield each field that cannot be an option or a parameter, and the expected value."""
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


def find_example_faults(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    """Yield each function of the pipeline that fails for its example, and the expected result."""
    try:
        brief = pipeline.parse(pipeline.example)
    except InvalidInputError as error:
        yield "example", error.message
        return
    except Exception as error:  # noqa: BLE001 - a validator of the folder may raise anything
        yield "example", f"expected an order of the brief, got {type(error).__name__}: {error}"
        return
    calls: list[tuple[str, str, Callable[[], object]]] = [
        ("summary", "text", lambda: _check_text(pipeline.summary(brief))),
        ("unique_key", "text", lambda: pipeline.key_of(pipeline.example)),
        ("accept", "nothing, or InvalidInputError,", lambda: _call_accept(pipeline, brief)),
        (
            "accept_remote",
            "nothing, or InvalidInputError,",
            lambda: _call_accept_remote(pipeline, brief),
        ),
        ("typical", "products by their stages", lambda: _check_typical(pipeline, brief)),
    ]
    for field, expected, call in calls:
        if raised := _catch_error(call):
            yield field, f"expected {expected} for the example, got {raised}"
            return
    yield from _find_product_faults(pipeline, brief, pipeline.typical(brief))


def _find_product_faults(
    pipeline: Pipeline, brief: Brief, typical: Products
) -> Iterator[tuple[str, str]]:
    """Yield the bought stages that fail to build their input, and a result that is no JSON.

    The result is checked only if `typical` has the products of all stages.
    """
    expected = "for the example and `typical`, got"
    for index, stage in enumerate(pipeline.stages):
        if isinstance(stage, BoughtStage) and (
            raised := _catch_error(partial(stage.job_input, brief, "example", typical))
        ):
            yield f"stages[{index}].job_input", f"expected an input {expected} {raised}"
    is_known = set(pipeline.stage_names) <= set(typical)
    if is_known and (raised := _catch_error(lambda: as_json(pipeline.result(typical)))):
        yield "result", f"expected JSON {expected} {raised}"


def _catch_error(call: Callable[[], object]) -> str:
    """Return the text of the error that the call raises; "" if it raises none."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def _check_text(summary: Any) -> None:
    if not isinstance(summary, str):
        raise TypeError(f"{type(summary).__name__} is no text")


def _call_accept(pipeline: Pipeline, brief: Brief) -> None:
    """Call the pipeline's `accept` with the makers that need no key and the default settings."""
    stages = pipeline.stages
    makers = {
        each.name: each.makers[-1] if isinstance(each, BoughtStage) else "" for each in stages
    }
    try:
        pipeline.accept(brief, makers, Settings.model_construct())
    except InvalidInputError:
        return  # the example may need other settings


def _call_accept_remote(pipeline: Pipeline, brief: Brief) -> None:
    with suppress(InvalidInputError):
        pipeline.accept_remote(brief)


def _check_typical(pipeline: Pipeline, brief: Brief) -> None:
    products = pipeline.typical(brief)
    if not isinstance(products, Mapping):
        raise TypeError(f"{type(products).__name__} is no mapping")


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
    """Raise InvalidInputError with the first fault of the pipeline of this folder."""
    for field, expected in _find_faults(folder, pipeline):
        raise InvalidInputError(
            f"pipeline_defs/{folder}", f"{field}: {expected}", code=INVALID_PIPELINE
        )


def _find_faults(folder: str, pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    yield from _find_type_faults(pipeline)
    if pipeline.name != folder or not _NAME.fullmatch(folder):
        yield "name", f"expected the folder's name, {folder}; {_NAME_EXPECTED}"
    if folder in RESERVED_BY_DAGSTER | RESERVED_BY_CASTAD:
        yield "name", _explain_reserved(folder)
    if not _NAME.fullmatch(pipeline.queue):
        yield "queue", _NAME_EXPECTED
    if pipeline.paced_by and pipeline.find_stage(pipeline.paced_by) is None:
        yield (
            "paced_by",
            f"expected one of {', '.join(pipeline.stage_names)}, got {pipeline.paced_by}",
        )
    if pipeline.main_file and not any(map(pipeline.is_main, MEDIA_TYPES)):
        types = ", ".join(sorted(MEDIA_TYPES))
        yield "main_file", f"expected the type of a file: {types}, got {pipeline.main_file}"
    for index, stage in enumerate(pipeline.stages):
        for field, expected in _find_stage_faults(pipeline, index, stage):
            yield f"stages[{index}].{field}", expected
    yield from _find_field_faults(pipeline)
    yield from find_example_faults(pipeline)


def _find_type_faults(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    yield from misfits(pipeline)
    for index, stage in enumerate(pipeline.stages):
        for field, expected in misfits(stage):
            yield f"stages[{index}].{field}", expected
        parts = {"revision": stage.revision, "choices": stage.choices}
        for name, part in parts.items():
            for field, expected in misfits(part) if part else ():
                yield f"stages[{index}].{name}.{field}", expected


def _find_stage_faults(pipeline: Pipeline, index: int, stage: Stage) -> Iterator[tuple[str, str]]:
    earlier = pipeline.stage_names[:index]
    if not _NAME.fullmatch(stage.name):
        yield "name", _NAME_EXPECTED
    if stage.name in RESERVED_BY_DAGSTER:
        yield "name", _explain_reserved(stage.name)
    if stage.name in earlier:
        yield "name", f"expected another name; {stage.name} is there twice"
    needs = stage.needs or ()
    if unknown := _join_unknown(needs, earlier):
        yield (
            "needs",
            f"expected stages before it: {', '.join(earlier) or 'there is none'}, got {unknown}",
        )
    if twice := next((need for need in needs if needs.count(need) > 1), ""):
        yield "needs", f"expected each stage once; {twice} is there twice"
    if stage.metadata:
        expected = f"expected module:function, got {stage.metadata}"
        if fault := _find_binding_fault(stage.metadata, expected):
            yield "metadata", fault
    if stage.revision and (
        unknown := _join_unknown(stage.revision.model.model_fields, stage.product.model_fields)
    ):
        yield "revision.model", f"expected fields of {stage.product.__name__}, got {unknown}"
    if isinstance(stage, BoughtStage):
        yield from _find_maker_faults(stage)
    if isinstance(stage, LocalStage):
        yield from _find_source_check_faults(pipeline, stage)


def _find_source_check_faults(pipeline: Pipeline, stage: LocalStage) -> Iterator[tuple[str, str]]:
    check = stage.source_check
    if check is None:
        return
    for field, expected in misfits(check):
        yield f"source_check.{field}", expected
    if stage.settled_key is None:
        yield "source_check", "expected a settled_key, by which a change is known"
    if not pipeline.shared:
        yield (
            "source_check",
            "expected a pipeline that is shared, since what is ordered so has no owner",
        )
    if fault := _find_binding_fault(check.find, f"expected module:function, got {check.find}"):
        yield "source_check.find", fault
    if check.vendor not in VENDORS:
        yield "source_check.vendor", f"expected one of {', '.join(VENDORS)}, got {check.vendor}"


def _explain_reserved(name: str) -> str:
    return f"expected another name; Dagster, Python or castad reserves {name}"


def _find_maker_faults(stage: BoughtStage) -> Iterator[tuple[str, str]]:
    unknown = _join_unknown(stage.makers, VENDORS)
    if unknown or not stage.makers:
        known = ", ".join(name for name in VENDORS if vendor(name).makers)
        yield "makers", f"expected at least one of {known}, got {unknown or 'none'}"
        return
    kind = stage.kind or stage.name
    for maker in stage.makers:
        if kind not in vendor(maker).makers:
            kinds = ", ".join(vendor(maker).makers)
            yield "kind", f"expected what {maker} makes: {kinds}, got {kind}"


def _join_unknown(given: Iterable[str], known: Collection[str]) -> str:
    """Join the unknown names; "" if all are known."""
    return ", ".join(each for each in given if each not in known)


def _find_binding_fault(function: str, expected: str) -> str:
    """Return why the module does not bind this name; "" if it does.

    The module is compiled but not executed, since it loads Dagster.
    """
    module, _, name = function.partition(":")
    try:
        found = find_spec(module)
        loader = None if found is None else found.loader
        code = loader.get_code(module) if isinstance(loader, InspectLoader) else None
    except (ImportError, ValueError):
        return expected
    except Exception as error:  # noqa: BLE001 - the folder's code may raise anything
        return " ".join(f"{type(error).__name__}: {error}".split())
    return "" if code is not None and name in code.co_names else expected


def _find_field_faults(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    try:
        fields = brief_fields(pipeline.brief)
    except InvalidInputError as error:
        yield "brief", error.message
        return
    for field, expected in find_brief_faults(fields):
        yield f"brief: {field}", expected
    if pipeline.shared and pipeline.unique_key is None:
        yield "shared", "expected a unique_key, by which an order is known to be the same"
    names = [field.name for field in fields]
    known = f"expected fields of the brief: {', '.join(sorted(names))}"
    if unknown := _join_unknown(pipeline.pictures, names):
        yield "pictures", f"{known}, got {unknown}"
    if others := [field.name for field in fields if _is_no_list_of_texts(pipeline, field)]:
        yield "pictures", f"expected lists of texts, got {', '.join(others)}"
    if unknown := _join_unknown(pipeline.changeable, names):
        yield "changeable", f"{known}, got {unknown}"
    if unknown := _join_unknown(pipeline.changeable.values(), pipeline.stage_names):
        yield "changeable", f"expected stages: {', '.join(pipeline.stage_names)}, got {unknown}"


def _is_no_list_of_texts(pipeline: Pipeline, field: BriefField) -> bool:
    is_list = field.type.kind == "list" and field.type.item == FieldType("text")
    return field.name in pipeline.pictures and not is_list
