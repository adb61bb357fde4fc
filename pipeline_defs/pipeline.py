"""The data of a pipeline, without Dagster, so that commands and sensors load it in milliseconds."""

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
    """One step of a pipeline, with the model of its stored product.

    `needs` are the earlier stages whose products are inputs of its op; None means the stage before it.
    `metadata` is "module:function": it takes the product and the artifact store and returns the metadata for the
    asset catalog. `words` returns the product's text for people. `retry_seconds` and `slots` apply unless the
    environment sets them. While an order waits for the approval of the stage, a person may edit its product
    through `revision` and select another of its `choices`.
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
    providers that can make its `kind`: the first whose key is set is used; the last needs no key. If `known`
    returns a result, that is the stage's result, and no provider is asked.
    """

    job_input: Callable[[Brief, str, Products], StageInput] = field(kw_only=True)
    makers: tuple[str, ...] = field(kw_only=True)
    kind: str = field(default="", kw_only=True)
    known: Callable[[Brief, Products], Mapping[str, Any] | None] | None = field(
        default=None, kw_only=True
    )

    def known_result(self, brief: Brief, products: Products) -> Mapping[str, Any] | None:
        """Return the stage's result if it is known without a provider, else None."""
        return None if self.known is None else self.known(brief, products)


@dataclass(frozen=True)
class LocalStage(StageBase):
    """A stage that a function of the pipeline makes on the worker's machine; it submits and pays nothing.

    `work` may run again after a crash. It raises the errors of `resources.contract.errors`. `settled_key` derives
    the order's unique key from the product. If another request holds that key, an order of a shared pipeline
    takes over that request's products; any other order is dead as a duplicate. `source_check` makes the order
    again when that key has changed.
    """

    work: Callable[[Brief, Products, Work], Product] = field(kw_only=True)
    settled_key: Callable[[Brief, Any], str | None] | None = field(default=None, kw_only=True)
    source_check: SourceCheck | None = field(default=None, kw_only=True)


Stage = BoughtStage | LocalStage


@dataclass(frozen=True)
class Projection:
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


@dataclass(frozen=True)
class Jobs:
    """A pipeline's additional path at which the API accepts and shows its orders: `<path>/jobs`.

    `listings` are read at `<path>/<name>`: the values that an order may choose from, as JSON.
    """

    path: str
    listings: Mapping[str, Callable[[], Any]] = field(default_factory=dict)


def _return_no_products(brief: Brief) -> Products:
    return {}


def _accept_all(brief: Brief, makers: Mapping[str, str], settings: Any) -> None:
    """Accept every order."""


def _accept_remote(brief: Brief) -> None:
    """Accept every order from the network."""


@dataclass(frozen=True)
class Remark:
    """A soft warning about an order, before it is made: a stable code and one sentence.

    `choices` are the field's values in the sentence, by their meaning, for a text in another language.
    """

    code: str
    sentence: str
    choices: Mapping[str, str] = field(default_factory=dict)


def _return_no_remarks(brief: Brief, makers: Mapping[str, str]) -> Sequence[Remark]:
    return ()


def _get_last_product(products: Products) -> Any:
    return list(products.values())[-1].model_dump(mode="json", exclude={"files"})


@dataclass(frozen=True)
class Pipeline:
    """A kind of order, with everything that the interfaces, the sensors and the engine need.

    - `accept` raises InvalidInputError for an order that these makers (by stage) and settings cannot fulfill.
    - `accept_remote` raises it for an order over HTTP that names a resource of this machine's users.
    - `remarks` returns soft warnings about an order that these makers can fulfill.
    - `typical` returns products of usual size, for the estimate of an order's price.
    - `result` builds the client's JSON from all products; the default is the last product. `result_model` is its
      model.
    - `main_file` is the media type of the files that `castad make` prints, or `image/` for any picture. A stage
      has to make such a file; "" prints the result.
    - `cover` finds an order's cover among its files. `pictures` are the order's fields that hold pictures.
    - `changeable` maps each field that a redo may change to the first stage that it concerns.
    - `form` has a form's initial values that differ from the order's defaults.
    - `unique_key` identifies a request: orders with the same key are one request, across owners if `shared`. It
      is None for an order that is not definite yet; `LocalStage.settled_key` then derives it from a product.
    - `queue` is served in turn with the other queues.
    - `paced_by` is the stage whose slots limit the orders at work unless the environment does. They reach that
      stage in their order.
    - `keep` has the retention in days where it differs from the settings `CASTAD_KEEP_…`.
    - `projection` is the ledger table of its orders, `jobs` the API's additional path for them.
    - `stateless` answers an order without the database.
    """

    name: str
    title: str
    brief: type[BaseModel]
    stages: Annotated[tuple[Stage, ...], Field(min_length=1)]
    example: Mapping[str, Any]
    summary: Callable[[Brief], str]
    accept: Callable[[Brief, Mapping[str, str], Any], None] = _accept_all
    accept_remote: Callable[[Brief], None] = _accept_remote
    remarks: Callable[[Brief, Mapping[str, str]], Sequence[Remark]] = _return_no_remarks
    typical: Callable[[Brief], Products] = _return_no_products
    result: Callable[[Products], Any] = _get_last_product
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

        Empty if the order is answered at once, or if other owners' orders would wait with it.
        """
        return () if self.stateless or self.shared else self.stage_names[:-1]

    def check_hold(self, stages: Iterable[str]) -> None:
        """Raise InvalidInputError `hold` unless an order may wait for a person after each of these stages."""
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
        """Return the stage of this name, if there is one."""
        return next((stage for stage in self.stages if stage.name == name), None)

    def stage(self, field: str, name: str) -> Stage:
        """Return the stage of this name; raises InvalidInputError naming the `field` that holds the name."""
        found = self.find_stage(name)
        if found is None:
            *others, last = self.stage_names
            expected = f"{', '.join(others)} or {last}" if others else last
            raise InvalidInputError(field, f"expected {expected}")
        return found

    @property
    def source_check(self) -> SourceCheck | None:
        """The check that makes its orders again; None without one."""
        found = (each.source_check for each in self.stages if isinstance(each, LocalStage))
        return next((each for each in found if each is not None), None)

    def source_key(self, stage: Stage, brief: Brief, result: Mapping[str, Any]) -> SourceKey | None:
        """Return the order's source from a stage's stored result; None if the order is not submitted again."""
        if not isinstance(stage, LocalStage) or stage.source_check is None:
            return None
        return stage.source_check.source_key(brief, stage.product.model_validate(result))

    def needs(self, stage: Stage) -> tuple[str, ...]:
        """Return the stages whose products this stage takes as inputs."""
        if stage.needs is not None:
            return stage.needs
        position = self.stages.index(stage)
        return self.stage_names[position - 1 : position] if position else ()

    def is_needed(self, stage: Stage) -> bool:
        """Return whether another stage takes this stage's product as an input, and so follows it."""
        return any(stage.name in self.needs(other) for other in self.stages)

    def parse(self, payload: Mapping[str, Any]) -> Brief:
        """Parse the brief in a payload; raises InvalidInputError naming the field and the expected value."""
        try:
            return self.brief.model_validate(dict(payload))
        except ValidationError as error:
            raise first_input_error(error, tuple(self.brief.model_fields)) from None

    def normalize(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return the payload with all defaults, as JSON; raises InvalidInputError."""
        brief: BaseModel = self.parse(payload)
        return brief.model_dump(mode="json")

    def summary_of(self, payload: Mapping[str, Any]) -> str:
        """Summarize the order in a few words for people; raises InvalidInputError."""
        return self.summary(self.parse(payload))

    @property
    def worded_stages(self) -> tuple[Stage, ...]:
        """The stages whose products have words for people, in order."""
        return tuple(stage for stage in self.stages if stage.words is not None)

    def words_of(self, results: Mapping[str, Mapping[str, Any]]) -> str:
        """Join the words of the stages' stored results; "" without any.

        A result that does not fit its stage's model has no words.
        """
        return "\n\n".join(
            words
            for stage in self.worded_stages
            if stage.name in results and (words := self._read_words(stage, results[stage.name]))
        )

    def _read_words(self, stage: Stage, result: Mapping[str, Any]) -> str:
        if stage.words is None:
            return ""
        try:
            return str(stage.words(stage.product.model_validate(result)))
        except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
            _log.warning("words not shown: pipeline=%s error=%s", self.name, type(error).__name__)
            return ""

    def same_order(self, stored: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
        """Return whether two payloads mean the same order; False if one is invalid."""
        try:
            return self.normalize(stored) == self.normalize(given)
        except InvalidInputError:
            return False

    def key_of(self, payload: Mapping[str, Any]) -> str | None:
        """Return the order's unique key; None if it has none, or none yet; raises InvalidInputError."""
        if self.unique_key is None:
            return None
        return self._check_key(self.unique_key(self.parse(payload)))

    def settle_key(
        self, stage: Stage, brief: Brief, result: Mapping[str, Any]
    ) -> SettledKey | None:
        """Derive the order's unique key from a stage's stored result; None if the stage settles no key.

        Raises InvalidInputError.
        """
        if not isinstance(stage, LocalStage) or stage.settled_key is None:
            return None
        product = stage.product.model_validate(result)
        key = self._check_key(stage.settled_key(brief, product))
        return None if key is None else SettledKey(key, self.shared)

    @property
    def settles_shared_key(self) -> bool:
        """Whether a stage can find that another request is the same order, and take over its products."""
        settles = (isinstance(each, LocalStage) and each.settled_key for each in self.stages[:-1])
        return self.shared and any(settles)

    def get_shared_key_before(self, stage: Stage, brief: Brief, products: Products) -> str | None:
        """Return the key that the stage right before this one settled, if the pipeline is shared."""
        position = self._find_position(stage.name)
        before = self.stages[position - 1] if position else None
        if not self.shared or not isinstance(before, LocalStage) or before.settled_key is None:
            return None
        return self._check_key(before.settled_key(brief, products[before.name]))

    @property
    def projection_table(self) -> str | None:
        """The table of its projection; None without one."""
        return None if self.projection is None else self.projection.table

    def make_projection_change(
        self, stage: Stage, brief: Brief, products: Products
    ) -> ProjectionChange | None:
        """Return the projection's row for the beginning of this stage; None without one, or before `since`."""
        if self.projection is None or self._find_position(stage.name) < self._find_position(
            self.projection.since
        ):
            return None
        return ProjectionChange(self.projection.table, self.projection.values(brief, products))

    def _find_position(self, stage: str) -> int:
        return self.stage_names.index(stage)

    def key_after_redo(self, first: str, payload: Mapping[str, Any], key: str | None) -> str | None:
        """Return the order's unique key for a redo from the stage `first` on; `key` is the current one.

        A key that an earlier stage settled stays; one of a stage that is made again is open. Raises
        InvalidInputError.
        """
        kept = self.stages[: self.stage_names.index(first)]
        is_settled = any(isinstance(each, LocalStage) and each.settled_key for each in kept)
        of_order = self.key_of(payload)
        return key if of_order is None and is_settled else of_order

    def _check_key(self, key: str | None) -> str | None:
        if key is not None and (not 0 < len(key) <= _LONGEST_KEY or "\0" in key):
            raise InvalidInputError(
                "unique_key", f"expected an order whose key has 1 to {_LONGEST_KEY} characters"
            )
        return key

    def result_of(self, results: Mapping[str, Mapping[str, Any]]) -> Any:
        """Build the client's JSON from the stages' stored results; None if they do not fit this release."""
        try:
            return as_json(self.result(self.products(results)))
        except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
            _log.warning("result not shown: pipeline=%s error=%s", self.name, type(error).__name__)
            return None

    def products(self, results: Mapping[str, Mapping[str, Any]]) -> Products:
        """Return the stored results of stages as their models."""
        return {
            stage.name: stage.product.model_validate(results[stage.name])
            for stage in self.stages
            if stage.name in results
        }
