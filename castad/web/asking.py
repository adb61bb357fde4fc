"""Questions before an act that costs money, may cost twice, or cannot be undone.

The question carries the number of the last decision about the order. A form that is sent a second time, by a
double tap or a reload, names a decision that is no longer the last, and nothing more is done.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from castad.api.auth import ensure_scope
from castad.orders.acts import list_redo_prices
from castad.orders.submit import list_prices, sum_prices
from castad.readmodels.snapshot import read_snapshot
from castad.web.words import Translator, dollars
from castad.web.work_acts import Call
from castad.web.work_view import generation_of, stage_label
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import IllegalTransitionError, NothingToRetryError
from resources.ledger.queries.access import Scope
from resources.ledger.queries.money import list_submissions
from resources.ledger.queries.status import find_last_decision
from resources.ledger.schema.tables import StageStatus, Status
from resources.views.order_body import to_dollars

DONE_BEFORE = "before"
"""Reported instead of the act if it was done before or the order has changed since the question."""
_SAID = ("retry", "cancel", "redo", "reject", "resume", "unshare", "attach", "resubmit", "give_up")


@dataclass(frozen=True)
class Question:
    """What the page asks; `fields` go with the answer, `is_final` is what cannot be undone."""

    act: str
    heading: str
    consequence: str
    button: str
    is_final: bool
    fields: Mapping[str, str] = field(default_factory=dict)


def question_of(call: Call, act: str, translate: Translator) -> Question | None:
    """Return what has to be answered before this act, None for an act that is done at once.

    Raises what makes the act impossible, as far as that is known before it is done.
    """
    name = _name_of(act, call.form)
    if name not in _VALUES:
        return None
    values = {"price": "", "cost": "", **_VALUES[name](call, translate)}
    decided = find_last_decision(call.api.db, call.order.id)
    fields = {**_seen_by(call, act), **call.form}
    fields = {key: value for key, value in fields.items() if key not in ("csrf", "confirmed")}
    return Question(
        act,
        translate(f"ask_{name}", **values),
        translate(f"ask_{name}_means", **values),
        translate(f"ask_{name}_now", **values),
        name in _FINAL,
        {**fields, "confirmed": str(decided)},
    )


def _seen_by(call: Call, act: str) -> Mapping[str, str]:
    """Return the generation that a redo is about, where the form does not say it."""
    if act != "redo":
        return {}
    snapshot = read_snapshot(call.api.db, call.order.task_id, call.api.store.root)
    return {"generation": str(generation_of(snapshot, call.form.get("stage", "")))}


def do_once(call: Call, act: str, do: Callable[[Call], None]) -> str:
    """Do what was confirmed, and return what a page says of it: the act's name, or `DONE_BEFORE`."""
    asked_at = call.form.get("confirmed")
    if asked_at is None:
        do(call)
    elif asked_at != str(find_last_decision(call.api.db, call.order.id)):
        return DONE_BEFORE
    else:
        try:
            do(call)
        except IllegalTransitionError:
            # The same form may have been sent twice at once.
            if asked_at == str(find_last_decision(call.api.db, call.order.id)):
                raise
            return DONE_BEFORE
    return _name_of(act, call.form)


def said_of(given: str | None, translate: Translator) -> str | None:
    """Return what has just been done, as the page's address says; None where it says nothing known."""
    return translate(f"did_{given}") if given in (*_SAID, DONE_BEFORE) else None


def _name_of(act: str, form: Mapping[str, str]) -> str:
    """Return the act's name; that of a resolution is its choice."""
    return form.get("choice", "") if act == "resolve" else act


def _of_redo(call: Call, translate: Translator) -> Mapping[str, str]:
    stage, changed = call.form.get("stage", ""), call.form.get("field", "")
    changes = {changed: call.form.get("value", "")} if changed else {}
    prices = list_redo_prices(call.api.db, call.order.task_id, stage, changes, call.api.settings)
    pipeline = get_catalog().find_pipeline(call.order.pipeline)
    return {
        "stage": stage_label(pipeline, stage, translate),
        "price": dollars(to_dollars(sum_prices(prices))),
    }


def _of_retry(call: Call, translate: Translator) -> Mapping[str, str]:
    if call.order.status not in (Status.FAILED, Status.DEAD, Status.CANCELED):
        raise NothingToRetryError(call.order.task_id, call.order.status)
    return {"price": dollars(to_dollars(price_of_rest(call)))}


def price_of_rest(call: Call) -> int:
    """Return what the stages that are not completed cost, in micro-dollars; 0 where the order is not readable."""
    snapshot, payload = (
        read_snapshot(call.api.db, call.order.task_id, call.api.store.root),
        call.order.order(),
    )
    if snapshot.pipeline is None or payload is None:
        return 0
    done = {each.stage for each in snapshot.stages if each.status == StageStatus.COMPLETED}
    try:
        prices = list_prices(snapshot.pipeline, payload, call.api.settings)
    except InvalidInputError:
        return 0
    return sum_prices([each for each in prices if each.stage not in done])


def _of_order(call: Call, translate: Translator) -> Mapping[str, str]:
    snapshot = read_snapshot(call.api.db, call.order.task_id, call.api.store.root)
    return {"cost": dollars(to_dollars(snapshot.overview.cost))}


def _of_cancel(call: Call, translate: Translator) -> Mapping[str, str]:
    if call.order.is_terminal:
        raise IllegalTransitionError(
            f"task_id: {call.order.task_id!r} is {call.order.status}; nothing to cancel"
        )
    return _of_order(call, translate)


def _of_doubt(call: Call, translate: Translator) -> Mapping[str, str]:
    lost = list_submissions(call.api.db, call.order).in_doubt
    if lost is None:
        raise IllegalTransitionError(f"task_id: {call.order.task_id!r} has no submission in doubt")
    return {"cost": dollars(to_dollars(lost.cost)), "provider": lost.provider}


def resume_question(provider: str, translate: Translator) -> Question:
    """Return what is asked before a paused vendor is used again, without an order."""
    return Question(
        "resume",
        translate("ask_resume", provider=provider),
        translate("ask_resume_means", provider=provider),
        translate("ask_resume_now"),
        is_final=False,
        fields={"provider": provider, "confirmed": "yes"},
    )


def _of_provider(call: Call, translate: Translator) -> Mapping[str, str]:
    ensure_scope(call.visitor.key, Scope.ADMIN)
    return {"provider": call.form.get("provider", "")}


_VALUES: Mapping[str, Callable[[Call, Translator], Mapping[str, Any]]] = {
    "redo": _of_redo,
    "retry": _of_retry,
    "cancel": _of_cancel,
    "reject": _of_order,
    "delete": _of_order,
    "unshare": _of_order,
    "resume": _of_provider,
    "resubmit": _of_doubt,
    "give_up": _of_doubt,
}
_FINAL = frozenset({"cancel", "reject", "delete", "unshare", "give_up"})
