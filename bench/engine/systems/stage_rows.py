"""The table of a state machine in Postgres, a row a stage, as the source design and the Celery chain keep it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sqlalchemy import create_engine, text

from bench.engine.timeline import STAGES, Span, Timeline

_SCHEMA = (
    """CREATE TABLE stages (
        id bigserial PRIMARY KEY, task_id text NOT NULL, stage text NOT NULL,
        seconds float NOT NULL, status text NOT NULL DEFAULT 'pending',
        retry_count int NOT NULL DEFAULT 0, max_retries int NOT NULL DEFAULT 3,
        result text, error text, created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        changed_at timestamptz, started_at timestamptz, completed_at timestamptz,
        UNIQUE (task_id, stage))""",
    """CREATE INDEX stages_open ON stages (status, id)
        WHERE status NOT IN ('passed_on', 'pipeline_completed')""",
)
_INSERT = text("INSERT INTO stages (task_id, stage, seconds) VALUES (:task_id, 'lyric', :seconds)")
_DONE = text("""SELECT count(*) FROM stages
    WHERE task_id = ANY(:names) AND status = 'pipeline_completed'""")
_BEGUN = text("""SELECT count(*) FROM stages
    WHERE task_id = ANY(:names) AND stage = :stage AND started_at IS NOT NULL""")
_MOMENTS = text("""
    SELECT task_id, stage, extract(epoch FROM created_at)::float AS created,
        extract(epoch FROM started_at)::float AS began,
        extract(epoch FROM completed_at)::float AS ended
    FROM stages WHERE task_id = ANY(:names) ORDER BY id""")


class StageRows:
    """The rows, seen from outside the system."""

    def __init__(self, url: str) -> None:
        self._engine = create_engine(url)

    def create(self) -> None:
        """Create the table."""
        with self._engine.begin() as tx:
            for statement in _SCHEMA:
                tx.exec_driver_sql(statement)

    def insert(self, task_ids: Sequence[str], seconds: float) -> None:
        """Insert a pending lyric for each request."""
        with self._engine.begin() as tx:
            tx.execute(_INSERT, [{"task_id": name, "seconds": seconds} for name in task_ids])

    def count_done(self, task_ids: Sequence[str]) -> int:
        """Count the completed pipelines among these."""
        with self._engine.begin() as tx:
            return int(tx.execute(_DONE, {"names": list(task_ids)}).scalar_one())

    def count_begun(self, task_ids: Sequence[str], stage: str) -> int:
        """Count the requests among these with a row of this stage that was ever worked on."""
        with self._engine.begin() as tx:
            return int(tx.execute(_BEGUN, {"names": list(task_ids), "stage": stage}).scalar_one())

    def read_timelines(self, task_ids: Sequence[str]) -> Mapping[str, Timeline]:
        """Read the moments from the rows."""
        rows: dict[str, list[tuple[str, float, float | None, float | None]]] = defaultdict(list)
        with self._engine.begin() as tx:
            for name, *moments in tx.execute(_MOMENTS, {"names": list(task_ids)}):
                rows[name].append(tuple(moments))
        return {name: _build_timeline(of_task) for name, of_task in rows.items()}

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def _build_timeline(rows: Sequence[tuple[str, float, float | None, float | None]]) -> Timeline:
    spans = [Span(began, ended) for _, _, began, ended in rows if began is not None]
    last_stage, _, _, last_end = rows[-1]
    return Timeline(
        inserted=rows[0][1],
        first_op=spans[0].began if spans else None,
        stages=spans,
        done=last_end if last_stage == STAGES[-1] else None,
    )
