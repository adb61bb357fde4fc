"""ComfyUI's WebSocket on the port of its HTTP: events go to a client by its id."""

import json
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

from websockets.protocol import OPEN
from websockets.server import ServerProtocol
from websockets.utils import accept_key

_PREVIEW = b"\x00\x00\x00\x01\x00\x00\x00\x01\xff\xd8\xff\xe0"


class Sockets:
    """The open sockets by the id of their client; a new one replaces the old one."""

    def __init__(self) -> None:
        self.is_stalled = False
        self.opened = 0
        self._open: dict[str, tuple[ServerProtocol, socket.socket]] = {}
        self._lock = threading.Lock()

    def serve(self, handler: BaseHTTPRequestHandler, client_id: str) -> None:
        """The connection is a WebSocket until one side closes it."""
        handler.close_connection = True
        key = handler.headers.get("Sec-WebSocket-Key", "")
        lines = (
            "HTTP/1.1 101 Switching Protocols",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Accept: {accept_key(key)}",
        )
        handler.wfile.write("\r\n".join((*lines, "", "")).encode())
        protocol = ServerProtocol(state=OPEN)
        with self._lock:
            self._open[client_id] = (protocol, handler.connection)
            self.opened += 1
        self.tell(client_id, "status", {"status": {"exec_info": {"queue_remaining": 0}}})
        with suppress(OSError):
            while data := handler.connection.recv(65_536):
                with self._lock:
                    protocol.receive_data(data)
                    self._flush(protocol, handler.connection)
        with self._lock:
            if self._open.get(client_id, (None,))[0] is protocol:
                del self._open[client_id]

    def tell(self, client_id: str | None, kind: str, data: Mapping[str, Any]) -> None:
        """The event is on its way to the client, or to all; to nobody where the sockets are stalled."""
        text = json.dumps({"type": kind, "data": data}).encode()
        with self._lock:
            if self.is_stalled:
                return
            for name, (protocol, connection) in self._open.items():
                if client_id in (None, name):
                    protocol.send_text(text)
                    if kind == "progress":
                        protocol.send_binary(_PREVIEW)
                    self._flush(protocol, connection)

    def close(self) -> None:
        """All sockets are shut."""
        with self._lock:
            for _, connection in self._open.values():
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _flush(self, protocol: ServerProtocol, connection: socket.socket) -> None:
        with suppress(OSError):
            for data in protocol.data_to_send():
                connection.sendall(data)
