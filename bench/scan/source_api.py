"""The source design's endpoint: a Celery EventReceiver for each client, over a broker connection of its own.

A thread a client runs the receiver, so that none waits for another's; that is kinder than FastAPI's 40 threads.
"""

import asyncio
import json
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import uuid4

import uvicorn
from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from bench.scan.source_app import app, start
from bench.scan.source_events import convert_event

_LONGEST_SECONDS = 300.0
_SILENCE_SECONDS = 1.0
_LOOK_SECONDS = 1.0
_SUBSCRIBE_SECONDS = 0.001

Tell = Callable[[dict[str, Any] | None], None]

api = FastAPI()


@api.get("/healthz")
async def healthz() -> dict[str, str]:
    """Answer that the API is up."""
    return {"status": "ok"}


@api.post("/scan/classify/completion")
async def classify(asked: dict[str, Any]) -> StreamingResponse:
    """Stream the steps of the scan."""
    task_id = str(asked.get("task_id") or uuid4())
    context = {**asked, "task_id": task_id}
    return StreamingResponse(_stream_lines(task_id, context), media_type="text/event-stream")


async def _stream_lines(task_id: str, context: dict[str, Any]) -> AsyncIterator[bytes]:
    heard: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    loop, left = asyncio.get_running_loop(), threading.Event()

    def tell(event: dict[str, Any] | None) -> None:
        loop.call_soon_threadsafe(heard.put_nowait, event)

    threading.Thread(target=_follow, args=(task_id, tell, left), daemon=True).start()
    try:
        # It listens before the work starts, so that no event is missed.
        await heard.get()
        yield _format_frame({"status": "started", "task_id": task_id})
        await run_in_threadpool(start, task_id, context)
        while True:
            try:
                event = await asyncio.wait_for(heard.get(), _SILENCE_SECONDS)
            except TimeoutError:
                yield b": waiting\n\n"
                continue
            if event is None:
                return
            yield _format_frame(event)
    finally:
        left.set()


def _follow(task_id: str, tell: Tell, left: threading.Event) -> None:
    """Pass the chain's events to `tell`: None once it listens, each event, and None at the end."""

    def note(event: dict[str, Any]) -> None:
        said = convert_event(task_id, event)
        if said is not None:
            tell(said)
            if "result" in said or said["status"] == "failed":
                left.set()

    deadline = time.monotonic() + _LONGEST_SECONDS
    try:
        with app.connection_for_read() as connection:
            receiver = app.events.Receiver(connection, handlers={"*": note})
            with receiver.consumer_context(wakeup=False) as (own, _, _):
                # Redis is subscribed to by the first look.
                _drain(own, _SUBSCRIBE_SECONDS)
                tell(None)
                while not left.is_set() and time.monotonic() < deadline:
                    _drain(own, _LOOK_SECONDS)
    finally:
        tell(None)


def _drain(connection: Any, seconds: float) -> None:
    try:
        connection.drain_events(timeout=seconds)
    except TimeoutError:
        return


def _format_frame(event: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


if __name__ == "__main__":
    uvicorn.run(api, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
