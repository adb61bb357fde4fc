"""The same work in plain Dagster, as its docs teach: a job of ops with retry policies, a sensor with run keys."""

import os

from dagster import (
    DefaultSensorStatus,
    Definitions,
    OpExecutionContext,
    RetryPolicy,
    RunConfig,
    RunRequest,
    SensorEvaluationContext,
    SensorResult,
    job,
    op,
    sensor,
)
from sqlalchemy import create_engine, text

from bench.engine.stub import call

_DUE = text("SELECT id, task_id, seconds FROM requests WHERE id > :seen ORDER BY id LIMIT 50")
_retries = RetryPolicy(max_retries=3, delay=30)
_ORDER = {"task_id": str, "seconds": float}


def _work(context: OpExecutionContext, stage: str) -> str:
    return call(context.op_config["task_id"], stage, context.op_config["seconds"])


@op(config_schema=_ORDER, retry_policy=_retries)
def lyric(context: OpExecutionContext) -> str:
    """Write the words."""
    return _work(context, "lyric")


@op(config_schema=_ORDER, retry_policy=_retries)
def song(context: OpExecutionContext, lyric: str) -> str:
    """Turn the words into a song."""
    return _work(context, "song")


@op(config_schema=_ORDER, retry_policy=_retries)
def video(context: OpExecutionContext, song: str) -> str:
    """Film the song."""
    return _work(context, "video")


@job
def work() -> None:
    """Make the lyric, the song and the video."""
    video(song(lyric()))


@sensor(job=work, minimum_interval_seconds=5, default_status=DefaultSensorStatus.RUNNING)
def requests_sensor(context: SensorEvaluationContext) -> SensorResult:
    """Request one run for each row."""
    seen = int(context.cursor or 0)
    engine = create_engine(os.environ["BENCH_DATABASE"])
    with engine.connect() as connection:
        rows = connection.execute(_DUE, {"seen": seen}).all()
    engine.dispose()
    runs = [_build_run(row.task_id, row.seconds) for row in rows]
    return SensorResult(runs, cursor=str(rows[-1].id if rows else seen))


def _build_run(task_id: str, seconds: float) -> RunRequest:
    order = {"config": {"task_id": task_id, "seconds": seconds}}
    config = RunConfig(ops=dict.fromkeys(("lyric", "song", "video"), order))
    return RunRequest(run_key=task_id, run_config=config, tags={"task_id": task_id})


defs = Definitions(jobs=[work], sensors=[requests_sensor])
