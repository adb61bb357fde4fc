"""A stage's product: a result that does not fit is refused, and metadata that fails harms nothing."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from dagster import AssetKey
from pydantic import BaseModel

from pipeline_defs.capabilities import MainFile
from pipeline_defs.pipeline import LocalStage, Pipeline
from pipeline_defs.stage import (
    ProductsSoFar,
    StageExecution,
    check_main_file,
    check_result_fits,
    make_materialization,
)
from resources.contract.errors import PermanentError
from resources.contract.protocol import Product
from tests.small_pipelines import small_pipeline
from tests.song_video import SONG_VIDEO


class Layout(BaseModel):
    width: int


STAGE = LocalStage("layout", Layout, "Lay out", work=lambda brief, products, work: Product({}))
ATTEMPT: Any = SimpleNamespace(task_id="t", request=SimpleNamespace(pipeline="poster"))


def test_result_that_fits_its_model_is_stored_with_what_the_model_does_not_know():
    check_result_fits(STAGE, {"width": 1, "files": []})


def test_result_that_does_not_fit_its_model_is_refused_by_stage_and_field():
    with pytest.raises(PermanentError) as refusal:
        check_result_fits(STAGE, {"width": "wide"})
    assert (refusal.value.code, refusal.value.message) == (
        "product_unfit",
        "layout: its result does not fit Layout: width: expected a whole number",
    )


def with_files(*types: str) -> dict[str, Any]:
    return {"files": [{"media_type": each} for each in types]}


def certificate(main_file: str) -> Pipeline:
    """A draft and a seal, neither of which needs the other."""
    draft, seal = (replace(STAGE, name=name, needs=()) for name in ("draft", "seal"))
    extras = (MainFile(main_file),) if main_file else ()
    return small_pipeline("certificate", stages=(draft, seal), extras=extras)


@pytest.mark.parametrize(
    ("main_file", "draft"),
    [
        ("", with_files()),
        ("image/png", with_files("image/png")),
        ("text/plain", with_files()),
        ("image/png", None),
    ],
    ids=["none is promised", "another stage made it", "this stage made it", "a stage is missing"],
)
def test_result_is_stored_where_the_main_file_is_made_or_may_still_be(main_file, draft):
    pipeline = certificate(main_file)
    check_main_file(pipeline, pipeline.stages[1], with_files("text/plain"), {"draft": draft}.get)


def test_last_result_is_refused_where_no_stage_has_made_the_main_file():
    pipeline, stored = certificate("image/png"), {"draft": with_files("text/csv")}
    with pytest.raises(PermanentError) as refusal:
        check_main_file(pipeline, pipeline.stages[1], with_files("text/plain"), stored.get)
    assert (refusal.value.code, refusal.value.message) == (
        "product_unfit",
        "pipeline_defs/certificate: MainFile.media_type: expected the type of a file that "
        "a stage has made: text/csv, text/plain, got image/png",
    )


def test_materialization_has_the_stages_own_metadata_and_the_cost():
    made = make_materialization(ATTEMPT, "layout", 250_000, lambda: {"width": 1})
    assert (made.asset_key, made.partition) == (AssetKey(["poster", "layout"]), "t")
    assert {name: value.value for name, value in made.metadata.items()} == {
        **{"task_id": "t", "cost_usd": 0.25},
        "width": 1,
    }


@pytest.mark.parametrize("told", [{"width": object()}, {1: 2}, None])
def test_metadata_that_cannot_be_shown_is_left_out(told):
    made = make_materialization(ATTEMPT, "layout", 0, lambda: told)
    assert set(made.metadata) == {"task_id", "cost_usd"}


def test_metadata_that_raises_is_left_out():
    made = make_materialization(ATTEMPT, "layout", 0, lambda: {"width": 1 / 0})
    assert set(made.metadata) == {"task_id", "cost_usd"}


def test_product_that_is_not_there_is_missed_with_those_that_are():
    ledger: Any = SimpleNamespace(read_result=lambda stage: None)
    stage = SONG_VIDEO.stages[0]
    products = ProductsSoFar(StageExecution(SONG_VIDEO, stage, {}, lambda *of: {}, ledger))
    with pytest.raises(KeyError, match="no product of 'lyrics'; there are: none yet"):
        products["lyrics"]
