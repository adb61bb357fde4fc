"""A pipeline that is one folder and one line works at every face of a running castad."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tests.api_house import stream
from tests.eventually import eventually
from tests.extension.house import ORDER, House, open_house
from tests.fakes.faults import Fault

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]

LONG = 1_000_000
LAUNCH = """mutation Launch($wanted: ExecutionParams!) {
  launchRun(executionParams: $wanted) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on Error { message } } }"""
ASSETS = """query Assets {
  assetsOrError { ... on AssetConnection { nodes { key { path }
    assetMaterializations(limit: 1) { metadataEntries { label } } } } } }"""
SELECTOR = {
    "repositoryLocationName": "castad",
    "repositoryName": "__repository__",
    "pipelineName": "poster",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("extension")) as house:
        yield house


@pytest.fixture
def held(house: House) -> Iterator[None]:
    """No printing is done before the test ends."""
    house.shop.set(delay=LONG)
    yield
    house.shop.set(delay=0)


@pytest.fixture
def half_done(house: House) -> Iterator[None]:
    """Every printing has done some of its copies for as long as the test takes."""
    house.shop.set(delay=20)
    yield
    house.shop.set(delay=0)


def test_code_of_the_copy_is_what_runs(house):
    printed = house.clone.run("-c", "import castad.cli; print(castad.cli.__file__)").stdout
    assert Path(printed.strip()).is_relative_to(house.clone.folder)


# SQL


def test_sql_insert_is_made(house):
    statement = "INSERT INTO requests (task_id, pipeline, payload) VALUES ('sql', 'poster', :order)"
    with house.db.writing() as tx:
        tx.execute(text(statement), {"order": json.dumps(ORDER)})
    assert house.until("sql", "completed")["result"]["copies"] == 4


def test_sql_insert_of_an_invalid_order_is_dead_with_the_field(house):
    statement = "INSERT INTO requests (task_id, pipeline, payload) VALUES ('bad', 'poster', :order)"
    with house.db.writing() as tx:
        tx.execute(text(statement), {"order": json.dumps({**ORDER, "paper": "A9"})})
    error = house.until("bad", "dead")["error"]
    assert error == {"code": "invalid_payload", "message": "paper: expected 'A3' or 'A2'"}


# The command line


def test_make_takes_every_field_as_an_option_and_ends_with_the_result(house):
    options = ["--headline", "Open day", "--lines", "come early", "--lines", "stay late"]
    options += [
        "--paper",
        "A2",
        "--copies",
        "3",
        "--footer",
        "bye",
        "--colours",
        '{"frame": "red"}',
    ]
    made = house.castad("make", "poster", *options, "--task-id", "made")
    result = json.loads(made.stdout.splitlines()[-1])
    assert (result["copies"], result["tracking"]) == (3, _job(house, "made", "track-{}"))
    assert [line.strip("| ") for line in result["poster"].splitlines()[1:-1]] == [
        *("OPEN DAY", "", "come early", "stay late", "", "bye")
    ]
    assert json.loads(house.castad("watch", "made").stdout) == result
    [order] = [charge for charge in house.shop.charges() if charge["cost"] == 1.5]
    assert order["what"] == "printing"


def test_make_lists_the_fields_of_the_pipeline_and_no_others(house):
    shown = house.castad("make", "poster", "--help").stdout
    assert {"--headline", "--lines", "--paper", "--copies", "--footer", "--colours"} <= set(
        re.findall(r"--[a-z-]+", shown)
    )
    assert "--genre" not in shown


def test_make_says_which_option_is_json_and_which_may_be_repeated(house):
    shown = " ".join(house.castad("make", "poster", "--help").stdout.split())
    assert "--colours JSON Colours by part" in shown
    assert "Up to 8 lines below it; repeatable" in shown


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        (["--paper", "A9"], "paper: expected 'A3' or 'A2' [invalid_input]"),
        (["--copies", "900"], "copies: expected at most 500 [invalid_input]"),
        (["--colours", "[1]"], "colours: expected a JSON object [invalid_input]"),
        (["--colours", "red"], "colours: expected JSON [invalid_input]"),
        (["--headline", " "], "headline: expected at least 1 character [invalid_input]"),
    ],
)
def test_make_refuses_a_field_with_one_sentence(house, options, refused):
    done = house.castad("make", "poster", "--headline", "Sale", *options, "--dry-run")
    assert (done.returncode, done.stderr) == (2, f"castad: {refused}\n")


def test_dry_run_prices_the_bought_stage_and_takes_the_local_one_for_nothing(house):
    priced = house.castad("make", "poster", "--headline", "Sale", "--dry-run", "--json").json
    assert priced["stages"] == [
        {"stage": "layout", "provider": None, "cost_usd": 0.0},
        {"stage": "printing", "provider": "printshop", "cost_usd": 2.5},
    ]


def test_order_without_the_vendors_key_is_refused_by_the_keys_name(house):
    done = house.castad("make", "poster", "--headline", "Sale", "--dry-run", PRINTSHOP_API_KEY="")
    expected = "PRINTSHOP_API_KEY: expected a key, since the maker of printing is printshop"
    assert done.stderr == f"castad: {expected} [invalid_setting]\n"


def test_submit_takes_a_file_of_orders(house):
    file = house.clone.folder / "orders.yaml"
    orders = [{"task_id": f"file-{n}", "pipeline": "poster", **ORDER} for n in (1, 2)]
    file.write_text(json.dumps(orders))
    submitted = house.castad("submit", str(file), "--json").json["orders"]
    assert [order["created"] for order in submitted] == [True, True]
    for order in orders:
        house.until(str(order["task_id"]), "completed")


def test_submit_takes_a_csv_of_two_pipelines(house):
    file = house.clone.folder / "orders.csv"
    file.write_text(
        "pipeline,headline,lines,copies,colours,customer_name,region,images\n"
        'poster,Sale,come early|stay late,7,"{""frame"": ""red""}",,,\n'
        "song_video,,,,,Blue Cafe,Busan,\n"
    )
    poster, song = house.castad("submit", str(file), "--dry-run", "--json").json["orders"]
    assert (poster["lines"], poster["copies"]) == (["come early", "stay late"], 7)
    assert (poster["colours"], song["customer_name"]) == ({"frame": "red"}, "Blue Cafe")


def test_status_and_history_tell_of_the_pipelines_stages(house):
    house.done("told")
    status = house.castad("status", "told", "--json").json
    assert list(status["stages"]) == ["layout", "printing"]
    assert [Path(file).name for file in status["files"]] == ["layout.txt", "receipt.json"]
    assert "printing" in house.castad("status", "told").stdout
    told = house.castad("history", "told").stdout
    assert "stage_completed (layout)" in told
    assert "submitted (printing, printshop" in told


def test_redo_from_the_second_stage_keeps_the_first_and_buys_the_second_again(house):
    first = house.done("again")
    house.castad("redo", "again", "--from", "printing", "--copies", "5")
    second = house.until("again", "completed")
    assert second["result"]["copies"] == 5
    assert second["stages"]["layout"] == first["stages"]["layout"]
    assert len(_charges(house, 5)) == 1


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        (["--from", "song"], "from: expected layout or printing"),
        (["--from", "layout", "--orientation", "v"], "No such option: --orientation"),
    ],
)
def test_redo_of_what_the_pipeline_does_not_have_is_refused(house, arguments, refused):
    house.done("kept")
    done = house.castad("redo", "kept", *arguments)
    assert done.returncode == 2
    assert refused in done.stderr


def test_retry_buys_again_what_the_vendor_did_not_deliver(house):
    house.shop.script(Fault("jams", "submit"))
    house.place("jam", max_retries=0)
    error = house.until("jam", "dead")["error"]
    assert error == {"code": "press_broke_down", "message": "printshop: the press broke down"}
    assert house.castad("dead", "--json").json["dead"][0]["task_id"] == "jam"
    house.castad("retry", "jam")
    assert house.until("jam", "completed")["stages"]["layout"]["generation"] == 1


@pytest.mark.usefixtures("held")
def test_cancel_stops_an_order_that_waits_for_the_vendor(house):
    house.place("stopped")
    house.castad("cancel", "stopped")
    assert house.until("stopped", "canceled")["result"] is None


def test_local_stage_refuses_an_order_for_good_with_its_own_code(house):
    house.place("wide", lines=["x" * 50])
    error = house.until("wide", "dead")["error"]
    assert error["code"] == "line_too_wide"
    assert error["message"].startswith("layout: ")


@pytest.mark.parametrize(
    "name", ["CASTAD_SLOTS_PRINTIN", "CASTAD_RETRY_PRINTNG", "PRINTIN_PROVIDER"]
)
def test_variable_of_no_stage_is_refused_with_those_of_its_kind(house, name):
    meant = name.replace("PRINTIN", "PRINTING").replace("PRINTNG", "PRINTING")
    for command in (
        ["make", "poster", "--headline", "x", "--dry-run"],
        ["worker"],
        ["api"],
        ["up"],
    ):
        done = house.castad(*command, **{name: "printshop"})
        assert (done.returncode, meant in done.stderr) == (2, True), done.stderr


def test_doctor_asks_the_new_vendor(house):
    checks = {check["check"]: check for check in house.castad("doctor", "--json").json["checks"]}
    assert re.fullmatch(r"printshop: [\d.]+ USD left", checks["poster: printing by"]["message"])
    missing = house.castad("doctor", "--json", PRINTSHOP_API_KEY="").stdout
    [check] = [c for c in json.loads(missing)["checks"] if c["check"] == "poster: printing by"]
    assert (check["fine"], check["message"]) == (False, "printshop: no key is set")


def test_doctor_gives_one_remedy_for_a_vendor_that_cannot_be_reached(house):
    told = house.castad("doctor", PRINTSHOP_BASE_URL="http://127.0.0.1:1").stdout.splitlines()
    [line] = [line.strip() for line in told if "poster: printing by" in line]
    assert line.endswith("(ConnectError); check the network and PRINTSHOP_BASE_URL")


def test_stats_count_the_new_stages(house):
    house.done("counted")
    for stats in (house.castad("stats", "--json").json, house.api.get("/v1/stats").json()):
        completed = {row["stage"]: row["last_hour"]["completed"] for row in stats["stages"]}
        assert completed["layout"] > 0
        assert completed["printing"] > 0


# HTTP


def test_start_describes_and_takes_the_order(house):
    described = house.api.get("/openapi.json").json()["components"]["schemas"]
    assert described["PosterOrder"]["properties"]["paper"]["enum"] == ["A3", "A2"]
    house.place("posted")
    again = house.api.post(
        "/v1/pipeline/start", json={"task_id": "posted", "pipeline": "poster", **ORDER}
    )
    assert (again.status_code, again.json()["created"]) == (200, False)
    other = {"task_id": "posted", "pipeline": "poster", "headline": "Another"}
    assert house.api.post("/v1/pipeline/start", json=other).status_code == 409


def test_start_refuses_a_field_of_another_pipeline(house):
    order = {"pipeline": "poster", **ORDER, "genre": "pop"}
    refused = house.api.post("/v1/pipeline/start", json=order)
    assert (refused.status_code, refused.json()["field"]) == (422, "genre")


def test_batch_takes_orders_of_two_pipelines(house):
    song = {"customer_name": "Blue Cafe", "region": "Busan"}
    orders = [{"pipeline": "poster", **ORDER}, song]
    priced = house.api.post("/v1/pipeline/batch", params={"dry_run": True}, json={"orders": orders})
    assert priced.json() == {"dry_run": True, "orders": 2, "cost_usd": 1.0}
    csv = "task_id,pipeline,headline,copies\nrow-1,poster,Sale,1\n"
    placed = house.api.post("/v1/pipeline/batch", content=csv, headers={"Content-Type": "text/csv"})
    assert placed.json()["created"] == 1
    house.until("row-1", "completed")


@pytest.mark.usefixtures("half_done")
def test_stream_tells_the_progress_between_events_and_ends_with_the_result(house):
    house.place("live", copies=100)
    shown: list[dict[str, Any]] = []
    with stream(house.api, "/v1/pipeline/events/live") as frames:
        for frame in frames:
            if frame.event == "progress":
                shown.append(frame.data)
                if frame.data["note"]:
                    house.shop.set(delay=0)
            last = frame
    assert [each["task_id"] for each in shown] == ["live"] * len(shown)
    noted = next(each for each in shown if each["note"])
    assert re.fullmatch(r"\d+ of 100 copies", noted["note"])
    assert (noted["stage"], 50 <= noted["percent"] < 100) == ("printing", True)
    assert isinstance(noted["expected_seconds"], int)
    assert (last.event, last.data["status"], last.data["error"]) == ("end", "completed", None)
    assert last.data["result"] == house.status("live")["result"]


def test_list_can_be_of_one_pipeline(house):
    house.done("listed")
    found = house.api.get("/v1/pipeline", params={"pipeline": "poster", "limit": 500}).json()[
        "orders"
    ]
    assert {order["pipeline"] for order in found} == {"poster"}
    assert "listed" in {order["task_id"] for order in found}
    assert house.api.get("/v1/pipeline", params={"pipeline": "song_video"}).json()["orders"] == []


def test_files_are_served_under_their_media_types(house):
    found = house.done("files")["artifacts"]
    served = {each["name"]: house.api.get(each["url"]) for each in found}
    types = {
        name: answer.headers["content-type"].partition(";")[0] for name, answer in served.items()
    }
    assert types == {"layout.txt": "text/plain", "receipt.json": "application/json"}
    assert served["receipt.json"].json()["copies"] == 4


def test_redo_over_http_of_a_stage_that_is_not_there_is_422(house):
    house.done("http-redo")
    for dry_run in (True, False):
        params = {"from": "song", "dry_run": dry_run}
        refused = house.api.post("/v1/pipeline/redo/http-redo", params=params)
        assert (refused.status_code, refused.json()["field"]) == (422, "from")
    params = {"from": "printing", "copies": "9", "dry_run": True}
    priced = house.api.post("/v1/pipeline/redo/http-redo", params=params)
    assert priced.json()["cost_usd"] == 2.25


def test_history_over_http_tells_what_was_materialized(house):
    house.done("past")
    told = house.api.get("/v1/pipeline/history/past").json()["history"]
    assert {entry["what"] for entry in told if entry["kind"] == "asset"} == {
        "poster/layout materialized",
        "poster/printing materialized",
    }


def test_metrics_label_the_new_stages_and_the_new_vendor(house):
    house.done("measured")
    said = house.api.get("/metrics").text
    assert 'castad_stage_seconds_count{stage="layout"}' in said
    spent = re.search(
        r'castad_money_spent_today_usd{provider="printshop",stage="printing"} ([\d.]+)', said
    )
    assert spent is not None
    assert float(spent[1]) > 0
    assert not re.search(r'="other".*} [1-9]', said)


# Dagster


def test_launchpad_order_is_made(house):
    order = json.dumps({"task_id": "launched", **ORDER, "paper": "A2"})
    wanted = {"selector": SELECTOR, "runConfigData": order, "mode": "default"}
    launched = house.ui.ask(LAUNCH, wanted=wanted)
    assert launched["__typename"] == "LaunchRunSuccess", launched
    assert house.until("launched", "completed")["cost_usd"] == 2.0


def test_job_execute_makes_the_order_of_a_file(house):
    file = house.clone.folder / "run.yaml"
    file.write_text(json.dumps({"task_id": "executed", **ORDER, "colours": {"frame": "red"}}))
    command = ["-m", "dagster", "job", "execute", "-m", "pipeline_defs.definitions", "-j", "poster"]
    home = house.clone.folder / ".castad" / "dagster"
    done = house.clone.run(*command, "-c", str(file), DAGSTER_HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert house.until("executed", "completed")["result"]["copies"] == 4


def test_asset_catalog_shows_the_products_and_their_metadata(house):
    house.done("shown")
    nodes = house.ui.ask(ASSETS)["nodes"]
    assert isinstance(nodes, list)
    shown = {"/".join(node["key"]["path"]): node["assetMaterializations"] for node in nodes}
    labels = {
        name: {entry["label"] for entry in made[0]["metadataEntries"]}
        for name, made in shown.items()
        if name.startswith("poster/")
    }
    assert {"poster", "width"} <= labels["poster/layout"]
    assert {"copies", "receipt"} <= labels["poster/printing"]


# Money


def test_lost_answer_is_found_by_its_token_and_nothing_is_bought_twice(house):
    house.shop.script(Fault("lose_reply", "submit"))
    house.done("lost", copies=11)
    assert house.shop.unused() == []
    assert len(_charges(house, 11)) == 1


def test_empty_account_pauses_the_vendor_until_it_is_resumed(house):
    house.shop.script(Fault("out_of_credits", "submit"))
    house.place("poor", copies=12)
    assert eventually(lambda: house.status("poor")["waits_for"] == "printshop")
    assert house.castad("resume", "printshop", "--json").json == {"resumed": ["printshop"]}
    assert house.until("poor", "completed")["retry_count"] == 0
    assert len(_charges(house, 12)) == 1


def test_refused_key_pauses_the_vendor_and_is_named(house):
    house.shop.script(Fault("refused_key", "submit"))
    house.place("locked-out", copies=13)
    assert eventually(lambda: house.status("locked-out")["waits_for"] == "printshop")
    [paused] = [
        check
        for check in json.loads(house.castad("doctor", "--json").stdout)["checks"]
        if check["check"] == "printshop"
    ]
    assert "check PRINTSHOP_API_KEY" in paused["message"]
    assert "set a new key" in house.castad("history", "locked-out").stdout
    house.castad("resume", "printshop")
    assert house.until("locked-out", "completed")["cost_usd"] == 3.25


def test_every_charge_of_the_vendor_is_of_a_submission_of_its_own(house):
    charges = house.shop.charges()
    assert len({charge["metadata"] for charge in charges}) == len(charges) > 0


def _job(house: House, task_id: str, form: str) -> str:
    query = "SELECT external_id FROM provider_jobs j JOIN requests r ON r.id = j.request_id WHERE task_id = :name"
    with house.db.reading() as tx:
        return form.format(tx.execute(text(query), {"name": task_id}).scalar_one())


def _charges(house: House, copies: int) -> list[dict[str, Any]]:
    return [charge for charge in house.shop.charges() if charge["cost"] == 0.25 * copies]
