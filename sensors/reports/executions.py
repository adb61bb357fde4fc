"""The executions of an hour as a frame."""

from datetime import datetime

import pandas as pd

from resources.files.html.markup import visible
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.hour_executions import FAILED, HOUR_EXECUTIONS, hour_bounds
from resources.ledger.queries.outcomes import failure_of
from resources.ledger.queries.reads import event_data
from resources.ledger.schema.tables import Status
from sensors.reports.hour_figures import COLUMNS

_LONGEST_NAME = 64


@retry_transient
def read_executions(db: Database, hour: datetime) -> pd.DataFrame:
    """What ended in the hour that begins then, as `summarize` takes it."""
    with db.reading() as tx:
        rows = pd.read_sql(HOUR_EXECUTIONS, tx, params=hour_bounds(tx, hour))
    return _executions(rows)


def _executions(rows: pd.DataFrame) -> pd.DataFrame:
    started, ended = (
        pd.to_datetime(rows[name], utc=True) for name in ("started_at", "completed_at")
    )
    frame = pd.DataFrame(
        {
            "pipeline": rows["pipeline"],
            "stage": rows["stage"],
            "outcome": rows["outcome"],
            "code": None,
            "retries": 0,
            "seconds": (ended - started).dt.total_seconds().clip(lower=0.0),
            "cost": rows["cost"].astype("int64"),
        }
    )
    failures = _failures(rows[rows["outcome"] == FAILED])
    found = pd.concat([frame[frame["outcome"] != FAILED], failures], ignore_index=True)
    # An operator's SQL may have stored anything; these become names in a report.
    return found.assign(**{name: found[name].map(_as_name) for name in ("pipeline", "stage")})


def _as_name(text: str) -> str:
    return visible(text)[:_LONGEST_NAME]


def _failures(events: pd.DataFrame) -> pd.DataFrame:
    """The failures among the events; the stage is empty where none had begun."""
    found = []
    for event in events.to_dict("records"):
        data = event_data(event["data"])
        failure = failure_of(event["type"], event["before"], event["after"], data)
        if failure is not None:
            stage, code = failure
            retries = int(event["after"] == Status.FAILED)
            found.append((event["pipeline"], stage or "", FAILED, code, retries, None, 0))
    return pd.DataFrame(found, columns=list(COLUMNS))
