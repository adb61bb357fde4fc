"""The work of `castad list`."""

from castad.readmodels.order_list import Page, read_page
from castad.readmodels.order_search import search_words
from castad.readmodels.order_table import OrderTable
from castad.stack.output import print_json, print_result, print_status
from pipeline_defs.catalog import catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.listing import RequestFilter
from resources.ledger.queries.reads import clock
from resources.ledger.schema.tables import Status
from resources.process.settings import settings


def show_orders(
    *, status: str | None, pipeline: str | None, query: str | None, limit: int, as_json: bool
) -> None:
    """The newest matching orders were printed. Raises InvalidInputError."""
    wanted = RequestFilter(
        status=None if status is None else _status(status),
        pipeline=None if pipeline is None else catalog().pipeline(pipeline).name,
    )
    words = [] if query is None else search_words(query)
    db = open_database(settings().ledger_url)
    page = _filled_page(db, wanted, words, limit)
    if as_json:
        print_json(page.model_dump(mode="json"))
    elif page.orders:
        print_result(OrderTable(page.orders, clock(db)))
    else:
        print_status("no orders" if wanted == RequestFilter() and not words else "no such orders")


def _status(given: str) -> Status:
    try:
        return Status(given)
    except ValueError:
        expected = f"expected {', '.join(Status)}, got {ascii(given)[:80]}"
        raise InvalidInputError("--status", expected) from None


def _filled_page(db: Database, wanted: RequestFilter, words: list[str], limit: int) -> Page:
    """A page with as many orders as there are, up to the limit: one call searches only so many."""
    page = read_page(db, wanted, words=words, limit=limit)
    while page.next is not None and len(page.orders) < limit:
        missing = limit - len(page.orders)
        more = read_page(db, wanted, words=words, after=int(page.next), limit=missing)
        page = Page(orders=[*page.orders, *more.orders], next=more.next)
    return page
