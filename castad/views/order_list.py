"""Pages of orders, the newest first: the search by words, and the JSON of each, which its status shares."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self
from urllib.parse import quote

from pydantic import BaseModel, Field

from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import normalize_text
from pipeline_defs.pipeline import Brief, Pipeline, find_newest_file
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import is_longer_than
from resources.ledger.db.database import Database
from resources.ledger.queries.listing import (
    ListDetails,
    ListedRow,
    Picture,
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
    build_status_url,
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
_log = logging.getLogger("castad.orders")
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


@dataclass(frozen=True)
class ReadOrder:
    """An order whose payload its pipeline understands."""

    pipeline: Pipeline
    parsed: Brief

    @property
    def summary(self) -> str | None:
        """The order in one line for people; None if the pipeline's function fails."""
        try:
            return " ".join(str(readable(self.pipeline.summary(self.parsed))).split())
        except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
            name, kind = self.pipeline.name, type(error).__name__
            _log.warning("summary not shown: pipeline=%s error=%s", name, kind)
            return None

    @property
    def brief(self) -> dict[str, Any]:
        """The order as JSON, with all defaults."""
        given: dict[str, Any] = _make_encodable(self.parsed.model_dump(mode="json"))
        return given


def read_order(request: Request) -> ReadOrder | None:
    """Parse the request's order; return None if its pipeline is unknown or does not understand the payload."""
    return _read_payload(get_catalog().find_pipeline(request.pipeline), request.order())


def _read_payload(pipeline: Pipeline | None, payload: Mapping[str, Any] | None) -> ReadOrder | None:
    if pipeline is None or payload is None:
        return None
    try:
        return ReadOrder(pipeline, pipeline.parse(payload))
    except (InvalidInputError, RecursionError):
        return None


def _find_summary(request: Request) -> str | None:
    """Find the order in one line; None if it cannot be read. A list shows the same orders again and again."""
    pipeline = get_catalog().find_pipeline(request.pipeline)
    if pipeline is None:
        return None
    return _summarize(pipeline.name, pipeline.summary, request.payload)


@lru_cache(maxsize=512)
def _summarize(name: str, summary: Callable[[Brief], str], payload: bytes | str) -> str | None:
    read = _read_payload(get_catalog().find_pipeline(name), parse_json_object(payload))
    return None if read is None else read.summary


def find_cover(pipeline: Pipeline | None, pictures: Sequence[Picture]) -> str | None:
    """Find the name of the picture that shows an order, among its pictures in the order they were made.

    It is the pipeline's cover, or else the first picture of the newest generation of the last stage that made one.
    Return None if there are no pictures.
    """
    cover = None if pipeline is None else pipeline.cover
    named = cover and find_newest_file(cover.large, (each.name for each in pictures))
    if named:
        return named
    stages = () if pipeline is None else pipeline.stage_names

    def rank(picture: Picture) -> tuple[int, int]:
        position = stages.index(picture.stage) if picture.stage in stages else -1
        return position, picture.generation

    best = max(pictures, key=rank, default=None)
    return None if best is None else best.name


def find_thumbnail(pipeline: Pipeline | None, pictures: Sequence[Picture]) -> str | None:
    """Find the name of the small picture that shows an order in a list, or else its cover."""
    if not pictures:
        return None
    cover = None if pipeline is None else pipeline.cover
    named = cover and find_newest_file(cover.small, (each.name for each in pictures))
    return named or find_cover(pipeline, pictures)


def _make_encodable(value: Any) -> Any:
    """Make all text in a JSON value encodable in UTF-8; an operator's SQL may have stored anything."""
    if isinstance(value, dict):
        return {readable(name): _make_encodable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_make_encodable(each) for each in value]
    return readable(value) if isinstance(value, str) else value


class Links(BaseModel):
    """Paths of further calls about the order."""

    self: str
    events: str
    history: str
    cancel: str


def build_links(task_id: str) -> Links:
    """Build the paths of further calls about an order."""
    name = quote(task_id, safe="")
    return Links(
        self=build_status_url(task_id),
        events=f"/v1/pipeline/events/{name}",
        history=f"/v1/pipeline/history/{name}",
        cancel=f"/v1/pipeline/cancel/{name}",
    )


EXAMPLE_LINKS = build_links("shop-1").model_dump()


def compute_percent(stages: Iterable[tuple[str, float | None]]) -> int:
    """Compute an order's progress in percent from the status and the progress in [0, 1] of each stage. Pure."""
    shares = [
        1.0 if status == StageStatus.COMPLETED else limit_share(reported)
        for status, reported in stages
    ]
    return to_percent(sum(shares), len(shares))


def limit_share(reported: float | None) -> float:
    """Limit a reported progress to [0, 1]; return 0 if SQL has stored something that is no number."""
    return min(max(0.0, reported), 1.0) if isinstance(reported, int | float) else 0.0


def to_percent(done: float, stages: int) -> int:
    """Convert the number of stages done, out of `stages` of equal weight, to percent; 0 if there are no stages."""
    return int(100 * done / stages) if stages else 0


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
        pipeline = get_catalog().find_pipeline(order.pipeline)
        cover = find_thumbnail(pipeline, details.pictures.get(order.id, ()))
        begun = details.stages.get(order.id, {})
        names = list(begun) if pipeline is None else pipeline.stage_names
        stages = [begun.get(name, _NOT_BEGUN) for name in names]
        return cls(
            **build_order_fields(order, row.at, row.cost),
            summary=_find_summary(order),
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
