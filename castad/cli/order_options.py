"""The options of commands that come from the pipelines' fields."""

import inspect
import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from castad.cli.context import AsJson, TaskId
from pipeline_defs.capabilities import list_changeable_fields
from pipeline_defs.catalog import Catalog
from pipeline_defs.fields import BriefField, convert_to_json, list_order_fields
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError

_OWN_FLAGS = ("--dry-run", "--json", "--help")
_OWN_OPTIONS = ("--task-id", "--from")
_OPTION_TYPES: Mapping[str, Any] = {
    "whole number": int,
    "number": float,
    "yes or no": bool,
    "list": list[str],
}
_TARGET = "PIPELINE|FILE.yaml"
_MAKE_OPTIONS = {
    "task_id": (Annotated[str | None, typer.Option(help="The order's name")], None),
    "hold": (
        Annotated[
            list[str] | None,
            typer.Option(
                metavar="STAGE", help="Wait after this stage until a person approves; repeatable"
            ),
        ],
        None,
    ),
    "notify": (
        Annotated[
            str | None,
            typer.Option(
                metavar="ADDRESS", help="An e-mail address that is told what becomes of it"
            ),
        ],
        None,
    ),
    "hold_seconds": (
        Annotated[
            int | None, typer.Option(help="How long to wait for each; without end if omitted")
        ],
        None,
    ),
    "hold_then": (
        Annotated[
            str | None,
            typer.Option(metavar="continue|cancel", help="What follows then; cancel if omitted"),
        ],
        None,
    ),
    "dry_run": (
        Annotated[bool, typer.Option("--dry-run", help="Only check the order and print its price")],
        False,
    ),
    "as_json": (AsJson, False),
}


def make_function(arguments: Sequence[str], pipelines: Catalog) -> Callable[..., None]:
    """Make `castad make` with the fields of the pipeline that its argument names or that its file orders.

    Raises InvalidInputError where the first argument is neither an option nor a pipeline nor a file.
    """
    if arguments and not arguments[0].startswith("-"):
        _find_file(arguments[0], pipelines)
    pipeline = _choose_pipeline_to_make(arguments, pipelines)
    fields = list_order_fields(pipeline.order_model)
    target = Annotated[
        str | None,
        typer.Argument(
            metavar=_TARGET,
            help=f"A pipeline ({', '.join(pipelines.names)}), or the file of one order",
        ),
    ]

    def make(target: str | None, dry_run: bool, as_json: bool, **given: Any) -> None:
        """Make one order and wait for it; the last line is its main file's path, or its result as JSON.

        The options are the fields of the pipeline's order; they override the file.
        """
        from castad.cli.orders import make_one, price_one

        file = None if target is None else _find_file(target, pipelines)
        named = {"pipeline": target} if target and file is None else {}
        (price_one if dry_run else make_one)(file, named | _given(fields, given), as_json)

    parameters = _make_parameters(fields, _describe_with_default)
    return _set_signature(make, {"target": (target, None), **parameters, **_MAKE_OPTIONS})


def make_order_function(pipeline: Pipeline, arguments: str) -> Callable[..., None]:
    """Make a command that orders of this pipeline; its arguments are the entries of one field."""

    def order(given: Mapping[str, Any], dry_run: bool, as_json: bool, **named: Any) -> None:
        from castad.cli.orders import make_one, price_one

        fields = {"pipeline": pipeline.name, **given, **_given((), named)}
        (price_one if dry_run else make_one)(None, fields, as_json)

    return _make_function(pipeline, arguments, order, _MAKE_OPTIONS)


def make_answer_function(pipeline: Pipeline, arguments: str) -> Callable[..., None]:
    """Make a command that answers an order of this pipeline in its own process."""

    def answer(given: Mapping[str, Any], task_id: str | None, as_json: bool) -> None:
        from castad.cli.direct import answer_one

        answer_one(pipeline, given, task_id, as_json=as_json)

    options = {name: _MAKE_OPTIONS[name] for name in ("task_id", "as_json")}
    return _make_function(pipeline, arguments, answer, options)


def _make_function(
    pipeline: Pipeline,
    arguments: str,
    act: Callable[..., None],
    options: Mapping[str, tuple[Any, Any]],
) -> Callable[..., None]:
    """Make a command that calls `act` with the order's given fields and the options beside them."""
    fields = list_order_fields(pipeline.order_model)
    [listed] = [field for field in fields if field.name == arguments]
    entries = typer.Argument(
        metavar=f"{listed.flag.name.upper()}…",
        help=escape(f"{listed.description}, or files on this machine"),
    )
    of_fields = _make_parameters(
        [field for field in fields if field is not listed], _describe_with_default
    )

    def command(**given: Any) -> None:
        beside = {name: given.pop(name) for name in options}
        act(_given(fields, given), **beside)

    first = {arguments: (Annotated[list[str] | None, entries], None)}
    return _set_signature(command, {**first, **of_fields, **options})


def _find_file(target: str, pipelines: Catalog) -> Path | None:
    """Return the file that is meant, None for a pipeline. Raises InvalidInputError for a name of neither."""
    if pipelines.find_pipeline(target) is not None:
        return None
    if not Path(target).suffix:
        known = " or ".join(pipelines.names)
        expected = f"expected {known}, or the .yaml file of one order, got {ascii(target)[:80]}"
        raise InvalidInputError(_TARGET, expected)
    return Path(target)


def make_example(arguments: Sequence[str], pipelines: Catalog) -> str:
    """Compose an example of `castad make` with the fields that an order of the pipeline must have."""
    pipeline = _choose_pipeline_to_make(arguments, pipelines)
    needed = {
        field.flag.name: str(pipeline.example.get(field.name, "…"))
        for field in list_order_fields(pipeline.order_model)
        if field.required
    }
    options = [part for name, value in needed.items() for part in (f"--{name}", value)]
    return shlex.join(["castad", "make", pipeline.name, *options])


def redo_function(
    arguments: Sequence[str], pipelines: Catalog, pipeline_of: Callable[[str], Pipeline | None]
) -> Callable[..., None]:
    """Make `castad redo` with the fields that a redo may change of the named order; of any order without one.

    `pipeline_of` finds the pipeline of the order of this name.
    """
    chosen = choose_pipeline(arguments, pipelines, pipeline_of)
    fields = list_changeable_fields(chosen) if chosen else _list_distinct_fields(pipelines)
    options = {
        "task_id": (TaskId, inspect.Parameter.empty),
        "stage": (
            Annotated[str, typer.Option("--from", help="The first stage that is made again")],
            inspect.Parameter.empty,
        ),
        "generation": (
            Annotated[
                int | None,
                typer.Option(
                    min=1,
                    help="The stage's generation that you have seen: the same redo is paid once",
                ),
            ],
            None,
        ),
    }

    def redo(task_id: str, stage: str, generation: int | None, as_json: bool, **given: Any) -> None:
        """Make a stage and those after it again; the vendors are paid again.

        An option changes the order: submitting the original one under this name is then refused as a conflict.
        """
        from castad.cli.order_actions import redo_one

        redo_one(task_id, stage, _given(fields, given), generation, as_json=as_json)

    parameters = _make_parameters(fields, _help)
    return _set_signature(redo, {**options, **parameters, "as_json": (AsJson, False)})


def _list_distinct_fields(pipelines: Catalog) -> list[BriefField]:
    """List the changeable fields of all pipelines; of those with the same name or option, the first."""
    found: list[BriefField] = []
    taken: set[str] = set()
    for field in (field for pipeline in pipelines for field in list_changeable_fields(pipeline)):
        names = {field.name, *field.options}
        if taken.isdisjoint(names):
            found.append(field)
            taken |= names
    return found


def _choose_pipeline_to_make(arguments: Sequence[str], pipelines: Catalog) -> Pipeline:
    """Return the pipeline that the argument names, or that its file orders, else the default."""

    def pipeline_of(argument: str) -> Pipeline | None:
        return pipelines.find_pipeline(argument) or pipelines.find_pipeline(
            _read_ordered_pipeline(Path(argument))
        )

    return choose_pipeline(arguments, pipelines, pipeline_of) or pipelines.default


def _read_ordered_pipeline(file: Path) -> str:
    """Read the pipeline's name of the file's first order; return "" without one."""
    from castad.orders.orders_file import read_orders_file

    if file.suffix.lower() not in (".yaml", ".yml", ".json", ".csv"):
        return ""
    try:
        [order, *_] = read_orders_file(file)
        return str(order.fields.get("pipeline", ""))
    except InvalidInputError:
        return ""  # the command itself refuses the file with a sentence


def _make_parameters(
    fields: Sequence[BriefField], describe: Callable[[BriefField], str]
) -> dict[str, tuple[Any, Any]]:
    return {
        field.name: (
            Annotated[
                _OPTION_TYPES.get(field.type.kind, str) | None,
                typer.Option(
                    "/".join(field.options),
                    help=escape(describe(field)),
                    metavar="JSON"
                    if field.type.is_nested
                    else "|".join(field.type.choices) or None,
                ),
            ],
            None,
        )
        for field in fields
    }


def _help(field: BriefField) -> str:
    return f"{field.description}; repeatable" if field.type.kind == "list" else field.description


def _describe_with_default(field: BriefField) -> str:
    unset = "required" if field.required else _describe_default(field)
    return f"{_help(field)} [{unset}]" if unset else _help(field)


def _describe_default(field: BriefField) -> str:
    """Describe the value of an omitted option; return "" if that is none or empty."""
    default = convert_to_json(field.default)
    if default in (None, "", [], {}):
        return ""
    if isinstance(default, bool):
        default = field.options[not default]
    text = default if isinstance(default, str) else json.dumps(default, ensure_ascii=False)
    return f"default: {text}"


def _given(fields: Sequence[BriefField], values: Mapping[str, Any]) -> dict[str, Any]:
    by_name = {field.name: field for field in fields}
    given = {name: value for name, value in values.items() if value not in (None, [])}
    return {
        name: by_name[name].parse(given[name]) if name in by_name else given[name] for name in given
    }


def _set_signature(
    function: Callable[..., None], parameters: Mapping[str, tuple[Any, Any]]
) -> Callable[..., None]:
    """Give the function these parameters, each an annotation and a default, as Typer reads them."""
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
            for name, (annotation, default) in parameters.items()
        ]
    )
    function.__annotations__ = {name: kind for name, (kind, _) in parameters.items()}
    return function


def choose_pipeline(
    arguments: Sequence[str],
    pipelines: Iterable[Pipeline],
    pipeline_of: Callable[[str], Pipeline | None],
) -> Pipeline | None:
    """Return the pipeline to which the first argument leads that is neither an option nor an option's value.

    `pipeline_of` says where an argument leads; it is asked once about each.
    """
    pipeline_of = cache(pipeline_of)
    for pipeline in pipelines:
        fields = list_order_fields(pipeline.order_model)
        takes_value = {
            **dict.fromkeys(_OWN_OPTIONS, True),
            **dict.fromkeys(_OWN_FLAGS, False),
            **{option: not field.is_flag for field in fields for option in field.options},
        }
        first = _find_first_argument(arguments, takes_value)
        if first is not None and pipeline_of(first) is pipeline:
            return pipeline
    return None


def _find_first_argument(arguments: Sequence[str], takes_value: Mapping[str, bool]) -> str | None:
    """Return the first argument that is no option and no option's value; None after an unknown option."""
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            return next(rest, None)
        if not argument.startswith("-"):
            return argument
        option, has_value, _ = argument.partition("=")
        if option not in takes_value:
            return None
        if takes_value[option] and not has_value:
            next(rest, None)
    return None
