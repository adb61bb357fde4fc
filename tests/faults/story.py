"""How an order ended and what the processes said last, for who reads a failure."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import CastadError
from resources.ledger.db.database import Database
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import get_request, list_event_views

_LAST_LINES = 12


def tell(ledger: Database, task_ids: Iterable[str], folder: Path) -> str:
    """The life of each order, and the tail of every log below the folder."""
    lines: list[str] = []
    for task_id in task_ids:
        try:
            lines += _order(ledger, task_id)
        except (CastadError, SQLAlchemyError) as error:
            lines.append(f"{task_id}: nothing can be told ({type(error).__name__})")
    return "\n".join([*lines, *_logs(folder)])


def _order(ledger: Database, task_id: str) -> Iterator[str]:
    request = get_request(ledger, task_id)
    yield (
        f"{task_id}: {request.status} in {request.stage}, attempt {request.attempt}, "
        f"{request.deaths} deaths, {request.retry_count} retries, {request.error_message}"
    )
    for event in list_event_views(ledger, request):
        yield f"  {event.at:%H:%M:%S.%f} #{event.seq} {event.type}: {event.before} -> {event.after}"
    for attempt in build_overview(ledger, request.task_id).attempts:
        yield (
            f"  attempt {attempt.number} by {attempt.worker}, {attempt.started_at:%H:%M:%S.%f} "
            f"to {attempt.ended_at}: {attempt.error_code} {attempt.error_message}"
        )


def _logs(folder: Path) -> Iterator[str]:
    for log in sorted([*folder.glob("*.log"), *folder.glob("*/logs/*.log")]):
        lines = log.read_text(errors="replace").splitlines()[-_LAST_LINES:]
        yield f"--- {log.relative_to(folder)}"
        yield from lines
