"""Picture files: read as ComfyUI's LoadImage reads them, and written as its SaveImage names them."""

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePosixPath

import numpy as np
from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from studio.filters.arrays import Array, ensure_room, to_floats, to_image
from studio.images import with_end_marker

_FORMATS = ("JPEG", "PNG", "WEBP")
_SEVERAL_VIEWS = "MPO"
"""A camera's JPEG with other views of the same picture: only the first is one."""
_MOST_FRAMES = 256
_NO_MASK = (64, 64)
_COMPRESSION = 4


def load(file: Path) -> tuple[Array, Array]:
    """Return the picture, upright, and its mask: 1 where it is transparent. Several frames are a batch.

    Raises ValueError for what is no such picture, and TooLargeError.
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
