"""Stored files are deleted, and what no row refers to is found."""

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from resources.files.artifacts import ArtifactStore
from resources.files.pictures import FETCHED, UPLOADS, note_of


def remove_file(store: ArtifactStore, where: str, *, older_than: float) -> bool:
    """Whether the file is gone, its folder too where that is empty; one written since (Unix time) stays.

    The folder of a name that was ordered again holds new files under the same names.
    """
    path = _inside(store.root, where)
    if path is None:
        return False
    try:
        if path.stat().st_mtime >= older_than:
            return False
        path.unlink()
    except FileNotFoundError:
        return False
    with suppress(OSError):
        path.parent.rmdir()
    return True


def forget_fetched(store: ArtifactStore, reference: Mapping[str, Any]) -> None:
    """The picture that was fetched from this link for this order is gone, unless another order has it."""
    note = note_of(reference)
    try:
        digest = (store.root / note).read_text()
    except (OSError, UnicodeDecodeError):
        return
    remove_file(store, note, older_than=math.inf)
    if not any(_reads(store.root / where, digest) for where, _, _ in _notes(store)):
        remove_file(store, f"{FETCHED}/{digest}", older_than=math.inf)


def _notes(store: ArtifactStore) -> Iterator[tuple[str, int, float]]:
    return files_in(store, note_of({"url": ""}).rpartition("/")[0])


def _reads(note: Path, digest: str) -> bool:
    try:
        return note.read_text() == digest
    except (OSError, UnicodeDecodeError):
        return False


def folders(store: ArtifactStore) -> Iterator[str]:
    """The names of the requests' folders, in any order."""
    with suppress(FileNotFoundError), os.scandir(store.root) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                yield entry.name


def files_in(store: ArtifactStore, folder: str) -> Iterator[tuple[str, int, float]]:
    """Each file below this folder: its path relative to the artifact folder, its bytes, when it was written."""
    with suppress(FileNotFoundError):
        for path in sorted((store.root / folder).iterdir()):
            with suppress(FileNotFoundError):
                found = path.lstat()
                if not path.is_dir():
                    yield f"{folder}/{path.name}", found.st_size, found.st_mtime


def pictures(store: ArtifactStore) -> Iterator[tuple[str, int, float]]:
    """Each picture that was uploaded or fetched, and each note of a fetch, as `files_in`."""
    for folder in (UPLOADS, FETCHED, f"{FETCHED}/of-orders"):
        yield from files_in(store, folder)


def _inside(root: Path, where: str) -> Path | None:
    """The path of a stored file; None where it leads elsewhere, since SQL can write anything."""
    path = root / where
    parts = Path(where).parts
    if Path(where).is_absolute() or ".." in parts or len(parts) < 2 or "\0" in where:
        return None
    return path if path.parent.resolve().is_relative_to(root.resolve()) else None
