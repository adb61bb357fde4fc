"""Speak to ComfyUI servers, choose one for a job, and find a job on them."""

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from urllib.parse import quote, urlencode, urlsplit

from resources.contract.errors import (
    KEY_REFUSED,
    OutOfCreditsError,
    PermanentError,
)
from resources.contract.protocol import BeforeSend, Json, StageInput
from resources.files.media import BAD_PICTURE
from resources.http.addresses import HostAllowlist
from resources.http.download import download, probe_link
from resources.http.vendor_client import NoAnswerError, NotSentError, VendorClient, VendorResponse
from resources.providers.background_jobs import AbsenceTimes, Clock
from resources.providers.comfyui import answers
from resources.providers.comfyui.answers import NAME, JobState, JobView, SavedPicture

URLS_VARIABLE = "CASTAD_COMFYUI_URLS"

_LARGEST_ANSWER = 50_000_000
_LARGEST_PICTURE = 100_000_000
LEFT_ALONE_SECONDS = 10.0
"""How long a server that did not answer gets no new job."""
_RESERVED_SECONDS = 120.0
_SAVED_SECONDS = 10.0
_SEPARATOR = "@"

LOOK_AGAIN_SECONDS = 5.0
"""How long a server has not known a job when it is certain to have lost it: a job moves between its lists."""

Sleep = Callable[[float], object]


class ComfyUIServer:
    """A client of one ComfyUI server; NotSentError and NoAnswerError mean that the server does not answer."""

    def __init__(
        self, url: str, api_key: str | None, *, deadline_seconds: float, download_seconds: float
    ) -> None:
        parts = urlsplit(url)
        self.name = f"{parts.netloc}{parts.path}"
        self.url = url
        self._allowlist = HostAllowlist.for_base_url(url)
        self._call_seconds = deadline_seconds
        self._download_seconds = download_seconds
        self.key = api_key or ""
        self.headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        self._client = VendorClient(
            NAME,
            url,
            api_key,
            gate=lambda: None,
            deadline_seconds=deadline_seconds,
            setting=URLS_VARIABLE,
            max_response_bytes=_LARGEST_ANSWER,
        )

    def fetch_server_stats(self) -> Mapping[str, Json]:
        """Return the server's report on its machine. Raises NoAnswerError if the server is no ComfyUI."""
        answer = self._client.get("/system_stats")
        if answer.status != 200 or "system" not in answer.fields:
            raise self._build_no_answer_error("as ComfyUI does", answer)
        return answer.fields

    def submit_job(
        self, graph: Mapping[str, Json], prompt_id: str, client_id: str, before_send: BeforeSend
    ) -> VendorResponse:
        """Send the graph once; return the server's answer. Raises NotSentError or UnknownSubmissionError."""
        body = {"prompt": graph, "prompt_id": prompt_id, "client_id": client_id}
        return self._client.post_paid("/prompt", body, before_send)

    def find_job(self, prompt_id: str) -> JobView | None:
        """Query the job's state; return None if the server does not know the job."""
        answer = self._client.get(f"/api/jobs/{quote(prompt_id, safe='')}")
        if answer.status == 200 and answer.fields.get("id") == prompt_id:
            return answers.read_job(answer.body)
        if answer.status != 404:
            raise self._build_no_answer_error("about a job", answer)
        # An older server has no such route; and a job moves from the queue to the history between two looks.
        queued = self._find_queued(prompt_id)
        if queued is not None:
            return queued
        answer = self._client.get(f"/history/{quote(prompt_id, safe='')}")
        if answer.status != 200 or not isinstance(answer.body, dict):
            raise self._build_no_answer_error("about its history", answer)
        return answers.find_job_in_history(answer.body, prompt_id) or self._find_queued(prompt_id)

    def _find_queued(self, prompt_id: str) -> JobView | None:
        answer = self._client.get("/queue")
        if answer.status != 200 or "queue_running" not in answer.fields:
            raise self._build_no_answer_error("about its queue", answer)
        return answers.find_job_in_queue(answer.body, prompt_id)

    def upload_picture(self, name: str, picture: Path) -> str:
        """Upload a picture as an input named `name`; return the name that the server has given it."""
        answer = self._client.upload_file(
            "/upload/image", {"type": "input"}, "image", name, picture
        )
        given, folder = (answer.fields.get(each) for each in ("name", "subfolder"))
        if answer.status != 200 or not isinstance(given, str) or not given:
            raise self._build_no_answer_error("to an upload", answer)
        return f"{folder}/{given}" if folder else given

    def free_memory(self) -> None:
        """Request that the server free its memory."""
        self._client.post("/free", {"unload_models": True, "free_memory": True})

    def cancel_job(self, prompt_id: str) -> None:
        """Stop the job, and no other, if the server has it and it is not finished."""
        view = self.find_job(prompt_id)
        if view is not None and view.state is JobState.PENDING:
            self._client.post("/queue", {"delete": [prompt_id]})
            view = self.find_job(prompt_id)
        if view is not None and view.state is JobState.RUNNING:
            self._client.post("/interrupt", {"prompt_id": prompt_id})

    def has_picture(self, picture: SavedPicture) -> bool:
        """Return whether the server has this picture file. Raises TransientError if its answer is unclear."""
        try:
            probe_link(
                self._build_view_url(picture),
                field=NAME,
                allowlist=self._allowlist,
                deadline_seconds=self._call_seconds,
                headers=self.headers,
            )
        except PermanentError:
            return False
        return True

    def download_picture(self, picture: SavedPicture, file: Path) -> None:
        """Download the picture to `file`. Raises the errors of `download`."""
        download(
            self._build_view_url(picture),
            file,
            field=f"{NAME}: the picture {picture.filename[:100]}",
            max_bytes=_LARGEST_PICTURE,
            allowlist=self._allowlist,
            deadline_seconds=self._download_seconds,
            code=BAD_PICTURE,
            redirects=0,
            headers=self.headers,
        )

    def _build_view_url(self, picture: SavedPicture) -> str:
        named = {"filename": picture.filename, "subfolder": picture.subfolder, "type": picture.type}
        return f"{self.url}/view?{urlencode(named)}"

    def _build_no_answer_error(
        self, about: str, answer: VendorResponse
    ) -> NoAnswerError | OutOfCreditsError:
        """Build the error of an unusable answer; `about` ends the sentence "… did not answer"."""
        if answer.status in (401, 403):
            return OutOfCreditsError(
                f"{NAME}: {self.name} refuses the key, check {URLS_VARIABLE} and COMFYUI_API_KEY "
                f"(HTTP status {answer.status}: {answer.summary})",
                code=KEY_REFUSED,
            )
        told = f"HTTP status {answer.status}: {answer.summary}"
        return NoAnswerError(f"{NAME}: {self.name} did not answer {about} ({told})")


@dataclass(frozen=True)
class JobLookup:
    """The answer of one server about a job; `view` is None if the server did not report the job.

    `is_lost` is whether the job is certain to be gone from the server, `why` the reason. `has_answered` is whether
    the server answered: a server that has stopped has lost its jobs too.
    """

    server: str
    view: JobView | None = None
    is_lost: bool = False
    why: str = ""
    has_answered: bool = True


class Fleet:
    """The ComfyUI servers, with the number of jobs that each has.

    `jobs_in_flight` returns the ids of the jobs that the ledger has as submitted; jobs that this process has
    reserved count too. A server that has refused connections for `lost_seconds` counts as gone.
    """

    def __init__(
        self,
        servers: Iterable[ComfyUIServer],
        jobs_in_flight: Callable[[], Iterable[str]],
        lost_seconds: float,
        clock: Clock = time.monotonic,
        sleep: Sleep = time.sleep,
    ) -> None:
        self.servers: Mapping[str, ComfyUIServer] = {server.name: server for server in servers}
        self._jobs_in_flight = jobs_in_flight
        self._lost_seconds = lost_seconds
        self._clock = clock
        self._left_alone: dict[str, float] = {}
        self._reserved: dict[str, float] = {}
        self._sleep = sleep
        self._gone = AbsenceTimes(clock)
        self._unknown = AbsenceTimes(clock)
        self._turn = itertools.count()
        self._lock = Lock()

    def offer_servers(self, key: str) -> Iterator[ComfyUIServer]:
        """Yield the servers for a new job: the least loaded first, and those that lately did not answer last.

        `key` names the job until it has an id. The server yielded last is reserved for the job, for 2 minutes or
        until `release_reservation`.
        """
        left = list(self.servers)
        while left:
            with self._lock:
                now = self._clock()
                self._reserved = {
                    job: until for job, until in self._reserved.items() if until > now
                }
                jobs = {*self._jobs_in_flight(), *self._reserved}
                names = sort_servers_by_load(left, jobs, next(self._turn))
                avoided = {each for each, until in self._left_alone.items() if until > now}
                name = min(names, key=avoided.__contains__)
                self._reserved[build_external_id(key, name)] = now + _RESERVED_SECONDS
            yield self.servers[name]
            left.remove(name)
            self.release_reservation(key, name)

    def release_reservation(self, key: str, name: str) -> None:
        """End the reservation of the server named `name` for the job."""
        with self._lock:
            self._reserved.pop(build_external_id(key, name), None)

    def reserve_for_job(self, job: str) -> None:
        """Count the submitted job, an external id, as work of its server until the ledger surely lists it."""
        with self._lock:
            self._reserved[job] = self._clock() + _SAVED_SECONDS

    def avoid_server(self, server: ComfyUIServer) -> None:
        """Offer the server last for new jobs, for a while."""
        with self._lock:
            self._left_alone[server.name] = self._clock() + LEFT_ALONE_SECONDS

    def record_server_answer(self, server: ComfyUIServer) -> None:
        """Record that the server answers: it is neither gone nor avoided."""
        self._gone.record_presence(server.name)
        with self._lock:
            self._left_alone.pop(server.name, None)

    def ask_for_job(self, prompt_id: str, server: str) -> list[JobLookup]:
        """Query the named server, or without a name each one, for the job; stop at the first that has it."""
        found: list[JobLookup] = []
        for name in [server] if server else self.servers:
            found.append(self._ask_server(name, prompt_id))
            if found[-1].view is not None:
                break
        return found

    def ask_twice_for_job(self, prompt_id: str) -> list[JobLookup]:
        """Query all servers for the job, and again after a pause if one did not know it, to be certain."""
        found = self.ask_for_job(prompt_id, "")
        is_there = any(look.view is not None for look in found)
        if not is_there and any(look.has_answered and not look.is_lost for look in found):
            self._sleep(LOOK_AGAIN_SECONDS)
            found = self.ask_for_job(prompt_id, "")
        return found

    def _ask_server(self, name: str, prompt_id: str) -> JobLookup:
        """Query one server for the job; an error becomes part of the answer."""
        server = self.servers.get(name)
        if server is None:
            why = f"{name} is no longer one of the servers"
            is_gone = self._gone.record_absence(name) >= self._lost_seconds
            return JobLookup(name, None, is_gone, why, has_answered=False)
        try:
            view = server.find_job(prompt_id)
        except OutOfCreditsError as error:
            return JobLookup(name, why=error.message, has_answered=False)
        except (NotSentError, NoAnswerError) as error:
            # Only a refused connection proves that the server has stopped, and has lost its jobs.
            is_refused = isinstance(error, NotSentError) and error.is_refused
            is_gone = is_refused and self._gone.record_absence(name) >= self._lost_seconds
            return JobLookup(name, None, is_gone, error.message, has_answered=False)
        self.record_server_answer(server)
        job = build_external_id(prompt_id, name)
        if view is not None:
            self._unknown.record_presence(job)
            return JobLookup(name, view)
        is_lost = self._unknown.record_absence(job) >= LOOK_AGAIN_SECONDS
        return JobLookup(name, is_lost=is_lost, why=f"{name} does not know the job")

    def find_saved_pictures(
        self, prompt_id: str, server: str, job_input: StageInput
    ) -> list[SavedPicture]:
        """List the job's pictures on the server, by their expected names, for a job that the server has forgotten.

        Empty if one is missing, or if the number of pictures is unknown.
        """
        known, graph = self.servers.get(server), job_input["graph"]
        nodes = sorted(node for node, about in graph.items() if about["class_type"] == "SaveImage")
        pictures: int | None = job_input["pictures"]
        each = 1 if pictures == len(nodes) else 0
        if pictures is not None and len(nodes) == 1:
            each = pictures
        folder, _, name = answers.build_filename_prefix(prompt_id).rpartition("/")
        expected = [
            SavedPicture(node, f"{name}-{node}_{number:05}_.png", folder, "output")
            for node in nodes
            for number in range(1, each + 1)
        ]
        if known is None or not expected or not all(map(known.has_picture, expected)):
            return []
        return expected


def sort_servers_by_load(servers: Sequence[str], jobs: Iterable[str], first: int = 0) -> list[str]:
    """Sort the servers by their number of jobs; equally loaded ones rotate, beginning with number `first`."""
    load = Counter(split_external_id(job)[1] for job in jobs)
    turn = [*servers[first % len(servers) :], *servers[: first % len(servers)]]
    return sorted(turn, key=lambda name: load[name])


def build_external_id(prompt_id: str, server: str) -> str:
    """Build the id under which the ledger stores a job: its prompt_id and its server."""
    return f"{prompt_id}{_SEPARATOR}{server}"


def split_external_id(job: str) -> tuple[str, str]:
    """Split a job's stored id into prompt_id and server; the server is "" if the id names none."""
    prompt_id, _, server = job.partition(_SEPARATOR)
    return prompt_id, server
