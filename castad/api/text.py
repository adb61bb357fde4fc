"""Text of the ledger's columns, into which an operator's SQL may have put anything."""

from typing import Annotated, Any

from pydantic import BeforeValidator


def readable(value: Any) -> Any:
    """The value as text that UTF-8 can encode; None stays None."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    return value if value is None else str(value)


LedgerText = Annotated[str, BeforeValidator(readable)]
"""Text of the ledger."""
