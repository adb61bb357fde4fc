"""Tells the class of the waste in a picture, without a vendor.

A network that was trained on ImageNet says how likely each of its 1,000 classes is; the classes that belong to the
same class of waste are added up. It has learned things, not waste: docs/scan.md says what it cannot know. The
table of things is castad's own. It leaves out what is not thrown away, what is mostly worn or lived in where it is
seen, what is made of so many materials that its picture does not tell its class, and what a wrong answer would
make dangerous.
"""

import csv
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import BoundedSemaphore, Lock

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from threadpoolctl import ThreadpoolController

from studio.images import open_image
from studio.sight.network import SIDE, Network, find_weights, read_weights
from studio.waste import UNKNOWN

TABLE = Path(__file__).parents[1] / "data" / "words" / "things.csv"
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
    processors look at their pictures, and the others wait, so that memory has a bound.

    Raises:
        PictureError: for what is no picture, damaged, or too large.
        MissingPartError: `weights_missing`, where the network's weights cannot be used.
    """
    with _AT_ONCE:
        likely = _get_network().classify(read_pixels(picture))
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
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            int(row["imagenet"]): Thing(row["major"], row["middle"], row["minor"])
            for row in csv.DictReader(file)
        }


def read_pixels(picture: Path) -> NDArray[np.float32]:
    """Return the upright picture's middle as (3, SIDE, SIDE) numbers from -1 to 1; where it is see-through, white.

    The square, its size and the scale of colours are those of EfficientNet-Lite's own code (tensorflow/tpu,
    models/official/efficientnet: `preprocessing.py` and `lite/efficientnet_lite_builder.py`). The scale is not the
    one of most networks for ImageNet.

    Raises:
        PictureError: for what is no picture, damaged, or too large.
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


def _get_network() -> Network:
    # Without the lock, threads that come first together would each load it.
    with _LOADING:
        return _load_network()


@cache
def _load_network() -> Network:
    # Calls that share the processors are a fifth as fast where each brings BLAS's threads, which wait spinning.
    ThreadpoolController().limit(limits=1, user_api="blas")
    return Network(read_weights(find_weights()))
