"""Every row of the ledger as it is, and which of them an act has changed."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Table, insert, select

from resources.ledger.schema.tables import (
    api_keys,
    artifacts,
    events,
    login_links,
    metadata,
    orphans,
    profiles,
    providers,
    reports,
    requests,
    sessions,
    share_links,
    source_checks,
    spool_costs,
    workers,
)
from tests.ledger_steps import Steps

Changed = dict[str, set[Any]]
"""Per table the keys of the rows that an act has added, changed or removed."""

NOW = datetime.now(UTC)
AGO = NOW - timedelta(days=1)
LATER = NOW + timedelta(days=300)

_USUAL: dict[Table, dict[str, Any]] = {
    api_keys: {"name": "key", "owner": "shop", "scopes": "order", "secret_hash": "0"},
    sessions: {"key_id": "k1", "expires_at": LATER},
    login_links: {"key_id": "k1", "expires_at": LATER},
    share_links: {"created_by": "Mina", "expires_at": LATER},
    profiles: {"owner": "shop", "pipeline": "song_video", "fields": "{}", "updated_at": AGO},
    providers: {},
    source_checks: {
        **{"pipeline": "analysis", "subject": "repo", "payload": "{}", "found": "f", "mark": ""},
        **{"used_at": AGO, "due_at": AGO, "failures": 0},
    },
    reports: {
        **{"pipeline": "song_video", "stage": "lyric", "position": 0, "completed": 1, "failed": 0},
        **{"retries": 0, "cost": 0, "codes": "{}", "unusual": "[]", "made_at": AGO},
    },
    orphans: {
        **{"provider": "vendor", "task_id": "gone", "stage": "lyric", "cost": 7},
        **{"at": AGO, "why": "it was deleted"},
    },
    spool_costs: {"day": f"{NOW:%Y-%m-%d}", "cost": 7},
    workers: {"nonce": "n1", "slots": 4, "beat_at": NOW},
}


def put(steps: Steps, table: Table, **columns: Any) -> None:
    """Have this row, with all that the test does not turn on filled in."""
    made = {"created_at": AGO} if "created_at" in table.c else {}
    with steps.db.writing() as tx:
        tx.execute(insert(table).values({**made, **_USUAL[table], **columns}))


def id_of(steps: Steps, task_id: str) -> int:
    """Return the key of the request."""
    return steps.row(task_id).id


def changes_of(steps: Steps, act: Callable[[], Any]) -> Changed:
    """Return which rows the act adds, changes or removes; a request goes by its name, a file by its path, an event
    by its request and number."""
    before = _rows(steps)
    act()
    after = _rows(steps)
    changed = {
        table: {key for key in {*rows, *after[table]} if rows.get(key) != after[table].get(key)}
        for table, rows in before.items()
    }
    return {table: keys for table, keys in changed.items() if keys}


def _rows(steps: Steps) -> dict[str, dict[Any, tuple[Any, ...]]]:
    with steps.db.reading() as tx:
        return {
            table.name: {_key(table, row): tuple(row) for row in tx.execute(select(table))}
            for table in metadata.sorted_tables
        }


def _key(table: Table, row: Any) -> Any:
    if table is requests:
        return row.task_id
    if table is events:
        return row.request_id, row.seq
    if table is artifacts:
        return row.where
    key = tuple(getattr(row, column.name) for column in table.primary_key.columns)
    return key if len(key) > 1 else key[0]
