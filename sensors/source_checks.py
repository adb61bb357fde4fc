"""Orders that are made again by themselves: the job that asks whether a source has changed, and its schedule."""

from dagster import (
    DefaultScheduleStatus,
    OpExecutionContext,
    RunRequest,
    SkipReason,
    in_process_executor,
    job,
    op,
    schedule,
)

from pipeline_defs.catalog import catalog
from pipeline_defs.config import LOGGERS
from resources.ledger.db.database import open_database
from resources.process.settings import settings
from sensors.check_sources import RUNS_AN_HOUR, check_sources, pipelines_to_check

_MAX_SECONDS = "300"


@op
def find_changed_sources(context: OpExecutionContext) -> None:
    """Ask the sources of what is due, and submit the first one that has changed."""
    config = settings()
    made = check_sources(open_database(config.ledger_url), catalog(), config)
    context.log.info(f"submitted again: {', '.join(made) or 'nothing has changed'}")


@job(
    name="source_checks",
    description="What is still used is submitted again where its source has changed",
    executor_def=in_process_executor,
    logger_defs=LOGGERS,
    # What it leaves the next one does. A run whose worker was lost ends by its time.
    tags={"dagster/max_retries": "0", "dagster/max_runtime": _MAX_SECONDS},
)
def source_check_job() -> None:
    """The job of the schedule; it may be started by hand too."""
    find_changed_sources()


@schedule(
    name="source_checks",
    job=source_check_job,
    cron_schedule=f"*/{60 // RUNS_AN_HOUR} * * * *",
    execution_timezone="UTC",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Every five minutes, where something is due",
)
def source_check_schedule() -> RunRequest | SkipReason:
    """A run where something is due and may be asked about."""
    if pipelines_to_check(open_database(settings().ledger_url), catalog()):
        return RunRequest()
    return SkipReason("nothing is due")
