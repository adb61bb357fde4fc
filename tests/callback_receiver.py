"""A stand-in for the API's callback route: real HTTP on 127.0.0.1, and the ledger's own ear."""

import json
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Self

from resources.ledger.database import Database
from resources.ledger.errors import UnknownCallbackError
from resources.ledger.moves.callbacks import hear
from resources.providers.callbacks import JOB_NAMED_IN
from tests.fakes.listener import Listener


class CallbackReceiver:
    """Takes callbacks for the ledger as long as the `with` block lasts; `origin` is its public URL."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._listener = Listener(0, self._respond)
        self.origin = self._listener.origin

    def __enter__(self) -> Self:
        self._listener.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.close()
        assert self._listener.broken == []

    def _respond(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        _, _, provider, token = handler.path.split("/")
        try:
            hear(self._db, provider, token, JOB_NAMED_IN[provider](body))
        except UnknownCallbackError:
            handler.send_response(404)
        else:
            handler.send_response(200)
        handler.send_header("Content-Length", "0")
        handler.end_headers()
