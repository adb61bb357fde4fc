"""What a pipeline submits again by itself: what is still used, where its source has changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from resources.process.settings import Settings


@dataclass(frozen=True)
class SourceKey:
    """The source of an order, and which part of it: short texts, equal where the same is meant.

    Where the pipeline has a projection, `subject` is its `name_key`: reading a row is a use.
    """

    subject: str
    part: str = ""


@dataclass(frozen=True)
class Found:
    """What an order comes to now: the definite order, which has a unique key.

    None is the order that may not be made unasked. With the `mark` the source tells whether it has changed since.
    """

    order: Mapping[str, Any] | None
    mark: str = ""


FindOrder = Callable[[Any, str, Settings], Found | None]
"""By the order, the last mark and the settings: what the order comes to; None where nothing has changed.

Raises the errors of `resources.contract.errors`.
"""


@dataclass(frozen=True)
class SourceCheck:
    """Of a stage with a `settled_key`: its order is made again, while it is used, when that key has changed.

    `source_key` says by the order and the stage's product what its source is, None where that cannot change or is
    not for other owners. `find` is "module:FindOrder", which asks this `vendor`, no more than `an_hour` times in
    an hour, so that the vendor's limit is left to those who wait.
    """

    source_key: Callable[[Any, Any], SourceKey | None]
    find: str
    vendor: str
    an_hour: Callable[[Settings], int]
