"""Start and stop process groups, catch stop signals as a flag, and find free ports."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO

from resources.contract.errors import CastadError

_MAX_DEATHS = 5
_DEATHS_WINDOW = 60.0
_KILL_WAIT = 3.0
_POLL_INTERVAL = 0.05
_PR_SET_PDEATHSIG = 1
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequested(BaseException):
    """This process was asked to stop by the signal `signum`."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


class StopFlag:
    """A flag that a stop signal raises; code polls it, so that no signal interrupts a step."""

    def __init__(self) -> None:
        self._signum: int | None = None

    def on_signal(self, signum: int, frame: FrameType | None) -> None:
        """Raise the flag; this is a signal handler."""
        self._signum = signum

    @property
    def is_raised(self) -> bool:
        """Whether a stop was requested."""
        return self._signum is not None

    def check(self) -> None:
        """Raise StopRequested if a stop was requested."""
        if self._signum is not None:
            raise StopRequested(self._signum)

    def pause(self, seconds: float) -> None:
        """Sleep for these seconds; raise StopRequested within 50 ms of a stop request."""
        until = time.monotonic() + seconds
        self.check()
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _POLL_INTERVAL))
            self.check()


@contextmanager
def catch_stop_signals() -> Iterator[StopFlag]:
    """Let SIGINT, SIGTERM and SIGHUP only raise a flag while the block runs.

    A shell may have set SIGINT to ignored; children would inherit that, and Dagster's would then ignore SIGTERM
    too. An ignored SIGHUP (`nohup`) stays ignored.
    """
    flag = StopFlag()
    keeps_hangup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    caught = [each for each in _STOPPING if each != signal.SIGHUP or not keeps_hangup]
    before = {signum: signal.signal(signum, flag.on_signal) for signum in caught}
    try:
        yield flag
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


# Loaded before any fork.
_prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


def _stop_with_parent() -> None:
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM))


def start_group(
    command: Sequence[str] | str,
    env: dict[str, str],
    output: IO[bytes] | int,
    inherits: Sequence[int] = (),
    folder: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Start the command in its own session, which a terminal's Ctrl-C does not reach.

    It inherits only the descriptors in `inherits`; its working folder is `folder`, if given. Call it from
    the main thread: on Linux the command gets SIGTERM when the calling thread ends.
    """
    return subprocess.Popen(
        command,
        shell=isinstance(command, str),
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=_stop_with_parent,
        pass_fds=tuple(inherits),
        cwd=folder,
    )


def end_process(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Send SIGTERM to the process but not to its children, and wait these seconds at most for its end."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def stop_groups(processes: Sequence[subprocess.Popen[bytes]], grace: float) -> None:
    """Stop every process of the groups: send SIGTERM first, and SIGKILL after `grace` seconds."""
    for signum, wait in ((signal.SIGTERM, grace), (signal.SIGKILL, _KILL_WAIT)):
        for process in processes:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signum)
        deadline = time.monotonic() + wait
        while time.monotonic() < deadline:
            if not any(each.poll() is None or any(_find_members(each.pid)) for each in processes):
                return
            time.sleep(_POLL_INTERVAL)


def _find_members(group: int) -> Iterator[int]:
    """Find the ids of the group's processes, without zombies; without /proc, the group's id if it is alive."""
    if not Path("/proc/self/stat").exists():
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, 0)
            yield group
        return
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, of_group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(of_group) == group and state not in "ZX":
            yield int(folder.name)


def may_restart(deaths: Sequence[float], now: float) -> bool:
    """Return whether a part that has just died may be restarted: fewer than 5 deaths in 60 s."""
    return sum(now - death < _DEATHS_WINDOW for death in deaths) < _MAX_DEATHS


class PortTakenError(CastadError):
    """The port cannot be listened on."""

    code = "port_in_use"


def ensure_port_free(host: str, port: int, option: str = "--port") -> None:
    """Ensure that this port can be listened on; raise PortTakenError."""
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


def find_free_port() -> int:
    """Find a port of this machine that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
