"""The servers: which one takes the next job, and what is certain about those that do not answer."""

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import Lock

from resources.http.vendor_client import NoAnswerError, NotSentError
from resources.providers.comfyui.server import ComfyUIServer

LEFT_ALONE_SECONDS = 10.0
"""How long a server that did not answer gets no new job."""
_MOST_REMEMBERED = 10_000
_RESERVED_SECONDS = 120.0
_SAVED_SECONDS = 10.0
_SEPARATOR = "@"

Clock = Callable[[], float]


def external_id(prompt_id: str, server: str) -> str:
    """The id of a job under which the ledger keeps it: it names the server."""
    return f"{prompt_id}{_SEPARATOR}{server}"


def parts_of(job: str) -> tuple[str, str]:
    """The prompt_id of a job and its server, "" where an operator's id names none."""
    prompt_id, _, server = job.partition(_SEPARATOR)
    return prompt_id, server


def by_load(servers: Sequence[str], jobs: Iterable[str], first: int = 0) -> list[str]:
    """The servers, the one with the fewest of these jobs first; equals in turn, beginning with the `first`."""
    load = Counter(parts_of(job)[1] for job in jobs)
    turn = [*servers[first % len(servers) :], *servers[: first % len(servers)]]
    return sorted(turn, key=lambda name: load[name])


class Absences:
    """Since when something has not been there, by its name, in seconds of the clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since: dict[str, float] = {}
        self._lock = Lock()

    def note(self, name: str) -> float:
        """It is not there now; returns for how many seconds that has been so."""
        with self._lock:
            if len(self._since) >= _MOST_REMEMBERED and name not in self._since:
                self._since.pop(next(iter(self._since)))
            now = self._clock()
            return now - self._since.setdefault(name, now)

    def clear(self, name: str) -> None:
        """It is there."""
        with self._lock:
            self._since.pop(name, None)


class Fleet:
    """The servers, in turn by their jobs in castad's own books.

    `jobs_in_flight` are the ids of the jobs that the ledger knows as submitted; what this process has reserved
    counts too. A server that has refused connections for `lost_seconds` is gone.
    """

    def __init__(
        self,
        servers: Iterable[ComfyUIServer],
        jobs_in_flight: Callable[[], Iterable[str]],
        lost_seconds: float,
        clock: Clock = time.monotonic,
    ) -> None:
        self.servers: Mapping[str, ComfyUIServer] = {server.name: server for server in servers}
        self._jobs_in_flight = jobs_in_flight
        self._lost_seconds = lost_seconds
        self._clock = clock
        self._left_alone: dict[str, float] = {}
        self._reserved: dict[str, float] = {}
        self._gone = Absences(clock)
        self._turn = itertools.count()
        self._lock = Lock()

    def offers(self, key: str) -> Iterator[ComfyUIServer]:
        """The servers that may take the job, the least loaded first, those that did not answer last.

        The job counts for the one that was given last, until it is released or long over.
        """
        tried: list[str] = []
        while len(tried) < len(self.servers):
            name = self._reserve_next(key, tried)
            yield self.servers[name]
            tried.append(name)
            self.release(key, name)

    def _reserve_next(self, key: str, tried: Sequence[str]) -> str:
        with self._lock:
            now = self._clock()
            self._reserved = {job: until for job, until in self._reserved.items() if until > now}
            jobs = {*self._jobs_in_flight(), *self._reserved}
            left = [name for name in self.servers if name not in tried]
            names = by_load(left, jobs, next(self._turn))
            name = min(names, key=lambda each: self._left_alone.get(each, 0.0) > now)
            self._reserved[external_id(key, name)] = now + _RESERVED_SECONDS
            return name

    def release(self, key: str, name: str) -> None:
        """The job counts for this server no more."""
        with self._lock:
            self._reserved.pop(external_id(key, name), None)

    def count(self, job: str) -> None:
        """The job counts for its server, also before the ledger has it."""
        with self._lock:
            self._reserved[job] = self._clock() + _SAVED_SECONDS

    def leave_alone(self, server: ComfyUIServer) -> None:
        """The server gets no new job for a while, unless no other one answers."""
        with self._lock:
            self._left_alone[server.name] = self._clock() + LEFT_ALONE_SECONDS

    def answered(self, server: ComfyUIServer) -> None:
        """The server is well."""
        self._gone.clear(server.name)
        with self._lock:
            self._left_alone.pop(server.name, None)

    def is_gone(self, name: str, error: NotSentError | NoAnswerError | None) -> bool:
        """Whether it is certain that the server runs no more: its jobs, which it keeps in memory, are lost.

        That is where its address has refused connections for long enough, or where it is no server of castad's
        any more (`error` is None). Silence proves nothing.
        """
        if error is not None and not (isinstance(error, NotSentError) and error.is_refused):
            return False
        return self._gone.note(name) >= self._lost_seconds
