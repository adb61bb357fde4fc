"""What a model is asked. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from resources.contract.protocol import Json


@dataclass(frozen=True)
class Asked:
    """Two messages, and in `form` the arguments that give the answer its form."""

    system: str
    user: Json
    form: Mapping[str, Any] = field(default_factory=dict)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of the SDK's call."""
        system = {"role": "system", "content": self.system}
        return {"messages": [system, {"role": "user", "content": self.user}], **self.form}
