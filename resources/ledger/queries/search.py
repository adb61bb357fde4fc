"""Requests in whose order or products words may occur: what a search has to read. Read-only."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, LargeBinary, and_, cast, exists, or_, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.listing import ListedRow, RequestFilter, listed_rows, older
from resources.ledger.queries.word_patterns import ESCAPE, ESCAPED_TEXT, patterns_of
from resources.ledger.schema.tables import StageStatus, requests, stages

StageNames = Mapping[str, Collection[str]]
"""By pipeline, the stages whose results have words."""


@retry_transient
def last_looked_at(
    db: Database, wanted: RequestFilter, after: int | None, count: int
) -> int | None:
    """The id of the last of the `count` newest matching requests older than `after`; None if they are fewer."""
    query = older(select(requests.c.id), wanted, after).offset(count - 1).limit(1)
    with db.reading() as tx:
        return tx.execute(query).scalar()


@retry_transient
def rows_with_words(
    db: Database,
    wanted: RequestFilter,
    words: Sequence[str],
    worded: StageNames,
    *,
    after: int | None,
    down_to: int | None,
    limit: int,
) -> list[ListedRow]:
    """The newest matching requests, older than `after` down to `down_to`, that may have all these folded words.

    Too many rather than too few: the caller looks again.
    """
    may_have = [_may_have(word, worded, is_sqlite=db.is_sqlite) for word in words]
    is_escaped = requests.c.payload.like(ESCAPED_TEXT, escape=ESCAPE)
    query = listed_rows(wanted, after).where(or_(and_(*may_have), is_escaped))
    if down_to is not None:
        query = query.where(requests.c.id >= down_to)
    with db.reading() as tx:
        return [ListedRow.of(row) for row in tx.execute(query.limit(limit))]


@retry_transient
def results_of(
    db: Database, request_ids: Collection[int], stage_names: Collection[str]
) -> Mapping[int, Mapping[str, bytes | str]]:
    """The results of these stages, as they are stored, of the newest generation that has one."""
    # What an operator has stored may be no text.
    result = cast(stages.c.result, LargeBinary) if db.is_sqlite else stages.c.result
    query = (
        select(stages.c.request_id, stages.c.stage, result.label("result"))
        .where(
            stages.c.request_id.in_(request_ids),
            stages.c.stage.in_(stage_names),
            stages.c.status == StageStatus.COMPLETED.value,
            stages.c.result.is_not(None),
        )
        .order_by(stages.c.generation)
    )
    found: dict[int, dict[str, bytes | str]] = defaultdict(dict)
    with db.reading() as tx:
        for row in tx.execute(query):
            found[row.request_id][row.stage] = row.result
    return found


def _may_have(word: str, worded: StageNames, *, is_sqlite: bool) -> ColumnElement[bool]:
    patterns = patterns_of(word)

    def has(column: Any) -> ColumnElement[bool]:
        # SQLite's LIKE takes capital letters of ASCII as small ones, as ILIKE does.
        like = column.like if is_sqlite else column.ilike
        return or_(*(like(pattern, escape=ESCAPE) for pattern in patterns))

    # A pipeline each: with all stages in one condition, SQLite reads the results of every stage.
    said = (
        and_(
            requests.c.pipeline == pipeline,
            exists().where(
                stages.c.request_id == requests.c.id,
                stages.c.stage.in_(names),
                has(stages.c.result),
            ),
        )
        for pipeline, names in worded.items()
    )
    named = [has(requests.c.task_id)] if word.isascii() else []
    return or_(has(requests.c.payload), *named, *said)
