"""The fields of an order's model that cannot be options or parameters are refused by name."""

import inspect
from dataclasses import replace
from typing import Annotated, Any

import pytest
from pydantic import AliasChoices, AliasGenerator, BaseModel, ConfigDict, Field, create_model
from typer import Typer
from typer.main import get_command

from castad.cli.order_options import make_function, redo_function
from castad.orders.order_fields import ORDER_OPTIONS
from pipeline_defs.catalog import Catalog
from pipeline_defs.checks import RESERVED, find_brief_faults
from pipeline_defs.fields import Flag, list_order_fields
from resources.contract.errors import InvalidInputError
from tests.small_pipelines import small_pipeline

NO_FIELDS = replace(small_pipeline("survey"), order_model=create_model("Order"))


def fault_of(**fields: Any) -> tuple[str, str] | None:
    """The first fault of a model of these fields."""
    model = create_model("Order", **{name: (kind, None) for name, kind in fields.items()})
    return next(find_brief_faults(list_order_fields(model)), None)


def own_names() -> set[str]:
    """What the commands call their own parameters and options."""
    pipelines = Catalog({NO_FIELDS.name: NO_FIELDS})
    found = set(ORDER_OPTIONS)
    for function in (
        make_function([], pipelines),
        redo_function([], pipelines, pipelines.find_pipeline),
    ):
        app = Typer(add_completion=False)
        app.command()(function)
        command: Any = get_command(app)
        options = [option for each in command.params for option in each.opts]
        help_options = command.context_settings.get("help_option_names", ["--help"])
        found |= set(inspect.signature(function).parameters)
        found |= {each.removeprefix("--").replace("-", "_") for each in options + help_options}
    return found


def test_reserved_names_are_all_that_commands_and_orders_call_their_own():
    assert own_names() <= RESERVED


@pytest.mark.filterwarnings("ignore:Field name .* shadows an attribute")
@pytest.mark.parametrize("name", sorted(RESERVED))
def test_field_with_a_reserved_name_is_refused(name):
    fault = fault_of(**{name: str})
    assert fault == (name, "expected another name: an option of commands or orders has this one")


@pytest.mark.parametrize("flag", ["task-id", "json", "from", "dry-run"])
def test_flag_that_commands_have_is_refused(flag):
    fault = fault_of(size=Annotated[str, Flag(flag)])
    assert fault == ("size", f"expected another flag: --{flag} is an option of commands")


@pytest.mark.parametrize(
    ("first", "second", "flag"),
    [
        (Annotated[str, Flag("size")], Annotated[str, Flag("size")], "size"),
        (Annotated[str, Flag("no-b")], bool, "no-b"),
        (Annotated[bool, Flag("x", off="b")], str, "b"),
    ],
)
def test_flag_of_two_fields_is_refused(first, second, flag):
    assert fault_of(a=first, b=second) == ("b", f"expected another flag: --{flag} is that of a")


@pytest.mark.parametrize("flag", ["", "--size", "two words"])
def test_flag_that_is_no_option_is_refused(flag):
    fault = fault_of(size=Annotated[str, Flag(flag)])
    assert fault == ("size", f"expected a flag of letters, digits and hyphens, got {flag!r}")


@pytest.mark.parametrize(
    "aliased",
    [
        Field("", alias="head"),
        Field("", validation_alias=AliasChoices("head", "headline")),
        Field("", serialization_alias="head"),
    ],
)
def test_field_with_an_alias_is_refused(aliased):
    model = create_model("Order", headline=(str, aliased))
    with pytest.raises(InvalidInputError, match=r"^headline: expected a field without an alias$"):
        list_order_fields(model)


def test_field_with_an_alias_inside_another_is_refused_by_its_path():
    class Part(BaseModel):
        model_config = ConfigDict(alias_generator=AliasGenerator(str.upper))

        name: str = ""
        parts: list["Part"] = []

    model = create_model("Order", parts=(list[Part] | None, None))
    with pytest.raises(InvalidInputError, match=r"^parts\.name: expected a field without"):
        list_order_fields(model)


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (bytes, "expected a type that JSON has, got bytes"),
        (set[Annotated[str, Field(max_length=9)]], "expected a type that JSON has, got set"),
        (str | int, r"expected one type, or one type and None, got str \| int"),
    ],
)
def test_field_of_a_type_that_json_lacks_is_refused(kind, fault):
    with pytest.raises(InvalidInputError, match=f"^size: {fault}$"):
        list_order_fields(create_model("Order", size=(kind, None)))


def test_model_that_holds_itself_has_fields():
    class Tree(BaseModel):
        name: str = ""
        branches: list["Tree"] = []

    assert [field.name for field in list_order_fields(Tree)] == ["name", "branches"]
