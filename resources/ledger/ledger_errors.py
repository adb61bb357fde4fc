"""The ledger's errors.

LedgerError
├── UnknownRequestError      no request with this task_id
├── UnknownCallbackError     no submission has this token at this provider
├── ConflictError            the task_id belongs to another order
│   ├── OtherOptionError     the order exists, and this option of it may not be changed
│   └── DuplicateOrderError  the order's unique key belongs to another request
├── IllegalTransitionError   the request's state does not allow this transition
│   ├── NothingToRetryError  the request has not failed, died or been canceled
│   ├── NotHeldError         the request does not wait for this approval
│   ├── ChangedMeanwhileError  the stage has another generation than the one that was meant
│   ├── NotCompletedError    the request is not completed: nothing is shared, and no cover chosen
│   ├── NoVideoError         the request has no video of which a cover could be chosen
│   ├── NotEndedError        the request has not ended, so it is not deleted
│   ├── ManyShareLinksError  the request has as many share links as one may have
│   ├── ManyCoversError      as many covers of the request were chosen as may be
│   ├── ManyProfilesError    the owner has as many profiles as one may have
│   └── InDoubtError         a submission of the request may still be charged, so it is not deleted
├── TakenIdError             the provider gives a submission the id of another one
├── ClaimRefusedError        this run may not work on the request
├── LeaseLostError           another attempt or an operator has taken the request over
├── CancelRequestedError     a cancel of the request was requested
├── WorkerStoppingError      the worker drains; the request is pending again
├── ProviderPausedError      the provider is paused; the request waits
├── NoSlotError              every slot of the stage is taken, or others are ahead; the request waits
├── HeldError                a person has to approve a stage; the request waits
├── SameOrderError           another request makes the same order; the request waits
├── NoPermitError            no call to the vendor is free yet, or others are ahead; the request waits
├── NoFinalStatusError       the vendor is working, and others need the run's slot; the request waits
├── TooOftenError            the vendor demands a pause; the request waits
├── VendorDownError          the vendor takes no job now; the request waits
├── OverMaxCostError         the order would cost more than one order may
├── DailyBudgetError         the day's orders would cost more than they may; the request waits
├── UnknownKeyError          no API key with this id
├── SeveralKeysError         more than one API key has this name
├── SecretExistsError        the API key has a webhook secret already
├── UnknownLoginLinkError    no login link has this token, or it was used or has expired
├── UnknownShareLinkError    no share link has this token or id, or it was revoked or has expired
├── UnknownProfileError      the owner has no profile of this name
├── UnknownDeliveryError     no webhook with this id
└── DatabaseNewerError       a newer castad has migrated the schema
"""

from resources.contract.errors import KEY_REFUSED, CastadError, OutOfCreditsError
from resources.ledger.limits import (
    ORDER_PREFIX,
    format_approval_wait,
    format_final_status_wait,
    format_order_wait,
    format_permit_wait,
    format_slot_wait,
)

_LOOK_AGAIN_SECONDS = 10.0


class LedgerError(CastadError):
    """The ledger refused the operation, and nothing changed."""

    code = "ledger_error"


class UnknownRequestError(LedgerError):
    """No request with this task_id."""

    code = "unknown_task_id"

    def __init__(self, task_id: str) -> None:
        super().__init__(f"task_id: no request is called {task_id!r}")


class UnknownCallbackError(LedgerError):
    """No submission has this token at this provider. The token is not repeated: it may be another provider's."""

    code = "unknown_callback"

    def __init__(self) -> None:
        super().__init__("callback: no submission has this token")


class ConflictError(LedgerError):
    """The task_id belongs to another order; `field` is what the orders share."""

    code = "conflict"
    field = "task_id"

    def __init__(self, task_id: str) -> None:
        super().__init__(
            f"task_id: {task_id!r} belongs to another order; "
            "expected the same order again or a new task_id"
        )


class OtherOptionError(ConflictError):
    """The order exists, and the option `field` sent with it would not take effect."""

    def __init__(self, task_id: str, field: str, why: str) -> None:
        """Take `why` as a clause about the order."""
        LedgerError.__init__(
            self,
            f"{field}: order {task_id!r} is there already and {why}; "
            f"expected the {field} that it has, none, or a new task_id",
        )
        self.field = field


class DuplicateOrderError(ConflictError):
    """A request that is alive or completed holds the order's unique key."""

    code = "duplicate"
    field = "unique_key"

    def __init__(self, holder: str | None = None) -> None:
        """Take the `holder`'s task_id; None if it is unknown or another owner's."""
        name = "another request" if holder is None else f"request {holder!r}"
        LedgerError.__init__(
            self, f"unique_key: {name} is the same order, alive or done; expected another order"
        )


class IllegalTransitionError(LedgerError):
    """The request's state does not allow this transition."""

    code = "illegal_transition"


class TakenIdError(LedgerError):
    """The provider gives a submission the id of another one."""

    code = "job_id_taken"


class NothingToRetryError(IllegalTransitionError):
    """The request has not failed, died or been canceled."""

    code = "nothing_to_retry"

    def __init__(self, task_id: str, status: str) -> None:
        super().__init__(f"task_id: {task_id!r} is {status}; nothing to retry")


class NotHeldError(IllegalTransitionError):
    """The request does not wait for an approval, or not for that of this stage."""

    code = "not_held"

    def __init__(self, request: str, status: str, held: str | None, stage: str | None) -> None:
        """Take the stage that waits as `held`, and the one that was named as `stage`."""
        state = (
            f"waits for the approval of {held}"
            if held
            else f"is {status}, and waits for no approval"
        )
        expected = (
            f"an order that waits for that of {stage}"
            if stage
            else "one that waits for an approval"
        )
        super().__init__(f"task_id: {request!r} {state}; expected {expected}")


class ChangedMeanwhileError(IllegalTransitionError):
    """The stage or order was changed, made again or retried since the person saw it."""

    code = "changed_meanwhile"

    def __init__(
        self, what: str, newest: int, meant: int | None, number: str = "generation"
    ) -> None:
        """Take a stage or the order as `what`, and the name of the number that is meant."""
        got = "none" if meant is None else meant
        super().__init__(
            f"{number}: the {what} was changed meanwhile; expected its newest one, {newest}, got {got}"
        )
        self.field = number


class NotCompletedError(IllegalTransitionError):
    """The request is not completed."""

    code = "not_completed"

    def __init__(self, task_id: str, status: str) -> None:
        super().__init__(f"task_id: {task_id!r} is {status}; expected a completed order")


class NoVideoError(IllegalTransitionError):
    """The request has no video."""

    code = "no_video"

    def __init__(self, task_id: str) -> None:
        super().__init__(f"task_id: {task_id!r} has no video; expected an order that has made one")


class NotEndedError(IllegalTransitionError):
    """The request has not ended."""

    code = "not_ended"

    def __init__(self, task_id: str, status: str) -> None:
        super().__init__(
            f"task_id: {task_id!r} is {status}; expected an order that has ended: cancel it first"
        )


class ManyCoversError(IllegalTransitionError):
    """The request has as many chosen covers as one may have, because each is kept."""

    code = "many_covers"

    def __init__(self, task_id: str, most: int) -> None:
        super().__init__(
            f"task_id: {task_id!r} has had {most} covers chosen, and each is kept; expected fewer"
        )


class ManyShareLinksError(IllegalTransitionError):
    """The request has as many share links as one may have."""

    code = "many_share_links"

    def __init__(self, task_id: str, most: int) -> None:
        super().__init__(
            f"task_id: {task_id!r} has {most} share links, revoked ones too; "
            "expected fewer: one that expires makes room"
        )


class ManyProfilesError(IllegalTransitionError):
    """The owner has as many profiles for one pipeline as one may have."""

    code = "many_profiles"

    def __init__(self, most: int) -> None:
        super().__init__(f"name: there are {most} profiles already; remove one first")


class UnknownProfileError(LedgerError):
    """The owner has no profile of this name."""

    code = "unknown_profile"

    def __init__(self, name: str) -> None:
        super().__init__(f"name: no profile is called {name[:80]!r}")


class InDoubtError(IllegalTransitionError):
    """A submission of the request has no final status."""

    code = "in_doubt"

    def __init__(self, task_id: str) -> None:
        super().__init__(
            f"task_id: {task_id!r} has a submission that may still be charged; "
            "expected a settled one: `castad resolve` settles it"
        )


class ClaimRefusedError(LedgerError):
    """This run may not work on the request; it ends without changing anything."""

    code = "claim_refused"


class LeaseLostError(LedgerError):
    """The attempt no longer holds the request: it writes nothing and submits nothing more."""

    code = "lease_lost"


class CancelRequestedError(LedgerError):
    """A cancel of the request was requested."""

    code = "cancel_requested"


class WorkerStoppingError(LedgerError):
    """The worker drains: the request is pending again, and nothing is counted."""

    code = "worker_stopping"


_REMEDIES = {
    OutOfCreditsError.code: "top up the account",
    KEY_REFUSED: "set a new key and restart the processes that use the old one",
}


class ProviderPausedError(LedgerError):
    """The provider is paused; `code` is that of the reason, `provider` its name."""

    code = "provider_paused"

    def __init__(self, provider: str, why: str, code: str | None = None) -> None:
        remedy = _REMEDIES.get(code or "", "fix the cause")
        super().__init__(
            f"{why}; the order waits for {provider}: {remedy}, then `castad resume {provider}`",
            code=code,
        )
        self.provider = provider


class WaitsError(LedgerError):
    """The request waits, and its order is not at fault: it is pending again, and nothing is counted.

    `waits_for` is the value of the column of that name.
    """

    def __init__(self, message: str, waits_for: str) -> None:
        super().__init__(message)
        self.waits_for = waits_for


def slots_taken(slots: int) -> str:
    """Format the clause that all of these slots are taken."""
    return "its slot is taken" if slots == 1 else f"its {slots} slots are taken"


class NoSlotError(WaitsError):
    """Every slot of the stage is taken, or other requests are ahead."""

    code = "no_slot"

    def __init__(self, stage: str, slots: int) -> None:
        super().__init__(
            f"{stage}: {slots_taken(slots)}; the order waits for one", format_slot_wait(stage)
        )


class HeldError(WaitsError):
    """A person has to approve what a stage has made before the next one begins."""

    code = "held"

    def __init__(self, stage: str, seconds: float | None) -> None:
        """End the wait after `seconds`; None has no end."""
        super().__init__(
            f"{stage}: the order waits until a person approves it", format_approval_wait(stage)
        )
        self.retry_after = seconds or 0.0


class SameOrderError(WaitsError):
    """Another request makes the same order; the request waits for its result."""

    code = "same_order"

    def __init__(self, task_id: str) -> None:
        super().__init__(
            f"request {task_id!r} is the same order and is being made; this one waits for its result",
            format_order_wait(task_id),
        )
        # The dispatcher sees the end of a request whose whole name fits; another one is looked at again.
        is_whole = self.waits_for == f"{ORDER_PREFIX}{task_id}"
        self.retry_after = 0.0 if is_whole else _LOOK_AGAIN_SECONDS


class NoPermitError(WaitsError):
    """No call to the vendor is free yet, or other requests are ahead."""

    code = "no_permit"

    def __init__(self, stage: str, vendor: str, seconds: float = 0.0) -> None:
        """Expect a permit after `seconds` at the earliest."""
        super().__init__(
            f"{stage}: the order waits for a permit at {vendor}",
            format_permit_wait(vendor),
        )
        self.retry_after = seconds


class NoFinalStatusError(WaitsError):
    """The vendor is still working, and other requests need the run's slot."""

    code = "no_final_status"

    def __init__(self, stage: str, vendor: str, seconds: float) -> None:
        """Poll the vendor again in `seconds`."""
        super().__init__(
            f"{stage}: {vendor} is working on it; the run's slot goes to another order meanwhile",
            format_final_status_wait(vendor),
        )
        self.retry_after = seconds


class TooOftenError(WaitsError):
    """The vendor reports that it was called too often, and demands a pause of `seconds`."""

    code = "rate_limited"

    def __init__(self, vendor: str, why: str, seconds: float) -> None:
        super().__init__(f"{why}; the order waits {seconds:.0f} s, as {vendor} demands", vendor)


class VendorDownError(WaitsError):
    """The vendor takes no job now; it is asked again in `seconds`."""

    code = "vendor_down"

    def __init__(self, vendor: str, why: str, seconds: float) -> None:
        super().__init__(f"{why}; the order waits and is tried again every {seconds:.0f} s", vendor)


class OverMaxCostError(LedgerError):
    """The order would cost more than a limit allows at any time; amounts in micro-dollars."""

    code = "over_max_cost"

    def __init__(
        self, stage: str, spent: int, price: int, limit: int, variable: str = "CASTAD_MAX_COST"
    ) -> None:
        super().__init__(
            f"{stage}: it costs {_usd(price)} and the order has cost {_usd(spent)} already, "
            f"together more than {variable}, {_usd(limit)}; nothing was submitted"
        )


class DailyBudgetError(LedgerError):
    """Today's orders would cost more than CASTAD_DAILY_BUDGET; `wait` in seconds until the next day.

    A request waits for the day to end as for a paused provider, under the name `waits_for`.
    """

    code = "daily_budget"
    waits_for = "budget"

    def __init__(self, stage: str, spent: int, price: int, limit: int, wait: float) -> None:
        super().__init__(
            f"{stage}: it costs {_usd(price)} and today's orders (UTC) have cost {_usd(spent)} already, "
            f"together more than CASTAD_DAILY_BUDGET, {_usd(limit)}; the order waits for the next day, "
            f"or until the budget is raised and `castad resume {self.waits_for}`"
        )
        self.wait = wait


def _usd(micro_dollars: int) -> str:
    return f"{micro_dollars / 1_000_000:.4f} USD"


class UnknownKeyError(LedgerError):
    """No API key with this id."""

    code = "unknown_key"

    def __init__(self, key_id: str) -> None:
        super().__init__(f"KEY_ID: no key is called {key_id!r}; `castad key list` shows the keys")


class SeveralKeysError(LedgerError):
    """More than one valid API key has this name."""

    code = "several_keys"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"NAME: several keys are called {name!r}; expected the id of one, see `castad key list`"
        )


class SecretExistsError(LedgerError):
    """The API key has a webhook secret already, which is not shown again."""

    code = "secret_exists"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"NAME: the key {name!r} has a webhook secret already; --rotate makes a new one"
        )


class UnknownLoginLinkError(LedgerError):
    """No login link has this token, or it was used or has expired."""

    code = "unknown_login_link"

    def __init__(self) -> None:
        super().__init__(
            "this login link was used, has expired or never was; `castad login-link` makes another"
        )


class UnknownShareLinkError(LedgerError):
    """No share link has this token or id, or it was revoked or has expired, or its result was deleted."""

    code = "unknown_share_link"

    def __init__(self) -> None:
        super().__init__(
            "this share link shows nothing: it was revoked, has expired or never was, or its result was deleted"
        )


class UnknownDeliveryError(LedgerError):
    """No webhook with this id."""

    code = "unknown_webhook"

    def __init__(self, delivery_id: int) -> None:
        super().__init__(
            f"ID: no webhook has the id {delivery_id}; `castad webhooks` shows the webhooks"
        )


class DatabaseNewerError(LedgerError):
    """The database's revision is unknown to this castad: a newer one's, or too old."""

    code = "database_newer"
