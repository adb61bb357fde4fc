"""The brief's own pictures as local files: uploads of the command line, and links."""

import hashlib
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from resources.artifacts import ArtifactStore, disk_errors
from resources.download import download
from resources.errors import InvalidInputError
from resources.providers.errors import PermanentError
from resources.reach import Reach
from resources.studio.camera.images import LARGEST_FILE, check_image

_DEADLINE_SECONDS = 120
_KINDS = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG": "image/png", b"RIFF": "image/webp"}
_UPLOAD = "upload:"
# No task_id begins with a dot, so no request's folder is one of these. What was fetched lies apart, lest
# somebody name it as an upload by the hash of its link.
UPLOADS = ".uploads"
_LINKS = ".links"


class PictureSource:
    """Finds the files behind the references of an order: artifacts, uploads and links."""

    def __init__(self, store: ArtifactStore, *, reach: Reach) -> None:
        self._store = store
        self._reach = reach

    def check(self, path: Path, field: str) -> str:
        """The reference that an upload of this picture has; nothing is kept. Raises InvalidInputError."""
        if not _is_file(path):
            raise InvalidInputError(field, "expected a picture file, there is none at this path")
        check_image(path, field)
        return f"{_UPLOAD}{hashlib.sha256(path.read_bytes()).hexdigest()}"

    def upload(self, path: Path, field: str) -> str:
        """A copy of a picture of this machine is kept; returns its reference. Raises InvalidInputError."""
        reference = self.check(path, field)
        self._keep(reference.removeprefix(_UPLOAD), lambda copy: shutil.copyfile(path, copy))
        return reference

    def take(self, picture: bytes, field: str) -> str:
        """A picture that came over the wire is kept; returns its reference. Raises InvalidInputError."""
        check_image(picture, field)
        digest = hashlib.sha256(picture).hexdigest()
        self._keep(digest, lambda copy: copy.write_bytes(picture))
        return f"{_UPLOAD}{digest}"

    def _keep(self, digest: str, write: Callable[[Path], object]) -> None:
        with self._store.workspace() as folder:
            copy = folder / digest
            with disk_errors():
                write(copy)
            self._store.keep(copy, UPLOADS, digest)

    def has(self, image: str) -> bool:
        """Whether an entry of a brief's images is a link, or an upload that is kept here."""
        kind, _, digest = image.partition(":")
        return kind != "upload" or (self._store.root / UPLOADS / digest).is_file()

    def open(self, reference: Mapping[str, Any]) -> Path:
        """The local file of an artifact, an upload or a link.

        Raises PermanentError `invalid_image`, `private_address`, `link_expired` or `artifact_missing`,
        and TransientError `image_unreachable`, `disk_full` or `disk_error`.
        """
        if "url" not in reference:
            return self._kept(reference)
        url, field = str(reference["url"]), str(reference["name"])
        target = self._store.root / _LINKS / hashlib.sha256(url.encode()).hexdigest()
        if not target.is_file():
            self._fetch(url, field, target)
        return target

    def _kept(self, reference: Mapping[str, Any]) -> Path:
        try:
            return self._store.open(reference)
        except PermanentError as error:
            if not str(reference["where"]).startswith(f"{UPLOADS}/"):
                raise
            raise PermanentError(
                f"{reference['name']}: the uploaded picture is no longer in the state folder; "
                "order anew with the picture",
                code=error.code,
            ) from error

    def _fetch(self, url: str, field: str, target: Path) -> None:
        with self._store.workspace() as folder:
            copy = folder / target.name
            download(
                url,
                copy,
                field=field,
                max_bytes=LARGEST_FILE,
                reach=self._reach,
                deadline_seconds=_DEADLINE_SECONDS,
                code="image_unreachable",
                refused="invalid_image",
            )
            try:
                check_image(copy, field)
            except InvalidInputError as error:
                raise PermanentError(error.message, code="invalid_image") from error
            self._store.keep(copy, _LINKS, target.name)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def image_reference(image: str, field: str) -> Mapping[str, str]:
    """The reference that an order holds for an entry of the brief's images."""
    kind, _, digest = image.partition(":")
    if kind == "upload":
        return {"name": field, "where": f"{UPLOADS}/{digest}"}
    return {"name": field, "url": image}


def picture_type(path: Path) -> str:
    """What a kept picture is, by how it begins; uploads have no other name than their digest."""
    with path.open("rb") as stream:
        begins = stream.read(4)
    kinds = (kind for mark, kind in _KINDS.items() if begins.startswith(mark))
    return next(kinds, "application/octet-stream")
