"""The dry runs that passed, remembered until their jobs are sent."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

from resources.contract.protocol import Json, StageInput

_MOST = 64


@dataclass(frozen=True)
class PassedDryRun:
    """A body that passed its dry run; `pixels` of the whole film, None where the answer does not report them."""

    body: Mapping[str, Json]
    pixels: float | None


class DryRunCache:
    """The last 64 dry runs that passed, by the input's content. Several threads may share one instance."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, PassedDryRun] = OrderedDict()
        self._lock = Lock()

    def keep(self, job_input: StageInput, prepared: PassedDryRun) -> None:
        """The dry run is in the cache, which drops its oldest entry where it is full."""
        with self._lock:
            self._kept[_content(job_input)] = prepared
            self._kept.move_to_end(_content(job_input))
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)

    def of(self, job_input: StageInput) -> PassedDryRun | None:
        """The dry run of an input with this content; None without one."""
        with self._lock:
            return self._kept.get(_content(job_input))


def _content(job_input: StageInput) -> str:
    return json.dumps(job_input, sort_keys=True)
