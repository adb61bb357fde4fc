"""Process groups that end with all their children, stop signals as a flag, and ports."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
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
    """Whether this process was asked to stop: a flag that is polled, so that no signal interrupts a step."""

    def __init__(self) -> None:
        self._signum: int | None = None

    def on_signal(self, signum: int, frame: FrameType | None) -> None:
        """Raise the flag; a signal handler."""
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
        """Sleep; raises StopRequested within 50 ms of a request."""
        until = time.monotonic() + seconds
        self.check()
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _POLL_INTERVAL))
            self.check()


@contextmanager
def catch_stop_signals() -> Iterator[StopFlag]:
    """SIGINT, SIGTERM and SIGHUP only raise the flag while the block runs.

    A shell may have set SIGINT to ignored; children would inherit that, and Dagster's would then ignore SIGTERM
    too. An ignored SIGHUP (`nohup`) stays ignored.
    """
    flag = StopFlag()
    caught = [signum for signum in _STOPPING if not _is_ignored(signum)]
    before = {signum: signal.signal(signum, flag.on_signal) for signum in caught}
    try:
        yield flag
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


def _is_ignored(signum: int) -> bool:
    return signum == signal.SIGHUP and signal.getsignal(signum) is signal.SIG_IGN


def _stop_with_parent() -> Callable[[], None]:
    """The `preexec_fn` that makes a child end with its parent; loads what it needs before the fork."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None

    def request_signal() -> None:
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM))

    return request_signal


_STOP_WITH_PARENT = _stop_with_parent()


def start_group(
    command: Sequence[str] | str,
    env: dict[str, str],
    output: IO[bytes] | int,
    inherits: Sequence[int] = (),
    folder: Path | None = None,
) -> subprocess.Popen[bytes]:
    """The command runs in a session of its own, which a terminal's Ctrl-C does not reach.

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
        preexec_fn=_STOP_WITH_PARENT,
        pass_fds=tuple(inherits),
        cwd=folder,
    )


def end_process(process: subprocess.Popen[bytes], seconds: float) -> None:
    """SIGTERM was sent to the process, not to its children; it has ended, or the seconds have passed."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def stop_groups(processes: Sequence[subprocess.Popen[bytes]], grace: float) -> None:
    """Every process of the groups has ended: SIGTERM first, SIGKILL after `grace` seconds."""
    for signum, wait in ((signal.SIGTERM, grace), (signal.SIGKILL, _KILL_WAIT)):
        for process in processes:
            _signal_group(process.pid, signum)
        deadline = time.monotonic() + wait
        while time.monotonic() < deadline:
            if not any(_is_alive(process) for process in processes):
                return
            time.sleep(_POLL_INTERVAL)


def _signal_group(group: int, signum: int) -> None:
    try:
        os.killpg(group, signum)
    except (ProcessLookupError, PermissionError):
        return


def _is_alive(process: subprocess.Popen[bytes]) -> bool:
    if process.poll() is None:
        return True
    return any(_members(process.pid))


def _members(group: int) -> Iterator[int]:
    """The ids of the group's processes, without zombies."""
    if not Path("/proc/self/stat").exists():
        yield from _signalable(group)
        return
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, of_group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(of_group) == group and state not in "ZX":
            yield int(folder.name)


def _signalable(group: int) -> Iterator[int]:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return
    yield group


def may_restart(deaths: Sequence[float], now: float) -> bool:
    """Whether a part that has just died may be restarted: fewer than 5 deaths in 60 s."""
    return sum(now - death < _DEATHS_WINDOW for death in deaths) < _MAX_DEATHS


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
