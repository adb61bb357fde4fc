"""What a stage has around it where it is made without the ledger: a folder, and the order's pictures as files."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from castad.direct.direct_job import DirectJob
from resources.contract.errors import InvalidInputError
from resources.contract.work import Work
from resources.files.artifacts import artifact_store
from resources.files.lent_pictures import lent_picture
from resources.files.pictures import picture_references, picture_source
from resources.process.disk_errors import disk_errors
from resources.process.settings import Settings

_LINK_SECONDS = 10.0
"""For all links of an order: a client waits, and the thread is taken from other orders meanwhile."""


class Surroundings:
    """Thread-safe. The folder is made when it is first needed; the stages leave nothing in it."""

    def __init__(self, settings: Settings, link_seconds: float = _LINK_SECONDS) -> None:
        self._settings = settings
        self._link_seconds = link_seconds
        self._folder: TemporaryDirectory[str] | None = None
        self._making = Lock()

    @property
    def folder(self) -> Path:
        """A folder of this process' own."""
        with self._making, disk_errors():
            if self._folder is None or not Path(self._folder.name).is_dir():
                self._folder = TemporaryDirectory(prefix="castad-direct-")
            return Path(self._folder.name)

    @contextmanager
    def pictures(self, job: DirectJob, fields: Sequence[str]) -> Iterator[None]:
        """The order's pictures are files while the block runs: those that came with it, and those of links.

        Raises what `PictureSource.open` raises.
        """
        references = [*picture_references(job.payload, fields, job.task_id)]
        if not references:
            yield
            return
        until = time.monotonic() + self._link_seconds
        with ExitStack() as held:
            for reference in references:
                given = job.pictures.get(str(reference.get("where", "")))
                if given is not None:
                    file = held.enter_context(_in_memory(given))
                elif "url" in reference:
                    folder = held.enter_context(artifact_store(self._settings).workspace())
                    left = max(0.001, until - time.monotonic())
                    file = picture_source(self._settings).fetch_link(reference, folder, left)
                else:
                    continue
                held.enter_context(lent_picture(reference, file))
            yield

    def work(self, job: DirectJob) -> Work:
        """What a local stage gets."""
        return Work(
            task_id=job.task_id,
            folder=self.folder,
            open=_no_file,
            picture=picture_source(self._settings).open,
            check=_no_check,
            report=_no_report,
            calling=_calling,
        )

    def close(self) -> None:
        """The folder is gone."""
        with self._making:
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None


@contextmanager
def _in_memory(picture: bytes) -> Iterator[Path]:
    """A path at which this process reads the picture, which is on no disk, however the process ends."""
    with os.fdopen(os.memfd_create("picture"), "wb", buffering=0) as file:
        view = memoryview(picture)
        while view:
            view = view[file.write(view) :]
        yield Path(f"/proc/self/fd/{file.fileno()}")


def _no_file(reference: Mapping[str, Any]) -> Path:
    raise InvalidInputError(
        str(reference.get("name", "file")), "expected no file: none is kept here"
    )


def _no_check() -> None:
    """Nothing but its deadline stops an answer."""


def _no_report(progress: float | None, note: str = "") -> None:
    """The steps are the progress."""


def _calling(vendor: str) -> AbstractContextManager[None]:
    return nullcontext()
