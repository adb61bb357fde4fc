"""The options of commands that come from the pipelines' fields."""

import inspect
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from castad.cli.key_app import AsJson
from pipeline_defs.catalog import catalog
from pipeline_defs.fields import BriefField, brief_fields
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError

_OPTION_TYPES = {"whole number": int, "number": float, "yes or no": bool}


def make_function(arguments: Sequence[str]) -> Callable[..., None]:
    """`castad make` with the fields of the pipeline that an argument names or that its file orders."""
    pipeline = _pipeline_of(arguments)
    fields = brief_fields(pipeline.brief)
    target = Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(
            metavar="[PIPELINE|FILE.yaml]",
            help=f"A pipeline ({', '.join(catalog().names)}), or the file of one order",
        ),
    ]
    options = {
        "task_id": (Annotated[Optional[str], typer.Option(help="The order's name")], None),  # noqa: UP045
        "dry_run": (
            Annotated[
                bool,
                typer.Option("--dry-run", help="Only check the order and print its price"),
            ],
            False,
        ),
        "as_json": (AsJson, False),
    }

    def make(target: str | None, dry_run: bool, as_json: bool, **given: Any) -> None:
        from castad.cli.commands import make_one
        from castad.cli.money import price_one

        file = None if target is None or catalog().find(target) else Path(target)
        named = {"pipeline": target} if target and file is None else {}
        (price_one if dry_run else make_one)(file, named | _given(fields, given), as_json)

    return _with_signature(make, {"target": (target, None), **_parameters(fields), **options})


def make_example(arguments: Sequence[str]) -> str:
    """`castad make` with the fields that an order of the pipeline must have."""
    pipeline = _pipeline_of(arguments)
    needed = {
        field.flag.name: str(pipeline.example.get(field.name, "…"))
        for field in brief_fields(pipeline.brief)
        if field.required
    }
    options = [part for name, value in needed.items() for part in (f"--{name}", value)]
    return shlex.join(["castad", "make", pipeline.name, *options])


def redo_function(arguments: Sequence[str]) -> Callable[..., None]:
    """`castad redo` with the fields that a redo of some pipeline may change."""
    fields = catalog().changeable_fields
    options = {
        "task_id": (
            Annotated[str, typer.Argument(metavar="TASK_ID", help="The order's name")],
            inspect.Parameter.empty,
        ),
        "stage": (
            Annotated[str, typer.Option("--from", help="The first stage that is made again")],
            inspect.Parameter.empty,
        ),
    }

    def redo(task_id: str, stage: str, as_json: bool, **given: Any) -> None:
        from castad.cli.commands import redo_one

        redo_one(task_id, stage, _given(fields, given), as_json=as_json)

    return _with_signature(redo, {**options, **_parameters(fields), "as_json": (AsJson, False)})


def _pipeline_of(arguments: Sequence[str]) -> Pipeline:
    """The pipeline that an argument names, or that an argument's file names, else the default."""
    for argument in arguments:
        found = catalog().find(argument) or _pipeline_in(argument)
        if found is not None:
            return found
    return catalog().default


def _pipeline_in(argument: str) -> Pipeline | None:
    from castad.orders.orders_file import read_orders

    if Path(argument).suffix.lower() not in (".yaml", ".yml", ".json", ".csv"):
        return None
    try:
        [order, *_] = read_orders(Path(argument))
    except InvalidInputError:
        return None  # the command itself refuses the file with a sentence
    return catalog().find(str(order.fields.get("pipeline")))


def _parameters(fields: Sequence[BriefField]) -> dict[str, tuple[Any, Any]]:
    return {field.name: (_annotation(field), None) for field in fields}


def _annotation(field: BriefField) -> Any:
    is_list = field.type.kind == "list"
    kind = list[str] if is_list else _OPTION_TYPES.get(field.type.kind, str)
    choices = "|".join(field.type.choices) or None
    help_text = f"{field.description}; repeatable" if is_list else field.description
    option = typer.Option(*_option_names(field), help=help_text, metavar=choices)
    return Annotated[Optional[kind], option]  # noqa: UP045


def _option_names(field: BriefField) -> list[str]:
    if field.type.kind == "yes or no":
        return [f"--{field.flag.name}/--{field.flag.off or f'no-{field.flag.name}'}"]
    return [f"--{field.flag.name}"]


def _given(fields: Sequence[BriefField], values: Mapping[str, Any]) -> dict[str, Any]:
    """The given options; nested ones are parsed, each entry of a list by itself."""
    is_nested = {field.name for field in fields if field.type.is_nested}
    given = {name: value for name, value in values.items() if value not in (None, [])}
    return {
        name: _parsed(name, value) if name in is_nested else value for name, value in given.items()
    }


def _parsed(name: str, given: str | list[str]) -> Any:
    try:
        return (
            [json.loads(text) for text in given] if isinstance(given, list) else json.loads(given)
        )
    except (ValueError, RecursionError):
        raise InvalidInputError(name, "expected JSON") from None


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
