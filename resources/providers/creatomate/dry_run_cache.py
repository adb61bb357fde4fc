"""What came of the dry run of an order, kept until the order is sent."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

from resources.contract.protocol import Json, StageInput

_MOST = 64


@dataclass(frozen=True)
class PassedDryRun:
    """A body that passed its dry run; `pixels` of the whole film where the answer tells them."""

    body: Mapping[str, Json]
    pixels: float | None


class DryRunCache:
    """The last orders that passed, found by their content. Several threads may share one."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, PassedDryRun] = OrderedDict()
        self._lock = Lock()

    def keep(self, order: StageInput, prepared: PassedDryRun) -> None:
        """It is found from now on, until many others have come after it."""
        with self._lock:
            self._kept[_content(order)] = prepared
            self._kept.move_to_end(_content(order))
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)

    def of(self, order: StageInput) -> PassedDryRun | None:
        """What was kept for an order of this content."""
        with self._lock:
            return self._kept.get(_content(order))


def _content(order: StageInput) -> str:
    return json.dumps(order, sort_keys=True)
