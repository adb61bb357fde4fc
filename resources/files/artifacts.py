"""Store the files of requests, and sign links to them."""

import hashlib
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from hmac import compare_digest
from hmac import new as hmac
from pathlib import Path
from typing import Any
from urllib.parse import quote

from resources.contract.errors import PermanentError
from resources.process.file_locks import translate_disk_errors
from resources.process.settings import Settings

_MEDIA_TYPES = {
    ".mp4": "video/mp4",
    ".wav": "audio/wav",
    ".mp3": "audio/mpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".svg": "image/svg+xml",
    ".pdf": "application/pdf",
    ".json": "application/json",
    ".csv": "text/csv",
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".zip": "application/zip",
    ".mid": "audio/midi",
    ".vtt": "text/vtt",
    ".srt": "application/x-subrip",
    ".lrc": "text/plain",
}
_OTHER_TYPE = "application/octet-stream"
MEDIA_TYPES = frozenset({*_MEDIA_TYPES.values(), _OTHER_TYPE})
"""Every type that a stored file may have."""
_WORKSPACE_PREFIX = ".making-"
_ABANDONED_SECONDS = 24 * 3600
_SWEEP_EVERY_SECONDS = 3600.0
_LAST_SWEEP: dict[Path, float] = {}


class MissingArtifactError(PermanentError):
    """Raised when a stored file is gone; `name` is the name under which it was stored."""

    code = "artifact_missing"

    def __init__(self, name: str, command: str = "castad redo") -> None:
        """Build the message; `command` is the command that makes the file again."""
        super().__init__(
            f"artifact {name} is not in CASTAD_HOME/artifacts, a folder that all machines "
            f"must share; `{command}` makes it again"
        )
        self.name = name


class DamagedArtifactError(PermanentError):
    """Raised when a stored file does not have the content that was stored."""

    code = "artifact_damaged"

    def __init__(self, name: str) -> None:
        super().__init__(f"artifact {name} is damaged; `castad redo` makes it again")


@dataclass(frozen=True)
class StoredArtifact:
    """A stored file; `where` is its path relative to the artifact folder, `bytes` its size."""

    name: str
    sha256: str
    bytes: int
    media_type: str
    where: str


@dataclass(eq=False)
class ArtifactStore:
    """A folder of finished files, with one subfolder per request."""

    root: Path

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """Yield an empty folder on the store's file system; remove it at the end of the block."""
        with translate_disk_errors():
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._remove_abandoned_workspaces()
            folder = Path(tempfile.mkdtemp(prefix=_WORKSPACE_PREFIX, dir=self.root))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _remove_abandoned_workspaces(self) -> None:
        """Remove workspaces older than a day, which killed processes left; runs at most once an hour."""
        now = time.monotonic()
        if now - _LAST_SWEEP.get(self.root, -_SWEEP_EVERY_SECONDS) < _SWEEP_EVERY_SECONDS:
            return
        _LAST_SWEEP[self.root] = now
        for folder in self.root.glob(f"{_WORKSPACE_PREFIX}*"):
            # The process that uses one of them may remove it at this moment.
            with suppress(FileNotFoundError):
                if time.time() - folder.stat().st_mtime > _ABANDONED_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)

    def store_file(self, file: Path, folder: str, name: str) -> StoredArtifact:
        """Move the file into `folder` under `name`, replacing an older one, sync it to disk and describe it.

        Raises TransientError `disk_full` or `disk_error`.
        """
        artifact = self.sync_and_describe(file, folder, name)
        self.move_into_store(file, artifact)
        return artifact

    def sync_and_describe(self, file: Path, folder: str, name: str) -> StoredArtifact:
        """Sync the file to disk; describe it as stored in `folder` under `name`, without moving it.

        Raises TransientError `disk_full` or `disk_error`.
        """
        with translate_disk_errors(), file.open("rb+") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            os.fsync(stream.fileno())
            size = file.stat().st_size
        return StoredArtifact(name, digest, size, get_media_type(Path(name)), f"{folder}/{name}")

    def move_into_store(self, file: Path, artifact: StoredArtifact) -> None:
        """Move a described file to its path in the store, replacing an older one.

        Raises TransientError `disk_full` or `disk_error`.
        """
        with translate_disk_errors():
            target = self.root / artifact.where
            target.parent.mkdir(parents=True, exist_ok=True)
            file.replace(target)
            descriptor = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def open(self, reference: Mapping[str, Any]) -> Path:
        """Return the path of a stored artifact's file; opens no stream. Raises MissingArtifactError."""
        path = self.root / str(reference["where"])
        if not path.is_file():
            raise MissingArtifactError(str(reference["name"]))
        return path


def open_artifact_store(settings: Settings) -> ArtifactStore:
    """Open the folder of finished files."""
    return ArtifactStore(settings.home / "artifacts")


def get_media_type(path: Path) -> str:
    """Return a file's media type by the suffix of its name; `application/octet-stream` if unknown."""
    return _MEDIA_TYPES.get(path.suffix, _OTHER_TYPE)


def format_generation_name(file: Path, generation: int) -> str:
    """Return the name under which a file is stored: generations after the first carry their number."""
    return file.name if generation == 1 else f"{file.stem}.{generation}{file.suffix}"


def is_intact(path: Path, size: int, sha256: str) -> bool:
    """Return whether the file has this size in bytes and this SHA-256. Raises OSError.

    An intact file is hashed once, and again after its time or inode has changed.
    """
    seen = path.stat()
    if seen.st_size != size:
        return False
    try:
        _ensure_hash(path, sha256, seen.st_mtime_ns, seen.st_ino)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=10_000)
def _ensure_hash(path: Path, sha256: str, changed: int, inode: int) -> None:
    """Return if the file has this hash; raise ValueError if not, which the cache does not keep."""
    with path.open("rb") as stream:
        if hashlib.file_digest(stream, "sha256").hexdigest() != sha256:
            raise ValueError


@dataclass(frozen=True)
class SignedLinks:
    """The signer of links to stored files, which are valid for `lifetime_seconds`."""

    secret: bytes
    lifetime_seconds: float

    def get_path_to(self, where: str) -> str:
        """Build the URL path of a stored file, with its expiry (Unix seconds) and signature."""
        expires = int(time.time() + self.lifetime_seconds)
        return f"/artifacts/{quote(where)}?expires={expires}&signature={self._compute_signature(where, expires)}"

    def is_valid(self, where: str, expires: int, signature: str) -> bool:
        """Return whether the signature is valid for this file and expiry (Unix seconds), which is not past."""
        computed = self._compute_signature(where, expires)
        return compare_digest(computed.encode(), signature.encode()) and time.time() <= expires

    def _compute_signature(self, where: str, expires: int) -> str:
        return hmac(self.secret, f"{expires}\n{where}".encode(), sha256).hexdigest()


@lru_cache(maxsize=4)
def get_signed_links(settings: Settings) -> SignedLinks:
    """Return the link signer of this installation; machines that share orders must share CASTAD_LINK_SECRET."""
    if settings.link_secret:
        secret = settings.link_secret.get_secret_value().encode()
        return SignedLinks(secret, settings.link_seconds)
    path = settings.home / "link.key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_hex(32))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return SignedLinks(path.read_bytes(), settings.link_seconds)


def make_public_link_builder(settings: Settings) -> Callable[[str], str] | None:
    """Return a builder of links to stored files; None where the API has no public address."""
    public_url = settings.public_url
    if public_url is None:
        return None
    return lambda where: public_url + get_signed_links(settings).get_path_to(where)
