"""How far jobs are, as the servers' WebSockets report it. No work needs it: a feed may be silent for good."""

import json
import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from urllib.parse import quote
from uuid import uuid4

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from resources.contract.protocol import InProgress, Json
from resources.http.trust import client_context
from resources.http.vendor_client import json_object, one_line
from resources.providers.comfyui.server import ComfyUIServer

_log = logging.getLogger("castad.providers")

_LARGEST_MESSAGE = 16_000_000
_OPEN_SECONDS = 5.0
_IDLE_SECONDS = 30.0
_RETRY_SECONDS = 10.0
_MOST_REMEMBERED = 1_000


@dataclass(frozen=True)
class NodeProgress:
    """What a job executes: `done` nodes, and how far the present one is, in [0, 1] where it says so."""

    done: frozenset[str] = frozenset()
    node: str = ""
    part: float | None = None


def progress_after(message: Json, before: NodeProgress) -> NodeProgress:
    """The progress of a job after a message about it."""
    data = json_object(json_object(message).get("data"))
    match json_object(message).get("type"):
        case "execution_cached":
            cached = data.get("nodes")
            nodes = map(str, cached if isinstance(cached, list) else [])
            return NodeProgress(before.done | frozenset(nodes), before.node, before.part)
        case "executing":
            done = before.done | ({before.node} if before.node else frozenset())
            return NodeProgress(done, str(data.get("node") or ""), None)
        case "progress":
            return NodeProgress(before.done, str(data.get("node") or before.node), _part(data))
    return before


def _part(data: Json) -> float | None:
    value, most = data.get("value"), data.get("max")
    if not isinstance(value, int | float) or not isinstance(most, int | float) or most <= 0:
        return None
    return min(max(value / most, 0.0), 1.0)


class ProgressFeed:
    """Follows each server for as long as jobs run there, in a thread of its own.

    A server that refuses, stalls or breaks the connection costs nothing but the progress.
    """

    def __init__(self) -> None:
        self.client_id = uuid4().hex
        self._known: OrderedDict[str, NodeProgress] = OrderedDict()
        self._asked: dict[str, threading.Event] = {}
        self._lock = threading.Lock()

    def progress(self, server: ComfyUIServer, prompt_id: str, nodes: int) -> InProgress:
        """How far the job is, of so many nodes; only that it runs where the server has said nothing."""
        self._follow(server)
        with self._lock:
            known = self._known.get(prompt_id)
        if known is None:
            return InProgress(None, f"runs at {server.name}")
        done = min((len(known.done) + (known.part or 0.0)) / max(nodes, 1), 1.0)
        return InProgress(done, f"runs at {server.name}, node {one_line(known.node)}")

    def _follow(self, server: ComfyUIServer) -> None:
        with self._lock:
            asked = self._asked.get(server.name)
            if asked is not None:
                asked.set()
                return
            asked = self._asked[server.name] = threading.Event()
        follower = threading.Thread(
            target=self._run, args=(server, asked), name=f"feed-{server.name}", daemon=True
        )
        follower.start()

    def _run(self, server: ComfyUIServer, asked: threading.Event) -> None:
        """The server is followed until no progress was asked for in a while; after an error not again at once."""
        try:
            self._listen(server, asked)
        except (OSError, WebSocketException, ValueError) as error:
            _log.debug("feed ended: server=%s error=%s", server.name, type(error).__name__)
            time.sleep(_RETRY_SECONDS)
        finally:
            with self._lock:
                self._asked.pop(server.name, None)

    def _listen(self, server: ComfyUIServer, asked: threading.Event) -> None:
        address = f"{server.url.replace('http', 'ws', 1)}/ws?clientId={quote(self.client_id)}"
        with connect(
            address,
            open_timeout=_OPEN_SECONDS,
            close_timeout=_OPEN_SECONDS,
            max_size=_LARGEST_MESSAGE,
            proxy=None,
            ssl=client_context() if address.startswith("wss:") else None,
            additional_headers=server.headers,
        ) as socket:
            while True:
                try:
                    self._take(socket.recv(timeout=_IDLE_SECONDS))
                except TimeoutError:
                    if not asked.is_set():
                        return
                    asked.clear()

    def _take(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            return  # the preview of a picture
        try:
            content = json.loads(message)
        except (ValueError, RecursionError):
            return
        prompt_id = json_object(json_object(content).get("data")).get("prompt_id")
        if not isinstance(prompt_id, str):
            return
        with self._lock:
            known = self._known.get(prompt_id, NodeProgress())
            self._known[prompt_id] = progress_after(content, known)
            self._known.move_to_end(prompt_id)
            if len(self._known) > _MOST_REMEMBERED:
                self._known.popitem(last=False)
