"""The chat model's process under measurement."""

import sys
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.engine.crew import Crew
from bench.scan.waiting import wait_for
from castad.stack.processes import find_free_port

_ASK_SECONDS = 5.0


@dataclass(frozen=True)
class Seen:
    """So many calls so far, which took so long inside the model."""

    calls: int
    seconds: float

    def subtract(self, before: "Seen") -> "Seen":
        """Return the calls and seconds since `before`."""
        return Seen(self.calls - before.calls, self.seconds - before.seconds)


class FakeModel:
    """A server on loopback; see `fake_openai`."""

    def __init__(self, folder: Path) -> None:
        self._port = find_free_port()
        self._crew = Crew(folder, {})
        self._client = httpx.Client(
            base_url=f"http://127.0.0.1:{self._port}", timeout=_ASK_SECONDS, trust_env=False
        )

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> None:
        """Start the model and wait until it answers."""
        command = [sys.executable, "-m", "bench.scan.fake_openai", str(self._port)]
        self._crew.start("model", command)
        wait_for(self._port, "/seen", self._crew)

    def set_delay(self, seconds: float) -> None:
        """Set the seconds that every answer takes from now on."""
        self._client.post(f"/delay/{seconds * 1000:.0f}").raise_for_status()

    def read_seen(self) -> Seen:
        """Return the calls and seconds so far."""
        counted = self._client.get("/seen").raise_for_status().json()
        return Seen(int(counted["calls"]), float(counted["seconds"]))

    def stop(self) -> None:
        """Stop the model."""
        self._client.close()
        self._crew.stop()
