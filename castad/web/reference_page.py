"""The screen for who writes a client: the reference, the live stream, webhooks, remedies."""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from castad.api.state import Api, ApiDep
from castad.readmodels.webhooks import order_webhook_body
from castad.web.page_route import PageRoute
from castad.web.reference import sections
from castad.web.rendering import page
from castad.web.texts import translator_of
from castad.web.visitor import Visitor, VisitorDep
from resources.ledger.queries.webhooks import Webhook, list_deliveries

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_CODE_PREFIX = "remedy_"
_WEBHOOKS = 20


@router.get("/docs")
def reference(request: Request, api: ApiDep, visitor: VisitorDep) -> Response:
    """Every call of the API, each with an example and a try."""
    translate = translator_of(request)
    return page(
        request,
        "reference.html",
        visitor,
        sections=sections(request.app.openapi()),
        origin=str(request.base_url).rstrip("/"),
        remedies=translate.beginning_with(_CODE_PREFIX),
        webhooks=[order_webhook_body(each) for each in _newest_webhooks(api, visitor)],
    )


def _newest_webhooks(api: Api, visitor: Visitor) -> Sequence[Webhook]:
    owner = None if visitor.is_admin else visitor.owner
    return list_deliveries(
        api.db, statuses=(), task_id=None, owner=owner, before=None, limit=_WEBHOOKS
    )
