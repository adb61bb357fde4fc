"""Addresses at which nobody answers."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


def refusing() -> str:
    """A URL whose port is closed: connecting is refused."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}"


@contextmanager
def deaf() -> Iterator[str]:
    """A URL that never answers a connect: the queue of those who wait to be accepted is full."""
    with ExitStack() as sockets:
        listener = sockets.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(8):
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
