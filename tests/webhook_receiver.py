"""A receiver of webhooks on 127.0.0.1 that verifies what it gets and answers as a test says."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, Self

from standardwebhooks import Webhook

from tests.fakes.listener import Listener

SECRET = "whsec_" + "c2VjcmV0LW9mLXRoZS10ZXN0cy0xMjM0NTY3ODk="
HANG = 0
"""In place of a status: it answers when it is let go, or never."""

AnswerOf = Callable[["Got"], int]


@dataclass(frozen=True)
class Got:
    """One call; `number` counts them from 1."""

    number: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def told(self) -> tuple[str, str]:
        """Whose webhook it is, and what it tells."""
        return self.body["data"]["task_id"], self.body["type"]

    def verify(self, secret: str = SECRET) -> None:
        """Raises WebhookVerificationError."""
        Webhook(secret).verify(self.raw, self.headers)


class Receiver:
    """Serves as long as the `with` block lasts; `answer` may be changed at any time."""

    def __init__(self, answer: AnswerOf = lambda _: 200, port: int = 0) -> None:
        self.answer = answer
        self.headers: dict[str, str] = {}
        self.calls: list[Got] = []
        self._lock = threading.Lock()
        self._let_go = threading.Event()
        self._listener = Listener(port, self._respond)

    @property
    def port(self) -> int:
        return int(self._listener.server_address[1])

    def url(self, path: str = "/hook") -> str:
        return f"{self._listener.origin}{path}"

    @property
    def told(self) -> list[tuple[str, str]]:
        return [call.told for call in list(self.calls)]

    def __enter__(self) -> Self:
        self._listener.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._let_go.set()
        self._listener.close()

    def let_go(self) -> None:
        """Whoever hangs is answered 200."""
        self._let_go.set()

    def _respond(self, handler: BaseHTTPRequestHandler) -> None:
        size = int(handler.headers["content-length"])
        headers = {name.lower(): value for name, value in handler.headers.items()}
        raw = handler.rfile.read(size)
        if len(raw) < size:
            return  # The sender was killed in the middle: this is no call.
        with self._lock:
            call = Got(len(self.calls) + 1, headers, raw)
            self.calls.append(call)
        status = self.answer(call)
        if status == HANG:
            self._let_go.wait()
            status = 200
        handler.send_response(status)
        for name, value in self.headers.items():
            handler.send_header(name, value)
        handler.send_header("content-length", "0")
        handler.end_headers()
