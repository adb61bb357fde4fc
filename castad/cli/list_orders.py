"""The work of `castad list`."""

from castad.readmodels.order_list import filled_page
from castad.readmodels.order_search import search_words
from castad.readmodels.order_table import OrderTable
from castad.stack.output import print_json, print_result, print_status
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import open_database
from resources.ledger.queries.listing import RequestFilter
from resources.ledger.queries.status import read_clock
from resources.ledger.schema.tables import Status
from resources.process.settings import settings


def show_orders(
    *, status: str | None, pipeline: str | None, query: str | None, limit: int, as_json: bool
) -> None:
    """The newest matching orders were printed. Raises InvalidInputError."""
    wanted = RequestFilter(
        status=None if status is None else _status(status),
        pipeline=None if pipeline is None else get_catalog().get_pipeline(pipeline).name,
    )
    words = [] if query is None else search_words(query)
    db = open_database(settings().ledger_url)
    page = filled_page(db, wanted, words=words, limit=limit)
    if as_json:
        print_json(page.model_dump(mode="json"))
    elif page.orders:
        print_result(OrderTable(page.orders, read_clock(db)))
    else:
        print_status("no orders" if wanted == RequestFilter() and not words else "no such orders")


def _status(given: str) -> Status:
    try:
        return Status(given)
    except ValueError:
        expected = f"expected {', '.join(Status)}, got {ascii(given)[:80]}"
        raise InvalidInputError("--status", expected) from None
