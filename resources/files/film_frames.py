"""A frame of a stored film as pictures that are stored beside it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from resources.contract.errors import InvalidInputError
from resources.contract.studio_errors import as_castad_errors
from resources.files.artifacts import ArtifactStore, DamagedArtifactError, StoredArtifact
from resources.files.media import stated_seconds
from resources.process.disk_errors import disk_errors
from studio.errors import RenderError
from studio.ffmpeg import frame_at, save_covers

_LAST = 0.1
"""So many seconds before its end a film is sure to have a frame; a later moment shows that one."""
_LETTERS = 16


def store_frame(
    store: ArtifactStore, film: Mapping[str, Any], seconds: float, folder: str
) -> list[StoredArtifact]:
    """The frame at this moment is in the store, small and in full size, as `thumbnail.jpg` and `cover.jpg`.

    Where they are follows from their content, so that two calls at a time do not replace each other's. Raises
    InvalidInputError `seconds` where the film does not last so long, MissingArtifactError, DamagedArtifactError,
    and TransientError where the machine has no room or no time for it.
    """
    path = store.open(film)
    with disk_errors(), as_castad_errors():
        length = stated_seconds(path)
        if length is None:
            raise DamagedArtifactError(str(film["name"]))
        if not 0 <= seconds <= length:
            raise InvalidInputError("seconds", f"expected a moment of the video, 0 to {length:g}")
        try:
            frame = frame_at(path, max(0.0, min(seconds, length - _LAST)))
        except RenderError:
            raise DamagedArtifactError(str(film["name"])) from None
        with store.workspace() as scratch:
            return [_stored(store, made, folder) for made in save_covers(frame, scratch)]


def _stored(store: ArtifactStore, made: Path, folder: str) -> StoredArtifact:
    found = store.describe(made, folder, made.name)
    unique = f"{made.stem}-{found.sha256[:_LETTERS]}{made.suffix}"
    artifact = StoredArtifact(**{**vars(found), "where": f"{folder}/{unique}"})
    store.move_in(made, artifact)
    return artifact
