"""Pages of orders, the newest first: one shape for the command line, the API and the page."""

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import BaseModel, Field

from castad.readmodels.order_search import search_rows
from castad.readmodels.order_words import read_order, thumbnail_of
from castad.readmodels.status_body import EXAMPLE_LINKS, Links, list_links_of, percent_of
from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import Database
from resources.ledger.queries.listing import (
    ListDetails,
    ListedRow,
    RequestFilter,
    StageState,
    list_requests_page,
    read_list_details,
    read_listing_rows,
)
from resources.ledger.schema.tables import Status
from resources.views.json_types import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example
from resources.views.order_body import (
    ErrorBody,
    build_artifact_url,
    build_error_body,
    measure_seconds,
    usd,
)

LONGEST_PAGE = 500


class OrderBody(BaseModel):
    """One order in a list."""

    task_id: LedgerText
    pipeline: LedgerText
    summary: LedgerText | None = Field(
        description="The order in one line; null where it is not understood"
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
    def of(cls, row: ListedRow, details: ListDetails) -> Self:
        """This order."""
        order = row.request
        read = read_order(order)
        pipeline = get_catalog().find_pipeline(order.pipeline)
        cover = thumbnail_of(pipeline, details.pictures.get(order.id, ()))
        made = details.stages.get(order.id, {})
        names = list(made) if pipeline is None else pipeline.stage_names
        return cls(
            **{**vars(order), "scheduled_at": order.scheduled_for},
            summary=None if read is None else read.summary,
            progress=_percent(names, made),
            error=build_error_body(order.error_code, order.error_message),
            seconds=round(measure_seconds(order, row.at), 3),
            cost_usd=usd(row.cost),
            cover=None if cover is None else build_artifact_url(order.task_id, cover),
            links=list_links_of(order.task_id),
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
        description="The `cursor` of the next page; null on the last one. A call searches so many orders at most: "
        "its page may have fewer than `limit`, or none, and still a next one"
    )


def read_page(
    db: Database,
    wanted: RequestFilter,
    *,
    words: Sequence[str] = (),
    after: int | None = None,
    limit: int,
) -> Page:
    """The newest orders older than the one with the id `after`, that match and have all these words."""
    if words:
        rows, more = search_rows(db, wanted, words, after=after, limit=limit)
    else:
        rows = list_requests_page(db, wanted, after=after, limit=limit + 1)
        more = rows[limit - 1].request.id if len(rows) > limit else None
        rows = rows[:limit]
    details = read_list_details(db, [row.request.id for row in rows])
    return Page(
        orders=[OrderBody.of(row, details) for row in rows],
        next=None if more is None else str(more),
    )


def filled_page(
    db: Database,
    wanted: RequestFilter,
    *,
    words: Sequence[str] = (),
    after: int | None = None,
    limit: int,
    calls: int | None = None,
) -> Page:
    """As `read_page`, with as many orders as there are up to the limit: one call searches only so many.

    It ends after so many calls, where `calls` is set; its page may be short then and still have a next one.
    """
    page, made = read_page(db, wanted, words=words, after=after, limit=limit), 1
    while page.next is not None and len(page.orders) < limit and made != calls:
        missing = limit - len(page.orders)
        more = read_page(db, wanted, words=words, after=int(page.next), limit=missing)
        page, made = Page(orders=[*page.orders, *more.orders], next=more.next), made + 1
    return page


def read_orders(db: Database, request_ids: Sequence[int]) -> list[OrderBody]:
    """Those of these orders that there are, the newest first."""
    rows = read_listing_rows(db, request_ids)
    details = read_list_details(db, [row.request.id for row in rows])
    return [OrderBody.of(row, details) for row in rows]


def _percent(names: Sequence[str], made: Mapping[str, StageState]) -> int:
    states = (made.get(name) for name in names)
    return percent_of(
        [(None, None) if state is None else (state.status, state.progress) for state in states]
    )
