"""Scans as runs of the pipeline's own job, by the command line, and the characters that they win."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from dagster import DagsterInstance
from PIL import Image
from sqlalchemy import create_engine, text

from castad.direct.pool import list_targets
from pipeline_defs.build import make_job
from pipeline_defs.catalog import get_catalog
from pipeline_defs.scan.characters.catalogue import Catalogue, match_character, stop_catalogue
from pipeline_defs.scan.characters.store import (
    Character,
    build_save_body,
    build_sqlite_url,
    list_owned,
    load_shipped_snapshot,
    replace_catalogue,
    save_character,
    save_ownership,
)
from pipeline_defs.scan.pipeline import PIPELINE
from resources.delivery.engine import Decision
from resources.delivery.spool import Entry, deliver_spool, open_spool
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.status import get_request
from resources.ledger.schema.tables import DeliveryStatus, Status
from resources.process.settings import settings
from tests.api_house import served
from tests.command_line import castad
from tests.direct_house import GLASS, events_of
from tests.eventually import eventually
from tests.quiet_dagster import quiet_instance

NEW = Character("char-new", "새친구", "Newpal", "glass", "안녕!", "Hello!", "유리병")


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[DagsterInstance]:
    with quiet_instance(tmp_path / "dagster") as made:
        yield made


@pytest.fixture
def ledger(sqlite_ledger_url: str) -> Database:
    """The ledger that runs of this test use."""
    return open_database(sqlite_ledger_url)


def run(instance: DagsterInstance, **order: Any) -> None:
    make_job(PIPELINE).execute_in_process(
        run_config={"task_id": "s", **order}, instance=instance, raise_on_error=False
    )


def result_of(ledger: Database) -> dict[str, Any]:
    request = get_request(ledger, "s")
    assert request.status is Status.COMPLETED, request.error_message
    printed = castad("status", "s", "--json")
    found: dict[str, Any] = json.loads(printed.stdout)["result"]
    return found


def test_run_answers_and_its_saves_follow(instance, ledger):
    run(instance, note="소주병", user_id="u")
    assert result_of(ledger)["reward"]["type"] == "glass"
    assert deliver_spool(open_spool(settings().home), list_targets(get_catalog())) == 2
    assert list_owned(build_sqlite_url(settings().home, "character"), "u") == ["char-glass"]


def test_thing_that_nobody_knows_has_a_fixed_answer_and_no_reward(instance, ledger):
    run(instance, note="xyzzy", user_id="u")
    result = result_of(ledger)
    meta = result["pipeline_result"]["classification_result"]["meta"]
    assert (meta["answered_by"], result["reward"]) == ("fixed", None)
    assert open_spool(settings().home).waiting() == []


def test_run_and_direct_answer_say_the_same(instance, ledger):
    run(instance, note="소주병", user_id="u")
    with served() as house:
        direct = events_of(house.as_("shop"), {**GLASS})[-1]["result"]
    by_run = result_of(ledger)
    meta = direct["pipeline_result"]["classification_result"]["meta"]
    assert meta.pop("user_input") == "소주병"
    assert {name: direct[name] for name in by_run} == by_run


# The command line


def test_scan_prints_what_it_is_and_how_it_is_disposed_of(sqlite_ledger_url):
    done = castad("scan", "--note", "우유팩", "--language", "English", "--user-id", "u")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "Seen: drink packs (note)")
    assert "Won: Packduri" in done.stdout


def test_scan_is_stored_when_its_command_has_ended(sqlite_ledger_url):
    castad("scan", "--note", "우유팩", "--task-id", "s")
    assert get_request(open_database(sqlite_ledger_url), "s").status is Status.COMPLETED


def test_scan_of_what_is_no_picture_is_refused_before_anything_is_made(tmp_path):
    (tmp_path / "photo.jpg").write_text("no picture")
    done = castad("scan", str(tmp_path / "photo.jpg"))
    assert (done.returncode, "images[0]: expected a JPEG" in done.stderr) == (2, True)


def test_note_beats_the_photograph(tmp_path, sqlite_ledger_url):
    Image.new("RGB", (64, 64), "teal").save(tmp_path / "photo.png")
    done = castad("scan", str(tmp_path / "photo.png"), "--note", "소주병", "--json")
    seen = json.loads(done.stdout)["pipeline_result"]["classification_result"]
    assert (seen["meta"]["seen_by"], seen["classification"]["minor_category"]) == ("note", "소주병")


def test_scan_without_its_ledger_is_answered_and_waits_in_the_spool(monkeypatch):
    url = "postgresql://castad@127.0.0.1:1/none?connect_timeout=1"
    monkeypatch.setenv("CASTAD_DATABASE_URL", url)
    done = castad("scan", "--note", "소주병", "--json")
    assert (done.returncode, json.loads(done.stdout)["kept"]) == (0, True)
    assert [each.target for each in open_spool(settings().home).waiting()] == ["import"]


def test_dead_save_is_listed_and_replayed(tmp_path):
    spool = open_spool(settings().home)
    spool.append([Entry("my.save_character", "u:c", {})])
    spool.record(spool.waiting()[0], Decision(DeliveryStatus.DEAD, message="refused by a test"))
    assert "refused by a test" in castad("dead", "--saves").stdout
    assert json.loads(castad("saves", "--replay", "--json").stdout)["replayed"] == 1
    assert castad("dead", "--saves").stdout == "no save is dead\n"


def test_save_that_is_not_there_is_not_replayed():
    done = castad("saves", "--replay-one", "7")
    assert (done.returncode, "--replay-one: expected the id of a dead save" in done.stderr) == (
        2,
        True,
    )


# Characters


def test_replaced_characters_are_matched_by_a_process_that_runs():
    assert match_character("유리병") != NEW
    replace_catalogue(build_sqlite_url(settings().home, "character"), [NEW])
    assert eventually(lambda: match_character("유리병") == NEW)


def test_class_without_a_character_wins_none_where_there_is_no_default():
    replace_catalogue(build_sqlite_url(settings().home, "character"), [NEW])
    assert eventually(lambda: match_character("종이") is None)


def test_process_that_starts_without_its_database_has_the_last_characters(tmp_path):
    url, file = build_sqlite_url(tmp_path, "character"), tmp_path / "characters.json"
    replace_catalogue(url, [NEW])
    first = Catalogue(url, file)
    assert eventually(lambda: file.exists())
    first.stop()
    second = Catalogue("postgresql://castad@127.0.0.1:1/none?connect_timeout=1", file)
    found = second.get_snapshot()
    second.stop()
    assert found is not None
    assert found.characters == (NEW,)


def test_process_without_database_and_file_has_the_shipped_characters(tmp_path):
    found = Catalogue("postgresql://castad@127.0.0.1:1/none", tmp_path / "none.json")
    assert found.get_snapshot() == load_shipped_snapshot()
    found.stop()


def by_sql(url: str, *statements: str) -> None:
    """An operator's SQL."""
    engine = create_engine(url)
    with engine.begin() as tx:
        for statement in statements:
            tx.execute(text(statement))
    engine.dispose()


RENAME = "UPDATE characters SET name = '새이름'"


def test_documented_sql_changes_the_characters_of_a_fresh_installation(database_url, tmp_path):
    found = Catalogue(database_url, tmp_path / "kept.json")
    assert found.get_snapshot() is not None
    by_sql(database_url, RENAME, "UPDATE catalog_version SET version = version + 1")
    assert eventually(lambda: names_of(found) == {"새이름"})
    found.stop()


def names_of(catalogue: Catalogue) -> set[str]:
    snapshot = catalogue.get_snapshot()
    return {each.name for each in snapshot.characters} if snapshot is not None else set()


def test_characters_of_an_equal_version_are_known_by_what_they_are(database_url, tmp_path):
    replace_catalogue(database_url, [NEW])
    found = Catalogue(database_url, tmp_path / "kept.json")
    assert names_of(found) == {"새친구"}
    by_sql(database_url, RENAME)
    assert eventually(lambda: names_of(found) == {"새이름"})
    found.stop()


def test_first_match_of_a_process_has_the_characters_of_its_database():
    assert match_character("유리병") != NEW
    stop_catalogue()
    replace_catalogue(build_sqlite_url(settings().home, "character"), [NEW])
    assert match_character("유리병") == NEW


def test_last_characters_of_another_database_are_none_of_this_one(monkeypatch):
    replace_catalogue(build_sqlite_url(settings().home, "character"), [NEW])
    assert match_character("유리병") == NEW
    assert eventually(lambda: [*settings().home.glob("characters-*.json")])
    monkeypatch.setenv("CASTAD_CHARACTER_DATABASE_URL", "postgresql://127.0.0.1:1/none")
    settings.cache_clear()
    assert match_character("유리병") != NEW


def test_characters_that_are_replaced_at_once_have_a_version_each(database_url):
    with ThreadPoolExecutor(4) as pool:
        versions = list(pool.map(lambda _: replace_catalogue(database_url, [NEW]), range(8)))
    assert sorted(versions) == list(range(1, 9))


def test_save_that_comes_again_is_one_save(database_url):
    body = build_save_body("u", "s", "c", {"name": "n", "type": "t"})
    for _ in range(2):
        save_ownership(database_url, body)
        save_character(database_url, body)
    assert list_owned(database_url, "u") == ["c"]


def test_admin_replaces_the_characters_and_nobody_else(sqlite_ledger_url):
    with served() as house:
        admin, shop = house.admin(), house.as_("shop")
        listed = admin.get("/v1/scan/characters").json()
        changed = [{**each, "name": "새이름"} for each in listed]
        assert shop.put("/v1/scan/characters", json=changed).status_code == 403
        assert admin.put("/v1/scan/characters", json=changed).json() == {"version": 1}
        assert eventually(lambda: shop.get("/v1/scan/characters").json()[0]["name"] == "새이름")


def test_characters_are_exported_and_imported_as_csv(tmp_path):
    exported = castad("characters", "--csv").stdout
    (tmp_path / "characters.csv").write_text(exported.replace("반짝병", "유리친구"))
    assert castad("characters", "--import", str(tmp_path / "characters.csv")).returncode == 0
    assert "유리친구" in castad("characters").stdout


def test_characters_that_cannot_be_read_are_refused_by_row(tmp_path):
    (tmp_path / "characters.csv").write_text("code\nx\n")
    done = castad("characters", "--import", str(tmp_path / "characters.csv"))
    assert (done.returncode, "expected the columns code" in done.stderr) == (2, True)
