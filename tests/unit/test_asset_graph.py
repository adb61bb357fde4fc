"""The asset catalog: what it connects, and what it says of what."""

import pytest
from dagster import AssetKey, RepositoryDefinition

from pipeline_defs.catalog import get_catalog
from pipeline_defs.definitions import defs
from pipeline_defs.pipeline import BoughtStage
from sensors.event_mirror import REQUESTS_ASSET

PRODUCTS = [
    pytest.param(pipeline, stage, id=f"{pipeline.name}-{stage.name}")
    for pipeline in get_catalog()
    for stage in pipeline.stages
]


@pytest.fixture(scope="module")
def repository() -> RepositoryDefinition:
    return defs().get_repository_def()


@pytest.mark.parametrize(("pipeline", "stage"), PRODUCTS)
def test_product_comes_of_what_its_stage_needs_and_the_first_of_the_request(
    repository, pipeline, stage
):
    node = repository.asset_graph.get(AssetKey([pipeline.name, stage.name]))
    needs = {AssetKey([pipeline.name, need]) for need in pipeline.get_needed_stages(stage)}
    assert node.parent_keys == (needs or {REQUESTS_ASSET})


@pytest.mark.parametrize(("pipeline", "stage"), PRODUCTS)
def test_product_has_its_makers_as_kinds(repository, pipeline, stage):
    node = repository.asset_graph.get(AssetKey([pipeline.name, stage.name]))
    assert node.kinds == set(stage.makers if isinstance(stage, BoughtStage) else ("python",))


def test_no_asset_is_an_island(repository):
    graph = repository.asset_graph
    nodes = [graph.get(key) for key in graph.get_all_asset_keys()]
    assert [node.key for node in nodes if not node.parent_keys and not node.child_keys] == []


def test_asset_of_events_is_one_that_is_observed(repository):
    assert repository.asset_graph.get(REQUESTS_ASSET).is_observable
