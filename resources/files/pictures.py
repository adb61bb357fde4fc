"""Receive, fetch, lend and remove the pictures that orders refer to."""

import base64
import hashlib
import io
import math
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from PIL import Image

from resources.contract.errors import InvalidInputError, PermanentError
from resources.contract.studio_errors import translate_studio_errors
from resources.files.artifacts import ArtifactStore, MissingArtifactError, open_artifact_store
from resources.http.addresses import HostAllowlist
from resources.process.file_locks import translate_disk_errors
from resources.process.settings import Settings
from studio.errors import PictureError
from studio.images import LARGEST_FILE, check_image, open_image

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
LONGEST_SIDE = 1_024
INVALID_PICTURE = "invalid_picture"
_ENOUGH = 512
"""Pixels on the shorter side; at detail "low" a model looks at no more (docs/vendors/openai.md)."""
_QUALITY = 85


@dataclass(eq=False)
class PictureSource:
    """The pictures and other files that an order refers to: artifacts, uploads and links."""

    store: ArtifactStore
    allowlist: HostAllowlist

    def check_picture_file(self, path: Path, field: str) -> str:
        """Check a local picture; return the reference that its upload would have. Nothing is stored.

        `field` names it in messages. Raises InvalidInputError.
        """
        try:
            is_file = path.is_file()
        except OSError:
            is_file = False
        if not is_file:
            raise InvalidInputError(field, "expected a picture file; there is none at this path")
        _check_image(path, field)
        return f"{_UPLOAD}{hashlib.sha256(_read_picture(path, field)).hexdigest()}"

    def store_picture_file(self, path: Path, field: str) -> str:
        """Store a copy of a local picture; return its reference, `upload:<sha256>`. Raises InvalidInputError."""
        self.check_picture_file(path, field)
        return self.store_bytes(_read_picture(path, field), field)

    def store_bytes(self, picture: bytes, field: str) -> str:
        """Store a picture given as bytes; return its reference, `upload:<sha256>`. Raises InvalidInputError."""
        _check_image(picture, field)
        digest = hashlib.sha256(picture).hexdigest()
        with self.store.workspace() as folder:
            copy = folder / digest
            with translate_disk_errors():
                copy.write_bytes(picture)
            self.store.store_file(copy, UPLOADS, digest)
        return f"{_UPLOAD}{digest}"

    def has_picture(self, image: str) -> bool:
        """Return whether an entry of an order's images is a link, or an upload that is stored."""
        kind, _, digest = image.partition(":")
        return kind != "upload" or (self.store.root / UPLOADS / digest).is_file()

    def open(self, reference: Mapping[str, Any]) -> Path:
        """Return the local file of an artifact, an upload or a link; a link is fetched once per order.

        Raises PermanentError for a picture that cannot be used or is gone, and TransientError.
        """
        with _lending:
            if lent := _lent.get(_build_lending_key(reference)):
                return lent[-1]
        if "url" not in reference:
            try:
                return self.store.open(reference)
            except MissingArtifactError as error:
                if not str(reference["where"]).startswith(f"{UPLOADS}/"):
                    raise
                raise PermanentError(
                    f"{reference['name']}: the uploaded picture is no longer in the state folder; "
                    "order again with the picture",
                    code=error.code,
                ) from error
        where = self.find_fetched(reference)
        if where is None:
            with self.store.workspace() as folder:
                picture = self.fetch_link(reference, folder)
                # A note for this order: a later fetch of the same link may yield another picture.
                with translate_disk_errors():
                    digest = hashlib.sha256(picture.read_bytes()).hexdigest()
                    note = picture.with_name("note")
                    note.write_text(digest)
                self.store.store_file(picture, FETCHED, digest)
                notes, _, name = build_note_path(reference).rpartition("/")
                self.store.store_file(note, notes, name)
            where = f"{FETCHED}/{digest}"
        return self.store.root / where

    def fetch_link(
        self, reference: Mapping[str, Any], folder: Path, seconds: float = _DEADLINE_SECONDS
    ) -> Path:
        """Download the link's picture into `folder` and check it; nothing is stored. Raises as `open`."""
        # Commands and sensors load pipelines, and no HTTP client.
        from resources.http.download import ExpiredLinkError, UnknownHostLinkError, download

        copy, field = folder / "picture", str(reference["name"])
        try:
            download(
                str(reference["url"]),
                copy,
                field=field,
                max_bytes=LARGEST_FILE,
                allowlist=self.allowlist,
                deadline_seconds=seconds,
                code=_UNREACHABLE,
                refused="invalid_image",
            )
            _check_image(copy, field)
        except (ExpiredLinkError, UnknownHostLinkError) as error:
            raise PermanentError(f"{error.message}; {_EXPECTED}", code=_UNREACHABLE) from None
        except InvalidInputError as error:
            raise PermanentError(error.message, code="invalid_image") from error
        return copy

    def check_link(self, reference: Mapping[str, Any], seconds: float) -> None:
        """Check that the link leads to a usable picture, by downloading it; nothing is stored.

        Raises the errors of `open`.
        """
        with translate_disk_errors():
            folder = tempfile.TemporaryDirectory(prefix="castad-")
        with folder as name:
            self.fetch_link(reference, Path(name), seconds)

    def find_fetched(self, reference: Mapping[str, Any]) -> str | None:
        """Return the path, in the artifact folder, of the picture fetched for this order; None without one."""
        note = self.store.root / build_note_path(reference)
        with translate_disk_errors():
            try:
                where = f"{FETCHED}/{note.read_text()}"
            except FileNotFoundError:
                return None
        return where if (self.store.root / where).is_file() else None


def get_picture_source(settings: Settings) -> PictureSource:
    """Return the source of orders' pictures, in this state folder and behind links."""
    allowlist = HostAllowlist(settings.allow_hosts, plain_http=True)
    return PictureSource(open_artifact_store(settings), allowlist=allowlist)


def _read_picture(path: Path, field: str) -> bytes:
    """Read a local picture. Raises InvalidInputError, naming `field`."""
    try:
        return path.read_bytes()
    except OSError as error:
        expected = f"expected a picture file that can be read: {error.strerror}"
        raise InvalidInputError(field, expected) from None


def _check_image(source: bytes | Path, field: str) -> None:
    """Check that the bytes or file are a usable picture. Raises InvalidInputError, naming `field`."""
    with translate_studio_errors():
        check_image(source, field)


def build_image_reference(image: str, field: str, task_id: str = "") -> Mapping[str, str]:
    """Build the reference to an entry (`upload:…` or a link) of the images in the order `task_id`."""
    kind, _, digest = image.partition(":")
    if kind == "upload":
        return {"name": field, "where": f"{UPLOADS}/{digest}"}
    return {"name": field, "url": image, "order": task_id}


def list_picture_references(
    order: Mapping[str, Any], fields: Sequence[str], task_id: str = ""
) -> Iterator[Mapping[str, str]]:
    """Yield the references to all pictures in these fields of an order, each a list of pictures."""
    for field in fields:
        for index, image in enumerate(order.get(field) or ()):
            yield build_image_reference(image, f"{field}[{index}]", task_id)


def build_note_path(reference: Mapping[str, Any]) -> str:
    """Return the path, in the artifact folder, of the note that names the picture fetched for an order."""
    named = f"{reference.get('order', '')}\n{reference['url']}"
    return f"{_OF_ORDERS}/{hashlib.sha256(named.encode()).hexdigest()}"


def get_picture_type(path: Path) -> str:
    """Read a stored picture's media type from its first bytes, because uploads have no suffix."""
    with path.open("rb") as stream:
        begins = stream.read(4)
    kinds = (kind for mark, kind in _KINDS.items() if begins.startswith(mark))
    return next(kinds, "application/octet-stream")


_lent: dict[tuple[str, str], list[Path]] = {}
_lending = Lock()


@contextmanager
def lend_picture(reference: Mapping[str, Any], path: Path) -> Iterator[None]:
    """Let `open` return `path` for this reference during the block; blocks for the same one may overlap."""
    name = _build_lending_key(reference)
    with _lending:
        _lent.setdefault(name, []).append(path)
    try:
        yield
    finally:
        with _lending:
            _lent[name].remove(path)
            if not _lent[name]:
                del _lent[name]


def _build_lending_key(reference: Mapping[str, Any]) -> tuple[str, str]:
    """Return the key under which the reference's picture is lent: its order, and its link or path."""
    return str(reference.get("order", "")), str(reference.get("url") or reference.get("where"))


def remove_fetched_picture(store: ArtifactStore, reference: Mapping[str, Any]) -> None:
    """Remove the note of this order's link, and the fetched picture unless another order's note names it."""
    note = build_note_path(reference)
    try:
        digest = (store.root / note).read_text()
    except (OSError, UnicodeDecodeError):
        return
    remove_stored_file(store, note, older_than=math.inf)
    for other, _, _ in list_files_in(store, _OF_ORDERS):
        with suppress(OSError, UnicodeDecodeError):
            if (store.root / other).read_text() == digest:
                return
    remove_stored_file(store, f"{FETCHED}/{digest}", older_than=math.inf)


def remove_stored_file(store: ArtifactStore, where: str, *, older_than: float) -> bool:
    """Remove the file, and its folder if that is then empty; return whether the file was removed.

    A path that leads out of the store is refused. A file written at or after `older_than` (Unix time) is kept: it
    belongs to a name that was ordered again.
    """
    path, parts = store.root / where, Path(where).parts
    if Path(where).is_absolute() or ".." in parts or len(parts) < 2 or "\0" in where:
        return False
    if not path.parent.resolve().is_relative_to(store.root.resolve()):
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


def list_request_folders(store: ArtifactStore) -> Iterator[str]:
    """Yield the names of the requests' folders, in any order."""
    with suppress(FileNotFoundError), os.scandir(store.root) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                yield entry.name


def list_files_in(store: ArtifactStore, folder: str) -> Iterator[tuple[str, int, float]]:
    """Yield each file below this folder: its path in the artifact folder, its bytes, when it was written."""
    with suppress(FileNotFoundError):
        for path in sorted((store.root / folder).iterdir()):
            with suppress(FileNotFoundError):
                found = path.lstat()
                if not path.is_dir():
                    yield f"{folder}/{path.name}", found.st_size, found.st_mtime


def list_picture_files(store: ArtifactStore) -> Iterator[tuple[str, int, float]]:
    """Yield every uploaded or fetched picture and every note of a fetch: path, bytes, Unix time of writing."""
    for folder in (UPLOADS, FETCHED, _OF_ORDERS):
        yield from list_files_in(store, folder)


def encode_jpeg_data_url(source: bytes | Path, field: str) -> str:
    """Encode the picture as a JPEG data URL: upright, on white, at most 1,024 pixels a side, no metadata.

    Raises PermanentError `invalid_picture`: the sentence names `field` and what is wrong.
    """
    content = _encode_jpeg(source, field, LONGEST_SIDE, _ENOUGH)
    return f"data:image/jpeg;base64,{base64.b64encode(content).decode('ascii')}"


def encode_thumbnail(source: bytes | Path, field: str, side: int) -> bytes:
    """Encode the picture as a JPEG of at most `side` pixels a side; raises PermanentError `invalid_picture`."""
    return _encode_jpeg(source, field, side, side)


def _encode_jpeg(source: bytes | Path, field: str, side: int, enough: int) -> bytes:
    try:
        picture = open_image(source, field, enough=enough)
    except PictureError as error:
        raise PermanentError(error.message, code=INVALID_PICTURE) from error
    picture.thumbnail((side, side), Image.Resampling.BICUBIC, reducing_gap=2.0)
    written = io.BytesIO()
    # Onto white, without the picture's metadata such as comments.
    bare = Image.new("RGB", picture.size, "white")
    bare.paste(picture, mask=picture if picture.mode == "RGBA" else None)
    bare.save(written, "JPEG", quality=_QUALITY)
    return written.getvalue()
