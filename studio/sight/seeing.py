"""Tells the class of the waste in a picture, without a vendor.

A network that was trained on ImageNet says how likely each of its 1,000 classes is; what belongs to the same class
of waste is added up. It has learned things, not waste: docs/scan.md says what it cannot know.
"""

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import BoundedSemaphore, Lock

from threadpoolctl import ThreadpoolController

from studio.sight.network import SIDE, Network
from studio.sight.pixels import pixels_of
from studio.sight.things import things
from studio.sight.weights import weights_file, weights_in
from studio.waste_classes import UNKNOWN

SEEN_BY = "efficientnet-lite0"
ENOUGH = 0.45
"""The least that the things of a class have to make up together."""
_OF_CLASS = 0.7
MARGIN = 0.1
"""By how much they have to be ahead of every other class, and of every single thing that is no waste."""

_LOADING = Lock()
_AT_ONCE = BoundedSemaphore(os.cpu_count() or 1)


@dataclass(frozen=True)
class Seen:
    """What a picture shows.

    `confidence`, from 0 to 1, is what the network gives to the class; where that is not enough, the classes are
    UNKNOWN, and it tells how much the likeliest has. `minor` is the thing itself, where more than seven
    tenths of the class's probability are its own.
    """

    major: str
    middle: str
    minor: str | None
    confidence: float
    seen_by: str


def see(picture: Path) -> Seen:
    """The class of what the picture shows; the same for the same picture.

    The first call of a process loads the network (19 MB). Any number of threads may call it; as many as there are
    processors look at their pictures, and the others wait, so that memory has a bound.

    Raises:
        PictureError: for what is no picture, damaged, or too large.
        MissingPartError: `weights_missing`, where the network's weights cannot be used.
    """
    with _AT_ONCE:
        pixels = pixels_of(picture, SIDE)
        likely = _network().probabilities(pixels)
    return judged(likely.tolist())


def judged(probabilities: Sequence[float]) -> Seen:
    """The class that these probabilities of ImageNet's classes speak for."""
    shares: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    others = [0.0]
    for index, probability in enumerate(probabilities):
        thing = things().get(index)
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
    return Seen(*best, _minor(shares[best], most), confidence, SEEN_BY)


def _minor(minors: dict[str, float], total: float) -> str | None:
    likeliest = max(minors, key=lambda minor: minors[minor])
    return likeliest if minors[likeliest] > _OF_CLASS * total else None


def _network() -> Network:
    # Without the lock, threads that come first together would each load it.
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> Network:
    # Calls that share the processors are a fifth as fast where each brings BLAS's threads, which wait spinning.
    ThreadpoolController().limit(limits=1, user_api="blas")
    return Network(weights_in(weights_file()))
