"""Orders that are made anew by themselves: the job that asks whether a source has changed, and its schedule."""

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
from sensors.order_anew import RUNS_AN_HOUR, order_anew, pipelines_to_ask

_MAX_SECONDS = "300"


@op
def look_for_changes(context: OpExecutionContext) -> None:
    """Ask the sources of what is due, and order the first one that has changed."""
    config = settings()
    made = order_anew(open_database(config.ledger_url), catalog(), config)
    context.log.info(f"ordered anew: {', '.join(made) or 'nothing has changed'}")


@job(
    name="recurring",
    description="What is still looked at is ordered anew where its source has changed",
    executor_def=in_process_executor,
    logger_defs=LOGGERS,
    # What it leaves the next one does. A run whose worker was lost ends by its time.
    tags={"dagster/max_retries": "0", "dagster/max_runtime": _MAX_SECONDS},
)
def recurring_job() -> None:
    """The job of the schedule; it may be started by hand too."""
    look_for_changes()


@schedule(
    name="recurring",
    job=recurring_job,
    cron_schedule=f"*/{60 // RUNS_AN_HOUR} * * * *",
    execution_timezone="UTC",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Every five minutes, where something is due",
)
def recurring_schedule() -> RunRequest | SkipReason:
    """A run where something is due and may be asked about."""
    if pipelines_to_ask(open_database(settings().ledger_url), catalog()):
        return RunRequest()
    return SkipReason("nothing is due")
