"""A fake of ComfyUI's server (docs/vendors/comfyui.md): HTTP and WebSocket, a queue in memory, files on the disk.

Its own faults, taken by a submission (`submit`), happen to its job:
    restart()                       the server starts again right after it has accepted the job
    out_of_memory()                 the run fails for want of memory; `until_free` of the server: until POST /free
    node_error()                    a node raises
    interrupted()                   another client interrupts the run
    partly_valid()                  200 with `node_errors`
taken by a question (`job`, `queue`, `history`), happen to that one answer:
    missing()                       the job is in none of the lists for this moment
taken by an upload:
    renamed()                       the picture gets another name

`delay` is how many seconds a run takes; `generation` is `new` (jobs API, ids are UUIDs) or `old` (0.3.64).
`runs` is what was executed, in order, also in earlier lives; `charges` has every job that was accepted.
"""

import hashlib
import re
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

from PIL import Image
from python_multipart import parse_form

from studio.errors import GraphError
from studio.graphs import check_graph, describe_nodes, render
from tests.fakes.charges import Charges
from tests.fakes.comfyui_queue import Interrupted, NodeFailed, Prompt, PromptQueue
from tests.fakes.comfyui_socket import Sockets
from tests.fakes.faults import Fault, Kind, kind
from tests.fakes.listener import Listener
from tests.fakes.reply import Call, Reply, json_reply
from tests.fakes.server import PLENTY, FakeVendor, Route

_API = "(?:/api)?"
_TICK = 0.005


class FakeComfyUI(FakeVendor):
    """One server. With `executes` castad's own engine executes its graphs, else a small picture is saved."""

    name: ClassVar[str] = "comfyui"
    routes: ClassVar[tuple[Route, ...]] = (
        ("submit", "POST", f"{_API}/prompt"),
        ("queue", "GET", f"{_API}/queue"),
        ("history", "GET", f"{_API}/history/([^/]+)"),
        ("job", "GET", "/api/jobs/([^/]+)"),
        ("cancel", "POST", "/api/jobs/([^/]+)/cancel"),
        ("delete", "POST", f"{_API}/queue"),
        ("interrupt", "POST", f"{_API}/interrupt"),
        ("free", "POST", f"{_API}/free"),
        ("upload", "POST", f"{_API}/upload/image"),
        ("file", "GET", f"{_API}/view"),
        ("stats", "GET", f"{_API}/system_stats"),
        ("nodes", "GET", f"{_API}/object_info"),
    )
    open_routes: ClassVar[frozenset[str]] = frozenset()
    own_kinds: ClassVar[Mapping[str, Kind]] = {
        "restart": kind(routes="submit"),
        "out_of_memory": kind(routes="submit"),
        "node_error": kind(routes="submit"),
        "interrupted": kind(routes="submit"),
        "partly_valid": kind(routes="submit"),
        "missing": kind(routes="job queue history"),
        "renamed": kind(routes="upload"),
    }
    settable: ClassVar[tuple[str, ...]] = (
        *FakeVendor.settable,
        "generation",
        "history_cap",
        "is_stalled",
        "until_free",
        "executes",
    )

    def __init__(
        self, folder: Path, *, key: str | None = None, port: int = 0, executes: bool = False
    ) -> None:
        super().__init__(folder, key=key, port=port)
        self._asks_for_key = key is not None
        self.credits = PLENTY
        self.executes = executes
        self.generation = "new"
        self.until_free = False
        self.freed = 0
        self.folder = Path(folder) / "files"
        self._runs = Charges(self.folder / "runs.jsonl")
        self.sockets = Sockets()
        self.prompts = PromptQueue(self._execute, self.sockets.tell)
        self._lives = threading.Lock()
        self._uploading = threading.Lock()

    def __enter__(self) -> "FakeComfyUI":
        self.prompts.start()
        super().__enter__()
        return self

    def close(self) -> None:
        self.prompts.lose()
        self.sockets.close()
        super().close()

    @property
    def history_cap(self) -> int:
        """How many prompts the history keeps."""
        return self.prompts.history_cap

    @history_cap.setter
    def history_cap(self, count: int) -> None:
        self.prompts.history_cap = count

    @property
    def is_stalled(self) -> bool:
        """Whether the sockets are silent for good."""
        return self.sockets.is_stalled

    @is_stalled.setter
    def is_stalled(self, stalled: bool) -> None:
        self.sockets.is_stalled = stalled

    def runs(self) -> list[str]:
        """The ids of all prompts whose execution was begun, in order, also those of earlier lives."""
        return [prompt_id for prompt_id, _ in self.runs_at()]

    def runs_at(self) -> list[tuple[str, str]]:
        """The same with when each was begun, as ISO 8601."""
        return [(str(run["prompt_id"]), str(run["at"])) for run in self._runs.read()]

    def restart(self) -> None:
        """The queue, the history and the running prompt are gone; the port and the files are as before."""
        with self._lives:
            self.prompts.lose()
            self.prompts.start()

    def kill(self) -> None:
        """Connections are refused from now on; what was in memory is gone."""
        self.prompts.lose()
        self.sockets.close()
        self._listener.close()

    def revive(self) -> None:
        """It answers at its port again."""
        port = int(self.origin.rpartition(":")[2])
        self._listener = Listener(port, self._respond)
        self.prompts.start()
        self._listener.start()

    def is_authorized(self, call: Call) -> bool:
        return not self._asks_for_key or super().is_authorized(call)

    def _respond(self, handler: BaseHTTPRequestHandler) -> None:
        target = urlsplit(handler.path)
        if target.path in ("/ws", "/api/ws"):
            client = dict(parse_qsl(target.query)).get("clientId") or uuid.uuid4().hex
            self.sockets.serve(handler, client)
        else:
            super()._respond(handler)

    def on_submit(self, call: Call, fault: Fault | None) -> Reply:
        body = call.body if isinstance(call.body, dict) else {}
        prompt_id = body.get("prompt_id", str(uuid.uuid4()))
        if self.generation == "new" and not _is_canonical(prompt_id):
            return _refused("invalid_prompt_id", "prompt_id must be a canonical UUID")
        graph, what = body.get("prompt"), fault.kind if fault else None
        checked = check_graph(graph, self._has_input)
        if checked.error is not None:
            return json_reply(400, {"error": checked.error, "node_errors": checked.node_errors})
        with self.lock:
            if self.credits < 1:
                return self.out_of_credits()
            self.credits -= 1
        node_errors = _ONE_WRONG if what == "partly_valid" else checked.node_errors
        # castad names a job with its server.
        job = f"{prompt_id}@{self.origin.partition('//')[2]}"
        about = {"what": "job", "id": job, "prompt_id": prompt_id, "metadata": prompt_id}
        self.charge(call, **about, cost=1, unit="jobs")
        client = body.get("client_id")
        number = self.prompts.put(str(prompt_id), graph, checked.outputs, client, what)
        if what == "restart":
            self.restart()
        content = {"prompt_id": prompt_id, "number": number, "node_errors": node_errors}
        return json_reply(200, content)

    def on_queue(self, call: Call, fault: Fault | None) -> Reply:
        running, pending = ([], []) if fault else self.prompts.seen()
        entries = {
            "queue_running": [each.entry() for each in running],
            "queue_pending": [each.entry() for each in pending],
        }
        return json_reply(200, entries)

    def on_history(self, call: Call, fault: Fault | None, prompt_id: str) -> Reply:
        found = None if fault else self.prompts.recorded(prompt_id)
        return json_reply(200, {} if found is None else {prompt_id: found})

    def on_job(self, call: Call, fault: Fault | None, prompt_id: str) -> Reply:
        if self.generation == "old":
            return self.not_found(call)
        found = None if fault else self._job(prompt_id)
        if found is None:
            return json_reply(404, {"error": "Job not found"})
        return json_reply(200, found)

    def _job(self, prompt_id: str) -> dict[str, Any] | None:
        recorded = self.prompts.recorded(prompt_id)
        if recorded is not None:
            [*_, (event, data)] = recorded["status"]["messages"]
            failed = {"execution_error": data} if event == "execution_error" else {}
            return {
                "id": prompt_id,
                "status": _STATES[event],
                "outputs": recorded["outputs"],
                **failed,
            }
        running, pending = self.prompts.seen()
        for status, prompts in (("in_progress", running), ("pending", pending)):
            if any(each.id == prompt_id for each in prompts):
                return {"id": prompt_id, "status": status, "outputs_count": 0}
        return None

    def on_cancel(self, call: Call, fault: Fault | None, prompt_id: str) -> Reply:
        if self.generation == "old":
            return self.not_found(call)
        self.prompts.delete([prompt_id])
        self.prompts.interrupt(prompt_id)
        return json_reply(200, {"cancelled": True})

    def on_delete(self, call: Call, fault: Fault | None) -> Reply:
        self.prompts.delete([str(each) for each in call.body.get("delete", [])])
        return Reply(200, b"", "application/octet-stream")

    def on_interrupt(self, call: Call, fault: Fault | None) -> Reply:
        named = call.body.get("prompt_id") if isinstance(call.body, dict) else None
        self.prompts.interrupt(named)
        return Reply(200, b"", "application/octet-stream")

    def on_free(self, call: Call, fault: Fault | None) -> Reply:
        self.freed += 1
        self.until_free = False
        return Reply(200, b"", "application/octet-stream")

    def on_upload(self, call: Call, fault: Fault | None) -> Reply:
        form = _form(call)
        if "image" not in form:
            return Reply(400, b"", "application/octet-stream")
        name, content = form["image"]
        folder = self.folder / "input"
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[/\\]", "", name) or "picture"
        overwrite = form.get("overwrite", ("", b""))[1] in (b"true", b"1")
        file, number = folder / name, 1
        with self._uploading:
            while not overwrite and (fault or (file.is_file() and file.read_bytes() != content)):
                file = folder / f"{Path(name).stem} ({number}){Path(name).suffix}"
                number, fault = number + 1, None
            # What is there is left alone, as by ComfyUI: a job may be reading it.
            if overwrite or not file.is_file():
                file.write_bytes(content)
        return json_reply(200, {"name": file.name, "subfolder": "", "type": "input"})

    def on_file(self, call: Call, fault: Fault | None) -> Reply:
        name, kind_ = call.query.get("filename", ""), call.query.get("type", "output")
        if not name or name.startswith("/") or ".." in name or kind_ not in _FOLDERS:
            return Reply(400, b"", "application/octet-stream")
        root = (self.folder / kind_).resolve()
        folder = (root / call.query.get("subfolder", "")).resolve()
        if not folder.is_relative_to(root):
            return Reply(403, b"", "application/octet-stream")
        file = folder / Path(name).name
        if not file.is_file():
            return Reply(404, b"", "application/octet-stream")
        return Reply(200, file.read_bytes(), "image/png")

    def on_stats(self, call: Call, fault: Fault | None) -> Reply:
        device = {"name": "cpu", "type": "cpu", "vram_total": 8 << 30, "vram_free": 4 << 30}
        return json_reply(200, {"system": {"comfyui_version": "fake"}, "devices": [device]})

    def on_nodes(self, call: Call, fault: Fault | None) -> Reply:
        return json_reply(200, describe_nodes())

    def unauthorized(self, call: Call, *, echo: bool) -> Reply:
        shown = f": {call.headers.get('authorization')}" if echo else ""
        return Reply(401, f"401: Unauthorized{shown}".encode(), "text/plain")

    def too_often(self, headers: Mapping[str, str], code: int | None) -> Reply:
        return Reply(429, b"429: Too Many Requests", "text/plain", headers)

    def out_of_credits(self) -> Reply:
        return Reply(402, b"402: Payment Required", "text/plain")

    def not_found(self, call: Call) -> Reply:
        return Reply(404, b"404: Not Found", "text/plain")

    def _has_input(self, name: str) -> bool:
        return "\0" not in name and ".." not in name and (self.folder / "input" / name).is_file()

    def _execute(self, prompt: Prompt, check: Callable[[], None]) -> Mapping[str, Any]:
        self._runs.add(prompt_id=prompt.id)
        self._run_for_a_while(prompt, check)
        first, about = next(iter(prompt.graph.items()))
        if prompt.fault == "interrupted":
            raise Interrupted
        if prompt.fault == "out_of_memory" or self.until_free:
            kind_ = "torch.OutOfMemoryError"
            raise NodeFailed(first, about["class_type"], kind_, "Allocation on device 0 failed.")
        if prompt.fault == "node_error":
            raise NodeFailed(first, about["class_type"], "ValueError", "a wrong size")
        pictures = self._rendered(prompt, check) if self.executes else self._saved(prompt)
        outputs: dict[str, Any] = {}
        for node, picture in pictures:
            outputs.setdefault(node, {"images": []})["images"].append(picture)
        return outputs

    def _run_for_a_while(self, prompt: Prompt, check: Callable[[], None]) -> None:
        """The run takes its time, and says how far it is."""
        began = time.monotonic()
        node = next(iter(prompt.graph))
        self.sockets.tell(prompt.client_id, "executing", {"node": node, "prompt_id": prompt.id})
        while (waited := time.monotonic() - began) < self.delay:
            check()
            data = {"value": int(waited * 100), "max": max(int(self.delay * 100), 1)}
            about = {**data, "prompt_id": prompt.id, "node": node}
            self.sockets.tell(prompt.client_id, "progress", about)
            time.sleep(min(_TICK, self.delay))
        check()

    def _rendered(
        self, prompt: Prompt, check: Callable[[], None]
    ) -> list[tuple[str, dict[str, str]]]:
        try:
            saved = render(
                prompt.graph,
                lambda name: self.folder / "input" / name,
                self.folder,
                report=lambda done, whole, what: check(),
                stop=threading.Event(),
            )
        except GraphError as error:
            raise NodeFailed(error.node, error.class_type, "ValueError", str(error)) from error
        return [(each.node, _named(each.filename, each.subfolder, each.type)) for each in saved]

    def _saved(self, prompt: Prompt) -> list[tuple[str, dict[str, str]]]:
        saved = []
        for node in prompt.outputs:
            prefix = prompt.graph[node]["inputs"].get("filename_prefix", "preview")
            folder, _, name = prefix.rpartition("/")
            file = self.folder / "output" / folder / f"{name}_00001_.png"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(_picture(prompt.id))
            saved.append((node, _named(file.name, folder, "output")))
        return saved


_FOLDERS = ("output", "input", "temp")
_STATES = {
    "execution_success": "completed",
    "execution_error": "failed",
    "execution_interrupted": "cancelled",
}
_ONE_WRONG = {
    "9": {
        "errors": [
            {
                "type": "value_bigger_than_max",
                "message": "Value 99999 bigger than max of 16384",
                "details": "width",
                "extra_info": {"input_name": "width"},
            }
        ],
        "dependent_outputs": ["9"],
        "class_type": "ImageScale",
    }
}


def _named(filename: str, subfolder: str, kind_: str) -> dict[str, str]:
    return {"filename": filename, "subfolder": subfolder, "type": kind_}


def _refused(kind_: str, message: str) -> Reply:
    error = {"type": kind_, "message": message, "details": "", "extra_info": {}}
    return json_reply(400, {"error": error, "node_errors": {}})


def _is_canonical(prompt_id: Any) -> bool:
    try:
        return str(uuid.UUID(prompt_id)) == prompt_id
    except (ValueError, AttributeError, TypeError):
        return False


def _picture(seed: str) -> bytes:
    """A small picture in a colour of its own."""
    colour = "#" + hashlib.sha256(seed.encode()).hexdigest()[:6]
    buffer = BytesIO()
    Image.new("RGB", (16, 16), colour).save(buffer, "PNG")
    return buffer.getvalue()


def _form(call: Call) -> dict[str, tuple[str, bytes]]:
    """The parts of a form by name: the name of the file, and the content."""
    parts: dict[str, tuple[str, bytes]] = {}

    def keep_field(field: Any) -> None:
        parts[field.field_name.decode()] = ("", field.value or b"")

    def keep_file(file: Any) -> None:
        file.file_object.seek(0)
        parts[file.field_name.decode()] = (file.file_name.decode(), file.file_object.read())

    headers = {
        "Content-Type": call.headers.get("content-type", "").encode(),
        "Content-Length": str(len(call.raw)).encode(),
    }
    parse_form(headers, BytesIO(call.raw), keep_field, keep_file)
    return parts
