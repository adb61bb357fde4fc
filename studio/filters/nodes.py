"""The nodes: ComfyUI's own that need no model, and their files. Their inputs are in `nodes.toml`."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from studio.filters import arrays
from studio.filters.arrays import Array, ensure_room, to_floats, to_image
from studio.images import with_end_marker

_FORMATS = ("JPEG", "PNG", "WEBP")
_SEVERAL_VIEWS = "MPO"
"""A camera's JPEG with other views of the same picture: only the first is one."""
_MOST_FRAMES = 256
_NO_MASK = (64, 64)
_COMPRESSION = 4

IMAGE, MASK = "IMAGE", "MASK"
INT, FLOAT, COMBO = "INT", "FLOAT", "COMBO"

_INPUTS = Path(__file__).with_suffix(".toml")
_ROTATIONS = ("none", "90 degrees", "180 degrees", "270 degrees")


def load(file: Path) -> tuple[Array, Array]:
    """Return the picture, upright, and its mask: 1 where it is transparent. Several frames are a batch.

    Raises ValueError for what is no such picture, and SizeError.
    """
    frames = list(_read_frames(file))
    first = frames[0].size
    alike = [frame for frame in frames if frame.size == first]
    image = np.stack([to_floats(frame.convert("RGB")) for frame in alike])
    return image, np.stack([_read_transparency(frame) for frame in alike])


def load_mask(file: Path, channel: str) -> Array:
    """Return one channel as a mask; of `alpha` what is transparent. Raises as `load`."""
    picture = next(_read_frames(file)).convert("RGBA")
    values = to_floats(picture.getchannel(channel[0].upper()))[None]
    return 1 - values if channel == "alpha" else values


def _read_frames(file: Path) -> Iterator[Image.Image]:
    try:
        with Image.open(BytesIO(with_end_marker(file.read_bytes())), formats=_FORMATS) as picture:
            frames = 1 if picture.format == _SEVERAL_VIEWS else getattr(picture, "n_frames", 1)
            count = min(frames, _MOST_FRAMES)
            ensure_room(count, picture.height, picture.width)
            for frame in islice(ImageSequence.Iterator(picture), count):
                yield _to_8_bits(ImageOps.exif_transpose(frame))
    except (
        UnidentifiedImageError,
        OSError,
        SyntaxError,
        EOFError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ) as error:
        raise ValueError(f"expected a JPEG, PNG or WebP picture ({type(error).__name__})") from None


def _to_8_bits(frame: Image.Image) -> Image.Image:
    if not frame.mode.startswith("I"):
        return frame
    return frame.convert("I").point(lambda level: level * (1 / 255))


def _read_transparency(frame: Image.Image) -> Array:
    if frame.mode == "P" and "transparency" in frame.info:
        frame = frame.convert("RGBA")
    if "A" not in frame.getbands():
        return np.zeros(_NO_MASK, np.float32)
    return 1 - to_floats(frame.getchannel("A"))


def save(
    images: Array, prefix: str, folder: Path, check: Callable[[], None]
) -> list[tuple[str, str]]:
    """Write each picture as a PNG file without metadata; return their subfolders and names.

    A name is the prefix with the next free number. Raises ValueError for a prefix that leaves the folder.
    """
    path = PurePosixPath(prefix.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or not path.name or "\0" in prefix:
        raise ValueError("filename_prefix: expected a name inside of the output folder")
    subfolder = "" if str(path.parent) == "." else str(path.parent)
    target = folder / subfolder
    target.mkdir(parents=True, exist_ok=True)
    number = _find_next_number(target, path.name)
    saved = []
    for offset, image in enumerate(images):
        check()
        name = f"{path.name}_{number + offset:05}_.png"
        to_image(image).save(target / name, compress_level=_COMPRESSION)
        saved.append((subfolder, name))
    return saved


def _find_next_number(folder: Path, name: str) -> int:
    numbered = re.compile(rf"{re.escape(name)}_([0-9]+)_.*", re.IGNORECASE)
    found = (numbered.fullmatch(file.name) for file in folder.iterdir())
    return 1 + max((int(match[1]) for match in found if match), default=0)


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
    "ImageBlend": (_plain(arrays.blend), (IMAGE,)),
    "ImageBlur": (_slow(arrays.blur), (IMAGE,)),
    "ImageSharpen": (_slow(arrays.sharpen), (IMAGE,)),
    "ImageQuantize": (_slow(arrays.quantize), (IMAGE,)),
    "ImageAddNoise": (_plain(arrays.add_noise), (IMAGE,)),
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
