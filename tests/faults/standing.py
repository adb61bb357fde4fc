"""The stand that the cases of a pair share: a whole castad, brought up again before each of them."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen

from castad.engine.on_demand import worker_lock
from resources.process.settings import Settings
from tests.chaos.stand import Stand, open_stand

WORKER = "one"
DAEMON = "daemon"


class Standing:
    """The one stand of a pair, made when it is first wanted, and again after a case that failed on it."""

    def __init__(self, pair: str, new_folder: Callable[[], Path]) -> None:
        self.pair = pair
        self._new_folder = new_folder
        self._open = ExitStack()
        self._stand: Stand | None = None

    def ready(self) -> Stand:
        """The stand, with a code server, a daemon and one worker alive and nothing else."""
        if self._stand is None:
            self._stand = self._open.enter_context(open_stand(self.pair, self._new_folder()))
            if self._stand.database_url is None:
                # Who launches a run sees the slot taken and starts no worker of its own.
                home = Settings(home=self._stand.home(WORKER))
                self._open.enter_context(worker_lock(home))
        _bring_up(self._stand)
        return self._stand

    def close(self) -> None:
        """Nothing of it runs and nothing is left."""
        self._stand = None
        self._open.close()


def _bring_up(stand: Stand) -> None:
    for fake in stand.vendors.values():
        fake.set(delay=0.0)
    for name in stand.workers:
        if name != WORKER:
            stand.kill_worker(name)
    for name in stand.daemons:
        if name != DAEMON:
            stand.kill_daemon(name)
    if not _lives(stand.workers.get(WORKER)):
        stand.start_worker(WORKER)
    if not _lives(stand.code_server):
        stand.start_code_server()
    if not _lives(stand.daemons.get(DAEMON)):
        stand.start_daemon(DAEMON)


def _lives(process: "Popen[bytes] | None") -> bool:
    return process is not None and process.poll() is None
