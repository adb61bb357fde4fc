"""Answers to orders without the database, and what other programs may read and save beside them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline_defs.pipeline import Capability, Pipeline
from resources.delivery.spool import Entry


@dataclass(frozen=True)
class Listing:
    """A list that clients read as JSON at `<path>/<name>`, and an admin replaces there as CSV or JSON.

    `replace` takes the rows, or the text of a CSV file, and returns the new version; it raises InvalidInputError.
    """

    read: Callable[[], Any]
    replace: Callable[[Any], int] | None = None


@dataclass(frozen=True)
class SaveQueue:
    """A RabbitMQ queue through which other programs hand over saves.

    `entries` returns the saves in a message's parsed JSON; it raises InvalidInputError. A message becomes a dead
    letter if no consumer takes it within `ttl` seconds.
    """

    entries: Callable[[Any], Sequence[Entry]]
    ttl: int = 24 * 3600


@dataclass(frozen=True)
class CallQueue:
    """A RabbitMQ queue whose messages are answered from memory to their `reply_to`.

    `answer` takes the message and returns JSON; it raises InvalidInputError.
    """

    answer: Callable[[Any], Any]
    ttl: int = 30


@dataclass(frozen=True)
class Stateless(Capability):
    """The paths at which the API answers an order in its own process, and the saves that follow.

    POST `answer_path` returns the stream of the order's steps; POST `path` returns links to it. The steps are the
    stages before `after`, and each adds an equal part of progress. The answer does not wait for the stages in
    `after`. `result` builds the last event from all products; `lines` formats that for a terminal.
    `saves` go to the spool with the order's import before the last event. `targets` deliver them by name: each
    takes a save's body and raises if it has to be tried again. `queues` are those of other programs, by name.
    """

    path: str
    answer_path: str
    after: tuple[str, ...]
    result: Callable[[Any, Mapping[str, Any]], Mapping[str, Any]]
    saves: Callable[[Any, Mapping[str, Any], str], Sequence[Entry]]
    targets: Mapping[str, Callable[[Mapping[str, Any]], None]]
    lines: Callable[[Any, Mapping[str, Any]], Sequence[str]]
    failure: Callable[[Mapping[str, Any], str, str], str] = lambda payload, code, message: message
    """The client's error text, from the order's payload, the error's code and its message."""
    listings: Mapping[str, Listing] = field(default_factory=dict)
    queues: Mapping[str, SaveQueue | CallQueue] = field(default_factory=dict)
    warm: Callable[[], None] | None = None
    """A function that loads the steps' data into memory before the first order."""
    rest: Callable[[], None] | None = None
    """A function that stops refreshing the data that `warm` loaded."""

    @property
    def allows_holds(self) -> bool:
        """Whether an order may wait for a person: it is answered at once."""
        return False


def list_stateless(pipelines: Iterable[Pipeline]) -> list[Stateless]:
    """List how those of the pipelines answer that answer directly."""
    found = (each.find_extra(Stateless) for each in pipelines)
    return [each for each in found if each is not None]
