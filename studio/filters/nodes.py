"""The nodes: ComfyUI's own that need no model. Their inputs are in `nodes.toml`."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from studio.filters import arrays, tones
from studio.filters.arrays import Array
from studio.filters.files import load, load_mask, save

IMAGE, MASK = "IMAGE", "MASK"
INT, FLOAT, COMBO = "INT", "FLOAT", "COMBO"

_INPUTS = Path(__file__).with_suffix(".toml")
_ROTATIONS = ("none", "90 degrees", "180 degrees", "270 degrees")


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

    def describe(self) -> list[Any]:
        """Return the input as ComfyUI describes it: its type and its options."""
        given = {"default": self.default, "min": self.minimum, "max": self.maximum}
        options = {name: value for name, value in given.items() if value is not None}
        return [list(self.choices) if self.kind == COMBO else self.kind, options]


class Context(NamedTuple):
    """The surroundings of a node: its input files, the folder for output, and `check`, which may stop it."""

    open_input: Callable[[str], Path]
    folder: Path
    check: Callable[[], None]


Values = Mapping[str, Any]
"""What a node is given, in the order of its inputs."""
Run = Callable[[Values, Context], Sequence[Any]]


@dataclass(frozen=True)
class Node:
    """A class of nodes.

    `run` gives its outputs, in order; an output node's are the names, subfolders and types of what it has saved.
    """

    inputs: Mapping[str, Input]
    run: Run
    outputs: tuple[str, ...]

    @property
    def is_output(self) -> bool:
        """Whether it saves pictures instead of handing them on."""
        return not self.outputs

    def describe(self, name: str) -> dict[str, Any]:
        """Return the class as ComfyUI's `GET /object_info` describes its own."""
        kinds: dict[str, dict[str, Any]] = {"required": {}, "optional": {}}
        for each, about in self.inputs.items():
            kinds["required" if about.is_required else "optional"][each] = about.describe()
        return {
            "input": {kind: inputs for kind, inputs in kinds.items() if inputs},
            "output": list(self.outputs),
            "name": name,
            "display_name": name,
            "output_node": self.is_output,
            "category": "image",
        }


@cache
def read_nodes() -> Mapping[str, Node]:
    """Return all nodes by their classes."""
    tables = tomllib.loads(_INPUTS.read_text("utf-8"))
    return {
        name: Node({each: _read_input(about) for each, about in inputs.items()}, *_RUNS[name])
        for name, inputs in tables.items()
    }


def _read_input(about: Any) -> Input:
    if isinstance(about, list):
        return Input(COMBO, about[0], choices=tuple(about))
    return Input(**about)


def _plain(make: Callable[..., Any]) -> Run:
    """Return what runs a function of the inputs in their order."""
    return lambda values, _: (make(*values.values()),)


def _slow(make: Callable[..., Any]) -> Run:
    """Return what runs a function that also takes what may stop it."""
    return lambda values, context: (make(*values.values(), context.check),)


def _fill(width: int, height: int, batch: int, packed: int) -> Array:
    colour = [(packed >> shift & 0xFF) / 0xFF for shift in (16, 8, 0)]
    return arrays.fill(batch, height, width, colour)


def _flip(image: Array, method: str) -> Array:
    return np.flip(image, 1 if method.startswith("x-axis") else 2)


def _rotate(image: Array, rotation: str) -> Array:
    return np.rot90(image, _ROTATIONS.index(rotation), (2, 1))


def _load(values: Values, context: Context) -> Sequence[Array]:
    return load(context.open_input(values["image"]))


def _load_mask(values: Values, context: Context) -> Sequence[Array]:
    return (load_mask(context.open_input(values["image"]), values["channel"]),)


def _save_as(kind: str) -> Run:
    def run(values: Values, context: Context) -> Sequence[tuple[str, str, str]]:
        prefix = values.get("filename_prefix", "preview")
        files = save(values["images"], prefix, context.folder / kind, context.check)
        return [(name, subfolder, kind) for subfolder, name in files]

    return run


_RUNS: Mapping[str, tuple[Run, tuple[str, ...]]] = {
    "LoadImage": (_load, (IMAGE, MASK)),
    "LoadImageMask": (_load_mask, (MASK,)),
    "EmptyImage": (_plain(_fill), (IMAGE,)),
    "ImageScale": (_plain(arrays.scale_to_sides), (IMAGE,)),
    "ImageScaleBy": (_plain(arrays.scale_by), (IMAGE,)),
    "ImageScaleToTotalPixels": (_plain(arrays.scale_to_pixels), (IMAGE,)),
    "ImageScaleToMaxDimension": (_plain(arrays.scale_to_longer_side), (IMAGE,)),
    "ResizeAndPadImage": (_plain(arrays.fit), (IMAGE,)),
    "ImageCrop": (_plain(arrays.crop), (IMAGE,)),
    "ImageFlip": (_plain(_flip), (IMAGE,)),
    "ImageRotate": (_plain(_rotate), (IMAGE,)),
    "ImageInvert": (_plain(arrays.invert), (IMAGE,)),
    "ImageBlend": (_plain(tones.blend), (IMAGE,)),
    "ImageBlur": (_slow(tones.blur), (IMAGE,)),
    "ImageSharpen": (_slow(tones.sharpen), (IMAGE,)),
    "ImageQuantize": (_slow(tones.quantize), (IMAGE,)),
    "ImageAddNoise": (_plain(tones.add_noise), (IMAGE,)),
    "ImageBatch": (_plain(arrays.join_batches), (IMAGE,)),
    "RepeatImageBatch": (_plain(arrays.repeat_batch), (IMAGE,)),
    "ImageFromBatch": (_plain(arrays.slice_batch), (IMAGE,)),
    "ImageStitch": (_plain(arrays.stitch), (IMAGE,)),
    "ImageCompositeMasked": (_plain(arrays.composite), (IMAGE,)),
    "SolidMask": (_plain(arrays.make_mask), (MASK,)),
    "InvertMask": (_plain(arrays.invert), (MASK,)),
    "MaskToImage": (_plain(arrays.show_mask), (IMAGE,)),
    "ImageToMask": (_plain(arrays.take_channel), (MASK,)),
    "ImageColorToMask": (_plain(arrays.match_colour), (MASK,)),
    "ThresholdMask": (_plain(arrays.cut), (MASK,)),
    "PrimitiveInt": (_plain(int), (INT,)),
    "PrimitiveFloat": (_plain(float), (FLOAT,)),
    "SaveImage": (_save_as("output"), ()),
    "PreviewImage": (_save_as("temp"), ()),
}
