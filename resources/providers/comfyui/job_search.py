"""Look for a job on the servers: whether it is there, may be there, or is lost for certain."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from resources.contract.errors import OutOfCreditsError
from resources.contract.protocol import StageInput
from resources.http.vendor_client import NoAnswerError, NotSentError
from resources.providers.comfyui.answers import JobView, SavedPicture, prefix_of
from resources.providers.comfyui.server import Absences, Clock, Fleet, external_id

LOOK_AGAIN_SECONDS = 5.0
"""How long a server has not known a job when it is certain to have lost it: a job moves between its lists."""


Sleep = Callable[[float], object]


@dataclass(frozen=True)
class Look:
    """What one server says of a job; `is_lost` where it is certain that the job is not there, and `why`.

    `has_answered` is whether the server did: one that runs no more has lost its jobs too.
    """

    server: str
    view: JobView | None = None
    is_lost: bool = False
    why: str = ""
    has_answered: bool = True


class JobSearch:
    """Looks for jobs, and remembers since when a server has not known one."""

    def __init__(
        self, fleet: Fleet, clock: Clock = time.monotonic, sleep: Sleep = time.sleep
    ) -> None:
        self._fleet = fleet
        self._sleep = sleep
        self._unknown = Absences(clock)

    def looks(self, prompt_id: str, server: str) -> list[Look]:
        """Ask the named server, or else each, for the job; stop at the first that has it."""
        found: list[Look] = []
        for name in [server] if server else self._fleet.servers:
            found.append(self._look(name, prompt_id))
            if found[-1].view is not None:
                break
        return found

    def looks_twice(self, prompt_id: str) -> list[Look]:
        """Ask all servers, and again after a while where one does not know the job: then that is certain."""
        found = self.looks(prompt_id, "")
        is_there = any(look.view is not None for look in found)
        if not is_there and any(look.has_answered and not look.is_lost for look in found):
            self._sleep(LOOK_AGAIN_SECONDS)
            found = self.looks(prompt_id, "")
        return found

    def _look(self, name: str, prompt_id: str) -> Look:
        server = self._fleet.servers.get(name)
        if server is None:
            why = f"{name} is no longer one of the servers"
            return Look(name, None, self._fleet.is_gone(name, None), why, has_answered=False)
        try:
            view = server.job(prompt_id)
        except OutOfCreditsError as error:
            return Look(name, why=error.message, has_answered=False)
        except (NotSentError, NoAnswerError) as error:
            is_gone = self._fleet.is_gone(name, error)
            return Look(name, None, is_gone, error.message, has_answered=False)
        self._fleet.answered(server)
        job = external_id(prompt_id, name)
        if view is not None:
            self._unknown.clear(job)
            return Look(name, view)
        is_lost = self._unknown.note(job) >= LOOK_AGAIN_SECONDS
        return Look(name, is_lost=is_lost, why=f"{name} does not know the job")

    def saved(self, prompt_id: str, server: str, job_input: StageInput) -> list[SavedPicture]:
        """All pictures of the job, by their names: a server that starts again forgets jobs and keeps files.

        Empty where one is missing, or where it is not known how many there are.
        """
        known = self._fleet.servers.get(server)
        names = list(saved_names(job_input, prompt_id))
        return names if known is not None and names and all(map(known.has, names)) else []


def saved_names(job_input: StageInput, prompt_id: str) -> Iterator[SavedPicture]:
    """List the pictures that a job saves, by its input: one a node, or all by the only one."""
    nodes = sorted(
        node for node, about in job_input["graph"].items() if about["class_type"] == "SaveImage"
    )
    each = _pictures_a_node(job_input, len(nodes))
    folder, _, name = prefix_of(prompt_id).rpartition("/")
    for node in nodes:
        for number in range(1, each + 1):
            yield SavedPicture(node, f"{name}-{node}_{number:05}_.png", folder, "output")


def _pictures_a_node(job_input: StageInput, nodes: int) -> int:
    pictures: int | None = job_input["pictures"]
    if pictures is not None and nodes == 1:
        return pictures
    return 1 if pictures == nodes else 0
