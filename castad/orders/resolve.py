"""An operator resolves a submission in doubt: with the vendor's id, by another submission, or not at all."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError, PermanentError
from resources.ledger.db.database import Database
from resources.ledger.queries.money import find_submission_in_doubt
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request
from resources.ledger.transitions.callbacks import attach_job, give_up_submission, resubmit_request
from resources.process.settings import Settings

Choice = Literal["attach", "resubmit", "give_up"]
_LONGEST_ID = 200
_WITHOUT_ID: dict[Choice, Callable[[Database, str, str, int | None], Request]] = {
    "resubmit": resubmit_request,
    "give_up": give_up_submission,
}


@dataclass(frozen=True)
class Resolved:
    """The request after it; `remark` says what the vendor could not confirm."""

    request: Request
    remark: str | None = None


def resolve_submission(
    db: Database,
    task_id: str,
    choice: Choice,
    external_id: str | None,
    settings: Settings,
    by: str,
    *,
    field: str = "external_id",
    attempt: int | None = None,
) -> Resolved:
    """The submission in doubt is resolved as the operator chose.

    `attempt` is the last one that the operator has seen.

    Raises InvalidInputError naming `field` (`job_unknown` where the provider has no such job), and the errors of
    the ledger and the provider.
    """
    if choice != "attach":
        if external_id:
            raise InvalidInputError(field, f"expected no id, because the choice is {choice}")
        return Resolved(_WITHOUT_ID[choice](db, task_id, by, attempt))
    found = (external_id or "").strip()
    if not 0 < len(found) <= _LONGEST_ID or not found.isprintable():
        raise InvalidInputError(field, "expected the provider's id of the job")
    remark = _ownership_remark(db, task_id, found, settings, field)
    return Resolved(attach_job(db, task_id, found, by, attempt), remark)


def _ownership_remark(
    db: Database, task_id: str, external_id: str, settings: Settings, field: str
) -> str | None:
    """What the provider cannot confirm; raises InvalidInputError where it says that the job is another order's."""
    request = get_request(db, task_id)
    doubt, pipeline = (
        find_submission_in_doubt(db, request),
        get_catalog().find_pipeline(request.pipeline),
    )
    if doubt is None or pipeline is None or pipeline.find_stage(doubt.stage) is None:
        return None
    provider = get_catalog().make_stage_provider(pipeline, doubt.stage, settings)
    if provider is None or provider.name != doubt.provider:
        return None
    try:
        owned = provider.owns(external_id, doubt.token)
    except PermanentError as error:
        expected = f"expected this order's job; {error.message}"
        raise InvalidInputError(field, expected, code=error.code) from None
    if owned is False:
        raise InvalidInputError(
            field,
            f"expected this order's job; {doubt.provider} says that {external_id} belongs to another",
        )
    if owned is None:
        return f"{doubt.provider} cannot confirm that {external_id} belongs to this order"
    return None
