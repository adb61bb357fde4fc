"""The hourly job: what is due is stored, and in Dagster's catalog."""

from collections.abc import Iterator

import pytest
from dagster import (
    AssetMaterialization,
    DagsterInstance,
    TableMetadataValue,
    build_schedule_context,
)

from pipeline_defs.definitions import defs
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.hours import list_reported_hours
from resources.ledger.queries.status import read_clock
from resources.process.settings import settings
from resources.views.report import HOUR, format_hour
from sensors.hour_report import find_last_closed
from sensors.report_job import REPORT_ASSET, report_job, report_schedule
from tests.integration.test_reports import a_busy_hour
from tests.ledger_steps import Steps


@pytest.fixture
def ledger(ledger_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """The ledger that the job of this test sees."""
    if ledger_url.startswith("postgresql"):
        monkeypatch.setenv("CASTAD_DATABASE_URL", ledger_url)
    settings.cache_clear()
    database = open_database(settings().ledger_url)
    yield database
    database.close()


def materializations(instance: DagsterInstance) -> list[AssetMaterialization]:
    """Those of the report, the oldest first."""
    found = instance.fetch_materializations(REPORT_ASSET, limit=99, ascending=True).records
    return [each for record in found if (each := record.asset_materialization) is not None]


def shown(instance: DagsterInstance) -> dict[str | None, dict[str, object]]:
    """The metadata of each hour as last shown."""
    return {
        each.partition: {name: value.value for name, value in each.metadata.items()}
        for each in materializations(instance)
    }


def test_run_reports_on_the_last_day_and_the_next_run_on_what_has_changed(ledger, instance):
    assert report_job.execute_in_process(instance=instance).success
    assert len(shown(instance)) == len(list_reported_hours(ledger, limit=99)) == 24
    last = find_last_closed(read_clock(ledger))
    middle = (last - HOUR).strftime("%Y-%m-%d %H:30:00+00:00")
    a_busy_hour(Steps(ledger), middle)
    assert report_job.execute_in_process(instance=instance).success
    told = {name: each for name, each in shown(instance).items() if each["count"]}
    assert list(told) == [format_hour(last - HOUR)]
    (figures,) = told.values()
    assert (figures["count"], figures["failed"], figures["retries"]) == (5, 2, 1)
    assert figures["cost_usd"] == 0.3
    table = figures["report"]
    assert isinstance(table, TableMetadataValue)
    lyric = table.records[0].data
    assert lyric["Stage"] == "song_video/lyric"
    assert (lyric["Ended"], lyric["Failure rate"]) == ("3", "66.7%")


def test_run_that_finds_nothing_new_says_nothing(ledger, instance):
    for _ in range(2):
        report_job.execute_in_process(instance=instance)
    hours = {each.hour for each in list_reported_hours(ledger, limit=99)}
    # The hour may have turned between the two runs.
    assert len(materializations(instance)) == len(hours) <= 25


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_hour_that_cannot_be_reported_on_hides_no_other(ledger, instance):
    spoilt = find_last_closed(read_clock(ledger)) - HOUR
    with ledger.writing() as tx:
        tx.exec_driver_sql(
            "CREATE TRIGGER spoilt BEFORE INSERT ON reports "
            f"WHEN NEW.hour LIKE '{spoilt:%Y-%m-%d %H}%' BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    result = report_job.execute_in_process(instance=instance, raise_on_error=False)
    assert not result.success
    failure = result.failure_data_for_node("make_reports")
    assert failure is not None
    assert f"{format_hour(spoilt)} (IntegrityError, " in str(failure.error)
    assert len(materializations(instance)) == len(list_reported_hours(ledger, limit=99)) == 23


def test_schedule_asks_for_one_run_each_hour():
    assert report_schedule.cron_schedule.endswith(" * * * *")
    context = build_schedule_context()
    tick = report_schedule.evaluate_tick(context)
    assert len(tick.run_requests or ()) == 1
    assert defs().resolve_schedule_def("report").job_name == "report"
