"""A stage's product: a result that does not fit is refused, and metadata that fails harms nothing."""

from types import SimpleNamespace
from typing import Any

import pytest
from dagster import AssetKey
from pydantic import BaseModel

from pipeline_defs.pipeline import LocalStage
from pipeline_defs.stage import StageExecution
from pipeline_defs.stage_product import materialization, refuse_unfit
from resources.contract.errors import PermanentError
from resources.contract.protocol import Product
from resources.ledger.db.database import open_database
from tests.song_video import SONG_VIDEO


class Layout(BaseModel):
    width: int


STAGE = LocalStage("layout", Layout, "Lay out", work=lambda brief, products, work: Product({}))
ATTEMPT: Any = SimpleNamespace(task_id="t", request=SimpleNamespace(pipeline="poster"))


def test_result_that_fits_its_model_is_stored_with_what_the_model_does_not_know() -> None:
    refuse_unfit(STAGE, {"width": 1, "files": []})


def test_result_that_does_not_fit_its_model_is_refused_by_stage_and_field() -> None:
    with pytest.raises(PermanentError) as refusal:
        refuse_unfit(STAGE, {"width": "wide"})
    assert (refusal.value.code, refusal.value.message) == (
        "product_unfit",
        "layout: its result does not fit Layout: width: expected a whole number",
    )


def test_materialization_has_the_stages_own_metadata_and_the_cost() -> None:
    made = materialization(ATTEMPT, "layout", 250_000, lambda: {"width": 1})
    assert (made.asset_key, made.partition) == (AssetKey(["poster", "layout"]), "t")
    assert {name: value.value for name, value in made.metadata.items()} == {
        **{"task_id": "t", "cost_usd": 0.25},
        "width": 1,
    }


@pytest.mark.parametrize("told", [{"width": object()}, {1: 2}, None])
def test_metadata_that_cannot_be_shown_is_left_out(told: Any) -> None:
    made = materialization(ATTEMPT, "layout", 0, lambda: told)
    assert set(made.metadata) == {"task_id", "cost_usd"}


def test_metadata_that_raises_is_left_out() -> None:
    made = materialization(ATTEMPT, "layout", 0, lambda: {"width": 1 / 0})
    assert set(made.metadata) == {"task_id", "cost_usd"}


def test_product_that_is_not_there_is_missed_with_those_that_are(sqlite_ledger_url: str) -> None:
    attempt: Any = SimpleNamespace(task_id="t", db=open_database(sqlite_ledger_url))
    stage = SONG_VIDEO.stages[0]
    products = StageExecution(SONG_VIDEO, stage, {}, lambda product, store: {}).products(attempt)
    with pytest.raises(KeyError, match="no product of 'lyrics'; there are: none yet"):
        products["lyrics"]
