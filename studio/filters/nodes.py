"""The nodes: ComfyUI's own that need no model, with its names, inputs and limits (ComfyUI 0.3.64)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from studio.filters import arrays, tones
from studio.filters.arrays import LONGEST_SIDE, Array
from studio.filters.files import load, load_mask, save

IMAGE, MASK = "IMAGE", "MASK"
INT, FLOAT, STRING, BOOLEAN, COMBO = "INT", "FLOAT", "STRING", "BOOLEAN", "COMBO"

_LARGEST_INT = 2**63 - 1
_LARGEST_SEED = 2**64 - 1
_ROTATIONS = ("none", "90 degrees", "180 degrees", "270 degrees")
_FLIPS = ("x-axis: vertically", "y-axis: horizontally")


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


class Saved(NamedTuple):
    """A picture that a node has saved, as ComfyUI names it."""

    filename: str
    subfolder: str
    type: str


class Context(NamedTuple):
    """The surroundings of a node: its input files, the folder for output, and `check`, which may stop it."""

    open_input: Callable[[str], Path]
    folder: Path
    check: Callable[[], None]


Values = Mapping[str, Any]
Run = Callable[[Values, Context], Sequence[Any]]


@dataclass(frozen=True)
class Node:
    """A class of nodes. `run` gives its outputs, in order; an output node's are the pictures it has saved."""

    inputs: Mapping[str, Input]
    run: Run
    outputs: tuple[str, ...] = (IMAGE,)
    is_output: bool = False

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


def _int(default: int, minimum: int, maximum: int) -> Input:
    return Input(INT, default, minimum, maximum)


def _float(default: float, minimum: float, maximum: float) -> Input:
    return Input(FLOAT, default, minimum, maximum)


def _side(default: int = 512, minimum: int = 1) -> Input:
    return _int(default, minimum, LONGEST_SIDE)


def _choice(*choices: str) -> Input:
    return Input(COMBO, choices[0], choices=choices)


_image = Input(IMAGE)
_mask = Input(MASK)
_method = _choice(*arrays.METHODS)
_colour = _int(0, 0, 0xFFFFFF)
_file = Input(STRING, is_file=True)


def _node(run: Callable[[Values], Any], output: str = IMAGE, /, **inputs: Input) -> Node:
    return Node(inputs, lambda values, _: (run(values),), (output,))


def _fill(v: Values) -> Array:
    colour = [(v["color"] >> shift & 0xFF) / 0xFF for shift in (16, 8, 0)]
    return arrays.fill(v["batch_size"], v["height"], v["width"], colour)


def _stitch(v: Values) -> Array:
    if v.get("image2") is None:
        return v["image1"]
    return arrays.stitch(
        v["image1"],
        v["image2"],
        v["direction"],
        matched=v["match_image_size"],
        spacing=v["spacing_width"],
        colour=v["spacing_color"],
    )


def _composite(v: Values) -> Array:
    return arrays.composite(
        v["destination"],
        v["source"],
        v["x"],
        v["y"],
        fitted=v["resize_source"],
        mask=v.get("mask"),
    )


def _save_as(kind: str, prefix: str | None = None) -> Run:
    def run(values: Values, context: Context) -> Sequence[Saved]:
        given = values["filename_prefix"] if prefix is None else prefix
        files = save(values["images"], given, context.folder / kind, context.check)
        return [Saved(name, subfolder, kind) for subfolder, name in files]

    return run


NODES: Mapping[str, Node] = {
    "LoadImage": Node(
        {"image": _file},
        lambda v, context: load(context.open_input(v["image"])),
        (IMAGE, MASK),
    ),
    "LoadImageMask": Node(
        {"image": _file, "channel": _choice("alpha", "red", "green", "blue")},
        lambda v, context: (load_mask(context.open_input(v["image"]), v["channel"]),),
        (MASK,),
    ),
    "EmptyImage": _node(
        _fill, width=_side(), height=_side(), batch_size=_int(1, 1, 4096), color=_colour
    ),
    "ImageScale": _node(
        lambda v: arrays.scale_to_sides(
            v["image"], v["width"], v["height"], v["upscale_method"], v["crop"]
        ),
        image=_image,
        upscale_method=_method,
        width=_side(minimum=0),
        height=_side(minimum=0),
        crop=_choice(*arrays.CROPS),
    ),
    "ImageScaleBy": _node(
        lambda v: arrays.scale_by(v["image"], v["scale_by"], v["upscale_method"]),
        image=_image,
        upscale_method=_method,
        scale_by=_float(1.0, 0.01, 8.0),
    ),
    "ImageScaleToTotalPixels": _node(
        lambda v: arrays.scale_to_pixels(v["image"], v["megapixels"], v["upscale_method"]),
        image=_image,
        upscale_method=_method,
        megapixels=_float(1.0, 0.01, 16.0),
    ),
    "ImageScaleToMaxDimension": _node(
        lambda v: arrays.scale_to_longer_side(v["image"], v["largest_size"], v["upscale_method"]),
        image=_image,
        upscale_method=_choice("area", "lanczos", "bilinear", "nearest-exact", "bicubic"),
        largest_size=_side(minimum=0),
    ),
    "ResizeAndPadImage": _node(
        lambda v: arrays.fit(
            v["image"],
            v["target_width"],
            v["target_height"],
            v["padding_color"],
            v["interpolation"],
        ),
        image=_image,
        target_width=_side(),
        target_height=_side(),
        padding_color=_choice("white", "black"),
        interpolation=_choice("area", "bicubic", "nearest-exact", "bilinear", "lanczos"),
    ),
    "ImageCrop": _node(
        lambda v: arrays.crop(v["image"], v["width"], v["height"], v["x"], v["y"]),
        image=_image,
        width=_side(),
        height=_side(),
        x=_side(0, 0),
        y=_side(0, 0),
    ),
    "ImageFlip": _node(
        lambda v: np.flip(v["image"], 1 if v["flip_method"] == _FLIPS[0] else 2),
        image=_image,
        flip_method=_choice(*_FLIPS),
    ),
    "ImageRotate": _node(
        lambda v: np.rot90(v["image"], _ROTATIONS.index(v["rotation"]), (2, 1)),
        image=_image,
        rotation=_choice(*_ROTATIONS),
    ),
    "ImageInvert": _node(lambda v: 1 - v["image"], image=_image),
    "ImageBlend": _node(
        lambda v: tones.blend(v["image1"], v["image2"], v["blend_factor"], v["blend_mode"]),
        image1=_image,
        image2=_image,
        blend_factor=_float(0.5, 0.0, 1.0),
        blend_mode=_choice(*tones.BLENDS),
    ),
    "ImageBlur": Node(
        {"image": _image, "blur_radius": _int(1, 1, 31), "sigma": _float(1.0, 0.1, 10.0)},
        lambda v, context: (tones.blur(v["image"], v["blur_radius"], v["sigma"], context.check),),
    ),
    "ImageSharpen": Node(
        {
            "image": _image,
            "sharpen_radius": _int(1, 1, 31),
            "sigma": _float(1.0, 0.1, 10.0),
            "alpha": _float(1.0, 0.0, 5.0),
        },
        lambda v, context: (
            tones.sharpen(v["image"], v["sharpen_radius"], v["sigma"], v["alpha"], context.check),
        ),
    ),
    "ImageQuantize": Node(
        {"image": _image, "colors": _int(256, 1, 256), "dither": _choice(*tones.DITHERS)},
        lambda v, context: (tones.quantize(v["image"], v["colors"], v["dither"], context.check),),
    ),
    "ImageAddNoise": _node(
        lambda v: tones.add_noise(v["image"], v["seed"], v["strength"]),
        image=_image,
        seed=_int(0, 0, _LARGEST_SEED),
        strength=_float(0.5, 0.0, 1.0),
    ),
    "ImageBatch": _node(
        lambda v: arrays.join_batches(v["image1"], v["image2"]), image1=_image, image2=_image
    ),
    "RepeatImageBatch": _node(
        lambda v: arrays.repeat_batch(v["image"], v["amount"]),
        image=_image,
        amount=_int(1, 1, 4096),
    ),
    "ImageFromBatch": _node(
        lambda v: arrays.slice_batch(v["image"], v["batch_index"], v["length"]),
        image=_image,
        batch_index=_int(0, 0, 4095),
        length=_int(1, 1, 4096),
    ),
    "ImageStitch": _node(
        _stitch,
        image1=_image,
        direction=_choice("right", "down", "left", "up"),
        match_image_size=Input(BOOLEAN, True),
        spacing_width=_int(0, 0, 1024),
        spacing_color=_choice("white", "black", "red", "green", "blue"),
        image2=Input(IMAGE, is_required=False),
    ),
    "ImageCompositeMasked": _node(
        _composite,
        destination=_image,
        source=_image,
        x=_side(0, 0),
        y=_side(0, 0),
        resize_source=Input(BOOLEAN, False),
        mask=Input(MASK, is_required=False),
    ),
    "SolidMask": _node(
        lambda v: arrays.make_mask(v["value"], v["width"], v["height"]),
        MASK,
        value=_float(1.0, 0.0, 1.0),
        width=_side(),
        height=_side(),
    ),
    "InvertMask": _node(lambda v: 1 - v["mask"], MASK, mask=_mask),
    "MaskToImage": _node(lambda v: arrays.show_mask(v["mask"]), mask=_mask),
    "ImageToMask": _node(
        lambda v: arrays.take_channel(v["image"], v["channel"]),
        MASK,
        image=_image,
        channel=_choice(*arrays.CHANNELS),
    ),
    "ImageColorToMask": _node(
        lambda v: arrays.match_colour(v["image"], v["color"]), MASK, image=_image, color=_colour
    ),
    "ThresholdMask": _node(
        lambda v: (v["mask"] > v["value"]).astype(np.float32),
        MASK,
        mask=_mask,
        value=_float(0.5, 0.0, 1.0),
    ),
    "PrimitiveInt": _node(lambda v: v["value"], INT, value=_int(0, -_LARGEST_INT, _LARGEST_INT)),
    "PrimitiveFloat": _node(
        lambda v: v["value"],
        FLOAT,
        value=_float(0.0, -float(_LARGEST_INT), float(_LARGEST_INT)),
    ),
    "SaveImage": Node(
        {"images": _image, "filename_prefix": Input(STRING, "ComfyUI")},
        _save_as("output"),
        (),
        is_output=True,
    ),
    "PreviewImage": Node({"images": _image}, _save_as("temp", "preview"), (), is_output=True),
}
