"""An order of any pipeline: each kind of field says what it expects, and becomes run config."""

from collections.abc import Mapping
from datetime import date, datetime
from enum import Enum, IntEnum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from pipeline_defs.build import make_flat_config
from pipeline_defs.fields import find_first_input_error, list_order_fields
from pipeline_defs.pipeline import LocalStage, Pipeline, Products
from resources.contract.errors import InvalidInputError
from resources.contract.protocol import Product
from tests.tables import rows_beside


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Size(BaseModel):
    width: int = 1


class Order(BaseModel):
    name: str = ""
    count: int = Field(1, gt=0, lt=10)
    share: float = Field(0.5, multiple_of=0.5)
    paper: Literal["A3", "A2"] = "A3"
    colour: Colour = Colour.RED
    day: date = date(2030, 1, 31)
    at: datetime | None = None
    lines: list[str] = Field([], min_length=0)
    sizes: list[Size] = Field([Size()], min_length=1)
    size: Size = Size()
    notes: dict[str, str] = {}


@rows_beside
def test_every_kind_of_field_says_what_it_expects(field, given, expected):
    with pytest.raises(ValidationError) as refusal:
        Order.model_validate({field: given})
    error = find_first_input_error(refusal.value, tuple(Order.model_fields))
    assert error.message == f"{field}: expected {expected}"


@pytest.mark.parametrize(
    ("field", "is_nested"),
    [("name", False), ("lines", False), ("sizes", True), ("size", True), ("notes", True)],
)
def test_field_is_nested_where_its_text_is_json(field, is_nested):
    kinds = {each.name: each.type for each in list_order_fields(Order)}
    assert kinds[field].is_nested is is_nested


def test_enum_of_numbers_is_refused_since_its_text_would_be_no_value():
    class Level(IntEnum):
        LOW = 1

    class Levels(BaseModel):
        level: Level

    with pytest.raises(InvalidInputError, match="level: expected a type that JSON has"):
        list_order_fields(Levels)


def test_defaults_of_every_kind_are_run_config():
    seen: list[Mapping[str, Any]] = []

    def accept(order: Mapping[str, Any]) -> Mapping[str, Any]:
        seen.append(order)
        return order

    def work(order: Order, products: Products, work: object) -> Product:
        return Product({})

    pipeline = Pipeline("any", "Any", Order, (LocalStage("one", Size, "One", work=work),), {}, str)
    make_flat_config(pipeline, accept).resolve_from_unvalidated_config({})
    given = Order.model_validate(seen[-1]).model_dump(mode="json")
    assert given == Order().model_dump(mode="json")
