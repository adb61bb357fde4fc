"""EfficientNet-Lite0 in numpy: what a picture shows, as probabilities of ImageNet's 1,000 classes.

The structure is the published one (tensorflow/tpu, models/official/efficientnet/lite): a stem, sixteen blocks in
seven stages, a head, the mean over the picture and one layer. A block widens its channels, looks at each of them
alone and narrows them again; only the first of a stage changes the size, and each of the others adds what came in.
Padding is TensorFlow's SAME. Arrays are (channels, height, width) of float32.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.sight.tensors import Tensors

Array = NDArray[np.float32]

SIDE = 224
"""Pixels on each side of what it looks at."""

_STAGES = ((1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1))
"""How many blocks each stage has, and the stride of its first."""
_EPSILON = 1e-3


@dataclass(frozen=True)
class _Layer:
    """A convolution with its batch norm folded in: `kernel` is (out, in, side, side)."""

    kernel: Array
    bias: Array
    stride: int = 1
    limited: bool = True

    def __call__(self, x: Array) -> Array:
        y = _convolved(x, self.kernel, self.stride)
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
    """The network of these weights. It is not changed by use: any number of threads may call it."""

    def __init__(self, weights: Tensors) -> None:
        self._layers: tuple[_Layer | _Block, ...] = (
            _layer(weights, "_conv_stem", "_bn0", stride=2),
            *_blocks(weights),
            _layer(weights, "_conv_head", "_bn1"),
        )
        # Copies, or they would keep the whole file in memory.
        self._classes = np.array(weights["_fc.weight"], np.float32)
        self._bias = np.array(weights["_fc.bias"], np.float32)

    def probabilities(self, pixels: Array) -> NDArray[np.float64]:
        """How likely each of the 1,000 classes is for (3, SIDE, SIDE) pixels; they add up to 1."""
        x = pixels
        for layer in self._layers:
            x = layer(x)
        scores = (self._classes @ x.mean((1, 2)) + self._bias).astype(np.float64)
        powers = np.exp(scores - scores.max())
        return powers / powers.sum()


def _blocks(weights: Tensors) -> tuple[_Block, ...]:
    strides = [first if at == 0 else None for count, first in _STAGES for at in range(count)]
    return tuple(_block(weights, f"_blocks.{at}.", stride) for at, stride in enumerate(strides))


def _block(weights: Tensors, prefix: str, stride: int | None) -> _Block:
    """The block of this name; without a stride it is none of the first, and adds what comes in."""
    widening = (
        (_layer(weights, f"{prefix}_expand_conv", f"{prefix}_bn0"),)
        if f"{prefix}_expand_conv.weight" in weights
        else ()
    )
    looking = _layer(weights, f"{prefix}_depthwise_conv", f"{prefix}_bn1", stride=stride or 1)
    narrowing = _layer(weights, f"{prefix}_project_conv", f"{prefix}_bn2", limited=False)
    return _Block((*widening, looking, narrowing), adds=stride is None)


def _layer(weights: Tensors, name: str, norm: str, **options: Any) -> _Layer:
    """The convolution of this name, with the batch norm that follows it folded in."""
    scale = weights[f"{norm}.weight"] / np.sqrt(weights[f"{norm}.running_var"] + _EPSILON)
    kernel = weights[f"{name}.weight"] * scale[:, None, None, None]
    bias = weights[f"{norm}.bias"] - weights[f"{norm}.running_mean"] * scale
    return _Layer(kernel.astype(np.float32), bias.astype(np.float32)[:, None, None], **options)


def _convolved(x: Array, kernel: Array, stride: int) -> Array:
    count, depth, side, _ = kernel.shape
    if side == 1:
        return (kernel.reshape(count, -1) @ x.reshape(len(x), -1)).reshape(count, *x.shape[1:])
    rows, columns = -(-x.shape[1] // stride), -(-x.shape[2] // stride)
    padded = np.pad(
        x,
        (
            (0, 0),
            _around(rows, stride, side, x.shape[1]),
            _around(columns, stride, side, x.shape[2]),
        ),
    )
    views = [
        padded[:, top : top + stride * rows : stride, left : left + stride * columns : stride][
            :, :rows, :columns
        ]
        for top, left in product(range(side), repeat=2)
    ]
    if depth == 1:
        return _each_alone(views, kernel.reshape(count, -1))
    patches = np.stack(views, axis=1).reshape(depth * side * side, -1)
    return (kernel.reshape(count, -1) @ patches).reshape(count, rows, columns)


def _each_alone(views: list[Array], kernel: Array) -> Array:
    """The sum of the views, each times its own number of the kernel, channel by channel."""
    total = views[0] * kernel[:, 0, None, None]
    product_ = np.empty_like(total)
    for at, view in enumerate(views[1:], start=1):
        np.multiply(view, kernel[:, at, None, None], out=product_)
        total += product_
    return total


def _around(size: int, stride: int, side: int, before: int) -> tuple[int, int]:
    """The zeros before and behind that make `before` become `size`; the odd one is behind."""
    missing = max((size - 1) * stride + side - before, 0)
    return missing // 2, missing - missing // 2
