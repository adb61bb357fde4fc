"""The extended headers of a pax archive. Pure."""

from pipeline_defs.analysis.reading.reading_errors import broken_archive

_MOST_DIGITS = 18


def pax_path_and_size(body: bytes) -> tuple[bytes | None, int | None]:
    """The path and the size that the records give to the next entry; None for what they do not.

    Raises PermanentError `archive_broken`.
    """
    path, size, start = None, None, 0
    body = body.rstrip(b"\0")
    while start < len(body):
        key, value, start = _record(body, start)
        if key == b"path":
            path = value
        elif key == b"size":
            size = _number(value)
    return path, size


def _record(body: bytes, start: int) -> tuple[bytes, bytes, int]:
    """The record that begins at `start` as `length key=value`, and where the next one begins."""
    space = body.find(b" ", start, start + _MOST_DIGITS + 1)
    end = start + _number(body[start : max(space, start)])
    if not space < end <= len(body) or body[end - 1 : end] != b"\n":
        raise broken_archive("an extended header is damaged")
    key, _, value = body[space + 1 : end - 1].partition(b"=")
    return key, value, end


def _number(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > _MOST_DIGITS:
        raise broken_archive("an extended header is damaged")
    return int(digits)
