"""What a person may do with a stage's product while the order waits for its approval."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel


@dataclass(frozen=True)
class Revision:
    """The fields of a stage's product that a person may edit.

    `model` validates them, under the product's field names. `apply` takes the order, the current product and the
    edited fields, and returns the new product; it raises InvalidInputError.
    """

    model: type[BaseModel]
    apply: Callable[[Any, Any, BaseModel], Any]

    def get_editable_values(self, product: Any) -> dict[str, Any]:
        """Return the editable fields of the product with their values, by field name."""
        return {name: getattr(product, name) for name in self.model.model_fields}


@dataclass(frozen=True)
class Choice:
    """One of several alternatives in a product that one payment bought.

    `file` is the name of its artifact and `seconds` its playing time; None where it has none.
    """

    id: str
    label: str
    file: str | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Choices:
    """The functions that list and select the alternatives of a product that one payment bought.

    `of` takes the product and lists the alternatives, the selected one first. `choose` takes the product and a
    choice's id, and returns the product that uses this choice; its files stay.
    """

    of: Callable[[Any], Sequence[Choice]]
    choose: Callable[[Any, str], Any]
