"""Pages of orders, the newest first: the search by words, the JSON and the table."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, Field

from castad.views.status_body import (
    EXAMPLE_LINKS,
    Links,
    build_links,
    compute_percent,
    find_thumbnail,
    read_order,
)
from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import normalize_text
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import is_longer_than
from resources.ledger.db.database import Database
from resources.ledger.queries.listing import (
    ListDetails,
    ListedRow,
    RequestFilter,
    StageState,
    count_codes,
    fold_text,
    list_requests_page,
    read_last_looked_at,
    read_list_details,
    read_listing_rows,
    read_results,
    read_rows_with_words,
)
from resources.ledger.request import Request, parse_json_object
from resources.ledger.schema.tables import StageStatus, Status
from resources.views.order_body import (
    ErrorBody,
    build_artifact_url,
    build_order_fields,
)
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example, readable

LONGEST_QUERY = 100
LONGEST_RAW = 4 * LONGEST_QUERY
"""Code points before any check: a decomposed syllable has up to three."""
_LOOKED_AT = 20_000
"""The most orders that one call looks at."""
_READ = 500
"""The most orders that one call reads in full: the database may find more than match."""
_CHUNK = 100
_NOT_BEGUN = StageState(StageStatus.PENDING, None)


def parse_search_words(query: str) -> list[str]:
    """Split a query into its different words, folded for comparison; raise InvalidInputError naming `q`."""
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
    """Find the newest orders older than the one with the id `after` that match and have all the words.

    Return them and the id from which the next call continues, because one call looks at `look_at` orders at most.
    The id is None if there are no more.
    """
    down_to = read_last_looked_at(db, wanted, after, look_at)
    found: list[ListedRow] = []
    worded = {
        pipeline.name: [stage.name for stage in pipeline.worded_stages]
        for pipeline in get_catalog()
        if pipeline.worded_stages
    }
    stages = {name for names in worded.values() for name in names}
    for _ in range(_READ // _CHUNK):
        rows = read_rows_with_words(
            db, wanted, words, worded, after=after, down_to=down_to, limit=_CHUNK
        )
        results = read_results(db, [row.request.id for row in rows], stages)
        for row in rows:
            after = row.request.id
            text = build_search_text(row.request, results.get(after, {}))
            if all(word in text for word in words):
                found.append(row)
            if len(found) == limit:
                return found, after
        if len(rows) < _CHUNK:
            return found, down_to
    return found, after


def count_found_codes(
    db: Database, wanted: RequestFilter, words: Sequence[str]
) -> tuple[list[tuple[str, int]], bool]:
    """Count the matching orders with all the words by error code, the most frequent code first.

    Also return whether there may be more, because one call searches a limited number of orders.
    """
    if not words:
        return count_codes(db, wanted).most_common(), False
    rows, more = search_rows(db, wanted, words, after=None, limit=_READ)
    found = Counter(code for row in rows if (code := row.request.error_code) is not None)
    return found.most_common(), more is not None


def build_search_text(request: Request, results: Mapping[str, bytes | str]) -> str:
    """Join and fold all words of an order and of its stages' stored results. Pure."""
    pipeline = get_catalog().find_pipeline(request.pipeline)
    known = {
        stage: parsed for stage, text in results.items() if (parsed := parse_json_object(text))
    }
    words = "" if pipeline is None else pipeline.join_words(known)
    return fold_text(
        "\n".join((request.task_id, *list_texts(request.order()), str(readable(words))))
    )


def list_texts(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON value, without the names of members. Pure."""
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            left += reversed(each.values())
        elif isinstance(each, list):
            left += reversed(each)


LONGEST_PAGE = 500


class OrderBody(BaseModel):
    """One order in a list."""

    task_id: LedgerText
    pipeline: LedgerText
    summary: LedgerText | None = Field(
        description="The order in one line; null if its pipeline does not understand it"
    )
    status: Status
    stage: LedgerText | None
    progress: int = Field(ge=0, le=100, description="Percent")
    seq: int
    attempt: int
    retry_count: int
    waits_for: LedgerText | None = Field(description="As in the status")
    error: ErrorBody | None
    owner: LedgerText | None
    source: LedgerText
    priority: int
    scheduled_at: Timestamp | None = Field(None, description="As in the status")
    seconds: float = Field(description="Time from its creation until its end, or until now")
    cost_usd: float
    cover: LedgerText | None = Field(
        description="The path of the small picture that shows the order"
    )
    created_at: Timestamp
    updated_at: Timestamp
    completed_at: Timestamp | None
    links: Links

    @classmethod
    def from_row(cls, row: ListedRow, details: ListDetails) -> Self:
        """Build the order from its row."""
        order = row.request
        read = read_order(order)
        pipeline = get_catalog().find_pipeline(order.pipeline)
        cover = find_thumbnail(pipeline, details.pictures.get(order.id, ()))
        begun = details.stages.get(order.id, {})
        names = list(begun) if pipeline is None else pipeline.stage_names
        stages = [begun.get(name, _NOT_BEGUN) for name in names]
        return cls(
            **build_order_fields(order, row.at, row.cost),
            summary=None if read is None else read.summary,
            progress=compute_percent((each.status, each.progress) for each in stages),
            cover=None if cover is None else build_artifact_url(order.task_id, cover),
            links=build_links(order.task_id),
        )


class Page(BaseModel):
    """A page of orders, the newest first."""

    model_config = example(
        orders=[
            {
                "task_id": "shop-1",
                "pipeline": "song_video",
                "summary": "Bluebird Bakery, Busan, 20 s",
                "status": "processing",
                "stage": "song",
                "progress": 33,
                "seq": 9,
                "attempt": 1,
                "retry_count": 0,
                "waits_for": None,
                "error": None,
                "owner": "shop",
                "source": "api",
                "priority": 0,
                "seconds": 12.5,
                "cost_usd": 0.0004,
                "cover": None,
                "created_at": EXAMPLE_TIMESTAMP,
                "updated_at": EXAMPLE_TIMESTAMP,
                "completed_at": None,
                "links": EXAMPLE_LINKS,
            }
        ],
        next=None,
    )

    orders: list[OrderBody]
    next: str | None = Field(
        description="The `cursor` of the next page; null on the last one. A call searches a limited number of "
        "orders: its page may have fewer than `limit` orders, or none, and still have a next page"
    )


def read_page(
    db: Database,
    wanted: RequestFilter,
    *,
    words: Sequence[str] = (),
    after: int | None = None,
    limit: int,
) -> Page:
    """Read a page of the newest matching orders with all the words, older than the one with the id `after`."""
    if words:
        rows, more = search_rows(db, wanted, words, after=after, limit=limit)
    else:
        rows = list_requests_page(db, wanted, after=after, limit=limit + 1)
        more = rows[limit - 1].request.id if len(rows) > limit else None
        rows = rows[:limit]
    details = read_list_details(db, [row.request.id for row in rows])
    return Page(
        orders=[OrderBody.from_row(row, details) for row in rows],
        next=None if more is None else str(more),
    )


def read_full_page(
    db: Database,
    wanted: RequestFilter,
    *,
    words: Sequence[str] = (),
    after: int | None = None,
    limit: int,
    calls: int | None = None,
) -> Page:
    """Call `read_page` until the page has `limit` orders or no more match.

    `calls` limits the calls; the page may then be short and still have a next one.
    """
    page, made = read_page(db, wanted, words=words, after=after, limit=limit), 1
    while page.next is not None and len(page.orders) < limit and made != calls:
        missing = limit - len(page.orders)
        more = read_page(db, wanted, words=words, after=int(page.next), limit=missing)
        page, made = Page(orders=[*page.orders, *more.orders], next=more.next), made + 1
    return page


def read_orders(db: Database, request_ids: Sequence[int]) -> list[OrderBody]:
    """Read those of these orders that exist, the newest first."""
    rows = read_listing_rows(db, request_ids)
    details = read_list_details(db, [row.request.id for row in rows])
    return [OrderBody.from_row(row, details) for row in rows]
