"""Read a repository from a gzip'd tar as a stream, without extracting or writing anything."""

import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from pipeline_defs.analysis.reading.members import (
    Acceptance,
    AnalysisLimits,
    Kind,
    Member,
    ReadingBudget,
    make_archive_error,
    remove_first_folder,
)

_CHUNK = 1 << 16
_GZIP = 31


class GzipStream:
    """A gzip stream; its methods raise PermanentError if it is broken or exceeds a limit."""

    def __init__(self, stream: BinaryIO, budget: ReadingBudget) -> None:
        self._stream, self._budget = stream, budget
        self._inflater = zlib.decompressobj(_GZIP)
        self._packed = b""
        self._ready = b""

    def read(self, size: int) -> bytes:
        """Read `size` bytes, or fewer at the end."""
        pieces, missing = [], size
        while missing > 0 and (self._ready or self._unpack()):
            piece, self._ready = self._ready[:missing], self._ready[missing:]
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def skip(self, size: int) -> None:
        """Skip `size` bytes. Raise PermanentError `archive_broken` if the stream ends before."""
        while size > 0:
            if not self._ready and not self._unpack():
                raise make_archive_error("it ends within a file")
            passed = min(size, len(self._ready))
            self._ready = self._ready[passed:]
            size -= passed

    def drain(self) -> None:
        """Read the stream to its end, which verifies its checksum."""
        self._ready = b""
        while self._unpack():
            self._ready = b""

    def _unpack(self) -> bool:
        """Unpack more bytes; return False at the end of the stream."""
        while not self._ready:
            if self._inflater.eof and not self._begin_next():
                return False
            self._inflate()
        return True

    def _inflate(self) -> None:
        packed = self._packed or self._read_packed()
        try:
            self._ready = self._inflater.decompress(packed, _CHUNK)
        except zlib.error as error:
            raise make_archive_error("its compressed data are damaged") from error
        if not packed and not self._ready and not self._inflater.eof:
            raise make_archive_error("it ends too early")
        self._packed = self._inflater.unconsumed_tail or self._inflater.unused_data
        self._budget.add_unpacked(len(self._ready))
        self._budget.check_ratio()

    def _begin_next(self) -> bool:
        """Begin the next gzip stream; return False if only padding zeros follow."""
        rest = self._packed.lstrip(b"\0")
        while not rest:
            packed = self._read_packed()
            if not packed:
                return False
            rest = packed.lstrip(b"\0")
        self._packed, self._inflater = rest, zlib.decompressobj(_GZIP)
        return True

    def _read_packed(self) -> bytes:
        packed = self._stream.read(_CHUNK)
        self._budget.add_compressed(len(packed))
        return packed


_MOST_DIGITS = 18


def parse_pax(body: bytes) -> tuple[bytes | None, int | None]:
    """Return the path and the size that the records give to the next entry; None for each that they do not.

    Raise PermanentError `archive_broken`.
    """
    path, size, start = None, None, 0
    body = body.rstrip(b"\0")
    while start < len(body):
        key, value, start = _parse_record(body, start)
        if key == b"path":
            path = value
        elif key == b"size":
            size = _parse_number(value)
    return path, size


def _parse_record(body: bytes, start: int) -> tuple[bytes, bytes, int]:
    """Parse the record `length key=value` at `start`; also return where the next one begins."""
    space = body.find(b" ", start, start + _MOST_DIGITS + 1)
    end = start + _parse_number(body[start : max(space, start)])
    if not space < end <= len(body) or body[end - 1 : end] != b"\n":
        raise make_archive_error("an extended header is damaged")
    key, _, value = body[space + 1 : end - 1].partition(b"=")
    return key, value, end


def _parse_number(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > _MOST_DIGITS:
        raise make_archive_error("an extended header is damaged")
    return int(digits)


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
    """The name and size that extended headers give to the next entry."""

    name: bytes | None = None
    size: int | None = None


def read_tarball(
    stream: BinaryIO, limits: AnalysisLimits, *, has_top_folder: bool
) -> Iterator[Member]:
    """Read the members of a gzip'd tar, without its top folder if it has one.

    Raise PermanentError if the archive is broken or exceeds a limit, and what `stream.read` raises.
    """
    budget = ReadingBudget(limits)
    unpacked = GzipStream(stream, budget)
    acceptance = Acceptance(limits)
    for entry in _read_entries(unpacked, budget):
        name = remove_first_folder(entry.name) if has_top_folder else entry.name
        is_folder = entry.type == tarfile.DIRTYPE
        if not is_folder and (name or not has_top_folder):
            yield _read_member(name, entry, unpacked, acceptance)
        elif entry.type not in _WITHOUT_DATA and not is_folder:
            _skip_data(unpacked, entry.size)


def _read_member(
    name: bytes, entry: _Entry, unpacked: GzipStream, acceptance: Acceptance
) -> Member:
    kind = _WITHOUT_DATA.get(entry.type)
    if kind is not None:
        return acceptance.make_member(name, 0, kind)
    kind = Kind.SPECIAL if entry.type == tarfile.GNUTYPE_SPARSE else Kind.FILE
    if not acceptance.may_read(kind, entry.size):
        _skip_data(unpacked, entry.size)
        return acceptance.make_member(name, entry.size, kind)
    content = _read_data(unpacked, entry.size)
    return acceptance.make_member(name, entry.size, kind, content)


def _read_entries(unpacked: GzipStream, budget: ReadingBudget) -> Iterator[_Entry]:
    """Yield the entries; the consumer reads or skips the data of each before it asks for the next."""
    override = _Override()
    while (header := _read_header(unpacked)) is not None:
        budget.add_member()
        if header.size < 0:
            raise make_archive_error("the size of a file is negative")
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


def _read_header(unpacked: GzipStream) -> tarfile.TarInfo | None:
    block = unpacked.read(tarfile.BLOCKSIZE)
    if not block or not block.strip(b"\0"):
        if not block:
            raise make_archive_error("it has no end")
        return None
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        raise make_archive_error("a header is damaged") from error


def _read_extension(header: tarfile.TarInfo, unpacked: GzipStream, override: _Override) -> None:
    if header.size > _MOST_HEADER_BYTES:
        raise make_archive_error("a header is longer than any name")
    body = _read_data(unpacked, header.size)
    if header.type == tarfile.GNUTYPE_LONGNAME:
        override.name = body.rstrip(b"\0")
    elif header.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
        name, size = parse_pax(body)
        override.name = override.name if name is None else name
        override.size = override.size if size is None else size


def _read_data(unpacked: GzipStream, size: int) -> bytes:
    content = unpacked.read(size)
    if len(content) < size:
        raise make_archive_error("it ends within a file")
    unpacked.skip(-size % tarfile.BLOCKSIZE)
    return content


def _skip_data(unpacked: GzipStream, size: int) -> None:
    unpacked.skip(size + -size % tarfile.BLOCKSIZE)
