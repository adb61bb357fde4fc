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
from castad.web.asking import Question, build_resume_question
from castad.web.dashboard import AdminDep, Cursor, NumbersDep, build_labels, lead_to
from castad.web.pages import (
    PageRoute,
    Visitor,
    guard,
    read_plain_form,
    render_page,
    require_order_scope,
)
from castad.web.words import Translator, get_translator
from resources.contract.errors import InvalidInputError
from resources.delivery.spool import open_spool
from resources.ledger.ledger_errors import UnknownKeyError
from resources.ledger.queries.access import list_keys
from resources.ledger.queries.money import read_pauses
from resources.ledger.queries.webhooks import list_deliveries, sum_deliveries
from resources.ledger.queries.workload import list_living_workers
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.access import revoke_key
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
        keys=[each for each in list_keys(api.db) if each.revoked_at is None],
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
    if verb in _QUESTIONS and "confirmed" not in form:
        return await run_in_threadpool(_ask, request, api, visitor, verb, form)
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


def _ask(request: Request, api: Api, visitor: Visitor, verb: str, form: Form) -> Response:
    """Ask before a paused vendor is resumed or a key revoked."""
    return render_page(
        request,
        "asked_page.html",
        visitor,
        question=_QUESTIONS[verb](api, form, get_translator(request)),
        address="/dashboard/-/system",
        back="/dashboard/-/system",
        about="",
    )


def _ask_resume(api: Api, form: Form, translate: Translator) -> Question:
    provider = form.get("provider", "")
    if provider not in [each.provider for each in read_pauses(api.db)]:
        raise InvalidInputError("provider", _NOT_PAUSED)
    return build_resume_question(provider, translate)


def _ask_revoke(api: Api, form: Form, translate: Translator) -> Question:
    key = next((each for each in list_keys(api.db) if each.id == form.get("key_id")), None)
    if key is None:
        raise UnknownKeyError(form.get("key_id", "")[:40])
    return Question(
        "revoke",
        translate("ask_revoke", name=key.name),
        translate("ask_revoke_means", owner=key.owner),
        translate("ask_revoke_now"),
        is_final=True,
        fields={"key_id": key.id, "confirmed": "yes"},
    )


def _pause(api: Api, form: Form, by: str) -> None:
    seconds = parse_pause_seconds("pause", form.get("pause", USUAL_PAUSE))
    pause_by_hand(api.db, form.get("provider", ""), seconds, by, form.get("reason", ""))


def _resume(api: Api, form: Form, by: str) -> None:
    if not resume_by_hand(api.db, form.get("provider", ""), by):
        raise InvalidInputError("provider", _NOT_PAUSED)


def _revoke(api: Api, form: Form, by: str) -> None:
    revoke_key(api.db, form.get("key_id", ""))


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
    "revoke": _revoke,
    "webhook": _replay_webhook,
    "save": _replay_save,
}
_QUESTIONS: Mapping[str, Callable[[Api, Form, Translator], Question]] = {
    "resume": _ask_resume,
    "revoke": _ask_revoke,
}
