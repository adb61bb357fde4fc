"""HTTP as cheaply as it can be asked for, so that what is measured is the other side."""

import asyncio
from dataclasses import dataclass

_HEAD_END = b"\r\n\r\n"


@dataclass
class Connection:
    """One kept connection; one request at a time."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def open(cls, port: int) -> "Connection":
        """Connect to this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, request: bytes) -> int:
        """Send a whole request and read the whole answer; returns its status."""
        self.writer.write(request)
        head = await self.reader.readuntil(_HEAD_END)
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        await self.reader.readexactly(length)
        return int(head[9:12])


def get(path: str, key: str, *headers: str) -> bytes:
    """Build a GET request."""
    return _format_request("GET", path, key, headers, b"")


def post(path: str, key: str, body: bytes) -> bytes:
    """Build a POST request with a JSON body."""
    return _format_request("POST", path, key, (f"Content-Length: {len(body)}",), body)


def _format_request(
    method: str, path: str, key: str, headers: tuple[str, ...], body: bytes
) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {key}"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body
