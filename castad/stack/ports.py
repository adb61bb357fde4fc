"""Ports to listen on."""

import socket

from resources.contract.errors import CastadError


class PortTakenError(CastadError):
    """The port cannot be listened on."""

    code = "port_in_use"


def ensure_port_free(host: str, port: int, option: str = "--port") -> None:
    """Return if this port can be listened on; raises PortTakenError."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PortTakenError(
            f"port {port} cannot be used ({reason}); choose another with {option}"
        ) from None


def free_port() -> int:
    """A port of this machine that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
