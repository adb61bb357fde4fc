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
from castad.views.snapshot import read_snapshot
from castad.web.words import Translator, format_dollars
from castad.web.work_acts import Call
from castad.web.work_view import find_generation, find_stage_label
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
_SAID = (
    "saved",
    "retry",
    "cancel",
    "redo",
    "reject",
    "resume",
    "unshare",
    "attach",
    "resubmit",
    "give_up",
)


@dataclass(frozen=True)
class Question:
    """What the page asks; `fields` go with the answer, `is_final` is what cannot be undone."""

    act: str
    heading: str
    consequence: str
    button: str
    is_final: bool
    fields: Mapping[str, str] = field(default_factory=dict)


def build_question(call: Call, act: str, translate: Translator) -> Question | None:
    """Return what has to be answered before this act, None for an act that is done at once.

    Raises what makes the act impossible, as far as that is known before it is done.
    """
    name = _get_act_name(act, call.form)
    if name not in _VALUES:
        return None
    values = {"price": "", "cost": "", **_VALUES[name](call, translate)}
    decided = find_last_decision(call.api.db, call.order.id)
    fields = {**_find_seen_generation(call, act), **call.form}
    fields = {key: value for key, value in fields.items() if key not in ("csrf", "confirmed")}
    return Question(
        act,
        translate(f"ask_{name}", **values),
        translate(f"ask_{name}_means", **values),
        translate(f"ask_{name}_now", **values),
        name in _FINAL,
        {**fields, "confirmed": str(decided)},
    )


def _find_seen_generation(call: Call, act: str) -> Mapping[str, str]:
    """Return the generation that a redo is about, where the form does not say it."""
    if act != "redo":
        return {}
    snapshot = read_snapshot(call.api.db, call.order.task_id, call.api.store.root)
    return {"generation": str(find_generation(snapshot, call.form.get("stage", "")))}


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
    return _get_act_name(act, call.form)


def describe_done_act(given: str | None, translate: Translator) -> str | None:
    """Return what has just been done, as the page's address says; None where it says nothing known."""
    return translate(f"did_{given}") if given in (*_SAID, DONE_BEFORE) else None


def _get_act_name(act: str, form: Mapping[str, str]) -> str:
    """Return the act's name; that of a resolution is its choice."""
    return form.get("choice", "") if act == "resolve" else act


def _read_redo_values(call: Call, translate: Translator) -> Mapping[str, str]:
    stage, changed = call.form.get("stage", ""), call.form.get("field", "")
    changes = {changed: call.form.get("value", "")} if changed else {}
    prices = list_redo_prices(call.api.db, call.order.task_id, stage, changes, call.api.settings)
    pipeline = get_catalog().find_pipeline(call.order.pipeline)
    return {
        "stage": find_stage_label(pipeline, stage, translate),
        "price": format_dollars(to_dollars(sum_prices(prices))),
    }


def _read_retry_values(call: Call, translate: Translator) -> Mapping[str, str]:
    if call.order.status not in (Status.FAILED, Status.DEAD, Status.CANCELED):
        raise NothingToRetryError(call.order.task_id, call.order.status)
    return {"price": format_dollars(to_dollars(compute_rest_price(call)))}


def compute_rest_price(call: Call) -> int:
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


def _read_cost(call: Call, translate: Translator) -> Mapping[str, str]:
    snapshot = read_snapshot(call.api.db, call.order.task_id, call.api.store.root)
    return {"cost": format_dollars(to_dollars(snapshot.overview.cost))}


def _read_cancel_values(call: Call, translate: Translator) -> Mapping[str, str]:
    if call.order.is_terminal:
        raise IllegalTransitionError(
            f"task_id: {call.order.task_id!r} is {call.order.status}; nothing to cancel"
        )
    return _read_cost(call, translate)


def _read_doubt_values(call: Call, translate: Translator) -> Mapping[str, str]:
    lost = list_submissions(call.api.db, call.order).in_doubt
    if lost is None:
        raise IllegalTransitionError(f"task_id: {call.order.task_id!r} has no submission in doubt")
    return {"cost": format_dollars(to_dollars(lost.cost)), "provider": lost.provider}


def build_resume_question(provider: str, translate: Translator) -> Question:
    """Return what is asked before a paused vendor is used again, without an order."""
    return Question(
        "resume",
        translate("ask_resume", provider=provider),
        translate("ask_resume_means", provider=provider),
        translate("ask_resume_now"),
        is_final=False,
        fields={"provider": provider, "confirmed": "yes"},
    )


def _read_provider(call: Call, translate: Translator) -> Mapping[str, str]:
    ensure_scope(call.visitor.key, Scope.ADMIN)
    return {"provider": call.form.get("provider", "")}


_VALUES: Mapping[str, Callable[[Call, Translator], Mapping[str, Any]]] = {
    "redo": _read_redo_values,
    "retry": _read_retry_values,
    "cancel": _read_cancel_values,
    "reject": _read_cost,
    "delete": _read_cost,
    "unshare": _read_cost,
    "resume": _read_provider,
    "resubmit": _read_doubt_values,
    "give_up": _read_doubt_values,
}
_FINAL = frozenset({"cancel", "reject", "delete", "unshare", "give_up"})
