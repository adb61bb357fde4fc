"""The options of commands that come from the fields of orders."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from castad.cli.order_options import make_function, redo_function
from pipeline_defs.capabilities import Changeable
from pipeline_defs.catalog import Catalog
from pipeline_defs.pipeline import Pipeline
from tests.small_pipelines import small_pipeline
from tests.song_video import SONG_VIDEO


class Scan(BaseModel):
    depth: int = 1
    colour: bool = False


SCAN = replace(small_pipeline("scan"), order_model=Scan, example={}, summary=lambda brief: "a scan")
CATALOG = Catalog({SONG_VIDEO.name: SONG_VIDEO, SCAN.name: SCAN})


class Print(BaseModel):
    depth: str = ""
    paper: str = ""


def changeable(brief: type[BaseModel], name: str, *fields: str) -> Pipeline:
    pipeline = replace(
        small_pipeline(name), order_model=brief, example={}, summary=lambda brief: name
    )
    return replace(pipeline, extras=(Changeable(dict.fromkeys(fields, "look")),))


SCANS = changeable(Scan, "scan", "depth")
PRINTS = changeable(Print, "print", "depth", "paper")


def fields_of(arguments: Sequence[str]) -> set[str]:
    """The options of `castad make` with these arguments."""
    return set(inspect.signature(make_function(arguments, CATALOG)).parameters)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--customer-name", "scan", "--region", "Busan"],
        ["--customer-name=Cafe", "--region", "scan"],
        ["song_video", "--customer-name", "scan"],
        ["--customer-name", "scan", "song_video"],
        ["--vocals", "--customer-name", "scan"],
        [],
    ],
)
def test_value_of_an_option_names_no_pipeline(arguments):
    assert "customer_name" in fields_of(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["scan", "--depth", "3"],
        ["--dry-run", "scan"],
        ["--depth", "3", "scan"],
        ["--depth=3", "scan"],
        ["--no-colour", "scan"],
        ["--task-id", "song_video", "scan"],
        ["--json", "--", "scan"],
    ],
)
def test_first_argument_names_the_pipeline_wherever_options_stand(arguments):
    assert "depth" in fields_of(arguments)


def test_file_as_the_first_argument_orders_of_the_pipeline_that_it_names(tmp_path):
    file = tmp_path / "scan.yaml"
    file.write_text("pipeline: scan\n")
    assert "depth" in fields_of(["--depth", "2", str(file)])


def redo_options(*arguments: str) -> Mapping[str, Any]:
    """The types of the options of `castad redo` with these arguments; `a` orders a scan, `b` a print."""
    of_orders = {"a": SCANS, "b": PRINTS}
    function = redo_function(arguments, Catalog({"scan": SCANS, "print": PRINTS}), of_orders.get)
    return {name: each.annotation for name, each in inspect.signature(function).parameters.items()}


@pytest.mark.parametrize(("order", "kind"), [("a", int), ("b", str)])
def test_redo_takes_a_field_as_the_orders_own_pipeline_does(order, kind):
    for arguments in ([order, "--depth", "2"], ["--from", "x", "--depth", "b", order]):
        assert get_args(redo_options(*arguments)["depth"])[0] == kind | None


def test_redo_has_no_option_of_another_pipeline():
    assert "paper" not in redo_options("a")


def test_redo_of_no_order_lists_the_fields_of_all_pipelines_once():
    assert {"depth", "paper"} <= set(redo_options("--help"))
