"""TCP between a client and a server on this machine, with trouble on demand."""

import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress

_CHUNK = 65536
_RESET = struct.pack("ii", 1, 0)


class ChaosProxy:
    """Forwards every connection to `127.0.0.1:target` until it is told otherwise; a context manager."""

    def __init__(self, target: int, port: int = 0) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", port))
        self._pairs: list[_Pair] = []
        self._lock = threading.Lock()
        self._swallows = False
        self._trap: _Trap | None = None
        self.port = int(self._listener.getsockname()[1])

    def __enter__(self) -> "ChaosProxy":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.refuse()

    def black_hole(self) -> None:
        """Nothing arrives any more, and nobody is told."""
        self._swallows = True

    def heal(self) -> None:
        """What is sent from now on arrives."""
        self._swallows = False

    def reset(self) -> None:
        """Every connection is cut by a reset; new ones are forwarded."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            pair.cut()

    def refuse(self) -> None:
        """Nobody listens any more, and every connection is cut."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.reset()

    def lose_reply_to(self, marker: bytes) -> threading.Event:
        """The next message with the marker arrives, but its client is cut off when the answer comes."""
        return self._set_trap(_Trap(marker, arrives=True))

    def lose_message_with(self, marker: bytes) -> threading.Event:
        """The next message with the marker is lost and its client cut off; the server is not told."""
        return self._set_trap(_Trap(marker, arrives=False))

    def _set_trap(self, trap: "_Trap") -> threading.Event:
        self._trap = trap
        return trap.sprung

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                _cut(client)
                continue
            pair = _Pair(client, server)
            with self._lock:
                self._pairs.append(pair)
            for pump in (self._to_server, self._to_client):
                threading.Thread(target=self._run, args=(pump, pair), daemon=True).start()

    def _run(self, pump: "Callable[[_Pair], None]", pair: "_Pair") -> None:
        with suppress(OSError):
            pump(pair)
        if not pair.stranded:
            pair.cut()

    def _to_server(self, pair: "_Pair") -> None:
        while data := pair.client.recv(_CHUNK):
            trap = self._trap
            if trap is not None and trap.marker in data:
                self._trap = None
                if not trap.arrives:
                    pair.stranded = True
                    _cut(pair.client)
                    trap.sprung.set()
                    return
                pair.awaited = trap
            if not self._swallows:
                pair.server.sendall(data)

    def _to_client(self, pair: "_Pair") -> None:
        while data := pair.server.recv(_CHUNK):
            if pair.awaited is not None:
                _cut(pair.client)
                pair.awaited.sprung.set()
                return
            if not self._swallows:
                pair.client.sendall(data)


class _Trap:
    def __init__(self, marker: bytes, *, arrives: bool) -> None:
        self.marker = marker
        self.arrives = arrives
        self.sprung = threading.Event()


class _Pair:
    """One client's connection and what leads on from it to the server."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client = client
        self.server = server
        self.awaited: _Trap | None = None
        self.stranded = False

    def cut(self) -> None:
        _cut(self.client)
        _cut(self.server)


def _cut(end: socket.socket) -> None:
    """The other side is told by a reset, whoever is reading here."""
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        end.shutdown(socket.SHUT_RDWR)
    end.close()
