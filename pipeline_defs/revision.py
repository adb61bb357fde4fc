"""What a person may change in a stage's product while the order waits for an approval."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel


@dataclass(frozen=True)
class Revision:
    """The fields of a product that a person may edit.

    `model` has them, under the names that they have in the product, and checks them; `apply` gives the product
    with them, by the brief and the product as it was. It raises InvalidInputError.
    """

    model: type[BaseModel]
    apply: Callable[[Any, Any, BaseModel], Any]

    def fields_of(self, product: Any) -> dict[str, Any]:
        """The fields that a person may change, with the values that they have in the product."""
        return {name: getattr(product, name) for name in self.model.model_fields}


@dataclass(frozen=True)
class Choice:
    """One of what was paid for together. `file` is the name of its artifact, `seconds` how long it plays."""

    id: str
    label: str
    file: str | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Choices:
    """Of a product that several were paid for: which they are, the used one first, and how another one is used.

    `choose` gives the product in which the choice of this id is the one that is used; its files stay.
    """

    of: Callable[[Any], Sequence[Choice]]
    choose: Callable[[Any, str], Any]
