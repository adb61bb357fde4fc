"""Orders by words: of the order itself, of its products and of its name."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import normalize_text
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import is_longer_than
from resources.ledger.db.database import Database
from resources.ledger.queries.listing import (
    ListedRow,
    RequestFilter,
    StageNames,
    fold_text,
    read_last_looked_at,
    read_results,
    read_rows_with_words,
)
from resources.ledger.request import Request
from resources.views.json_types import readable

LONGEST_QUERY = 100
LONGEST_RAW = 4 * LONGEST_QUERY
"""Code points before any check: a decomposed syllable has up to three."""
_LOOKED_AT = 20_000
"""Orders that one call looks at, at most."""
_READ = 500
"""Orders of these that one call reads in full, at most: the database may find more than there are."""
_CHUNK = 100


def search_words(query: str) -> list[str]:
    """The different words of a query, as they are compared; raises InvalidInputError naming `q`."""
    try:
        normalize_text(query)
    except ValueError as error:
        raise InvalidInputError("q", str(error)) from None
    words = [*dict.fromkeys(fold_text(query).split())]
    if not words or is_longer_than(query, LONGEST_QUERY):
        raise InvalidInputError("q", f"expected words of 1 to {LONGEST_QUERY} characters together")
    return words


def search_rows(
    db: Database,
    wanted: RequestFilter,
    words: Sequence[str],
    *,
    after: int | None,
    limit: int,
    look_at: int = _LOOKED_AT,
) -> tuple[list[ListedRow], int | None]:
    """The newest orders older than the one with the id `after`, that match and have all the words.

    Also the id from which a further call goes on: each looks at so many orders at most. None where there are none.
    """
    down_to = read_last_looked_at(db, wanted, after, look_at)
    found: list[ListedRow] = []
    worded = _worded_stages()
    for _ in range(_READ // _CHUNK):
        rows = read_rows_with_words(
            db, wanted, words, worded, after=after, down_to=down_to, limit=_CHUNK
        )
        for row, text in _with_texts(db, rows, worded):
            after = row.request.id
            if all(word in text for word in words):
                found.append(row)
            if len(found) == limit:
                return found, after
        if len(rows) < _CHUNK:
            return found, down_to
    return found, after


def _worded_stages() -> StageNames:
    return {
        pipeline.name: [stage.name for stage in pipeline.worded_stages]
        for pipeline in get_catalog()
        if pipeline.worded_stages
    }


def _with_texts(
    db: Database, rows: Sequence[ListedRow], worded: StageNames
) -> Iterator[tuple[ListedRow, str]]:
    """Each row with all its words, folded."""
    names = {name for stage_names in worded.values() for name in stage_names}
    results = read_results(db, [row.request.id for row in rows], names)
    for row in rows:
        yield row, text_of(row.request, results.get(row.request.id, {}))


def text_of(request: Request, results: Mapping[str, bytes | str]) -> str:
    """All words of an order and of its stages' stored results, folded. Pure."""
    pipeline = get_catalog().find_pipeline(request.pipeline)
    known = {stage: parsed for stage, text in results.items() if (parsed := _parsed(text))}
    words = "" if pipeline is None else pipeline.join_words(known)
    return fold_text("\n".join((request.task_id, *texts_in(request.order()), str(readable(words)))))


def texts_in(value: Any) -> Iterator[str]:
    """All texts in a JSON value but the names in its objects. Pure."""
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            left += reversed(each.values())
        elif isinstance(each, list):
            left += reversed(each)


def _parsed(text: bytes | str) -> Mapping[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
