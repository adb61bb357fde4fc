"""What the print shop's refusals mean. Pure."""

from resources.contract.errors import (
    KEY_REFUSED,
    RATE_LIMITED,
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    TransientError,
)
from resources.http.vendor_client import VendorResponse

RATE_SECONDS = 10
"""The shop's rate window."""


def make_refusal_error(answer: VendorResponse) -> ProviderError | None:
    """The error where the answer proves that nothing was accepted; else None."""
    match answer.status:
        case 401:
            return OutOfCreditsError(
                f"printshop: the key is refused, check PRINTSHOP_API_KEY ({summary(answer)})",
                code=KEY_REFUSED,
            )
        case 402:
            return OutOfCreditsError(f"printshop: the account is empty ({summary(answer)})")
        case 429:
            return TransientError(
                f"printshop: too many calls ({summary(answer)})",
                code=RATE_LIMITED,
                retry_after=answer.retry_after or RATE_SECONDS,
            )
        case 404 | 422:
            return PermanentError(f"printshop: refused ({summary(answer)})")
    return None


def summary(answer: VendorResponse) -> str:
    """The answer on one line, without the key and tokens."""
    return f"HTTP status {answer.status}: {answer.summary}"
