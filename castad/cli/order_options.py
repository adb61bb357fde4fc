"""The options of commands that come from the pipelines' fields."""

import inspect
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from castad.cli.chosen_pipeline import chosen_pipeline
from castad.cli.key_app import AsJson
from pipeline_defs.capabilities import list_changeable_fields
from pipeline_defs.catalog import Catalog
from pipeline_defs.fields import BriefField, convert_to_json, list_order_fields
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError

_OPTION_TYPES = {"whole number": int, "number": float, "yes or no": bool}
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
    """`castad make` with the fields of the pipeline that its argument names or that its file orders.

    Raises InvalidInputError where the first argument is neither an option nor a pipeline nor a file.
    """
    if arguments and not arguments[0].startswith("-"):
        _file_of(arguments[0], pipelines)
    pipeline = _pipeline_to_make(arguments, pipelines)
    fields = list_order_fields(pipeline.order_model)
    target = Annotated[
        str | None,
        typer.Argument(
            metavar=_TARGET,
            help=f"A pipeline ({', '.join(pipelines.names)}), or the file of one order",
        ),
    ]

    def make(target: str | None, dry_run: bool, as_json: bool, **given: Any) -> None:
        from castad.cli.commands import make_one
        from castad.cli.money import price_one

        file = None if target is None else _file_of(target, pipelines)
        named = {"pipeline": target} if target and file is None else {}
        (price_one if dry_run else make_one)(file, named | _given(fields, given), as_json)

    parameters = _parameters(fields, _help_with_default)
    return _with_signature(make, {"target": (target, None), **parameters, **_MAKE_OPTIONS})


def order_function(pipeline: Pipeline, arguments: str) -> Callable[..., None]:
    """A command that orders of this pipeline as `castad make` does; its arguments are the entries of one field."""

    def order(given: Mapping[str, Any], dry_run: bool, as_json: bool, **named: Any) -> None:
        from castad.cli.commands import make_one
        from castad.cli.money import price_one

        fields = {"pipeline": pipeline.name, **given, **_given((), named)}
        (price_one if dry_run else make_one)(None, fields, as_json)

    return _function_of(pipeline, arguments, order, _MAKE_OPTIONS)


def answer_function(pipeline: Pipeline, arguments: str) -> Callable[..., None]:
    """A command that answers an order of this pipeline in its own process; arguments as of `order_function`."""

    def answer(given: Mapping[str, Any], task_id: str | None, as_json: bool) -> None:
        from castad.cli.direct import answer_one

        answer_one(pipeline, given, task_id, as_json=as_json)

    options = {name: _MAKE_OPTIONS[name] for name in ("task_id", "as_json")}
    return _function_of(pipeline, arguments, answer, options)


def _function_of(
    pipeline: Pipeline,
    arguments: str,
    act: Callable[..., None],
    options: Mapping[str, tuple[Any, Any]],
) -> Callable[..., None]:
    """`act` with the order's fields that are given, and the options beside them."""
    fields = list_order_fields(pipeline.order_model)
    [listed] = [field for field in fields if field.name == arguments]
    entries = typer.Argument(metavar=f"{listed.flag.name.upper()}…", help=_help_of_entries(listed))
    of_fields = _parameters([field for field in fields if field is not listed], _help_with_default)

    def command(**given: Any) -> None:
        beside = {name: given.pop(name) for name in options}
        act(_given(fields, given), **beside)

    first = {arguments: (Annotated[list[str] | None, entries], None)}
    return _with_signature(command, {**first, **of_fields, **options})


def _help_of_entries(field: BriefField) -> str:
    return escape(f"{field.description}, or files on this machine")


def _file_of(target: str, pipelines: Catalog) -> Path | None:
    """The file that is meant, None where it is a pipeline; raises InvalidInputError for a name of neither."""
    if pipelines.find_pipeline(target) is not None:
        return None
    if not Path(target).suffix:
        known = " or ".join(pipelines.names)
        expected = f"expected {known}, or the .yaml file of one order, got {ascii(target)[:80]}"
        raise InvalidInputError(_TARGET, expected)
    return Path(target)


def make_example(arguments: Sequence[str], pipelines: Catalog) -> str:
    """`castad make` with the fields that an order of the pipeline must have."""
    pipeline = _pipeline_to_make(arguments, pipelines)
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
    """`castad redo` with the fields that a redo of the order may change; of any order where none is named.

    `pipeline_of` finds the pipeline of the order of this name.
    """
    chosen = chosen_pipeline(arguments, pipelines, pipeline_of)
    fields = list_changeable_fields(chosen) if chosen else _distinct(pipelines)
    options = {
        "task_id": (
            Annotated[str, typer.Argument(metavar="TASK_ID", help="The order's name")],
            inspect.Parameter.empty,
        ),
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
        from castad.cli.commands import redo_one

        redo_one(task_id, stage, _given(fields, given), generation, as_json=as_json)

    parameters = _parameters(fields, _help)
    return _with_signature(redo, {**options, **parameters, "as_json": (AsJson, False)})


def _distinct(pipelines: Catalog) -> list[BriefField]:
    """The changeable fields of all pipelines; of those with the same name or option, the first."""
    found: list[BriefField] = []
    taken: set[str] = set()
    for field in (field for pipeline in pipelines for field in list_changeable_fields(pipeline)):
        names = {field.name, *field.options}
        if taken.isdisjoint(names):
            found.append(field)
            taken |= names
    return found


def _pipeline_to_make(arguments: Sequence[str], pipelines: Catalog) -> Pipeline:
    """The pipeline that the argument names, or that the argument's file orders, else the default."""

    def pipeline_of(argument: str) -> Pipeline | None:
        return pipelines.find_pipeline(argument) or pipelines.find_pipeline(
            _pipeline_ordered_in(Path(argument))
        )

    return chosen_pipeline(arguments, pipelines, pipeline_of) or pipelines.default


def _pipeline_ordered_in(file: Path) -> str:
    """The name in the file's first order; "" without one."""
    from castad.orders.orders_file import read_orders

    if file.suffix.lower() not in (".yaml", ".yml", ".json", ".csv"):
        return ""
    try:
        [order, *_] = read_orders(file)
        return str(order.fields.get("pipeline", ""))
    except InvalidInputError:
        return ""  # the command itself refuses the file with a sentence


def _parameters(
    fields: Sequence[BriefField], describe: Callable[[BriefField], str]
) -> dict[str, tuple[Any, Any]]:
    return {field.name: (_annotation(field, escape(describe(field))), None) for field in fields}


def _annotation(field: BriefField, help_text: str) -> Any:
    kind = list[str] if field.type.kind == "list" else _OPTION_TYPES.get(field.type.kind, str)
    form = "JSON" if field.type.is_nested else "|".join(field.type.choices) or None
    option = typer.Option("/".join(field.options), help=help_text, metavar=form)
    return Annotated[kind | None, option]


def _help(field: BriefField) -> str:
    return f"{field.description}; repeatable" if field.type.kind == "list" else field.description


def _help_with_default(field: BriefField) -> str:
    unset = "required" if field.required else _default_text(field)
    return f"{_help(field)} [{unset}]" if unset else _help(field)


def _default_text(field: BriefField) -> str:
    """The value where the option is left out; "" where that is none or empty."""
    default = convert_to_json(field.default)
    if default in (None, "", [], {}):
        return ""
    if isinstance(default, bool):
        default = field.options[not default]
    text = default if isinstance(default, str) else json.dumps(default, ensure_ascii=False)
    return f"default: {text}"


def _given(fields: Sequence[BriefField], values: Mapping[str, Any]) -> dict[str, Any]:
    """The given options, parsed."""
    by_name = {field.name: field for field in fields}
    given = {name: value for name, value in values.items() if value not in (None, [])}
    return {
        name: by_name[name].parse(given[name]) if name in by_name else given[name] for name in given
    }


def _with_signature(
    function: Callable[..., None], parameters: Mapping[str, tuple[Any, Any]]
) -> Callable[..., None]:
    """The function with these parameters, each an annotation and a default, as Typer reads them."""
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
