"""The ledger's errors: what it refuses, each with its code and its sentence."""

from resources.contract.errors import KEY_REFUSED, CastadError, OutOfCreditsError
from resources.ledger.limits import (
    APPROVAL_PREFIX,
    FINAL_STATUS_PREFIX,
    ORDER_PREFIX,
    PERMIT_PREFIX,
    SLOT_PREFIX,
    format_wait,
)

_LOOK_AGAIN_SECONDS = 10.0
_REMEDIES = {
    OutOfCreditsError.code: "top up the account",
    KEY_REFUSED: "set a new key and restart the processes that use the old one",
}


class LedgerError(CastadError):
    """The ledger refused the operation, and nothing changed.

    The message is the class's `sentence`, formatted with `values`; `code` replaces the class's code.
    """

    code = "ledger_error"
    sentence = "{}"

    def __init__(self, *values: object, code: str | None = None) -> None:
        super().__init__(self.sentence.format(*values), code=code)


class UnknownRequestError(LedgerError):
    """No request has this task_id."""

    code = "unknown_task_id"
    sentence = "task_id: no request is called {!r}"


class UnknownCallbackError(LedgerError):
    """No submission has this token at this provider. The token is not repeated: it may be another provider's."""

    code = "unknown_callback"
    sentence = "callback: no submission has this token"


class ConflictError(LedgerError):
    """The task_id belongs to another order; `field` names the order's field with the conflict."""

    code = "conflict"
    sentence = (
        "task_id: {!r} belongs to another order; expected the same order again or a new task_id"
    )
    field = "task_id"


class OtherOptionError(ConflictError):
    """The order exists, and its option `field` would not take the value that was sent.

    `why` is a clause whose subject is the order, such as "has begun".
    """

    sentence = "{1}: order {0!r} is there already and {2}; expected the {1} that it has, none, or a new task_id"

    def __init__(self, task_id: str, field: str, why: str) -> None:
        super().__init__(task_id, field, why)
        self.field = field


class DuplicateOrderError(ConflictError):
    """A request that is alive or completed holds the order's unique key."""

    code = "duplicate"
    sentence = "unique_key: {} is the same order, alive or done; expected another order"
    field = "unique_key"

    def __init__(self, holder: str | None = None) -> None:
        """Take the `holder`'s task_id; None if it is unknown or another owner's."""
        super().__init__("another request" if holder is None else f"request {holder!r}")


class IllegalTransitionError(LedgerError):
    """The request's state does not allow this transition."""

    code = "illegal_transition"


class TakenIdError(LedgerError):
    """The provider gives a submission the id of another submission."""

    code = "job_id_taken"


class NothingToRetryError(IllegalTransitionError):
    """The request has not failed, died or been canceled."""

    code = "nothing_to_retry"
    sentence = "task_id: {!r} is {}; nothing to retry"


class NotHeldError(IllegalTransitionError):
    """The request does not wait for an approval, or waits for another stage's."""

    code = "not_held"
    sentence = "task_id: {!r} {}; expected {}"

    def __init__(self, task_id: str, status: str, held: str | None, stage: str | None) -> None:
        """Take the stage that waits as `held`, and the one that was named as `stage`."""
        super().__init__(
            task_id,
            f"waits for the approval of {held}"
            if held
            else f"is {status}, and waits for no approval",
            f"an order that waits for that of {stage}"
            if stage
            else "one that waits for an approval",
        )


class ChangedMeanwhileError(IllegalTransitionError):
    """The stage or the order was changed, redone or retried after the person had seen it."""

    code = "changed_meanwhile"
    sentence = "{}: the {} was changed meanwhile; expected its newest one, {}, got {}"

    def __init__(
        self, what: str, newest: int, meant: int | None, number: str = "generation"
    ) -> None:
        """Take a stage or the order as `what`, and the name of the number that is meant."""
        super().__init__(number, what, newest, "none" if meant is None else meant)
        self.field = number


class NotCompletedError(IllegalTransitionError):
    """The request is not completed."""

    code = "not_completed"
    sentence = "task_id: {!r} is {}; expected a completed order"


class NoVideoError(IllegalTransitionError):
    """The request has no video."""

    code = "no_video"
    sentence = "task_id: {!r} has no video; expected an order that has made one"


class UnknownProfileError(LedgerError):
    """The owner has no profile of this name."""

    code = "unknown_profile"
    sentence = "name: no profile is called {!r}"

    def __init__(self, name: str) -> None:
        super().__init__(name[:80])


class ClaimRefusedError(LedgerError):
    """The run may not process the request, and has changed nothing."""

    code = "claim_refused"


class LeaseLostError(LedgerError):
    """The attempt no longer holds the request's lease: it must write nothing and submit nothing more."""

    code = "lease_lost"


class CancelRequestedError(LedgerError):
    """A person has requested the cancel of the request."""

    code = "cancel_requested"


class WorkerStoppingError(LedgerError):
    """The worker is shutting down: the request is pending again, and no retry is counted."""

    code = "worker_stopping"


class WaitsError(LedgerError):
    """The request has to wait, and its order is not at fault: it is pending again, and no retry is counted.

    `waits_for` is the value of the column of that name. The request is due after `retry_after` seconds; 0 if
    it is not due by time alone.
    """

    def __init__(
        self, waits_for: str, *values: object, retry_after: float = 0.0, code: str | None = None
    ) -> None:
        super().__init__(*values, code=code)
        self.waits_for = waits_for
        self.retry_after = retry_after


class ProviderPausedError(WaitsError):
    """The provider is paused for the reason `why`; `code` is the reason's error code."""

    code = "provider_paused"
    sentence = "{0}; the order waits for {1}: {2}, then `castad resume {1}`"

    def __init__(self, provider: str, why: str, code: str | None = None) -> None:
        super().__init__(
            provider, why, provider, _REMEDIES.get(code or "", "fix the cause"), code=code
        )


def format_slots_taken(slots: int) -> str:
    """Format the clause that all slots are taken; `slots` is their number."""
    return "its slot is taken" if slots == 1 else f"its {slots} slots are taken"


class NoSlotError(WaitsError):
    """No slot of the stage is free for the request: all are taken, or other requests are ahead."""

    code = "no_slot"
    sentence = "{}: {}; the order waits for one"

    def __init__(self, stage: str, slots: int) -> None:
        super().__init__(format_wait(SLOT_PREFIX, stage), stage, format_slots_taken(slots))


class HeldError(WaitsError):
    """A person has to approve the result of a stage before the next one begins.

    The wait ends after `seconds`; None if it has no end.
    """

    code = "held"
    sentence = "{}: the order waits until a person approves it"

    def __init__(self, stage: str, seconds: float | None) -> None:
        super().__init__(format_wait(APPROVAL_PREFIX, stage), stage, retry_after=seconds or 0.0)


class SameOrderError(WaitsError):
    """Another request makes the same order; this one waits for its result."""

    code = "same_order"
    sentence = "request {!r} is the same order and is being made; this one waits for its result"

    def __init__(self, task_id: str) -> None:
        super().__init__(format_wait(ORDER_PREFIX, task_id), task_id)
        # The dispatcher sees the end of a request whose whole name fits; another one is looked at again.
        is_whole = self.waits_for == f"{ORDER_PREFIX}{task_id}"
        self.retry_after = 0.0 if is_whole else _LOOK_AGAIN_SECONDS


class NoPermitError(WaitsError):
    """The vendor's rate limit leaves no call for the request, which waits for a permit.

    `seconds` is the least wait, 0 if it is unknown.
    """

    code = "no_permit"
    sentence = "{}: the order waits for a permit at {}"

    def __init__(self, stage: str, vendor: str, seconds: float = 0.0) -> None:
        super().__init__(format_wait(PERMIT_PREFIX, vendor), stage, vendor, retry_after=seconds)


class NoFinalStatusError(WaitsError):
    """The vendor is still working on the job, and the run's slot is needed for other requests.

    The job is polled again in `seconds`.
    """

    code = "no_final_status"
    sentence = "{}: {} is working on it; the run's slot goes to another order meanwhile"

    def __init__(self, stage: str, vendor: str, seconds: float) -> None:
        super().__init__(
            format_wait(FINAL_STATUS_PREFIX, vendor), stage, vendor, retry_after=seconds
        )


class TooOftenError(WaitsError):
    """The vendor rejected a call because there were too many, and demands a pause of `seconds`."""

    code = "rate_limited"
    sentence = "{}; the order waits {:.0f} s, as {} demands"

    def __init__(self, vendor: str, why: str, seconds: float) -> None:
        super().__init__(vendor, why, seconds, vendor)


class VendorDownError(WaitsError):
    """The vendor accepts no job now; the request is tried again in `seconds`."""

    code = "vendor_down"
    sentence = "{}; the order waits and is tried again every {:.0f} s"

    def __init__(self, vendor: str, why: str, seconds: float) -> None:
        super().__init__(vendor, why, seconds)


class OverMaxCostError(LedgerError):
    """The order would cost more than a limit ever allows; amounts in micro-dollars.

    `spent` is its cost so far, `price` that of the submission, and `variable` the setting that holds the
    `limit`.
    """

    code = "over_max_cost"
    sentence = (
        "{}: it costs {} and the order has cost {} already, together more than {}, {}; "
        "nothing was submitted"
    )

    def __init__(
        self, stage: str, spent: int, price: int, limit: int, variable: str = "CASTAD_MAX_COST"
    ) -> None:
        super().__init__(stage, _usd(price), _usd(spent), variable, _usd(limit))


class DailyBudgetError(WaitsError):
    """Today's orders (UTC) would cost more than CASTAD_DAILY_BUDGET; `wait` is the seconds until the next day.

    Amounts in micro-dollars. The request waits as for a paused provider, under the name `BUDGET`.
    """

    code = "daily_budget"
    sentence = (
        "{}: it costs {} and today's orders (UTC) have cost {} already, together more than CASTAD_DAILY_BUDGET, "
        "{}; the order waits for the next day, or until the budget is raised and `castad resume {}`"
    )
    BUDGET = "budget"

    def __init__(self, stage: str, spent: int, price: int, limit: int, wait: float) -> None:
        super().__init__(self.BUDGET, stage, _usd(price), _usd(spent), _usd(limit), self.BUDGET)
        self.wait = wait


def _usd(micro_dollars: int) -> str:
    """Format an amount of micro-dollars as US dollars."""
    return f"{micro_dollars / 1_000_000:.4f} USD"


class UnknownKeyError(LedgerError):
    """No API key has this id."""

    code = "unknown_key"
    sentence = "KEY_ID: no key is called {!r}; `castad key list` shows the keys"


class SeveralKeysError(LedgerError):
    """More than one valid API key has this name."""

    code = "several_keys"
    sentence = "NAME: several keys are called {!r}; expected the id of one, see `castad key list`"


class SecretExistsError(LedgerError):
    """The API key has a webhook secret already, which is not shown again."""

    code = "secret_exists"
    sentence = "NAME: the key {!r} has a webhook secret already; --rotate makes a new one"


class UnknownLoginLinkError(LedgerError):
    """No login link has this token, or it was used or has expired."""

    code = "unknown_login_link"
    sentence = (
        "this login link was used, has expired or never was; `castad login-link` makes another"
    )


class UnknownShareLinkError(LedgerError):
    """No share link has this token or id, or it was revoked or has expired, or its result was deleted."""

    code = "unknown_share_link"
    sentence = "this share link shows nothing: it was revoked, has expired or never was, or its result was deleted"


class UnknownDeliveryError(LedgerError):
    """No webhook has this id."""

    code = "unknown_webhook"
    sentence = "ID: no webhook has the id {}; `castad webhooks` shows the webhooks"


class DatabaseNewerError(LedgerError):
    """The schema revision of the database is unknown to this castad: it is newer, or too old."""

    code = "database_newer"
