"""The pictures of a brief, uploads and links, as local files."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from resources.contract.errors import InvalidInputError, PermanentError
from resources.contract.studio_errors import as_castad_errors
from resources.files.artifacts import ArtifactStore, MissingArtifactError, artifact_store
from resources.files.lent_pictures import find_lent
from resources.http.download import ExpiredLinkError, UnknownHostLinkError, download
from resources.http.host_allowlist import HostAllowlist
from resources.process.disk_errors import disk_errors
from resources.process.settings import Settings
from studio.images import LARGEST_FILE, check_image

_DEADLINE_SECONDS = 120
_KINDS = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG": "image/png", b"RIFF": "image/webp"}
_UPLOAD = "upload:"
_UNREACHABLE = "image_unreachable"
# No task_id begins with a dot, so no request's folder is one of these. Fetched pictures are kept apart from
# uploads, so that no client can order one as an upload by its hash.
UPLOADS = ".uploads"
FETCHED = ".fetched"
_OF_ORDERS = f"{FETCHED}/of-orders"
_EXPECTED = "expected a link to a JPEG, PNG or WebP picture"


class PictureSource:
    """Finds the files that an order refers to: artifacts, uploads and links."""

    def __init__(self, store: ArtifactStore, *, allowlist: HostAllowlist) -> None:
        self._store = store
        self._allowlist = allowlist

    def check(self, path: Path, field: str) -> str:
        """The reference that an upload of this picture would have; nothing is stored. Raises InvalidInputError."""
        if not _is_file(path):
            raise InvalidInputError(field, "expected a picture file; there is none at this path")
        _check(path, field)
        return f"{_UPLOAD}{hashlib.sha256(path.read_bytes()).hexdigest()}"

    def upload(self, path: Path, field: str) -> str:
        """A copy of a local picture is stored; returns its reference. Raises InvalidInputError."""
        reference = self.check(path, field)
        self._keep(reference.removeprefix(_UPLOAD), lambda copy: shutil.copyfile(path, copy))
        return reference

    def take(self, picture: bytes, field: str) -> str:
        """A picture given as bytes is stored; returns its reference. Raises InvalidInputError."""
        _check(picture, field)
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
        """Whether an entry of a brief's images is a link or a stored upload."""
        kind, _, digest = image.partition(":")
        return kind != "upload" or (self._store.root / UPLOADS / digest).is_file()

    def open(self, reference: Mapping[str, Any]) -> Path:
        """The local file of an artifact, an upload or a link; a link is fetched once per order.

        Raises PermanentError `invalid_image`, `private_address`, `image_unreachable` or `artifact_missing`,
        and TransientError `image_unreachable`, `disk_full` or `disk_error`.
        """
        lent = find_lent(reference)
        if lent is not None:
            return lent
        if "url" not in reference:
            return self._kept(reference)
        where = self.fetched(reference)
        if where is None:
            with self._store.workspace() as folder:
                where = self._keep_fetched(self._fetch(reference, folder), reference)
        return self._store.root / where

    def fetch_link(
        self, reference: Mapping[str, Any], folder: Path, deadline_seconds: float
    ) -> Path:
        """Fetch the link's picture into the folder; nothing is stored. Raises the errors of `open`."""
        return self._fetch(reference, folder, deadline_seconds)

    def try_link(self, reference: Mapping[str, Any], deadline_seconds: float) -> None:
        """The link leads to a usable picture; nothing is stored. Raises the errors of `open`."""
        with disk_errors():
            folder = tempfile.TemporaryDirectory(prefix="castad-")
        with folder as name:
            self._fetch(reference, Path(name), deadline_seconds)

    def fetched(self, reference: Mapping[str, Any]) -> str | None:
        """The path of the picture fetched for this order, relative to the artifact folder; None without one."""
        note = self._store.root / note_of(reference)
        with disk_errors():
            try:
                where = f"{FETCHED}/{note.read_text()}"
            except FileNotFoundError:
                return None
        return where if (self._store.root / where).is_file() else None

    def _kept(self, reference: Mapping[str, Any]) -> Path:
        try:
            return self._store.open(reference)
        except MissingArtifactError as error:
            if not str(reference["where"]).startswith(f"{UPLOADS}/"):
                raise
            raise PermanentError(
                f"{reference['name']}: the uploaded picture is no longer in the state folder; "
                "order again with the picture",
                code=error.code,
            ) from error

    def _fetch(
        self,
        reference: Mapping[str, Any],
        folder: Path,
        deadline_seconds: float = _DEADLINE_SECONDS,
    ) -> Path:
        copy, field = folder / "picture", str(reference["name"])
        try:
            download(
                str(reference["url"]),
                copy,
                field=field,
                max_bytes=LARGEST_FILE,
                allowlist=self._allowlist,
                deadline_seconds=deadline_seconds,
                code=_UNREACHABLE,
                refused="invalid_image",
            )
            _check(copy, field)
        except (ExpiredLinkError, UnknownHostLinkError) as error:
            raise PermanentError(f"{error.message}; {_EXPECTED}", code=_UNREACHABLE) from None
        except InvalidInputError as error:
            raise PermanentError(error.message, code="invalid_image") from error
        return copy

    def _keep_fetched(self, picture: Path, reference: Mapping[str, Any]) -> str:
        """The picture is stored by its digest, with a note by which the order finds it; returns its path.

        The link itself may lead elsewhere later.
        """
        with disk_errors():
            digest = hashlib.sha256(picture.read_bytes()).hexdigest()
            note = picture.with_name("note")
            note.write_text(digest)
        self._store.keep(picture, FETCHED, digest)
        folder, _, name = note_of(reference).rpartition("/")
        self._store.keep(note, folder, name)
        return f"{FETCHED}/{digest}"


def picture_source(settings: Settings) -> PictureSource:
    """The pictures of orders, from this state folder and from links."""
    allowlist = HostAllowlist(settings.allow_hosts, plain_http=True)
    return PictureSource(artifact_store(settings), allowlist=allowlist)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def note_of(reference: Mapping[str, Any]) -> str:
    """The path of the note by which an order finds the picture that was fetched for it."""
    named = f"{reference.get('order', '')}\n{reference['url']}"
    return f"{_OF_ORDERS}/{hashlib.sha256(named.encode()).hexdigest()}"


def image_reference(image: str, field: str, task_id: str = "") -> Mapping[str, str]:
    """The reference to an entry of the brief's images in the order `task_id`."""
    kind, _, digest = image.partition(":")
    if kind == "upload":
        return {"name": field, "where": f"{UPLOADS}/{digest}"}
    return {"name": field, "url": image, "order": task_id}


def picture_references(
    order: Mapping[str, Any], fields: Sequence[str], task_id: str = ""
) -> Iterator[Mapping[str, str]]:
    """The references to every picture in these fields of an order; each field holds a list of pictures."""
    for field in fields:
        for index, image in enumerate(order.get(field) or ()):
            yield image_reference(image, f"{field}[{index}]", task_id)


def picture_type(path: Path) -> str:
    """A stored picture's media type, by its first bytes; uploads are named by their digest only."""
    with path.open("rb") as stream:
        begins = stream.read(4)
    kinds = (kind for mark, kind in _KINDS.items() if begins.startswith(mark))
    return next(kinds, "application/octet-stream")


def _check(source: bytes | Path, field: str) -> None:
    with as_castad_errors():
        check_image(source, field)
