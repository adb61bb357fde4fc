"""The fields that a redo changes, as a call's query parameters hold them."""

from dataclasses import replace
from typing import Any, Literal

import pytest
from pydantic import BaseModel
from starlette.datastructures import QueryParams

from castad.api.bodies import parse_redo_changes
from castad.api.order_schema import describe_changeable_parameters
from pipeline_defs.capabilities import Changeable
from pipeline_defs.catalog import Catalog
from resources.contract.errors import InvalidInputError
from tests.small_pipelines import small_pipeline
from tests.tables import rows_beside


class Poster(BaseModel):
    size: Literal["s", "m"] = "s"
    copies: int = 1
    lines: list[str] = []
    colours: dict[str, str] = {}
    parts: list[dict[str, int]] = []


class Scan(BaseModel):
    size: int = 1
    depth: int = 1


def changeable(name: str, brief: type[BaseModel]) -> Any:
    fields = dict.fromkeys(brief.model_fields, "look")
    return replace(small_pipeline(name), order_model=brief, extras=(Changeable(fields),))


CATALOG = Catalog({"poster": changeable("poster", Poster), "scan": changeable("scan", Scan)})


@rows_beside
def test_change_is_read_by_the_type_of_its_field(query, changes):
    assert parse_redo_changes(CATALOG, "poster", QueryParams(query)) == changes


def test_change_of_a_nested_field_that_is_no_json_is_refused():
    with pytest.raises(InvalidInputError, match=r"^colours: expected JSON$"):
        parse_redo_changes(CATALOG, "poster", QueryParams("colours=red"))


def test_changeable_field_of_two_pipelines_is_one_parameter_of_either_form():
    described = {each["name"]: each["schema"] for each in describe_changeable_parameters(CATALOG)}
    assert described["size"] == {
        "anyOf": [{"type": "string", "enum": ["s", "m"]}, {"type": "string"}]
    }
    assert described["lines"] == {"type": "array", "items": {"type": "string"}}
