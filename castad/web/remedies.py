"""What a page says of a work that waits or has ended without a result, and what is to be done. Pure."""

from dataclasses import dataclass
from typing import Literal

from castad.readmodels.status_body import StatusBody
from castad.web.figures import duration
from castad.web.refusals import Refusal
from castad.web.texts import Translator
from resources.contract.errors import UnknownSubmissionError
from resources.ledger.ledger_errors import DailyBudgetError
from resources.ledger.limits import SETTINGS
from resources.ledger.schema.tables import Status
from resources.process.configure_logging import format_utc

Act = Literal["retry", "order_again", "resolve"]

_PICTURES = (
    *("image_unreachable", "invalid_image", "invalid_picture", "no_picture", "picture_missing"),
    *("private_address", "bad_download"),
)
_WRITTEN_ANEW = ("invalid_payload", "duplicate")
_PICTURE_TEXT = "pictures"
_WAITS = ("slot", "permit", "final_status", "order")


@dataclass(frozen=True)
class Remedy:
    """One sentence, and the one thing that helps; `label` is on its button, `code` is stable."""

    sentence: str
    act: Act
    label: str
    code: str
    told: str


def remedy_of(status: StatusBody, translate: Translator, *, is_admin: bool) -> Remedy | None:
    """What helps a work that has ended without a result or whose submission is in doubt; None for others."""
    code = "" if status.error is None else status.error.code
    is_doubtful = (
        code == UnknownSubmissionError.code and status.overall_status is not Status.COMPLETED
    )
    if status.overall_status not in (Status.DEAD, Status.CANCELED) and not is_doubtful:
        return None
    why = error_sentence(status, translate)
    sentence = translate("work_canceled") if why is None else why.sentence
    told = "" if status.error is None else status.error.message or ""
    act, label = _act(code, translate, is_admin=is_admin)
    return Remedy(sentence, act, label, code, told if told != sentence else "")


def error_sentence(status: StatusBody, translate: Translator) -> Refusal | None:
    """What has failed: the sentence for the code, else that it failed and what is said of it; None for nothing."""
    if status.error is None:
        return None
    code, told = status.error.code, status.error.message or ""
    name = f"code_{_PICTURE_TEXT if code in _PICTURES else code}"
    other = translate.find(f"refusal_{code}", translate("code_other"))
    if translate.find(name, "") or not told:
        return Refusal(code, translate.find(name, other))
    return Refusal(code, told) if translate.language == "en" else Refusal(code, other, told)


def _act(code: str, translate: Translator, *, is_admin: bool) -> tuple[Act, str]:
    """What helps, and its label; a pipeline's text `fix_<code>` says that its order is changed, and how."""
    if code == UnknownSubmissionError.code and is_admin:
        return "resolve", translate("act_resolve")
    if code in _PICTURES:
        return "order_again", translate(f"act_{_PICTURE_TEXT}")
    own = translate.find(f"fix_{code}", "")
    if own or code in _WRITTEN_ANEW:
        return "order_again", own or translate("act_order_again")
    return "retry", translate("act_retry")


def waiting_sentence(status: StatusBody, translate: Translator) -> str | None:
    """What a pending work waits for; None where it waits for nothing."""
    if status.waits_for is None:
        planned = status.scheduled_at if status.attempt == 0 else None
        return None if planned is None else translate("wait_scheduled", time=format_utc(planned))
    kind, _, _ = status.waits_for.partition(":")
    if kind in _WAITS:
        ahead = status.orders_ahead
        return translate(f"wait_{kind}") if not ahead else translate("wait_ahead", n=ahead)
    if status.waits_for in (SETTINGS, DailyBudgetError.BUDGET):
        return translate(f"wait_{status.waits_for}")
    return translate("wait_paused", provider=status.waits_for)


def get_paused_provider(status: StatusBody) -> str | None:
    """The provider, or the day's budget, that has to be freed before the work goes on."""
    waits = status.waits_for
    return None if waits is None or ":" in waits or waits == SETTINGS else waits


def retry_sentence(status: StatusBody, translate: Translator) -> str | None:
    """When a failed work is tried again; None for one that is not."""
    if status.overall_status is not Status.FAILED or status.next_retry_in_seconds is None:
        return None
    return translate("tried_again", time=duration(status.next_retry_in_seconds, translate.language))
