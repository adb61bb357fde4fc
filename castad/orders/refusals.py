"""Orders of a file or a batch that are refused, so that none of it is submitted."""

from collections.abc import Sequence
from dataclasses import dataclass

from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import ConflictError


@dataclass(frozen=True)
class RefusedOrder:
    """An order that is refused, and why: a code, the field if it is about one, and one sentence."""

    location: str
    code: str
    field: str | None
    detail: str

    @classmethod
    def of(cls, location: str, error: InvalidInputError | ConflictError) -> "RefusedOrder":
        """The order at this location, which this error refuses."""
        return cls(location, error.code, error.field, error.message)


class RefusedOrdersError(InvalidInputError):
    """Some orders are refused: the message is about the first, and `refused` has all of them."""

    def __init__(self, refused: Sequence[RefusedOrder]) -> None:
        first = refused[0]
        super().__init__(first.location, first.detail, code=first.code)
        self.refused = refused
