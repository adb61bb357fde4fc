"""How an answer gets onto the wire, rightly or wrongly."""

import json
import socket
import struct
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from itertools import repeat
from threading import Event
from typing import Any

from tests.fakes.faults import PAGE, Fault
from tests.fakes.reply import Reply

_PIECE = 65_536
_MEGABYTE = 1_000_000


def instead(fault: Fault) -> Reply:
    """The answer of a fault that brings its own: before or after handling."""
    if fault.kind == "redirect":
        location = {"Location": fault.get("location", "")}
        return Reply(fault.get("code", 302), b"", "text/html", location)
    if fault.kind == "expired":
        body = b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>"
        return Reply(fault.get("code", 403), body, "application/xml")
    if fault.kind == "garbage_after":
        return _garbage(fault)
    body, media_type = _as_bytes(fault.get("body", PAGE))
    code = fault.get("code", 500 if fault.kind == "status" else 502)
    return Reply(code, body, media_type, fault.get("headers", {}))


def spoiled(reply: Reply, fault: Fault) -> Reply:
    """The right answer after what the fault does to its content."""
    if fault.kind in ("status_after", "garbage_after"):
        return instead(fault)
    if fault.kind == "other_status":
        return replace(reply, status=fault.details["code"])
    if fault.kind == "content_type":
        return replace(reply, media_type=fault.details["value"])
    if fault.kind == "empty":
        return replace(reply, body=b"")
    if fault.kind == "short":
        return replace(reply, body=reply.body[: fault.get("bytes", 1000)])
    if fault.kind == "html":
        return replace(reply, body=PAGE)
    if fault.kind == "endless":
        return replace(reply, stream=repeat(b"\0" * _PIECE))
    if fault.kind == "fields":
        return replace(reply, body=json.dumps(json.loads(reply.body) | fault.details).encode())
    return reply


def deliver(
    handler: BaseHTTPRequestHandler, reply: Reply, fault: Fault | None, date: str, closing: Event
) -> None:
    """The answer has been sent, as far as the fault lets it; raises OSError where nobody listens."""
    head = _head(handler, reply, date)
    kind = fault.kind if fault else ""
    if kind in ("reset", "reset_after"):
        _reset(handler)
    elif kind == "lose_reply":
        handler.close_connection = True
    elif kind in ("hang_headers", "hang_after"):
        _hang(handler)
    elif fault and kind in ("hang_body", "truncate", "drip_headers", "drip_body"):
        _send_badly(handler, head, reply, fault, closing)
    else:
        _send(handler, head, reply, closing)


def _send(handler: BaseHTTPRequestHandler, head: bytes, reply: Reply, closing: Event) -> None:
    handler.wfile.write(head)
    if handler.command == "HEAD":
        return
    handler.wfile.write(reply.body)
    for piece in reply.stream or ():
        if closing.is_set():
            return
        handler.wfile.write(piece)


def _send_badly(
    handler: BaseHTTPRequestHandler, head: bytes, reply: Reply, fault: Fault, closing: Event
) -> None:
    pause = fault.get("pause", 0.05)
    handler.close_connection = True
    if fault.kind == "drip_headers":
        _drip(handler, head, pause, closing)
        handler.wfile.write(reply.body)
        return
    handler.wfile.write(head)
    if fault.kind == "drip_body":
        _drip(handler, reply.body, pause, closing)
        return
    handler.wfile.write(reply.body[: fault.get("bytes", len(reply.body) // 2)])
    if fault.kind == "hang_body":
        _hang(handler)


def _head(handler: BaseHTTPRequestHandler, reply: Reply, date: str) -> bytes:
    length = reply.length if reply.stream else len(reply.body)
    if length is None:
        handler.close_connection = True
    lines = [
        f"HTTP/1.1 {reply.status} {handler.responses.get(reply.status, ('Unknown',))[0]}",
        f"Date: {date}",
        f"Content-Type: {reply.media_type}",
        *([f"Content-Length: {length}"] if length is not None else ["Connection: close"]),
        *[f"{name}: {value}" for name, value in reply.headers.items()],
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _drip(handler: BaseHTTPRequestHandler, content: bytes, pause: float, closing: Event) -> None:
    for index in range(len(content)):
        handler.wfile.write(content[index : index + 1])
        if closing.wait(pause):
            return


def _hang(handler: BaseHTTPRequestHandler) -> None:
    """Nothing more, until the other side hangs up or the fake is closed."""
    handler.close_connection = True
    while handler.connection.recv(_PIECE):
        pass


def _reset(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    socket.close(handler.connection.detach())


def _garbage(fault: Fault) -> Reply:
    media_type = fault.get("media_type", "application/json")
    if "json" in fault.details:
        return Reply(200, json.dumps(fault.details["json"]).encode(), media_type)
    if "megabytes" in fault.details:
        pieces = fault.details["megabytes"]
        begin, end = b'{"padding":"', b'"}'
        length = len(begin) + pieces * _MEGABYTE + len(end)
        return Reply(200, begin, media_type, stream=_megabytes(pieces, end), length=length)
    raw = fault.get("raw", b"")
    return Reply(200, raw if isinstance(raw, bytes) else raw.encode(), media_type)


def _megabytes(pieces: int, end: bytes) -> Iterator[bytes]:
    yield from repeat(b"x" * _MEGABYTE, pieces)
    yield end


def _as_bytes(body: Any) -> tuple[bytes, str]:
    if isinstance(body, bytes):
        return body, "text/html"
    if isinstance(body, str):
        return body.encode(), "text/plain"
    return json.dumps(body).encode(), "application/json"
