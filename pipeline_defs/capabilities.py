"""Optional capabilities of a pipeline: revisions, covers, source checks and direct answers."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from resources.delivery.spool import Entry
from resources.process.settings import Settings


@dataclass(frozen=True)
class Revision:
    """The fields of a product that a person may edit.

    `model` validates them, under the product's field names. `apply` takes the brief, the current product and the
    edited fields, and returns the new product; it raises InvalidInputError.
    """

    model: type[BaseModel]
    apply: Callable[[Any, Any, BaseModel], Any]

    def fields_of(self, product: Any) -> dict[str, Any]:
        """Return the editable fields with their values in the product."""
        return {name: getattr(product, name) for name in self.model.model_fields}


@dataclass(frozen=True)
class Choice:
    """One of several alternatives that one payment bought.

    `file` is the name of its artifact, `seconds` its playing time.
    """

    id: str
    label: str
    file: str | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Choices:
    """The alternatives in a product that one payment bought.

    `of` lists them, the used one first. `choose` returns the product that uses the choice with this id; its files
    stay.
    """

    of: Callable[[Any], Sequence[Choice]]
    choose: Callable[[Any, str], Any]


@dataclass(frozen=True)
class Cover:
    """The file name prefixes of an order's covers: `large` in the work's full size, `small` for lists.

    A cover of a later generation, or a chosen one, has a number after the prefix. The newest is the cover.
    """

    large: str
    small: str

    def find_large(self, names: Iterable[str]) -> str | None:
        """Find the cover among the names of an order's files, newest last; None without one."""
        return _find_newest(self.large, names)

    def find_small(self, names: Iterable[str]) -> str | None:
        """Find the cover for lists among these names, newest last; None without one."""
        return _find_newest(self.small, names)


def _find_newest(beginning: str, names: Iterable[str]) -> str | None:
    found = None
    for name in names:
        if re.split("[-.]", name, maxsplit=1)[0] == beginning:
            found = name
    return found


@dataclass(frozen=True)
class SourceKey:
    """The source of an order and the part of it, as short texts that are equal for the same source.

    If the pipeline has a projection, `subject` is its `name_key`: reading a row counts as a use.
    """

    subject: str
    part: str = ""


@dataclass(frozen=True)
class Found:
    """The definite order that an order resolves to now; it has a unique key.

    `order` is None if it may not be made without a client's request. The source compares the `mark` to detect a
    change.
    """

    order: Mapping[str, Any] | None
    mark: str = ""


FindOrder = Callable[[Any, str, Settings], Found | None]
"""A function of the order, the last mark and the settings; it returns None if the source has not changed.

It raises the errors of `resources.contract.errors`.
"""


@dataclass(frozen=True)
class SourceCheck:
    """A check of a used order's source: the order is made again when its stage's `settled_key` has changed.

    `source_key` returns the source for an order and the stage's product. It returns None if the source cannot
    change or is not for other owners. `find` is "module:FindOrder"; it asks this `vendor` at most `an_hour` times
    an hour, which leaves the rest of the vendor's limit to waiting orders.
    """

    source_key: Callable[[Any, Any], SourceKey | None]
    find: str
    vendor: str
    an_hour: Callable[[Settings], int]


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
class Stateless:
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
