"""A Celery chain of three tasks, hardened as Celery's docs tell: late ack, one at a time, requeued when lost."""

import os

from celery import Celery, Task
from sqlalchemy import create_engine, text

from bench.engine.stub import call

_RETRY_SECONDS = (30, 60, 120)

app = Celery("chain", broker=os.environ["BENCH_BROKER"])
app.conf.update(
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
)
_database = create_engine(os.environ["BENCH_DATABASE"], pool_size=20, max_overflow=20)

_BEGIN = text("""
    INSERT INTO stages AS held (task_id, stage, seconds, status, started_at)
    VALUES (:task_id, :stage, :seconds, 'processing', clock_timestamp())
    ON CONFLICT (task_id, stage) DO UPDATE SET status = 'processing',
        started_at = clock_timestamp(), retry_count = held.retry_count + :again
    WHERE held.completed_at IS NULL RETURNING id""")
_END = text("""
    UPDATE stages SET status = :status, result = :result, completed_at = clock_timestamp()
    WHERE task_id = :task_id AND stage = :stage""")


@app.task(name="work", bind=True, max_retries=3)
def work(self: Task, task_id: str, stage: str, seconds: float) -> None:
    """Execute the stage and update its row; skip a stage that was completed before."""
    key = {"task_id": task_id, "stage": stage}
    again = min(self.request.retries, 1)
    with _database.begin() as tx:
        begun = tx.execute(_BEGIN, {**key, "seconds": seconds, "again": again}).one_or_none()
    if begun is None:
        return
    try:
        result = call(task_id, stage, seconds)
    except Exception as error:
        raise self.retry(exc=error, countdown=_RETRY_SECONDS[self.request.retries]) from error
    status = "pipeline_completed" if stage == "video" else "stage_completed"
    with _database.begin() as tx:
        tx.execute(_END, {**key, "status": status, "result": result})
