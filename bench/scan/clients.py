"""Clients of scans: one that is answered with the stream, and one that orders and then follows the order."""

import asyncio
import json
import time
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any

from bench.api.wire import Connection, get
from bench.scan.lines import LedgerLines, Reading, Scan, StepLines

_NOTE, _USER = "소주병", "u1"
_HEAD_END = b"\r\n\r\n"


async def send_answered_scan(port: int, key: str, task_id: str, patience: float) -> Scan:
    """Send one scan whose answer is the stream of its steps."""
    body = {"task_id": task_id, "user_input": _NOTE, "user_id": _USER}
    request = _post("/scan/classify/completion", key, body)
    reading = StepLines(Scan(time.time()))
    return await _limit_time(_send_answered(port, request, reading), reading, patience)


async def send_ordered_scan(port: int, key: str, task_id: str, patience: float) -> Scan:
    """Order one scan and follow its events."""
    body = {"pipeline": "scan", "task_id": task_id, "user_input": _NOTE, "user_id": _USER}
    order = _post("/pipeline/start", key, body)
    reading = LedgerLines(Scan(time.time()))
    follow = get(f"/v1/pipeline/events/{task_id}", key)
    return await _limit_time(_send_ordered(port, order, follow, reading), reading, patience)


def _post(path: str, key: str, body: Mapping[str, Any]) -> bytes:
    """Build a POST request with a JSON body and its content type."""
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    return f"{head}{kind}".encode() + content


async def _limit_time(work: Coroutine[Any, Any, None], reading: Reading, patience: float) -> Scan:
    try:
        async with asyncio.timeout(patience):
            await work
    except TimeoutError:
        reading.scan.failure = reading.scan.failure or f"no end in {patience:.0f} s"
    except (OSError, asyncio.IncompleteReadError) as error:
        reading.scan.failure = f"the connection broke: {error!r}"
    return reading.scan


async def _send_answered(port: int, request: bytes, reading: Reading) -> None:
    connection = await Connection.open(port)
    try:
        await _read(connection, request, reading)
    finally:
        await _close(connection)


async def _send_ordered(port: int, order: bytes, follow: bytes, reading: Reading) -> None:
    connection = await Connection.open(port)
    try:
        status = await connection.ask(order)
        if status not in (200, 201, 202):
            reading.scan.failure = f"the order was answered with {status}"
            return
        await _read(connection, follow, reading)
    finally:
        await _close(connection)


async def _read(connection: Connection, request: bytes, reading: Reading) -> None:
    """Read the stream to its end; store a refusal as the scan's failure."""
    connection.writer.write(request)
    head = await connection.reader.readuntil(_HEAD_END)
    if head[9:12] != b"200":
        reading.scan.failure = f"answered with {head[9:12].decode()}"
        return
    while line := await connection.reader.readline():
        if reading.read(line, time.time()):
            return
    reading.scan.failure = "the stream broke off"


async def _close(connection: Connection) -> None:
    connection.writer.close()
    with suppress(OSError):
        await connection.writer.wait_closed()
