"""Batches: many orders of one file, checked and priced before they are made; "37 of 120" afterwards."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from castad.api.order_schema import example_csv
from castad.api.state import Api, ApiDep
from castad.api.submission import SOURCE, batch_price, parse_batch
from castad.orders.batch import (
    RefusedOrder,
    RefusedOrdersError,
    is_batch_name,
    named_orders,
    new_batch_name,
)
from castad.orders.orders_file import LARGEST_FILE, MAX_ORDERS, CheckedOrder
from castad.orders.submit import checked_orders, submit_all, validate_order
from castad.readmodels.order_list import read_page
from castad.web.file_form import read_file_form
from castad.web.language import language_of
from castad.web.page_route import PageRoute
from castad.web.refusals import refusal
from castad.web.rendering import page
from castad.web.security_headers import guard
from castad.web.texts import pipeline_kinds, translator_of
from castad.web.visitor import Visitor, VisitorDep, require_order_scope
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.listing import RequestFilter, count_batch
from resources.ledger.schema.tables import TERMINAL, Status
from resources.views.order_body import usd

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_SHOWN_ROWS = 200
_PER_PAGE = 60


@router.get("/batches")
def new_batch(request: Request, visitor: VisitorDep) -> Response:
    """The form that takes a file of orders."""
    return _form(request, visitor)


@router.post("/batches")
async def check_or_order(request: Request, api: ApiDep, visitor: VisitorDep) -> Response:
    """The orders of the file are in the ledger, or only priced, or none is and each refused row is named."""
    form = await read_file_form(request, LARGEST_FILE)
    require_order_scope(visitor, form.fields.get("csrf"))
    text = _as_utf8(form.file) or form.fields.get("text", "").encode()
    action = partial(_checked, request, api, visitor, text, form.fields)
    return await run_in_threadpool(action)


def _checked(
    request: Request, api: Api, visitor: Visitor, text: bytes, fields: dict[str, str]
) -> Response:
    given = fields.get("batch", "")
    name = given if is_batch_name(given) else new_batch_name()
    check = partial(validate_order, settings=api.settings, by_operator=visitor.is_admin)
    try:
        raws = named_orders(name, parse_batch(text, is_csv=True))
        orders = checked_orders(api.db, raws, check, owner=visitor.owner)
        if fields.get("action") != "order":
            price, shown = usd(batch_price(orders, api.settings)), _text_of(text)
            return _form(request, visitor, orders=orders, price=price, batch=name, text=shown)
        submitted = submit_all(api.db, orders, source=SOURCE, owner=visitor.owner)
    except RefusedOrdersError as error:
        return _form(request, visitor, refused=error.refused, count=len(raws), status=422)
    except InvalidInputError as error:
        return _form(request, visitor, error=error, status=422)
    updated = sum(bool(each.updated) for each in submitted)
    told = f"?updated={updated}" if updated else ""
    return guard(RedirectResponse(f"/batches/{name}{told}", 303))


def _as_utf8(content: bytes) -> bytes:
    """The file in UTF-8: a Korean Excel saves CSV in its own code page, and no Korean in it is UTF-8."""
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        with suppress(UnicodeDecodeError):
            return content.decode("cp949").encode()
    return content


def _text_of(content: bytes) -> str:
    return content.decode("utf-8-sig")


def _form(
    request: Request,
    visitor: Visitor,
    *,
    error: InvalidInputError | None = None,
    refused: Sequence[RefusedOrder] = (),
    count: int = 0,
    orders: Sequence[CheckedOrder] = (),
    price: float = 0.0,
    batch: str = "",
    text: str = "",
    status: int = 200,
) -> Response:
    translate = translator_of(request)
    return page(
        request,
        "batch.html",
        visitor,
        status=status,
        error=refusal(translate, error.code, error.message) if error else None,
        refused=[
            (each.location, refusal(translate, each.code, each.detail))
            for each in refused[:_SHOWN_ROWS]
        ],
        refused_count=len(refused),
        count=count or len(orders),
        summaries=[each.pipeline.summarize_order(each.payload) for each in orders[:_SHOWN_ROWS]],
        price=price,
        batch=batch,
        text=text,
    )


@router.get("/batches/example.csv")
def example(visitor: VisitorDep) -> Response:
    """A file of one order, as a start."""
    return guard(
        Response("\ufeff" + example_csv(get_catalog(), named=False), media_type="text/csv")
    )


@router.get("/batches/{name}")
def batch(
    request: Request,
    name: str,
    api: ApiDep,
    visitor: VisitorDep,
    updated: Annotated[int, Query(ge=0, le=MAX_ORDERS)] = 0,
) -> Response:
    """Show how far the orders of the batch are, and that some of them were there with other options."""
    owner = None if visitor.is_admin else visitor.owner
    counts = count_batch(api.db, name, owner) if is_batch_name(name) else {}
    if not counts:
        raise UnknownRequestError(name)
    wanted = RequestFilter(owner=owner, batch=name)
    found = read_page(api.db, wanted, limit=_PER_PAGE)
    return page(
        request,
        "batch_progress.html",
        visitor,
        name=name,
        updated=updated,
        works=found.orders,
        kinds=pipeline_kinds(language_of(request)),
        **_sums(counts),
    )


def _sums(counts: Mapping[Status, int]) -> dict[str, Any]:
    total = sum(counts.values())
    ended = sum(count for status, count in counts.items() if status in TERMINAL)
    return {
        "total": total,
        "done": counts.get(Status.COMPLETED, 0),
        "is_over": ended == total,
        "counts": [(status, counts[status]) for status in Status if counts.get(status)],
    }
