"""What a person does on the page of a work, by the fields of a form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from castad.api.auth import ensure_scope
from castad.api.state import Api
from castad.orders.acts import redo_from, resume_by_hand, retry_order
from castad.orders.approval import approve_order, choose_order, reject_order, revise_order
from castad.web.sharing import revoke_link
from castad.web.visitor import Visitor
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.access import Scope
from resources.ledger.request import Request as Order
from resources.ledger.transitions.orders import cancel_request

Form = Mapping[str, str]
_MOST_DIGITS = 10


@dataclass(frozen=True)
class Call:
    """A form of this person's about an order of theirs."""

    api: Api
    visitor: Visitor
    order: Order
    form: Form

    @property
    def by(self) -> str:
        """Who does it, as events say."""
        return self.visitor.name


def edited(pipeline: Pipeline | None, stage: str, form: Form) -> dict[str, str]:
    """The fields of the stage's product that the form changes; line ends as the ledger has them."""
    found = None if pipeline is None else pipeline.find_stage(stage)
    if found is None or found.revision is None:
        return {}
    return {
        name: form[name].replace("\r\n", "\n")
        for name in found.revision.model.model_fields
        if name in form
    }


def _held(call: Call) -> None:
    """What was edited and chosen is stored; then, where that is meant, it is approved.

    Each is of what the person has seen, or has just written.
    """
    db, task_id, stage = call.api.db, call.order.task_id, call.form.get("stage", "")
    seen = _seen(call.form.get("generation", ""))
    fields = edited(get_catalog().find_pipeline(call.order.pipeline), stage, call.form)
    if fields:
        seen = revise_order(db, task_id, stage, fields, call.by, seen).generation
    choice = call.form.get("choice")
    if choice:
        seen = choose_order(db, task_id, stage, choice, call.by, seen).generation
    if call.form.get("act") == "approve":
        approve_order(db, task_id, stage, call.by, seen)


def _seen(text: str, field: str = "generation") -> int:
    """The generation or attempt that the form was about; raises InvalidInputError."""
    if not (text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS):
        raise InvalidInputError(field, "expected the number that the form had")
    return int(text)


def seen_if_named(form: Form, field: str) -> int | None:
    """Return the number that the form was about, None where it has none; raises InvalidInputError."""
    given = form.get(field)
    return None if given is None else _seen(given, field)


def _reject(call: Call) -> None:
    reject_order(call.api.db, call.order.task_id, call.by)


def _redo(call: Call) -> None:
    field, value = call.form.get("field", ""), call.form.get("value", "")
    changes = {field: value} if field else {}
    stage, db, seen = (
        call.form.get("stage", ""),
        call.api.db,
        seen_if_named(call.form, "generation"),
    )
    redo_from(db, call.order.task_id, stage, changes, call.api.settings, call.by, seen)


def _retry(call: Call) -> None:
    seen = seen_if_named(call.form, "attempt")
    retry_order(call.api.db, call.order.task_id, by=call.by, attempt=seen)


def _cancel(call: Call) -> None:
    cancel_request(call.api.db, call.order.task_id, call.by)


def _resume(call: Call) -> None:
    ensure_scope(call.visitor.key, Scope.ADMIN)
    resume_by_hand(call.api.db, call.form.get("provider", ""), call.by)


def _unshare(call: Call) -> None:
    revoke_link(call.api, call.order, call.form.get("link", ""))


ACTS: Mapping[str, Callable[[Call], None]] = {
    "held": _held,
    "reject": _reject,
    "redo": _redo,
    "retry": _retry,
    "cancel": _cancel,
    "resume": _resume,
    "unshare": _unshare,
}
