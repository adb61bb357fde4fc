"""Render images with ComfyUI, and follow the progress of its jobs (docs/vendors/comfyui.md)."""

import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import local
from urllib.parse import quote
from uuid import uuid4

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from resources.contract.errors import (
    VENDOR_DOWN,
    OutOfCreditsError,
    PermanentError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import (
    BeforeSend,
    InProgress,
    Json,
    OpenArtifact,
    Product,
    Receipt,
    StageInput,
    Succeeded,
    allow_send,
)
from resources.files.media import BAD_PICTURE, store_rendered_pictures
from resources.http.download import ExpiredLinkError
from resources.http.guarded_client import get_tls_context
from resources.http.vendor_client import read_json_object, shorten_to_line
from resources.providers.comfyui import answers
from resources.providers.comfyui.answers import NAME, JobState, JobView, SavedPicture
from resources.providers.comfyui.server import (
    URLS_VARIABLE,
    ComfyUIServer,
    Fleet,
    build_external_id,
    split_external_id,
)
from studio.graphs import rename_inputs, set_prefixes

_log = logging.getLogger("castad.providers")

_LARGEST_MESSAGE = 16_000_000
_OPEN_SECONDS = 5.0
_IDLE_SECONDS = 30.0
_RETRY_SECONDS = 10.0
_MOST_REMEMBERED = 1_000
JOB_UNKNOWN = "job_unknown"
_DOWN_PAUSE = 15.0


@dataclass(frozen=True)
class NodeProgress:
    """The progress of a job: its `done` nodes, the present `node`, and the share of it that is done.

    `part` is in [0, 1], None if the server does not report it.
    """

    done: frozenset[str] = frozenset()
    node: str = ""
    part: float | None = None


class ProgressFeed:
    """A reader of the servers' progress messages, with one thread per server while jobs run there.

    If a server refuses, stalls or breaks the connection, only the progress is lost.
    """

    def __init__(self) -> None:
        self.client_id = uuid4().hex
        self._known: OrderedDict[str, NodeProgress] = OrderedDict()
        self._asked: dict[str, threading.Event] = {}
        self._lock = threading.Lock()

    def read_progress(self, server: ComfyUIServer, prompt_id: str, nodes: int) -> InProgress:
        """Return the job's progress by its `nodes`, their number; without any message its progress is None."""
        with self._lock:
            asked = self._asked.get(server.name)
            if asked is not None:
                asked.set()
            else:
                asked = self._asked[server.name] = threading.Event()
                threading.Thread(
                    target=self._follow_server,
                    args=(server, asked),
                    name=f"feed-{server.name}",
                    daemon=True,
                ).start()
            known = self._known.get(prompt_id)
        if known is None:
            return InProgress(None, f"runs at {server.name}")
        done = min((len(known.done) + (known.part or 0.0)) / max(nodes, 1), 1.0)
        return InProgress(done, f"runs at {server.name}, node {shorten_to_line(known.node)}")

    def _follow_server(self, server: ComfyUIServer, asked: threading.Event) -> None:
        """Receive the server's messages until `asked` has not been set for a while; wait after an error."""
        address = f"{server.url.replace('http', 'ws', 1)}/ws?clientId={quote(self.client_id)}"
        try:
            with connect(
                address,
                open_timeout=_OPEN_SECONDS,
                close_timeout=_OPEN_SECONDS,
                max_size=_LARGEST_MESSAGE,
                proxy=None,
                ssl=get_tls_context() if address.startswith("wss:") else None,
                additional_headers=server.headers,
            ) as socket:
                while True:
                    try:
                        self._handle_message(socket.recv(timeout=_IDLE_SECONDS))
                    except TimeoutError:
                        if not asked.is_set():
                            return
                        asked.clear()
        except (OSError, WebSocketException, ValueError) as error:
            _log.debug("feed ended: server=%s error=%s", server.name, type(error).__name__)
            time.sleep(_RETRY_SECONDS)
        finally:
            with self._lock:
                self._asked.pop(server.name, None)

    def _handle_message(self, message: str | bytes) -> None:
        """Update the progress of the job that the message is about; ignore other messages."""
        if isinstance(message, bytes):
            return  # the preview of a picture
        try:
            content = json.loads(message)
        except (ValueError, RecursionError):
            return
        prompt_id = read_json_object(read_json_object(content).get("data")).get("prompt_id")
        if not isinstance(prompt_id, str):
            return
        with self._lock:
            known = self._known.get(prompt_id, NodeProgress())
            self._known[prompt_id] = update_progress(content, known)
            self._known.move_to_end(prompt_id)
            if len(self._known) > _MOST_REMEMBERED:
                self._known.popitem(last=False)


def update_progress(message: Json, before: NodeProgress) -> NodeProgress:
    """Return a job's progress after a message about it; `before` is the progress until then."""
    data = read_json_object(read_json_object(message).get("data"))
    match read_json_object(message).get("type"):
        case "execution_cached":
            cached = data.get("nodes")
            nodes = map(str, cached if isinstance(cached, list) else [])
            return NodeProgress(before.done | frozenset(nodes), before.node, before.part)
        case "executing":
            done = before.done | ({before.node} if before.node else frozenset())
            return NodeProgress(done, str(data.get("node") or ""), None)
        case "progress":
            value, most, part = data.get("value"), data.get("max"), None
            if isinstance(value, int | float) and isinstance(most, int | float) and most > 0:
                part = min(max(value / most, 0.0), 1.0)
            return NodeProgress(before.done, str(data.get("node") or before.node), part)
    return before


@dataclass(frozen=True)
class _Assignment:
    """A job's server, and the names that the job's pictures have there."""

    job_input: StageInput
    key: str
    server: ComfyUIServer
    names: Mapping[str, str]


@dataclass(eq=False)
class ComfyUIRenderer:
    """A provider that executes image graphs on ComfyUI servers.

    Its result is a list of pictures (node, name, width, height), with a file for each. `usd_per_job` is the price
    of a job whose template names none.
    """

    fleet: Fleet
    feed: ProgressFeed
    open_artifact: OpenArtifact
    usd_per_job: float
    assigned: local = field(default_factory=local, init=False)
    """Its `newest` is the newest assignment of each thread."""

    name = NAME
    usual_seconds = 20.0
    unique_ids = True
    # `find` is certain where a job is lost: nothing has to be sent again on a guess.
    repeatable = False
    token_is_id = True
    rate = None

    def price(self, job_input: StageInput) -> int:
        """Return the price of the job's template in micro-dollars, or else the price of any job."""
        usd = self.usd_per_job if job_input["usd"] is None else float(job_input["usd"])
        return round(usd * 1_000_000)

    def prepare(self, job_input: StageInput) -> None:
        """Upload the job's pictures to a server that answers, to which `submit` in this thread sends the job.

        Raises TransientError `vendor_down` if no server answers, OutOfCreditsError if the key is refused.
        """
        self.assigned.newest = self._assign(job_input)

    def _assign(self, job_input: StageInput) -> _Assignment:
        """Upload the job's pictures to a server that answers; a job without pictures only tests the server."""
        key, why = uuid4().hex, "there is none"
        refused: OutOfCreditsError | None = None
        for server in self.fleet.offer_servers(key):
            try:
                if not job_input["inputs"]:
                    server.fetch_server_stats()
                names = {
                    each["name"]: server.upload_picture(each["name"], self.open_artifact(each))
                    for each in job_input["inputs"]
                }
            except (TransientError, OutOfCreditsError) as error:
                self.fleet.avoid_server(server)
                why = error.message.removeprefix(f"{NAME}: ")
                refused = error if isinstance(error, OutOfCreditsError) else refused
                continue
            self.fleet.record_server_answer(server)
            return _Assignment(job_input, key, server, names)
        if refused is not None:
            raise refused
        raise TransientError(
            f"{NAME}: no server answers, check {URLS_VARIABLE} ({why})",
            code=VENDOR_DOWN,
            retry_after=_DOWN_PAUSE,
        )

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        """Queue the graph with the token as its `prompt_id`; stop and refuse a job that would run in part."""
        assigned: _Assignment | None = getattr(self.assigned, "newest", None)
        self.assigned.newest = None
        if assigned is None or assigned.job_input != job_input:
            assigned = self._assign(job_input)
        prompt_id, server = token, assigned.server
        try:
            answer = server.submit_job(
                build_sent_graph(job_input, assigned.names, prompt_id),
                prompt_id,
                self.feed.client_id,
                before_send,
            )
        finally:
            self.fleet.release_reservation(assigned.key, server.name)
        if answer.status == 200 and answer.fields.get("prompt_id") == prompt_id:
            if refused := answers.build_workflow_error(answer.fields, server.key):
                server.cancel_job(prompt_id)
                cost = self.price(job_input)
                raise PermanentError(refused.message, code=refused.code, cost=cost)
            job = build_external_id(prompt_id, server.name)
            self.fleet.reserve_for_job(job)
            return Receipt(job)
        raise answers.build_refusal_error(
            answer, server.name, server.key
        ) or UnknownSubmissionError(
            f"{NAME}: {server.name} may have queued the job "
            f"(HTTP status {answer.status}: {answer.summary})"
        )

    def find(self, token: str) -> str | None:
        """Return the id of the token's job; None while a server that does not answer may have it.

        If no server is certain to have it, the token is returned: `poll` then reports the final status.
        """
        looks = self.fleet.ask_twice_for_job(token)
        if looks and looks[-1].view is not None:
            return build_external_id(token, looks[-1].server)
        return token if all(look.is_lost for look in looks) else None

    def owns(self, external_id: str, token: str) -> bool | None:
        """Return whether the job's `prompt_id` is the token.

        Raises PermanentError if there is no such job, TransientError if that is uncertain.
        """
        prompt_id, server = split_external_id(external_id)
        look = self.fleet.ask_for_job(prompt_id, server)[-1]
        if look.view is None:
            error = PermanentError if look.is_lost else TransientError
            raise error(f"{NAME}: {look.why}", code=JOB_UNKNOWN)
        return prompt_id == token

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """Query the job's state; a server that does not answer leaves the job in progress.

        Raises SubmissionFailedError `vanished` for a lost job, and the errors of a failed one.
        """
        prompt_id, server = split_external_id(external_id)
        looks = self.fleet.ask_for_job(prompt_id, server)
        view = looks[-1].view if looks else None
        if view is not None:
            nodes = len(job_input["graph"])
            return self._read_state(view, looks[-1].server, external_id, nodes)
        waiting = next((look.why for look in looks if not look.is_lost), None)
        if waiting is not None:
            return InProgress(None, waiting)
        for look in (each for each in looks if each.has_answered):
            if saved := self.fleet.find_saved_pictures(prompt_id, look.server, job_input):
                return _build_success(external_id, look.server, saved)
        raise SubmissionFailedError(
            f"{NAME}: the job is lost: {looks[0].why}", code=answers.VANISHED
        )

    def _read_state(
        self, view: JobView, server: str, job: str, nodes: int
    ) -> InProgress | Succeeded:
        match view.state:
            case JobState.PENDING:
                return InProgress(None, f"{server}: {view.ahead} before it in the queue")
            case JobState.RUNNING:
                return self.feed.read_progress(
                    self.fleet.servers[server], split_external_id(job)[0], nodes
                )
            case JobState.COMPLETED:
                pictures = answers.list_output_pictures(view.outputs)
                if not pictures:
                    raise PermanentError(
                        f"{NAME}: workflow: no picture was saved", code="no_picture"
                    )
                return _build_success(job, server, pictures)
            case JobState.INTERRUPTED:
                told = f"{NAME}: {server} was made to interrupt the job"
                raise SubmissionFailedError(told, code="interrupted")
        error = answers.build_failure_error(view, server, self.fleet.servers[server].key)
        if error.code == answers.OUT_OF_MEMORY:
            with suppress(TransientError):
                self.fleet.servers[server].free_memory()
        raise error

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Download the pictures into `folder` and check them. Raises PermanentError `artifact_expired`."""
        server = self.fleet.servers.get(answer["server"])
        if server is None:
            gone = (
                f"{NAME}: {answer['server']} has the pictures and is no longer in {URLS_VARIABLE}"
            )
            raise TransientError(gone, code=BAD_PICTURE)
        fetched = []
        for number, each in enumerate(answer["pictures"], start=1):
            file = folder / f"fetched-{number}"
            try:
                server.download_picture(SavedPicture(**each), file)
            except ExpiredLinkError as error:
                raise PermanentError(error.message, code="artifact_expired") from None
            fetched.append((each["node"], file))
        return store_rendered_pictures(NAME, fetched, folder)

    def cancel(self, external_id: str) -> None:
        """Stop the job on its server, and no other job; ignore a server that does not answer."""
        prompt_id, name = split_external_id(external_id)
        for server in self.fleet.servers.values():
            if name in ("", server.name):
                with suppress(TransientError):
                    server.cancel_job(prompt_id)

    def account_status(self) -> str:
        """Query each server; return how many answer, and why the others do not.

        Raises TransientError if no server answers.
        """
        silent = []
        for server in self.fleet.servers.values():
            try:
                server.fetch_server_stats()
            except TransientError as error:
                silent.append(error.message.removeprefix(f"{NAME}: "))
        count = len(self.fleet.servers)
        told = "; ".join((f"{count - len(silent)} of {count} servers answer", *silent))
        if len(silent) == count:
            raise TransientError(f"{NAME}: {told}", code=VENDOR_DOWN)
        return told


def build_sent_graph(
    job_input: StageInput, names: Mapping[str, str], prompt_id: str
) -> Mapping[str, Json]:
    """Build the job's graph as it is sent to a server.

    `names` are the names of the job's pictures on the server; the names of saved files begin with the `prompt_id`.
    """
    return set_prefixes(
        rename_inputs(job_input["graph"], names), answers.build_filename_prefix(prompt_id)
    )


def _build_success(job: str, server: str, pictures: Sequence[SavedPicture]) -> Succeeded:
    return Succeeded(
        {"id": job, "server": server, "pictures": [asdict(picture) for picture in pictures]}
    )
