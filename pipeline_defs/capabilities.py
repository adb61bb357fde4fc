"""What a pipeline may do beside its stages: revisions, covers, source checks and direct answers."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from resources.process.settings import Settings
from resources.spool.spool import Entry


@dataclass(frozen=True)
class Revision:
    """The fields of a product that a person may edit.

    `model` has them, under the names that they have in the product, and checks them; `apply` gives the product
    with them, by the brief and the product as it was. It raises InvalidInputError.
    """

    model: type[BaseModel]
    apply: Callable[[Any, Any, BaseModel], Any]

    def fields_of(self, product: Any) -> dict[str, Any]:
        """The fields that a person may change, with the values that they have in the product."""
        return {name: getattr(product, name) for name in self.model.model_fields}


@dataclass(frozen=True)
class Choice:
    """One of what was paid for together. `file` is the name of its artifact, `seconds` how long it plays."""

    id: str
    label: str
    file: str | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Choices:
    """Of a product that several were paid for: which they are, the used one first, and how another one is used.

    `choose` gives the product in which the choice of this id is the one that is used; its files stay.
    """

    of: Callable[[Any], Sequence[Choice]]
    choose: Callable[[Any, str], Any]


@dataclass(frozen=True)
class Cover:
    """How the names of an order's covers begin: `large` is of the work's full size, `small` is for lists.

    A cover of a later generation, or one that was chosen, has a number after it. The newest is the cover.
    """

    large: str
    small: str

    def large_of(self, names: Iterable[str]) -> str | None:
        """The cover among the names of an order's files, the newest last; None where it has none."""
        return _newest(self.large, names)

    def small_of(self, names: Iterable[str]) -> str | None:
        """The cover for lists among these names; None where the order has none."""
        return _newest(self.small, names)


def _newest(beginning: str, names: Iterable[str]) -> str | None:
    found = None
    for name in names:
        if re.split("[-.]", name, maxsplit=1)[0] == beginning:
            found = name
    return found


@dataclass(frozen=True)
class SourceKey:
    """The source of an order, and which part of it: short texts, equal where the same is meant.

    Where the pipeline has a projection, `subject` is its `name_key`: reading a row is a use.
    """

    subject: str
    part: str = ""


@dataclass(frozen=True)
class Found:
    """What an order comes to now: the definite order, which has a unique key.

    None is the order that may not be made unasked. With the `mark` the source says whether it has changed since.
    """

    order: Mapping[str, Any] | None
    mark: str = ""


FindOrder = Callable[[Any, str, Settings], Found | None]
"""By the order, the last mark and the settings: what the order comes to; None where nothing has changed.

Raises the errors of `resources.contract.errors`.
"""


@dataclass(frozen=True)
class SourceCheck:
    """Of a stage with a `settled_key`: its order is made again, while it is used, when that key has changed.

    `source_key` says by the order and the stage's product what its source is, None where that cannot change or is
    not for other owners. `find` is "module:FindOrder", which asks this `vendor`, no more than `an_hour` times in
    an hour, so that the vendor's limit is left to those who wait.
    """

    source_key: Callable[[Any, Any], SourceKey | None]
    find: str
    vendor: str
    an_hour: Callable[[Settings], int]


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
