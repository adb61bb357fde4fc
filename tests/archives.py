"""Tarballs of every kind, made in memory."""

import gzip
import io
import tarfile
from collections.abc import Iterable, Mapping

from pipeline_defs.analysis.reading.members import AnalysisLimits, Member
from pipeline_defs.analysis.reading.tarball import read_tarball


def file_entry(name: str, content: bytes = b"") -> tuple[tarfile.TarInfo, bytes]:
    """A regular file."""
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    return entry, content


def special_entry(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    """What is no regular file."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry, b""


def tarball(
    entries: Iterable[tuple[tarfile.TarInfo, bytes]], format: int = tarfile.PAX_FORMAT
) -> bytes:
    """The entries as a gzip'd tar."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=format) as archive:
        for entry, content in entries:
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), mtime=0)


def tarball_of(files: Mapping[str, bytes]) -> bytes:
    """The files as a gzip'd tar, without a top folder."""
    return tarball(file_entry(name, content) for name, content in files.items())


def members_of_tarball(
    archive: bytes, limits: AnalysisLimits | None = None, *, has_top_folder: bool = False
) -> list[Member]:
    """All members of the archive."""
    stream = io.BytesIO(archive)
    return list(read_tarball(stream, limits or AnalysisLimits(), has_top_folder=has_top_folder))
