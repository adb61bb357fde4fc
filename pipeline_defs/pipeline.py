"""What a pipeline is: data without Dagster, so that commands and sensors load it in milliseconds."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from pipeline_defs.capabilities import Choices, Cover, Revision, SourceCheck, SourceKey, Stateless
from pipeline_defs.fields import BriefField, as_json, brief_fields, first_input_error
from resources.contract.errors import InvalidInputError
from resources.contract.protocol import Product, StageInput, Work
from resources.ledger.admission import DEFAULT_QUEUE
from resources.ledger.request import ProjectionChange, SettledKey
from resources.ledger.retention_rules import Kept
from resources.process.setting_types import Days, Seconds

_log = logging.getLogger("castad.pipeline")

Brief = Any
"""An instance of the pipeline's own model of an order."""
Products = Mapping[str, Any]
"""The products of the completed stages, by stage; each is an instance of its stage's model."""

_LONGEST_KEY = 200
_LONGEST_NAME = 64


@dataclass(frozen=True)
class StageBase:
    """One step of a pipeline, and its product as it is stored.

    `needs` are the earlier stages that it takes as inputs of its op; None means the stage before it.
    `metadata` is "module:function": it takes the product and the artifact store and returns what the asset catalog
    shows; `words` gives the product's words for people. `retry_seconds` and `slots` apply where the environment
    does not set them. While an order waits for the approval of the stage, a person may change its product by
    `revision`, and take another one of `choices`.
    """

    name: str
    product: type[BaseModel]
    title: str
    needs: tuple[str, ...] | None = field(default=None, kw_only=True)
    retry_seconds: Seconds = field(default=30.0, kw_only=True)
    slots: Annotated[int, Field(ge=1)] | None = field(default=None, kw_only=True)
    deadline: Seconds | None = field(default=None, kw_only=True)
    metadata: str = field(default="", kw_only=True)
    words: Callable[[Any], str] | None = field(default=None, kw_only=True)
    revision: Revision | None = field(default=None, kw_only=True)
    choices: Choices | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class BoughtStage(StageBase):
    """A stage that a provider makes, bought at most once.

    `job_input` builds the provider's input from the brief, the task_id and the products so far. `makers` are the
    providers that can make its `kind`: the first whose key is set is used; the last needs no key. Where `known`
    gives a result, it is the stage's, and nobody is asked.
    """

    job_input: Callable[[Brief, str, Products], StageInput] = field(kw_only=True)
    makers: tuple[str, ...] = field(kw_only=True)
    kind: str = field(default="", kw_only=True)
    known: Callable[[Brief, Products], Mapping[str, Any] | None] | None = field(
        default=None, kw_only=True
    )

    def known_result(self, brief: Brief, products: Products) -> Mapping[str, Any] | None:
        """The stage's result where nobody has to be asked for it, else None."""
        return None if self.known is None else self.known(brief, products)


@dataclass(frozen=True)
class LocalStage(StageBase):
    """A stage that a function of the pipeline makes on the worker's machine; nothing is submitted or paid.

    `work` may run again after a crash. It raises the errors of `resources.contract.errors`. `settled_key` is the
    order's unique key by its product; where another request holds that key and the pipeline is shared, the order
    takes over what that one makes, else it is dead as its duplicate. By `source_check` it is made again when
    that key has changed.
    """

    work: Callable[[Brief, Products, Work], Product] = field(kw_only=True)
    settled_key: Callable[[Brief, Any], str | None] | None = field(default=None, kw_only=True)
    source_check: SourceCheck | None = field(default=None, kw_only=True)


Stage = BoughtStage | LocalStage


@dataclass(frozen=True)
class Projection:
    """A table of the ledger in which workers keep a row of each order, and the path at which the API shows it.

    `table` has the columns `id` (the task_id), `request_id`, `status`, `started_at`, `finished_at`, `summary`
    (JSON) and `name_key`; `values` are all but the first five, by the order and the products so far. A row is
    written in the transaction in which the stage `since`, or a later one, begins; a trigger closes it. `asked` are
    the values that an order alone has, `name_key` among them; None where it names nothing.
    `names` are the two columns that name what an order is about; `name_key` is both, joined by "/", in small
    letters. `version` is the column that says which state of it.
    """

    table: str
    since: str
    values: Callable[[Brief, Products], Mapping[str, Any]]
    path: str
    names: tuple[str, str]
    version: str
    asked: Callable[[Brief], Mapping[str, Any] | None]


@dataclass(frozen=True)
class Jobs:
    """The paths of its own at which the API takes a pipeline's orders and shows them: `<path>/jobs`.

    `listings` are read at `<path>/<name>`: what an order may choose from, as JSON.
    """

    path: str
    listings: Mapping[str, Callable[[], Any]] = field(default_factory=dict)


def _no_products(brief: Brief) -> Products:
    return {}


def _accept_all(brief: Brief, makers: Mapping[str, str], settings: Any) -> None:
    """Every order is fulfilled."""


def _accept_remote(brief: Brief) -> None:
    """Every order may come over the network."""


@dataclass(frozen=True)
class Remark:
    """A soft warning about an order, before it is made: a stable code and one sentence.

    `choices` are the field's values that the sentence names, by what they are, for a text in another language.
    """

    code: str
    sentence: str
    choices: Mapping[str, str] = field(default_factory=dict)


def _no_remarks(brief: Brief, makers: Mapping[str, str]) -> Sequence[Remark]:
    return ()


def _last_product(products: Products) -> Any:
    return list(products.values())[-1].model_dump(mode="json", exclude={"files"})


@dataclass(frozen=True)
class Pipeline:
    """A kind of order, and everything that the faces, the sensors and the engine need to know of it.

    `accept` raises InvalidInputError for an order that these makers (by stage) and settings cannot fulfill,
    `accept_remote` for one that may not come over HTTP, since it names what only this machine's users may reach.
    `remarks` are soft warnings about an order that these makers can fulfill. `form` is what a form begins with,
    where that is not the order's default. `typical` are products of usual size, by which an order's price is
    estimated. `result` is what a client gets, as JSON, from all products; the default is the last stage's product.
    `result_model` is its model. `main_file`
    is the media type of the files that `castad make` prints, or `image/` for any picture, which a stage has to
    make; "" prints the result. `cover` says which of an order's files is its picture. `pictures` are the fields of
    the order that hold pictures. `changeable` are the fields that a redo may change, each with the first stage
    that it concerns. Two orders with one `unique_key`
    are one request: for every owner where the pipeline is
    `shared`. None is the key of an order that is not definite yet; a local stage then has one by its product
    (`LocalStage.settled_key`). Queues are served in turn. `paced_by` is the stage whose slots limit how many
    orders are at work, where the environment does not: they come to it in their order. `keep` has the days for
    which its orders are kept where castad's settings (`CASTAD_KEEP_…`) are not meant. `projection` is what workers
    keep of its orders, `jobs` where the API also takes them, `stateless` how an order is answered before any
    database is asked.
    """

    name: str
    title: str
    brief: type[BaseModel]
    stages: Annotated[tuple[Stage, ...], Field(min_length=1)]
    example: Mapping[str, Any]
    summary: Callable[[Brief], str]
    accept: Callable[[Brief, Mapping[str, str], Any], None] = _accept_all
    accept_remote: Callable[[Brief], None] = _accept_remote
    remarks: Callable[[Brief, Mapping[str, str]], Sequence[Remark]] = _no_remarks
    typical: Callable[[Brief], Products] = _no_products
    result: Callable[[Products], Any] = _last_product
    result_model: type[BaseModel] | None = None
    main_file: str = ""
    cover: Cover | None = None
    pictures: tuple[str, ...] = ()
    changeable: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, Any] = field(default_factory=dict)
    unique_key: Callable[[Brief], str | None] | None = None
    shared: bool = False
    queue: str = DEFAULT_QUEUE
    paced_by: str = ""
    keep: Mapping[Kept, Days] = field(default_factory=dict)
    projection: Projection | None = None
    jobs: Jobs | None = None
    stateless: Stateless | None = None

    def is_main(self, media_type: str) -> bool:
        """Whether a file of this type is a main file."""
        return bool(self.main_file) and media_type.startswith(self.main_file)

    @property
    def stage_names(self) -> tuple[str, ...]:
        """The stages in order."""
        return tuple(stage.name for stage in self.stages)

    @property
    def holdable(self) -> tuple[str, ...]:
        """The stages after which an order may wait for a person.

        None where it is answered at once, or where other owners' orders would wait with it.
        """
        return () if self.stateless or self.shared else self.stage_names[:-1]

    def check_hold(self, stages: Iterable[str]) -> None:
        """Return if an order may wait for a person after each of these stages; raises InvalidInputError `hold`."""
        unknown = next((name for name in stages if name not in self.holdable), None)
        if unknown is None:
            return
        known = ", ".join(self.holdable)
        expected = f"expected stages of {self.name} before its last one: {known}"
        none = f"expected none: no stage of {self.name} waits for a person"
        shown = ascii(unknown)[:_LONGEST_NAME]
        raise InvalidInputError("hold", f"{expected if known else none}, got {shown}")

    @property
    def changeable_fields(self) -> list[BriefField]:
        """The fields that a redo may change, in order."""
        return [field for field in brief_fields(self.brief) if field.name in self.changeable]

    def find_stage(self, name: str) -> Stage | None:
        """The stage of this name, if there is one."""
        return next((stage for stage in self.stages if stage.name == name), None)

    def stage(self, field: str, name: str) -> Stage:
        """The stage of this name; raises InvalidInputError that names the field which holds it."""
        found = self.find_stage(name)
        if found is None:
            *others, last = self.stage_names
            expected = f"{', '.join(others)} or {last}" if others else last
            raise InvalidInputError(field, f"expected {expected}")
        return found

    @property
    def source_check(self) -> SourceCheck | None:
        """How its orders are made again, None where they are not."""
        found = (each.source_check for each in self.stages if isinstance(each, LocalStage))
        return next((each for each in found if each is not None), None)

    def source_key(self, stage: Stage, brief: Brief, result: Mapping[str, Any]) -> SourceKey | None:
        """The source of the order, by this stored result of a stage; None where it is not submitted again."""
        if not isinstance(stage, LocalStage) or stage.source_check is None:
            return None
        return stage.source_check.source_key(brief, stage.product.model_validate(result))

    def needs(self, stage: Stage) -> tuple[str, ...]:
        """The stages whose products this stage takes as inputs."""
        if stage.needs is not None:
            return stage.needs
        position = self.stages.index(stage)
        return self.stage_names[position - 1 : position] if position else ()

    def is_needed(self, stage: Stage) -> bool:
        """Whether another stage takes this stage's product as an input, and so comes after it."""
        return any(stage.name in self.needs(other) for other in self.stages)

    def parse(self, payload: Mapping[str, Any]) -> Brief:
        """The brief in a payload; raises InvalidInputError that names the field and what was expected."""
        try:
            return self.brief.model_validate(dict(payload))
        except ValidationError as error:
            raise first_input_error(error, tuple(self.brief.model_fields)) from None

    def normalize(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The payload with all defaults, as JSON; raises InvalidInputError."""
        brief: BaseModel = self.parse(payload)
        return brief.model_dump(mode="json")

    def summary_of(self, payload: Mapping[str, Any]) -> str:
        """The order in a few words for people; raises InvalidInputError."""
        return self.summary(self.parse(payload))

    @property
    def worded_stages(self) -> tuple[Stage, ...]:
        """The stages whose products have words for people, in order."""
        return tuple(stage for stage in self.stages if stage.words is not None)

    def words_of(self, results: Mapping[str, Mapping[str, Any]]) -> str:
        """The words of the stages' stored results, "" without any; a result that does not fit has none."""
        return "\n\n".join(
            words
            for stage in self.worded_stages
            if stage.name in results and (words := self._words(stage, results[stage.name]))
        )

    def _words(self, stage: Stage, result: Mapping[str, Any]) -> str:
        if stage.words is None:
            return ""
        try:
            return str(stage.words(stage.product.model_validate(result)))
        except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
            _log.warning("words not shown: pipeline=%s error=%s", self.name, type(error).__name__)
            return ""

    def same_order(self, stored: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
        """Whether two payloads mean the same order; False where one is invalid."""
        try:
            return self.normalize(stored) == self.normalize(given)
        except InvalidInputError:
            return False

    def key_of(self, payload: Mapping[str, Any]) -> str | None:
        """The order's unique key, None where it has none yet or never; raises InvalidInputError."""
        if self.unique_key is None:
            return None
        return self._checked_key(self.unique_key(self.parse(payload)))

    def settle_key(
        self, stage: Stage, brief: Brief, result: Mapping[str, Any]
    ) -> SettledKey | None:
        """The unique key that the order has by this stored result of a stage, None where it says nothing of it.

        Raises InvalidInputError.
        """
        if not isinstance(stage, LocalStage) or stage.settled_key is None:
            return None
        product = stage.product.model_validate(result)
        key = self._checked_key(stage.settled_key(brief, product))
        return None if key is None else SettledKey(key, self.shared)

    @property
    def settles_shared_key(self) -> bool:
        """Whether a stage finds out that another request is the same order, and takes over what that one makes."""
        settles = (isinstance(each, LocalStage) and each.settled_key for each in self.stages[:-1])
        return self.shared and any(settles)

    def shared_key_before(self, stage: Stage, brief: Brief, products: Products) -> str | None:
        """Return the key that the stage right before this one has settled, where all owners share its holder."""
        position = self._position(stage.name)
        before = self.stages[position - 1] if position else None
        if not self.shared or not isinstance(before, LocalStage) or before.settled_key is None:
            return None
        return self._checked_key(before.settled_key(brief, products[before.name]))

    @property
    def projection_table(self) -> str | None:
        """The table of its projection; None where it has none."""
        return None if self.projection is None else self.projection.table

    def projection_change(
        self, stage: Stage, brief: Brief, products: Products
    ) -> ProjectionChange | None:
        """What the order's projection holds when this stage begins, None where it has none or none yet."""
        if self.projection is None or self._position(stage.name) < self._position(
            self.projection.since
        ):
            return None
        return ProjectionChange(self.projection.table, self.projection.values(brief, products))

    def _position(self, stage: str) -> int:
        return self.stage_names.index(stage)

    def key_after_redo(self, first: str, payload: Mapping[str, Any], key: str | None) -> str | None:
        """The unique key of the order when stages are made again from the first one on; it had `key` before.

        What a stage before has settled holds; what a stage settles that is made again is open. Raises
        InvalidInputError.
        """
        kept = self.stages[: self.stage_names.index(first)]
        is_settled = any(isinstance(each, LocalStage) and each.settled_key for each in kept)
        of_order = self.key_of(payload)
        return key if of_order is None and is_settled else of_order

    def _checked_key(self, key: str | None) -> str | None:
        if key is not None and (not 0 < len(key) <= _LONGEST_KEY or "\0" in key):
            raise InvalidInputError(
                "unique_key", f"expected an order whose key has 1 to {_LONGEST_KEY} characters"
            )
        return key

    def result_of(self, results: Mapping[str, Mapping[str, Any]]) -> Any:
        """What a client gets of the stages' stored results, as JSON; None where they do not fit this release."""
        try:
            return as_json(self.result(self.products(results)))
        except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
            _log.warning("result not shown: pipeline=%s error=%s", self.name, type(error).__name__)
            return None

    def products(self, results: Mapping[str, Mapping[str, Any]]) -> Products:
        """The stored results of stages as their models."""
        return {
            stage.name: stage.product.model_validate(results[stage.name])
            for stage in self.stages
            if stage.name in results
        }
