"""What the ledger refuses, and why.

LedgerError
├── UnknownRequestError      no request with this task_id
├── UnknownCallbackError     no submission has this token at this provider
├── ConflictError            the task_id is taken by another order
├── IllegalMoveError         the request is not in a state that allows this
│   └── NothingToRetryError  the request has not failed, died or been canceled
├── TakenIdError             the provider calls a submission by another one's id
├── ClaimRefusedError        this run may not work on the request
├── LeaseLostError           another attempt, or an operator, has taken the request from this one
├── CancelRequestedError     somebody asked to stop this request
├── WorkerStoppingError      the worker is told to stop; the request waits for another
├── ProviderParkedError      the provider is left alone for now; the request waits
├── NoPlaceError             every place of the stage is taken, or others asked before; the request waits
├── NoTurnError              the vendor may not be called yet, or others asked before; the request waits
├── NoVerdictError           the vendor works on it, and others can use the run's place; the request waits
├── TooOftenError            the vendor asks to be left alone for a while; the request waits
├── OverMaxCostError         the order would cost more than one may
├── DailyBudgetError         the day's orders would cost more than they may; the request waits
├── UnknownKeyError          no API key with this id
└── DatabaseNewerError       the schema is of a later castad
"""

from resources.contract.errors import CastadError
from resources.ledger.admission import place_queue, turn_queue, verdict_queue


class LedgerError(CastadError):
    """The ledger did not do it, and nothing changed."""

    code = "ledger_error"


class UnknownRequestError(LedgerError):
    """No request with this task_id."""

    code = "unknown_task_id"

    def __init__(self, task_id: str) -> None:
        super().__init__(f"task_id: no request is called {task_id!r}")


class UnknownCallbackError(LedgerError):
    """No submission has this token at this provider; it is not repeated, for it may be another provider's."""

    code = "unknown_callback"

    def __init__(self) -> None:
        super().__init__("callback: no order was sent with this token")


class ConflictError(LedgerError):
    """The task_id is taken by another order."""

    code = "conflict"

    def __init__(self, task_id: str) -> None:
        super().__init__(
            f"task_id: {task_id!r} is already the order of something else; "
            "expected the same order again or a new task_id"
        )


class IllegalMoveError(LedgerError):
    """The request is not in a state that allows this."""

    code = "illegal_move"


class TakenIdError(LedgerError):
    """The provider calls a submission by an id that another one has."""

    code = "job_id_taken"


class NothingToRetryError(IllegalMoveError):
    """The request has not failed, died or been canceled."""

    code = "nothing_to_retry"

    def __init__(self, task_id: str, status: str) -> None:
        super().__init__(f"task_id: {task_id!r} is {status}; nothing to retry")


class ClaimRefusedError(LedgerError):
    """This run may not work on the request; it ends without having touched anything."""

    code = "claim_refused"


class LeaseLostError(LedgerError):
    """The request was taken from this attempt: it writes nothing and buys nothing more."""

    code = "lease_lost"


class CancelRequestedError(LedgerError):
    """Somebody asked to stop this request."""

    code = "cancel_requested"


class WorkerStoppingError(LedgerError):
    """The worker is told to stop: the request is given back with nothing counted."""

    code = "worker_stopping"


_REMEDIES = {
    "out_of_credits": "top up the account",
    "key_refused": "set its key anew and restart what runs with the old one",
}


class ProviderParkedError(LedgerError):
    """The provider is left alone for now; `code` is that of the reason, `provider` its name."""

    code = "provider_parked"

    def __init__(self, provider: str, why: str, code: str | None = None) -> None:
        remedy = _REMEDIES.get(code or "", "mend that")
        super().__init__(
            f"{why}; the order waits for {provider}: {remedy}, then `castad unpark {provider}`",
            code=code,
        )
        self.provider = provider


class WaitsError(LedgerError):
    """The request waits for something that is nobody's fault: it is given back and nothing is counted.

    `waits_for` names what it waits for, as its row does.
    """

    def __init__(self, message: str, waits_for: str) -> None:
        super().__init__(message)
        self.waits_for = waits_for


class NoPlaceError(WaitsError):
    """Every place of the stage is taken, or others asked before."""

    code = "no_place"

    def __init__(self, stage: str, places: int) -> None:
        taken = "its place is taken" if places == 1 else f"its {places} places are taken"
        super().__init__(
            f"{stage}: {taken}; the order waits for one, in the order of asking", place_queue(stage)
        )


class NoTurnError(WaitsError):
    """The vendor may not be called yet, or others asked before."""

    code = "no_turn"

    def __init__(self, stage: str, vendor: str, seconds: float = 0.0) -> None:
        """It comes not before so many `seconds`."""
        super().__init__(
            f"{stage}: the order waits for its turn at {vendor}, in the order of asking",
            turn_queue(vendor),
        )
        self.retry_after = seconds


class NoVerdictError(WaitsError):
    """The vendor works on it, and others can use the run's place."""

    code = "no_verdict"

    def __init__(self, stage: str, vendor: str, seconds: float) -> None:
        """The vendor is to be asked in so many `seconds`."""
        super().__init__(
            f"{stage}: {vendor} works on it; the run's place is given to an order that can use it",
            verdict_queue(vendor),
        )
        self.retry_after = seconds


class TooOftenError(WaitsError):
    """The vendor says that it was called too often, and for how many seconds it wants to be left alone."""

    code = "rate_limited"

    def __init__(self, vendor: str, why: str, seconds: float) -> None:
        super().__init__(f"{why}; the order waits {seconds:.0f} s, as {vendor} asks", vendor)


class OverMaxCostError(LedgerError):
    """The order would cost more than a limit will ever allow; amounts in micro-dollars."""

    code = "over_max_cost"

    def __init__(
        self, stage: str, spent: int, price: int, limit: int, variable: str = "CASTAD_MAX_COST"
    ) -> None:
        super().__init__(
            f"{stage}: it costs {_usd(price)} and the order has cost {_usd(spent)} already, "
            f"together more than {variable}, {_usd(limit)}; nothing was ordered"
        )


class DailyBudgetError(LedgerError):
    """Today's orders would cost more than CASTAD_DAILY_BUDGET; `wait` in seconds until the next day.

    It is waited for like a parked provider, under the name `waits_for`.
    """

    code = "daily_budget"
    waits_for = "budget"

    def __init__(self, stage: str, spent: int, price: int, limit: int, wait: float) -> None:
        super().__init__(
            f"{stage}: it costs {_usd(price)} and today's orders (UTC) have cost {_usd(spent)} already, "
            f"together more than CASTAD_DAILY_BUDGET, {_usd(limit)}; the order waits for the next day, "
            f"or until the budget is raised and `castad unpark {self.waits_for}`"
        )
        self.wait = wait


def _usd(micro_dollars: int) -> str:
    return f"{micro_dollars / 1_000_000:.4f} USD"


class UnknownKeyError(LedgerError):
    """No API key with this id."""

    code = "unknown_key"

    def __init__(self, key_id: str) -> None:
        super().__init__(f"KEY_ID: no key is called {key_id!r}; `castad key list` names them")


class DatabaseNewerError(LedgerError):
    """The database has been migrated by a castad that is newer than this one."""

    code = "database_newer"
