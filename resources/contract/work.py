"""What a local stage's function gets to work with."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


class Report(Protocol):
    """Tells how far the work is, in [0, 1] or None where that is unknown, and what it does in a few words."""

    def __call__(self, progress: float | None, note: str = "") -> None:
        """Raises as `Work.check` does; never because the progress cannot be saved."""


@dataclass(frozen=True)
class Work:
    """The surroundings of one execution of a local stage.

    `folder` is empty and takes the files that the stage makes. `open` is the path of a file of an earlier stage's
    product. `picture` is the path of a picture that the order refers to. `check` raises where the attempt has to
    stop or the stage's deadline is over; long work calls it every few seconds. `report` checks too, and saves
    how far the work is; it may be called often, because reports are saved at most once in CASTAD_WATCH_SECONDS.
    Free calls to a vendor are made in a block `calling` its name: the request waits while it is paused, and
    a refusal in the block that holds for all jobs pauses it.
    """

    task_id: str
    folder: Path
    open: Callable[[Mapping[str, Any]], Path]
    picture: Callable[[Mapping[str, str]], Path]
    check: Callable[[], None]
    report: Report
    calling: Callable[[str], AbstractContextManager[None]]
