"""What a person may do with a stage's product while the order waits for its approval."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel


@dataclass(frozen=True)
class Revision:
    """The fields of a product that a person may edit.

    `model` validates them, under the product's field names. `apply` takes the brief, the current product and the
    edited fields, and returns the new product; it raises InvalidInputError.
    """

    model: type[BaseModel]
    apply: Callable[[Any, Any, BaseModel], Any]

    def get_editable_values(self, product: Any) -> dict[str, Any]:
        """Return the editable fields with their values in the product."""
        return {name: getattr(product, name) for name in self.model.model_fields}


@dataclass(frozen=True)
class Choice:
    """One of several alternatives that one payment bought.

    `file` is the name of its artifact, `seconds` its playing time.
    """

    id: str
    label: str
    file: str | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Choices:
    """The alternatives in a product that one payment bought.

    `of` lists them, the used one first. `choose` returns the product that uses the choice with this id; its files
    stay.
    """

    of: Callable[[Any], Sequence[Choice]]
    choose: Callable[[Any, str], Any]
