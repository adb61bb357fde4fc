"""The source design of requirements S1: Celery Beat looks into the database and sends what is due.

Every figure is the source's: a look every 10 s that expires before the next, 10 rows a rule (5 of the failed),
oldest first; a queue a stage; retries by the look and not by the worker; stuck after 15 minutes. In a look
come what is stuck, pending, completed, failed: a successor waits for the next look.
"""

import os

from celery import Celery
from sqlalchemy import create_engine, text

from bench.engine.stub import call

_TICK_SECONDS = float(os.environ["BENCH_TICK"])
_NEXT = {"lyric": "song", "song": "video"}
_BATCH = {"batch": 10}
_FAILED_BATCH = {"batch": 5}

app = Celery("source", broker=os.environ["BENCH_BROKER"])
app.conf.update(
    task_ignore_result=True,
    task_acks_late=True,
    task_default_queue="scheduler",
    worker_prefetch_multiplier=1,
    beat_schedule={
        "look": {
            "task": "look",
            "schedule": _TICK_SECONDS,
            "options": {"expires": _TICK_SECONDS * 0.9},
        }
    },
)
_database = create_engine(os.environ["BENCH_DATABASE"])

_STUCK = text("""
    UPDATE stages SET status = 'pending', changed_at = clock_timestamp() WHERE id IN (
        SELECT id FROM stages WHERE status IN ('dispatched', 'processing')
        AND changed_at < clock_timestamp() - interval '15 minutes'
        ORDER BY id LIMIT :batch FOR UPDATE SKIP LOCKED)""")
_PENDING = text("""
    UPDATE stages SET status = 'dispatched', changed_at = clock_timestamp() WHERE id IN (
        SELECT id FROM stages WHERE status = 'pending' ORDER BY id LIMIT :batch
        FOR UPDATE SKIP LOCKED) RETURNING id, stage""")
_COMPLETED = text("""
    SELECT id, task_id, stage, seconds FROM stages WHERE status = 'stage_completed'
    ORDER BY id LIMIT :batch FOR UPDATE SKIP LOCKED""")
_SUCCESSOR = text("""
    INSERT INTO stages (task_id, stage, seconds) VALUES (:task_id, :stage, :seconds)
    ON CONFLICT DO NOTHING""")
_PASSED_ON = text("UPDATE stages SET status = 'passed_on' WHERE id = :id")
_FAILED = text("""
    UPDATE stages SET retry_count = retry_count + 1, changed_at = clock_timestamp(),
        status = CASE WHEN retry_count < max_retries THEN 'pending' ELSE 'dead' END
    WHERE id IN (
        SELECT id FROM stages WHERE status = 'failed' AND changed_at < clock_timestamp()
        - CASE stage WHEN 'lyric' THEN 30 WHEN 'song' THEN 60 ELSE 120 END * interval '1 second'
        ORDER BY id LIMIT :batch FOR UPDATE SKIP LOCKED)""")
_BEGIN = text("""
    UPDATE stages SET status = 'processing', changed_at = clock_timestamp(),
        started_at = clock_timestamp() WHERE id = :id AND status = 'dispatched'
    RETURNING task_id, stage, seconds""")
_END = text("""
    UPDATE stages SET status = :status, result = :told, changed_at = clock_timestamp(),
        completed_at = clock_timestamp() WHERE id = :id""")
_FAIL = text("""
    UPDATE stages SET status = 'failed', error = :told, changed_at = clock_timestamp()
    WHERE id = :id""")


@app.task(name="look", max_retries=0)
def look() -> None:
    """Send the stages that are due and insert the successors of the completed ones."""
    with _database.begin() as tx:
        tx.execute(_STUCK, _BATCH)
    with _database.begin() as tx:
        due = tx.execute(_PENDING, _BATCH).all()
    for row in due:
        work.apply_async([row.id], queue=row.stage)
    with _database.begin() as tx:
        for row in tx.execute(_COMPLETED, _BATCH).all():
            successor = {"task_id": row.task_id, "stage": _NEXT[row.stage], "seconds": row.seconds}
            tx.execute(_SUCCESSOR, successor)
            tx.execute(_PASSED_ON, {"id": row.id})
    with _database.begin() as tx:
        tx.execute(_FAILED, _FAILED_BATCH)


@app.task(name="work", max_retries=0)
def work(key: int) -> None:
    """Execute the stage; set its row to completed or failed."""
    with _database.begin() as tx:
        row = tx.execute(_BEGIN, {"id": key}).one_or_none()
    if row is None:
        return
    try:
        result = call(row.task_id, row.stage, row.seconds)
    except Exception as error:  # noqa: BLE001 - the row has to hear of it, whatever it was
        with _database.begin() as tx:
            tx.execute(_FAIL, {"id": key, "told": str(error)})
        return
    status = "stage_completed" if row.stage in _NEXT else "pipeline_completed"
    with _database.begin() as tx:
        tx.execute(_END, {"id": key, "status": status, "told": result})
