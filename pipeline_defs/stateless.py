"""What a pipeline says of orders that are answered before any database is asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from resources.spool.entry import Entry


@dataclass(frozen=True)
class Listing:
    """A list that is read at `<path>/<name>` as JSON, and replaced there by an admin as CSV or JSON.

    `replace` takes the rows, or the text of a CSV file, and returns the new version; it raises InvalidInputError.
    """

    read: Callable[[], Any]
    replace: Callable[[Any], int] | None = None


@dataclass(frozen=True)
class SaveQueue:
    """A queue at RabbitMQ by which other programs hand saves over.

    `entries` are the saves of a message, parsed from JSON; it raises InvalidInputError. A message that nobody
    takes for `ttl` seconds is a dead letter.
    """

    entries: Callable[[Any], Sequence[Entry]]
    ttl: int = 24 * 3600


@dataclass(frozen=True)
class CallQueue:
    """A queue at RabbitMQ whose messages are answered to their `reply_to`, from memory.

    `answer` takes the message and returns JSON; it raises InvalidInputError.
    """

    answer: Callable[[Any], Any]
    ttl: int = 30


@dataclass(frozen=True)
class Stateless:
    """The paths at which the API answers an order itself, and what is kept of it afterwards.

    POST `answer_path` is answered with the stream of the order's steps; POST `path` with links to it. The steps
    are the stages before `after`, which the answer does not wait for: their progress is in equal parts. `result`
    is what the last event says of all products, and `lines` are that in words for a terminal. `saves` are handed
    to the spool before the last event, with the order's import; `targets` deliver them: a function of a save's
    body, which raises where it has to be tried again. `queues` are those of other programs, by name.
    """

    path: str
    answer_path: str
    after: tuple[str, ...]
    result: Callable[[Any, Mapping[str, Any]], Mapping[str, Any]]
    saves: Callable[[Any, Mapping[str, Any], str], Sequence[Entry]]
    targets: Mapping[str, Callable[[Mapping[str, Any]], None]]
    lines: Callable[[Any, Mapping[str, Any]], Sequence[str]]
    failure: Callable[[Mapping[str, Any], str, str], str] = lambda payload, code, message: message
    """What a client reads of an error, by the order's payload, the error's code and its message."""
    listings: Mapping[str, Listing] = field(default_factory=dict)
    queues: Mapping[str, SaveQueue | CallQueue] = field(default_factory=dict)
    warm: Callable[[], None] | None = None
    """Loads what the steps read from memory, so that the first order does not wait for it."""
    rest: Callable[[], None] | None = None
    """Ends what keeps that new."""
