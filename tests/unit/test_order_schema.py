"""What OpenAPI says of orders, in a house with a pipeline of every kind of field."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel

from castad.api.app import build_app
from castad.api.order_schema import build_example_csv
from pipeline_defs.catalog import Catalog
from tests.small_pipelines import small_pipeline
from tests.song_video import SONG_VIDEO


class Size(Enum):
    SMALL = "small"
    BIG = "big"


class Part(BaseModel):
    name: str = ""
    parts: list["Part"] = []


class Order(BaseModel):
    size: Size = Size.SMALL
    parts: list[Part] = []


class OtherOrder(BaseModel):
    part: Part = Part()


EXAMPLE = {
    "size": 'big, "huge"',
    "lines": ["one", "two, three"],
    "parts": [{"name": "a"}],
    "colours": {"a": "red"},
    "copies": 2,
}


def house(*briefs: type[BaseModel]) -> Catalog:
    found = {SONG_VIDEO.name: SONG_VIDEO}
    for number, brief in enumerate(briefs):
        pipeline = small_pipeline(f"poster_{number}")
        found[pipeline.name] = replace(pipeline, order_model=brief, example={})
    return Catalog(found)


def references(schema: Any) -> Iterator[str]:
    """Every $ref in it."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for each in schema.values():
            yield from references(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from references(each)


@pytest.fixture(scope="module")
def described() -> Any:
    return build_app(house(Order, OtherOrder)).openapi()


def test_every_reference_of_the_description_leads_to_a_schema(described):
    named = {f"#/components/schemas/{name}" for name in described["components"]["schemas"]}
    assert set(references(described)) <= named


def test_schemas_inside_an_order_carry_its_pipelines_name(described):
    names = described["components"]["schemas"]
    assert {"Poster0Order.Size", "Poster0Order.Part", "Poster1Order.Part"} <= set(names)
    assert all(re.fullmatch(r"[a-zA-Z0-9._-]+", name) for name in names)


def test_example_of_csv_has_a_cell_for_each_field_whatever_its_value():
    pipeline = replace(small_pipeline("poster"), example=EXAMPLE)
    header, row = csv.reader(io.StringIO(build_example_csv(Catalog({"poster": pipeline}))))
    assert dict(zip(header, row, strict=True)) == {
        "task_id": "shop-1",
        "size": 'big, "huge"',
        "lines": "one|two, three",
        "parts": '[{"name": "a"}]',
        "colours": '{"a": "red"}',
        "copies": "2",
    }
