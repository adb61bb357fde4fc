"""Capabilities that few pipelines have. A pipeline lists those that it has in `Pipeline.extras`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline_defs.fields import BriefField, list_order_fields
from pipeline_defs.pipeline import (
    Brief,
    Capability,
    Fault,
    Pipeline,
    Products,
    Stage,
    catch_error,
    find_binding_fault,
    find_unknown,
)
from resources.contract.errors import InvalidInputError
from resources.delivery.spool import Entry
from resources.files.artifacts import MEDIA_TYPES
from resources.ledger.request import SettledKey
from resources.process.settings import Settings
from resources.providers.vendor import VENDORS


@dataclass(frozen=True)
class Changeable(Capability):
    """The fields of an order that a redo may change, each with the first stage that it concerns."""

    fields: Mapping[str, str]

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield `fields` if it names a field or a stage that the pipeline lacks."""
        names = sorted(pipeline.order_model.model_fields)
        yield from find_unknown("fields", self.fields, names, "fields of the order")
        yield from find_unknown("fields", self.fields.values(), pipeline.stage_names, "stages")


def get_changeable(pipeline: Pipeline) -> Mapping[str, str]:
    """Return the fields that a redo may change, each with the first stage that it concerns."""
    found = pipeline.find_extra(Changeable)
    return {} if found is None else found.fields


def list_changeable_fields(pipeline: Pipeline) -> list[BriefField]:
    """List the fields that a redo may change, in the order of the model."""
    names = get_changeable(pipeline)
    return [field for field in list_order_fields(pipeline.order_model) if field.name in names]


@dataclass(frozen=True)
class FormValues(Capability):
    """The initial values of a form that differ from the order's defaults."""

    values: Mapping[str, Any]


def get_form_values(pipeline: Pipeline) -> Mapping[str, Any]:
    """Return the initial values of the pipeline's form that differ from the order's defaults."""
    found = pipeline.find_extra(FormValues)
    return {} if found is None else found.values


@dataclass(frozen=True)
class RemoteAcceptance(Capability):
    """A check of an order over HTTP.

    `check` raises InvalidInputError if the order names a resource of this machine's users.
    """

    check: Callable[[Brief], None]

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield `check` if it raises another error for the example."""
        if raised := catch_error(lambda: self.check(example), InvalidInputError):
            yield "check", f"expected nothing, or InvalidInputError, for the example, got {raised}"


def check_remote(pipeline: Pipeline, payload: Mapping[str, Any]) -> None:
    """Raise InvalidInputError if this order may not come over HTTP."""
    found = pipeline.find_extra(RemoteAcceptance)
    if found is not None:
        found.check(pipeline.parse(payload))


@dataclass(frozen=True)
class TypicalProducts(Capability):
    """Products of usual size by their stages, for the estimate of an order's price."""

    of: Callable[[Brief], Products]

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield `of` if it fails for the example."""
        if raised := catch_error(lambda: dict(self.of(example))):
            yield "of", f"expected products by their stages for the example, got {raised}"


def get_typical_products(pipeline: Pipeline, brief: Brief) -> Products:
    """Return the order's products of usual size, as far as they matter for its price."""
    found = pipeline.find_extra(TypicalProducts)
    return {} if found is None else found.of(brief)


@dataclass(frozen=True)
class MainFile(Capability):
    """The media type of the files that `castad make` prints, or `image/` for any picture.

    A stage has to make such a file.
    """

    media_type: str

    def matches(self, media_type: str) -> bool:
        """Whether a file of this type is a main file."""
        return media_type.startswith(self.media_type)

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield the type if castad gives it to no file."""
        if not any(map(self.matches, MEDIA_TYPES)):
            types = ", ".join(sorted(MEDIA_TYPES))
            yield "media_type", f"expected the type of a file: {types}, got {self.media_type}"


def is_main_file(pipeline: Pipeline, media_type: str) -> bool:
    """Return whether a file of this type is a main file of the pipeline."""
    found = pipeline.find_extra(MainFile)
    return found is not None and found.matches(media_type)


@dataclass(frozen=True)
class Pace(Capability):
    """The stage whose slots limit the orders at work unless the environment does.

    Orders then reach that stage in their order.
    """

    stage: str

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield `stage` if the pipeline has no such stage."""
        if self.stage not in pipeline.stage_names:
            yield "stage", f"expected one of {', '.join(pipeline.stage_names)}, got {self.stage}"


@dataclass(frozen=True)
class Jobs(Capability):
    """A pipeline's additional path at which the API accepts and shows its orders: `<path>/jobs`.

    `listings` are read at `<path>/<name>`: the values that an order may choose from, as JSON.
    """

    path: str
    listings: Mapping[str, Callable[[], Any]] = field(default_factory=dict)


_LONGEST_KEY = 200


@dataclass(frozen=True)
class UniqueKey(Capability):
    """The key that identifies a request of the pipeline, across owners if it is `shared`.

    `of` returns an order's key, or None for an order that is not definite yet. A function of `settled`, by its
    stage, then derives the key from that stage's product. If another request holds that key, an order of a shared
    pipeline takes over that request's products; any other order is dead as a duplicate.
    """

    of: Callable[[Brief], str | None]
    shared: bool = False
    settled: Mapping[str, Callable[[Brief, Any], str | None]] = field(default_factory=dict)

    @property
    def may_hold(self) -> bool:
        """Whether an order may wait for a person: not if other owners' orders would wait with it."""
        return not self.shared

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield each field that does not fit the pipeline or its example."""
        if raised := catch_error(lambda: _check_key(self.of(example))):
            yield "of", f"expected text for the example, got {raised}"
        yield from find_unknown("settled", self.settled, pipeline.stage_names, "stages")


_WITHOUT_KEY = UniqueKey(lambda brief: None)


def get_key_rules(pipeline: Pipeline) -> UniqueKey:
    """Return the pipeline's rules for unique keys; without any, rules by which no order has a key."""
    return pipeline.find_extra(UniqueKey) or _WITHOUT_KEY


def get_unique_key(pipeline: Pipeline, payload: Mapping[str, Any]) -> str | None:
    """Return the order's unique key; None if it has none, or none yet; raises InvalidInputError."""
    rules = pipeline.find_extra(UniqueKey)
    return None if rules is None else _check_key(rules.of(pipeline.parse(payload)))


def settle_key(
    pipeline: Pipeline, stage: Stage, brief: Brief, result: Mapping[str, Any]
) -> SettledKey | None:
    """Derive the order's unique key from a stage's stored result; None if the stage settles no key.

    Raises InvalidInputError.
    """
    rules = get_key_rules(pipeline)
    if stage.name not in rules.settled:
        return None
    product = stage.product.model_validate(result)
    key = _check_key(rules.settled[stage.name](brief, product))
    return None if key is None else SettledKey(key, rules.shared)


def can_settle_shared_key(pipeline: Pipeline) -> bool:
    """Return whether an order can turn out to be another request's, and take over its products."""
    rules = get_key_rules(pipeline)
    return rules.shared and any(name in rules.settled for name in pipeline.stage_names[:-1])


def get_shared_key_before(
    pipeline: Pipeline, stage: Stage, brief: Brief, products: Products
) -> str | None:
    """Return the key that the stage right before this one settled, if the pipeline is shared."""
    rules, position = get_key_rules(pipeline), pipeline.stage_names.index(stage.name)
    before = pipeline.stage_names[position - 1] if position else ""
    if not rules.shared or before not in rules.settled:
        return None
    return _check_key(rules.settled[before](brief, products[before]))


def get_key_after_redo(
    pipeline: Pipeline, first: str, payload: Mapping[str, Any], key: str | None
) -> str | None:
    """Return the order's unique key for a redo from the stage `first` on; `key` is the current one.

    A key that an earlier stage settled stays; one of a stage that is made again is open. Raises
    InvalidInputError.
    """
    kept = pipeline.stage_names[: pipeline.stage_names.index(first)]
    of_order = get_unique_key(pipeline, payload)
    is_settled = any(name in get_key_rules(pipeline).settled for name in kept)
    return key if of_order is None and is_settled else of_order


def _check_key(key: str | None) -> str | None:
    if key is not None and (not 0 < len(key) <= _LONGEST_KEY or "\0" in key):
        raise InvalidInputError(
            "unique_key", f"expected an order whose key has 1 to {_LONGEST_KEY} characters"
        )
    return key


@dataclass(frozen=True)
class Projection(Capability):
    """A ledger table with one row for each order, and the path at which the API shows it.

    `table` has the columns `id` (the task_id), `request_id`, `status`, `started_at`, `finished_at`, `summary`
    (JSON) and `name_key`. `values` returns all but the first five from the order and the products so far.
    Workers write a row in the transaction in which the stage `since`, or a later one, begins; a trigger closes it.
    `asked` returns the values known from the order alone, with `name_key`; None if the order names no subject.
    `names` are the two columns that name an order's subject; `name_key` joins both by "/", in small letters.
    `version` is the column for the subject's version.
    """

    table: str
    since: str
    values: Callable[[Brief, Products], Mapping[str, Any]]
    path: str
    names: tuple[str, str]
    version: str
    asked: Callable[[Brief], Mapping[str, Any] | None]

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield `since` if the pipeline has no such stage."""
        if self.since not in pipeline.stage_names:
            expected = f"expected one of {', '.join(pipeline.stage_names)}"
            yield "since", f"{expected}, got {self.since}"


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
class SourceCheck(Capability):
    """A check of a used order's source: the order is made again when the key that its `stage` settles has changed.

    `source_key` returns the source for an order and the stage's product. It returns None if the source cannot
    change or is not for other owners. `find` is "module:FindOrder"; it asks this `vendor` at most `an_hour` times
    an hour, which leaves the rest of the vendor's limit to waiting orders.
    """

    stage: str
    source_key: Callable[[Any, Any], SourceKey | None]
    find: str
    vendor: str
    an_hour: Callable[[Settings], int]

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield each field that does not fit the pipeline."""
        key = pipeline.find_extra(UniqueKey)
        if key is None or self.stage not in key.settled or not key.shared:
            # What a check orders has no owner.
            yield "stage", "expected a stage that settles the key of a shared pipeline"
        if fault := find_binding_fault(self.find):
            yield "find", fault
        if self.vendor not in VENDORS:
            yield "vendor", f"expected one of {', '.join(VENDORS)}, got {self.vendor}"


@dataclass(frozen=True)
class Listing:
    """A list that clients read as JSON at `<path>/<name>`, and an admin replaces there as CSV or JSON.

    `replace` takes the rows, or the text of a CSV file, and returns the new version; it raises InvalidInputError.
    `row` is the type of a row, for the API's description.
    """

    read: Callable[[], Any]
    replace: Callable[[Any], int] | None = None
    row: type | None = None


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
    def may_hold(self) -> bool:
        """Whether an order may wait for a person: it is answered at once."""
        return False


def list_stateless(pipelines: Iterable[Pipeline]) -> list[Stateless]:
    """List how those of the pipelines answer that answer directly."""
    found = (each.find_extra(Stateless) for each in pipelines)
    return [each for each in found if each is not None]
