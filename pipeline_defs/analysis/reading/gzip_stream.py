"""The bytes of a gzip stream, unpacked as they are asked for and counted on both sides."""

import zlib
from typing import BinaryIO

from pipeline_defs.analysis.reading.budget import ReadingBudget
from pipeline_defs.analysis.reading.reading_errors import broken_archive

_CHUNK = 1 << 16
_GZIP = 31


class GzipStream:
    """Reads a gzip stream; its methods raise PermanentError where it is broken or passes a limit."""

    def __init__(self, stream: BinaryIO, budget: ReadingBudget) -> None:
        self._stream, self._budget = stream, budget
        self._inflater = zlib.decompressobj(_GZIP)
        self._packed = b""
        self._ready = b""

    def read(self, size: int) -> bytes:
        """So many bytes, or fewer at the end."""
        pieces, missing = [], size
        while missing > 0 and (self._ready or self._unpack()):
            piece, self._ready = self._ready[:missing], self._ready[missing:]
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def skip(self, size: int) -> None:
        """So many bytes are passed; raises PermanentError `archive_broken` where it ends before."""
        while size > 0:
            if not self._ready and not self._unpack():
                raise broken_archive("it ends within a file")
            passed = min(size, len(self._ready))
            self._ready = self._ready[passed:]
            size -= passed

    def drain(self) -> None:
        """The whole stream is unpacked: its checksum is right."""
        self._ready = b""
        while self._unpack():
            self._ready = b""

    def _unpack(self) -> bool:
        """Whether more bytes are ready; False at the end of the stream."""
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
            raise broken_archive("its compressed data are damaged") from error
        if not packed and not self._ready and not self._inflater.eof:
            raise broken_archive("it ends too early")
        self._packed = self._inflater.unconsumed_tail or self._inflater.unused_data
        self._budget.add_unpacked(len(self._ready))
        self._budget.check_ratio()

    def _begin_next(self) -> bool:
        """Whether another gzip stream follows; zeros, with which tapes are filled up, are none."""
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
