"""Text that was stored by whomever: an operator may have put anything into a column."""

from typing import Annotated, Any

from pydantic import BeforeValidator


def readable(value: Any) -> Any:
    """The same where it can be written as UTF-8; else something that tells what was there."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    return value if value is None else str(value)


LedgerText = Annotated[str, BeforeValidator(readable)]
"""Text of the ledger."""
