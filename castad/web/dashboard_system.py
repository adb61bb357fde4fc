"""The system on the dashboard: vendors, budget, workers, dead letters, saves; and the log of webhooks."""

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from castad.api.state import Api, ApiDep
from castad.orders.acts import (
    LONGEST_REASON,
    USUAL_PAUSE,
    parse_pause_seconds,
    pause_by_hand,
    resume_by_hand,
)
from castad.web.asking import build_resume_question
from castad.web.dashboard import AdminDep, Cursor, NumbersDep, build_labels, lead_to
from castad.web.pages import (
    PageRoute,
    Visitor,
    guard,
    read_plain_form,
    render_page,
    require_order_scope,
)
from castad.web.words import get_translator
from resources.contract.errors import InvalidInputError
from resources.delivery.spool import open_spool
from resources.ledger.queries.money import read_pauses
from resources.ledger.queries.webhooks import list_deliveries, sum_deliveries
from resources.ledger.queries.workload import list_living_workers
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.webhooks import replay_webhooks
from resources.providers.vendor import VENDORS
from resources.views.webhooks import build_order_webhook_body

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_SHOWN = 20
_LISTED = 50
_LONGEST_ID = 19
_NOT_PAUSED = "expected a paused provider"
_PAUSES = ("30m", USUAL_PAUSE, "6h", "1d", "7d")
Form = Mapping[str, str]


@router.get("/dashboard/-/system")
def show_system(request: Request, api: ApiDep, numbers: NumbersDep, visitor: AdminDep) -> Response:
    """Show all panels with current values."""
    found = numbers.read()
    return render_page(
        request,
        "dashboard_system.html",
        visitor,
        numbers=found,
        work=found.work,
        workers=list_living_workers(api.db, api.settings.lease_seconds),
        webhooks=sum_deliveries(api.db),
        dead_saves=open_spool(api.settings.home).dead(_SHOWN),
        providers=VENDORS,
        pauses=_PAUSES,
        usual_pause=USUAL_PAUSE,
        longest_reason=LONGEST_REASON,
        labels=build_labels(get_translator(request)),
        settings=api.settings,
    )


@router.get("/dashboard/-/webhooks")
def show_webhooks(
    request: Request, api: ApiDep, visitor: AdminDep, status: str = "", cursor: Cursor = None
) -> Response:
    """Show a page of all webhooks, or of those in one state, newest first."""
    state = _parse_state(status)
    found = list_deliveries(
        api.db,
        statuses=() if state is None else (state,),
        before=None if cursor is None else int(cursor),
        limit=_LISTED + 1,
    )
    return render_page(
        request,
        "dashboard_webhooks.html",
        visitor,
        webhooks=[build_order_webhook_body(each) for each in found[:_LISTED]],
        older=found[_LISTED - 1].id if len(found) > _LISTED else None,
        is_first=cursor is None,
        state=state,
        counts=sum_deliveries(api.db).by_status,
        has_replayed="replayed" in request.query_params,
        settings=api.settings,
    )


def _parse_state(given: str) -> DeliveryStatus | None:
    """Return the state, or None for all; raise InvalidInputError."""
    if given and given not in [*DeliveryStatus]:
        raise InvalidInputError("status", f"expected one of {', '.join(DeliveryStatus)}")
    return DeliveryStatus(given) if given else None


@router.get("/dashboard/-/system/{verb}")
def return_to_system(request: Request, verb: str, visitor: AdminDep) -> Response:
    """Redirect a browser that opens a form's address."""
    return lead_to(request, "/dashboard/-/system")


@router.post("/dashboard/-/system/{verb}")
async def perform_act(
    request: Request, verb: str, api: ApiDep, numbers: NumbersDep, visitor: AdminDep
) -> Response:
    """Perform the act and redirect to the panels."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    if verb not in _ACTS:
        raise InvalidInputError("verb", f"expected one of {', '.join(_ACTS)}")
    if verb == "resume" and "confirmed" not in form:
        return await run_in_threadpool(_ask, request, api, visitor, form.get("provider", ""))
    after = _build_address_after(verb, form)
    await run_in_threadpool(_ACTS[verb], api, form, visitor.name)
    numbers.forget()
    return guard(RedirectResponse(after, 303))


def _build_address_after(verb: str, form: Form) -> str:
    """Build the address of the page that the act was chosen on."""
    if verb != "webhook":
        return "/dashboard/-/system"
    state = _parse_state(form.get("status", ""))
    return f"/dashboard/-/webhooks?{urlencode({'status': state or '', 'replayed': 'yes'})}"


def _ask(request: Request, api: Api, visitor: Visitor, provider: str) -> Response:
    """Ask before a paused vendor is resumed."""
    if provider not in [each.provider for each in read_pauses(api.db)]:
        raise InvalidInputError("provider", _NOT_PAUSED)
    return render_page(
        request,
        "asked_page.html",
        visitor,
        question=build_resume_question(provider, get_translator(request)),
        address="/dashboard/-/system",
        back="/dashboard/-/system",
        about="",
    )


def _pause(api: Api, form: Form, by: str) -> None:
    seconds = parse_pause_seconds("pause", form.get("pause", USUAL_PAUSE))
    pause_by_hand(api.db, form.get("provider", ""), seconds, by, form.get("reason", ""))


def _resume(api: Api, form: Form, by: str) -> None:
    if not resume_by_hand(api.db, form.get("provider", ""), by):
        raise InvalidInputError("provider", _NOT_PAUSED)


def _replay_webhook(api: Api, form: Form, by: str) -> None:
    replay_webhooks(api.db, _parse_id(form) if "id" in form else None)


def _replay_save(api: Api, form: Form, by: str) -> None:
    entry = _parse_id(form) if "id" in form else None
    if not open_spool(api.settings.home).replay(entry) and entry is not None:
        raise InvalidInputError("id", "expected the id of a dead save")


def _parse_id(form: Form) -> int:
    given = form["id"]
    if not (given.isascii() and given.isdecimal() and len(given) < _LONGEST_ID):
        raise InvalidInputError("id", "expected a number from the list")
    return int(given)


_ACTS: Mapping[str, Callable[[Api, Form, str], None]] = {
    "pause": _pause,
    "resume": _resume,
    "webhook": _replay_webhook,
    "save": _replay_save,
}
