"""The system at the desk: vendors, budget, workers, dead letters, webhooks, dead saves, hourly reports."""

from collections.abc import Callable, Mapping

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from castad.api.state import Api, ApiDep
from castad.orders.acts import (
    LONGEST_REASON,
    USUAL_PAUSE,
    pause_by_hand,
    pause_seconds,
    resume_by_hand,
)
from castad.readmodels.webhooks import order_webhook_body
from castad.web.asking import resume_question
from castad.web.desk import AdminDep, NumbersDep, labels_of, lead_to
from castad.web.desk_plots import HEIGHT, HOURS, WIDTH, bars, last_hours, lines
from castad.web.page_route import PageRoute
from castad.web.plain_form import read_plain_form
from castad.web.rendering import page
from castad.web.security_headers import guard
from castad.web.texts import translator_of
from castad.web.visitor import Visitor, require_order_scope
from resources.contract.errors import InvalidInputError
from resources.delivery.spool import open_spool
from resources.ledger.queries.money import read_pauses
from resources.ledger.queries.statistics import list_reported_hours, list_reports
from resources.ledger.queries.webhooks import list_deliveries, sum_deliveries
from resources.ledger.queries.workload import list_living_workers
from resources.ledger.schema.tables import UNDELIVERED
from resources.ledger.transitions.webhooks import replay_webhooks
from resources.providers.vendor import VENDORS

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_SHOWN = 20
_LONGEST_ID = 19
_NOT_PAUSED = "expected a paused provider"
_PAUSES = ("30m", USUAL_PAUSE, "6h", "1d", "7d")
Form = Mapping[str, str]


@router.get("/desk/-/system")
def system(request: Request, api: ApiDep, numbers: NumbersDep, visitor: AdminDep) -> Response:
    """Every panel, as of now."""
    listed = list_reported_hours(api.db, limit=HOURS)
    hours = last_hours(listed[0].hour) if listed else []
    reports = list_reports(api.db, hours) if hours else {}
    drawn, most = bars(hours, reports)
    found = numbers.read()
    return page(
        request,
        "desk_system.html",
        visitor,
        numbers=found,
        work=found.work,
        workers=list_living_workers(api.db, api.settings.lease_seconds),
        webhooks=sum_deliveries(api.db),
        failed_webhooks=[
            order_webhook_body(each)
            for each in list_deliveries(api.db, statuses=UNDELIVERED, limit=_SHOWN)
        ],
        dead_saves=open_spool(api.settings.home).dead(_SHOWN),
        bars=drawn,
        most=most,
        lines=lines(hours, reports),
        plot=(WIDTH, HEIGHT),
        providers=VENDORS,
        pauses=_PAUSES,
        usual_pause=USUAL_PAUSE,
        longest_reason=LONGEST_REASON,
        labels=labels_of(translator_of(request)),
        settings=api.settings,
    )


@router.get("/desk/-/system/{verb}")
def back_to_system(request: Request, verb: str, visitor: AdminDep) -> Response:
    """Where a browser goes that opens a form's address."""
    return lead_to(request, "/desk/-/system")


@router.post("/desk/-/system/{verb}")
async def act(
    request: Request, verb: str, api: ApiDep, numbers: NumbersDep, visitor: AdminDep
) -> Response:
    """The act is done, and the panels follow."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    if verb not in _ACTS:
        raise InvalidInputError("verb", f"expected one of {', '.join(_ACTS)}")
    if verb == "resume" and "confirmed" not in form:
        return await run_in_threadpool(_asked, request, api, visitor, form.get("provider", ""))
    await run_in_threadpool(_ACTS[verb], api, form, visitor.name)
    numbers.forget()
    return guard(RedirectResponse("/desk/-/system", 303))


def _asked(request: Request, api: Api, visitor: Visitor, provider: str) -> Response:
    """The page that asks before a paused vendor is used again."""
    if provider not in [each.provider for each in read_pauses(api.db)]:
        raise InvalidInputError("provider", _NOT_PAUSED)
    return page(
        request,
        "asked_page.html",
        visitor,
        question=resume_question(provider, translator_of(request)),
        address="/desk/-/system",
        back="/desk/-/system",
        about="",
    )


def _pause(api: Api, form: Form, by: str) -> None:
    seconds = pause_seconds("pause", form.get("pause", USUAL_PAUSE))
    pause_by_hand(api.db, form.get("provider", ""), seconds, by, form.get("reason", ""))


def _resume(api: Api, form: Form, by: str) -> None:
    if not resume_by_hand(api.db, form.get("provider", ""), by):
        raise InvalidInputError("provider", _NOT_PAUSED)


def _replay_webhook(api: Api, form: Form, by: str) -> None:
    replay_webhooks(api.db, _id_of(form) if "id" in form else None)


def _replay_save(api: Api, form: Form, by: str) -> None:
    entry = _id_of(form) if "id" in form else None
    if not open_spool(api.settings.home).replay(entry) and entry is not None:
        raise InvalidInputError("id", "expected the id of a dead save")


def _id_of(form: Form) -> int:
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
