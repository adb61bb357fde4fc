"""The nodes: ComfyUI's own that need no model, with its names, inputs and limits (ComfyUI 0.3.64)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from studio.filters import batches, masks, sizes, tones
from studio.filters.kinds import (
    BOOLEAN,
    COMBO,
    FLOAT,
    IMAGE,
    INT,
    MASK,
    STRING,
    Input,
    Node,
    Run,
    Saved,
    Surroundings,
    Values,
)
from studio.filters.pictures import load, load_mask, save
from studio.filters.values import LONGEST_SIDE, Array

_LARGEST_INT = 2**63 - 1
_LARGEST_SEED = 2**64 - 1
_WHITE = 0xFFFFFF

_image = Input(IMAGE)
_mask = Input(MASK)


def _int(default: int, minimum: int, maximum: int) -> Input:
    return Input(INT, default, minimum, maximum)


def _float(default: float, minimum: float, maximum: float) -> Input:
    return Input(FLOAT, default, minimum, maximum)


def _one_of(*choices: str) -> Input:
    return Input(COMBO, choices[0], choices=choices)


def _filter(run: Callable[[Values], Array], **inputs: Input) -> Node:
    return Node(inputs, lambda values, _: (run(values),))


def _side(default: int = 512, minimum: int = 1) -> Input:
    return _int(default, minimum, LONGEST_SIDE)


_method = _one_of(*sizes.METHODS)
_colour = _int(0, 0, _WHITE)
_file = Input(STRING, is_file=True)


def _empty(v: Values) -> Array:
    colour = [(v["color"] >> shift & 0xFF) / 0xFF for shift in (16, 8, 0)]
    return sizes.filled(v["batch_size"], v["height"], v["width"], colour)


def _stitched(v: Values) -> Array:
    if v.get("image2") is None:
        return v["image1"]
    return batches.stitched(
        v["image1"],
        v["image2"],
        v["direction"],
        matched=v["match_image_size"],
        spacing=v["spacing_width"],
        colour=v["spacing_color"],
    )


def _composited(v: Values) -> Array:
    return masks.composited(
        v["destination"],
        v["source"],
        v["x"],
        v["y"],
        fitted=v["resize_source"],
        mask=v.get("mask"),
    )


def _saved(kind: str, prefix: str | None = None) -> Run:
    def run(values: Values, around: Surroundings) -> Sequence[Saved]:
        named = values["filename_prefix"] if prefix is None else prefix
        files = save(values["images"], named, around.folder / kind, around.check)
        return [Saved(name, subfolder, kind) for subfolder, name in files]

    return run


_ROTATIONS = ("none", "90 degrees", "180 degrees", "270 degrees")
_FLIPS = ("x-axis: vertically", "y-axis: horizontally")

NODES: Mapping[str, Node] = {
    "LoadImage": Node(
        {"image": _file},
        lambda v, around: load(around.open_input(v["image"])),
        (IMAGE, MASK),
    ),
    "LoadImageMask": Node(
        {"image": _file, "channel": _one_of("alpha", "red", "green", "blue")},
        lambda v, around: (load_mask(around.open_input(v["image"]), v["channel"]),),
        (MASK,),
    ),
    "EmptyImage": _filter(
        _empty, width=_side(), height=_side(), batch_size=_int(1, 1, 4096), color=_colour
    ),
    "ImageScale": _filter(
        lambda v: sizes.scaled_or_whole(
            v["image"], v["width"], v["height"], v["upscale_method"], v["crop"]
        ),
        image=_image,
        upscale_method=_method,
        width=_side(minimum=0),
        height=_side(minimum=0),
        crop=_one_of(*sizes.CROPS),
    ),
    "ImageScaleBy": _filter(
        lambda v: sizes.scaled_by(v["image"], v["scale_by"], v["upscale_method"]),
        image=_image,
        upscale_method=_method,
        scale_by=_float(1.0, 0.01, 8.0),
    ),
    "ImageScaleToTotalPixels": _filter(
        lambda v: sizes.scaled_to_pixels(v["image"], v["megapixels"], v["upscale_method"]),
        image=_image,
        upscale_method=_method,
        megapixels=_float(1.0, 0.01, 16.0),
    ),
    "ImageScaleToMaxDimension": _filter(
        lambda v: sizes.scaled_to_side(v["image"], v["largest_size"], v["upscale_method"]),
        image=_image,
        upscale_method=_one_of("area", "lanczos", "bilinear", "nearest-exact", "bicubic"),
        largest_size=_side(minimum=0),
    ),
    "ResizeAndPadImage": _filter(
        lambda v: sizes.fitted(
            v["image"],
            v["target_width"],
            v["target_height"],
            v["padding_color"],
            v["interpolation"],
        ),
        image=_image,
        target_width=_side(),
        target_height=_side(),
        padding_color=_one_of("white", "black"),
        interpolation=_one_of("area", "bicubic", "nearest-exact", "bilinear", "lanczos"),
    ),
    "ImageCrop": _filter(
        lambda v: sizes.cropped(v["image"], v["width"], v["height"], v["x"], v["y"]),
        image=_image,
        width=_side(),
        height=_side(),
        x=_side(0, 0),
        y=_side(0, 0),
    ),
    "ImageFlip": _filter(
        lambda v: np.flip(v["image"], 1 if v["flip_method"] == _FLIPS[0] else 2),
        image=_image,
        flip_method=_one_of(*_FLIPS),
    ),
    "ImageRotate": _filter(
        lambda v: np.rot90(v["image"], _ROTATIONS.index(v["rotation"]), (2, 1)),
        image=_image,
        rotation=_one_of(*_ROTATIONS),
    ),
    "ImageInvert": _filter(lambda v: 1 - v["image"], image=_image),
    "ImageBlend": _filter(
        lambda v: tones.blended(v["image1"], v["image2"], v["blend_factor"], v["blend_mode"]),
        image1=_image,
        image2=_image,
        blend_factor=_float(0.5, 0.0, 1.0),
        blend_mode=_one_of(*tones.BLENDS),
    ),
    "ImageBlur": Node(
        {"image": _image, "blur_radius": _int(1, 1, 31), "sigma": _float(1.0, 0.1, 10.0)},
        lambda v, around: (tones.blurred(v["image"], v["blur_radius"], v["sigma"], around.check),),
    ),
    "ImageSharpen": Node(
        {
            "image": _image,
            "sharpen_radius": _int(1, 1, 31),
            "sigma": _float(1.0, 0.1, 10.0),
            "alpha": _float(1.0, 0.0, 5.0),
        },
        lambda v, around: (
            tones.sharpened(v["image"], v["sharpen_radius"], v["sigma"], v["alpha"], around.check),
        ),
    ),
    "ImageQuantize": Node(
        {"image": _image, "colors": _int(256, 1, 256), "dither": _one_of(*tones.DITHERS)},
        lambda v, around: (tones.quantized(v["image"], v["colors"], v["dither"], around.check),),
    ),
    "ImageAddNoise": _filter(
        lambda v: tones.noisy(v["image"], v["seed"], v["strength"]),
        image=_image,
        seed=_int(0, 0, _LARGEST_SEED),
        strength=_float(0.5, 0.0, 1.0),
    ),
    "ImageBatch": _filter(
        lambda v: batches.batched(v["image1"], v["image2"]), image1=_image, image2=_image
    ),
    "RepeatImageBatch": _filter(
        lambda v: batches.repeated(v["image"], v["amount"]), image=_image, amount=_int(1, 1, 4096)
    ),
    "ImageFromBatch": _filter(
        lambda v: batches.taken(v["image"], v["batch_index"], v["length"]),
        image=_image,
        batch_index=_int(0, 0, 4095),
        length=_int(1, 1, 4096),
    ),
    "ImageStitch": _filter(
        _stitched,
        image1=_image,
        direction=_one_of("right", "down", "left", "up"),
        match_image_size=Input(BOOLEAN, True),
        spacing_width=_int(0, 0, 1024),
        spacing_color=_one_of("white", "black", "red", "green", "blue"),
        image2=Input(IMAGE, is_required=False),
    ),
    "ImageCompositeMasked": _filter(
        _composited,
        destination=_image,
        source=_image,
        x=_side(0, 0),
        y=_side(0, 0),
        resize_source=Input(BOOLEAN, False),
        mask=Input(MASK, is_required=False),
    ),
    "SolidMask": Node(
        {"value": _float(1.0, 0.0, 1.0), "width": _side(), "height": _side()},
        lambda v, _: (masks.solid(v["value"], v["width"], v["height"]),),
        (MASK,),
    ),
    "InvertMask": Node({"mask": _mask}, lambda v, _: (1 - v["mask"],), (MASK,)),
    "MaskToImage": Node({"mask": _mask}, lambda v, _: (masks.as_image(v["mask"]),)),
    "ImageToMask": Node(
        {"image": _image, "channel": _one_of(*masks.CHANNELS)},
        lambda v, _: (masks.of_channel(v["image"], v["channel"]),),
        (MASK,),
    ),
    "ImageColorToMask": Node(
        {"image": _image, "color": _colour},
        lambda v, _: (masks.of_colour(v["image"], v["color"]),),
        (MASK,),
    ),
    "ThresholdMask": Node(
        {"mask": _mask, "value": _float(0.5, 0.0, 1.0)},
        lambda v, _: ((v["mask"] > v["value"]).astype(np.float32),),
        (MASK,),
    ),
    "PrimitiveInt": Node(
        {"value": _int(0, -_LARGEST_INT, _LARGEST_INT)}, lambda v, _: (v["value"],), (INT,)
    ),
    "PrimitiveFloat": Node(
        {"value": _float(0.0, -float(_LARGEST_INT), float(_LARGEST_INT))},
        lambda v, _: (v["value"],),
        (FLOAT,),
    ),
    "SaveImage": Node(
        {"images": _image, "filename_prefix": Input(STRING, "ComfyUI")},
        _saved("output"),
        (),
        is_output=True,
    ),
    "PreviewImage": Node({"images": _image}, _saved("temp", "preview"), (), is_output=True),
}


def object_info() -> dict[str, Any]:
    """The nodes as ComfyUI's `GET /object_info` describes its own."""
    return {name: node.described(name) for name, node in NODES.items()}
