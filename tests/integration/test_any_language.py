"""Orders from other languages: the published schemas, and the examples as they are run."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import jsonschema_rs
import pytest
import redis

from castad.api.schema_files import (
    FOLDER,
    build_result_schema,
    build_schema_files,
    find_stale_files,
)
from castad.intake.stream import ORDERS, OrderStream
from castad.intake.take_orders import Intake
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.ledger.db.database import Database
from resources.ledger.queries.status import list_requests
from resources.process.settings import PROJECT_ROOT
from tests.api_house import BRIEF, served
from tests.brokers import RedisServer
from tests.small_pipelines import small_pipeline

ORDER = json.dumps({**BRIEF, "task_id": "abroad"}, ensure_ascii=False)
NODE = ("node", "examples/order.mjs")
GO = ("go", "run", "examples/order.go")
# Go compiles first, which takes many seconds on a new machine.
LANGUAGES = [pytest.param((NODE,), id="Node"), pytest.param((GO,), id="Go", marks=pytest.mark.slow)]


def orders_schema(pipeline: Pipeline) -> Any:
    return json.loads((FOLDER / f"{pipeline.name}.order.json").read_text())


def test_published_schemas_are_those_of_the_pipelines():
    assert find_stale_files(FOLDER, build_schema_files(get_catalog())) == []


def test_stale_missing_and_left_schemas_are_named(tmp_path):
    for name in ("a.order.json", "left.order.json"):
        (tmp_path / name).write_text("old")
    wanted = {"a.order.json": "new", "b.order.json": "new"}
    assert find_stale_files(tmp_path, wanted) == ["a.order.json", "b.order.json", "left.order.json"]


@pytest.mark.parametrize("name", get_catalog().names)
def test_schema_takes_the_example_with_its_defaults_and_no_other_member(name):
    pipeline = get_catalog().get_pipeline(name)
    order = {"pipeline": name, "task_id": "a", **pipeline.normalize(pipeline.example)}
    schema = jsonschema_rs.validator_for(orders_schema(pipeline))
    assert schema.is_valid(order)
    assert not schema.is_valid({**order, "nonsense": 1})


@pytest.mark.parametrize("name", get_catalog().names)
def test_every_pipeline_says_what_its_result_is(name):
    pipeline = get_catalog().get_pipeline(name)
    assert pipeline.result_model is not None
    assert jsonschema_rs.validator_for(build_result_schema(pipeline))


def test_pipeline_without_a_model_may_have_any_result():
    assert jsonschema_rs.validator_for(build_result_schema(small_pipeline("survey"))).is_valid([1])


# SQL

SQL = re.findall(r"^```sql\n(.*?)^```", (FOLDER.parent / "orders.md").read_text(), re.M | re.S)


@pytest.mark.parametrize("number", range(len(SQL)))
def test_order_by_documented_sql_is_a_request_whose_payload_can_be_used(request, number):
    kind = "postgres" if "json_build_object" in SQL[number] else "sqlite"
    with closing(Database(request.getfixturevalue(f"{kind}_ledger_url"))) as ledger:
        with ledger.writing() as tx:
            tx.exec_driver_sql(
                SQL[number].replace("%", "%%") if kind == "postgres" else SQL[number]
            )
        [found] = list_requests(ledger)
        assert get_catalog().get_pipeline(found.pipeline).normalize(json.loads(found.payload))


# The examples


@pytest.fixture(scope="module")
def valkey() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


def available(*commands: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Those whose program this machine has: castad itself needs none of them."""
    return [command for command in commands if shutil.which(command[0])]


def run(command: tuple[str, ...], *arguments: str) -> str:
    done = subprocess.run(
        [*command, *arguments], cwd=PROJECT_ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("languages", LANGUAGES)
def test_examples_order_through_a_stream(ledger, valkey, make_settings, languages):
    stream = OrderStream(valkey.url, claim_seconds=60.0)
    stream.open()
    address = f"redis://127.0.0.1:{valkey.port}"
    commands = available(*languages)
    for number, command in enumerate(commands):
        order = json.dumps({**BRIEF, "task_id": f"abroad-{number}"}, ensure_ascii=False)
        assert "-0" in run(command, address, valkey.password, order)
    with redis.Redis.from_url(valkey.url) as client:
        assert client.xlen(ORDERS) == len(commands)
    Intake(stream, make_settings()).take_batch()
    assert len(list_requests(ledger)) == len(commands)
    stream.leave()


@pytest.mark.parametrize("languages", LANGUAGES)
def test_examples_order_over_http(ledger, languages):
    with served() as house:
        key = house.key("shop")
        for command in available(*languages):
            assert run(command, house.url, key, ORDER)[:3] in ("202", "200")
    assert {request.task_id for request in list_requests(ledger)} <= {"abroad"}
