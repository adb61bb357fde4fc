"""Text as editors write it, in UTF-8 with one kind of line end. Pure."""

import codecs
from collections.abc import Iterator

_HEAD = 2_000
_UTF_8 = codecs.BOM_UTF8
# The mark of UTF-32 in little endian begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def as_utf8(content: bytes) -> bytes:
    """The text without the mark of its encoding; UTF-16 and UTF-32, marked or not, in UTF-8."""
    if content.startswith(_UTF_8):
        return content[len(_UTF_8) :]
    if b"\0" not in content[:_HEAD] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace").encode("utf-8", "replace")
    for encoding in _unmarked(content):
        try:
            return content.decode(encoding).encode()
        except UnicodeError:
            continue
    return content


def with_line_feeds(text: bytes) -> bytes:
    """The text with a line feed at the end of each line, whether it has CR, CR LF or LF."""
    if b"\r" not in text:
        return text
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _unmarked(content: bytes) -> Iterator[str]:
    """UTF-16 without a mark: nearly all characters of a source have a zero in the same half."""
    head = content[: _HEAD - len(content[:_HEAD]) % 2]
    if len(content) % 2 or len(head) < 2:
        return
    low, high = head[0::2], head[1::2]
    if high.count(0) * 2 > len(high) and low.count(0) * 10 < len(low):
        yield "utf-16-le"
    if low.count(0) * 2 > len(low) and high.count(0) * 10 < len(high):
        yield "utf-16-be"
