"""Waits for a server that was started."""

import time

import httpx

from bench.engine.crew import Crew

_START_SECONDS = 60.0
_LOOK_EVERY = 0.1


def wait_for(port: int, path: str, crew: Crew) -> None:
    """Wait until the path answers; raise RuntimeError if a process died or nothing answered for a minute."""
    deadline = time.monotonic() + _START_SECONDS
    while not _is_answering(port, path):
        crew.check_alive()
        if time.monotonic() > deadline:
            raise RuntimeError(f"nothing answers at {path} of port {port} after a minute")
        time.sleep(_LOOK_EVERY)


def _is_answering(port: int, path: str) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}{path}", trust_env=False, timeout=2).is_success
    except httpx.HTTPError:
        return False
