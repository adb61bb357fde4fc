"""A repository from a gzip'd tar, as a stream: nothing is extracted, nothing is written."""

import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from pipeline_defs.analysis.reading.accept import Acceptance
from pipeline_defs.analysis.reading.budget import Clock, ReadingBudget
from pipeline_defs.analysis.reading.gzip_stream import GzipStream
from pipeline_defs.analysis.reading.members import Kind, Member
from pipeline_defs.analysis.reading.names import without_first_folder
from pipeline_defs.analysis.reading.pax import pax_path_and_size
from pipeline_defs.analysis.reading.reading_errors import broken_archive
from pipeline_defs.analysis.reading.reading_limits import Limits

_MOST_HEADER_BYTES = 1_000_000
_HEADERS = {
    tarfile.XHDTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
}
_WITHOUT_DATA = {
    tarfile.LNKTYPE: Kind.HARD_LINK,
    tarfile.SYMTYPE: Kind.SYMLINK,
    tarfile.CHRTYPE: Kind.SPECIAL,
    tarfile.BLKTYPE: Kind.SPECIAL,
    tarfile.FIFOTYPE: Kind.SPECIAL,
}


@dataclass(frozen=True)
class _Entry:
    name: bytes
    size: int
    type: bytes


@dataclass
class _Override:
    """What the headers before an entry say of it."""

    name: bytes | None = None
    size: int | None = None


def read_tarball(
    stream: BinaryIO, limits: Limits, *, has_top_folder: bool, clock: Clock = time.monotonic
) -> Iterator[Member]:
    """The members of a gzip'd tar, without its top folder if it has one.

    Raises PermanentError where the archive is broken or passes a limit; what `stream.read` raises passes through.
    """
    budget = ReadingBudget(limits, clock)
    unpacked = GzipStream(stream, budget)
    acceptance = Acceptance(limits)
    for entry in _entries(unpacked, budget):
        name = without_first_folder(entry.name) if has_top_folder else entry.name
        is_folder = entry.type == tarfile.DIRTYPE
        if not is_folder and (name or not has_top_folder):
            yield _member(name, entry, unpacked, acceptance)
        elif entry.type not in _WITHOUT_DATA and not is_folder:
            _skip(unpacked, entry.size)


def _member(name: bytes, entry: _Entry, unpacked: GzipStream, acceptance: Acceptance) -> Member:
    kind = _WITHOUT_DATA.get(entry.type)
    if kind is not None:
        return acceptance.member(name, 0, kind)
    kind = Kind.SPECIAL if entry.type == tarfile.GNUTYPE_SPARSE else Kind.FILE
    if not acceptance.wants_content(kind, entry.size):
        _skip(unpacked, entry.size)
        return acceptance.member(name, entry.size, kind)
    content = _read(unpacked, entry.size)
    return acceptance.member(name, entry.size, kind, content)


def _entries(unpacked: GzipStream, budget: ReadingBudget) -> Iterator[_Entry]:
    """The entries; the consumer reads or skips the data of each before it asks for the next."""
    override = _Override()
    while (header := _header(unpacked)) is not None:
        budget.add_member()
        if header.size < 0:
            raise broken_archive("the size of a file is negative")
        if header.type in _HEADERS:
            _read_extension(header, unpacked, override)
            continue
        name = header.name.encode("utf-8", "surrogateescape")
        yield _Entry(
            name if override.name is None else override.name,
            header.size if override.size is None else override.size,
            header.type,
        )
        override = _Override()
    unpacked.drain()


def _header(unpacked: GzipStream) -> tarfile.TarInfo | None:
    """The next header; None at the end of the archive."""
    block = unpacked.read(tarfile.BLOCKSIZE)
    if not block or not block.strip(b"\0"):
        if not block:
            raise broken_archive("it has no end")
        return None
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        raise broken_archive("a header is damaged") from error


def _read_extension(header: tarfile.TarInfo, unpacked: GzipStream, override: _Override) -> None:
    if header.size > _MOST_HEADER_BYTES:
        raise broken_archive("a header is longer than any name")
    body = _read(unpacked, header.size)
    if header.type == tarfile.GNUTYPE_LONGNAME:
        override.name = body.rstrip(b"\0")
    elif header.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
        name, size = pax_path_and_size(body)
        override.name = override.name if name is None else name
        override.size = override.size if size is None else size


def _read(unpacked: GzipStream, size: int) -> bytes:
    content = unpacked.read(size)
    if len(content) < size:
        raise broken_archive("it ends within a file")
    unpacked.skip(-size % tarfile.BLOCKSIZE)
    return content


def _skip(unpacked: GzipStream, size: int) -> None:
    unpacked.skip(size + -size % tarfile.BLOCKSIZE)
