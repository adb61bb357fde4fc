"""What a class of nodes is: its inputs with their limits, its outputs, and what it does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

IMAGE, MASK = "IMAGE", "MASK"
INT, FLOAT, STRING, BOOLEAN, COMBO = "INT", "FLOAT", "STRING", "BOOLEAN", "COMBO"


@dataclass(frozen=True)
class Input:
    """An input of a node: a link of kind IMAGE or MASK, or a value within its limits."""

    kind: str
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    is_required: bool = True
    is_file: bool = False

    @property
    def is_link(self) -> bool:
        """Whether only another node can give it."""
        return self.kind in (IMAGE, MASK)

    def config(self) -> list[Any]:
        """The input as ComfyUI describes it: its type and its options."""
        given = {"default": self.default, "min": self.minimum, "max": self.maximum}
        options = {name: value for name, value in given.items() if value is not None}
        return [list(self.choices) if self.kind == COMBO else self.kind, options]


@dataclass(frozen=True)
class Saved:
    """A picture that a node has saved, as ComfyUI names it."""

    filename: str
    subfolder: str
    type: str


@dataclass(frozen=True)
class Surroundings:
    """What a node works with: its input files, the folder of what is saved, and `check`, which may stop it."""

    open_input: Callable[[str], Path]
    folder: Path
    check: Callable[[], None]


Values = Mapping[str, Any]
Run = Callable[[Values, Surroundings], Sequence[Any]]


@dataclass(frozen=True)
class Node:
    """A class of nodes. `run` gives its outputs, in order; an output node's are what it has saved."""

    inputs: Mapping[str, Input]
    run: Run
    outputs: tuple[str, ...] = (IMAGE,)
    is_output: bool = False
    category: str = field(default="image", kw_only=True)

    def described(self, name: str) -> dict[str, Any]:
        """The class as ComfyUI's `GET /object_info` describes its own."""
        kinds: dict[str, dict[str, Any]] = {"required": {}, "optional": {}}
        for each, about in self.inputs.items():
            kinds["required" if about.is_required else "optional"][each] = about.config()
        return {
            "input": {kind: inputs for kind, inputs in kinds.items() if inputs},
            "output": list(self.outputs),
            "name": name,
            "display_name": name,
            "output_node": self.is_output,
            "category": self.category,
        }
