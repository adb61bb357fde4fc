"""The report of an hour is saved; no request is changed."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert

from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.hourly_reports import StageFigures
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import reports


@retry_transient
def save_report(db: Database, hour: datetime, stages: Sequence[StageFigures]) -> None:
    """The hour's report is these figures, in this order, whatever it was before."""
    rows = [_row(position, figures) for position, figures in enumerate(stages)]
    with db.writing() as tx:
        AdvisoryLock.REPORT.take(tx)
        tx.execute(delete(reports).where(reports.c.hour == hour))
        if rows:
            tx.execute(insert(reports).values(hour=hour, made_at=now()), rows)


def _row(position: int, figures: StageFigures) -> dict[str, Any]:
    row = {**vars(figures), "position": position}
    row["codes"] = json.dumps(dict(figures.codes))
    row["unusual"] = json.dumps([asdict(each) for each in figures.unusual])
    return row
