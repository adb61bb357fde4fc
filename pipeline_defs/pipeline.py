"""The data of a pipeline, without Dagster, so that commands and sensors load it in milliseconds."""

import logging
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import FunctionType
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from pipeline_defs.approval import Choices, Revision
from pipeline_defs.fields import as_json, find_first_input_error
from resources.contract.errors import InvalidInputError
from resources.contract.protocol import Product, StageInput, Work
from resources.ledger.limits import DEFAULT_QUEUE
from resources.ledger.retention_rules import Kept
from resources.process.setting_types import Days, Seconds

_log = logging.getLogger("castad.pipeline")

Brief = Any
"""An instance of the pipeline's own model of an order."""
Products = Mapping[str, Any]
"""The products of the completed stages, by stage; each is an instance of its stage's model."""

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

    def find_known_result(self, brief: Brief, products: Products) -> Mapping[str, Any] | None:
        """Return the stage's result if it is known without a provider, else None."""
        return None if self.known is None else self.known(brief, products)

    def find_local_work(self, brief: Brief, products: Products) -> Callable[[Work], Product] | None:
        """Return the work that this machine does for the stage; None if a provider has to make it."""
        known = self.find_known_result(brief, products)
        return None if known is None else lambda work: Product(known)


@dataclass(frozen=True)
class LocalStage(StageBase):
    """A stage that a function of the pipeline makes on the worker's machine; it submits and pays nothing.

    `work` may run again after a crash. It raises the errors of `resources.contract.errors`.
    """

    work: Callable[[Brief, Products, Work], Product] = field(kw_only=True)

    def find_local_work(self, brief: Brief, products: Products) -> Callable[[Work], Product]:
        """Return the work that this machine does for the stage."""
        return partial(self.work, brief, products)


Stage = BoughtStage | LocalStage


def _accept_all(brief: Brief, makers: Mapping[str, str], settings: Any) -> None:
    """Accept every order."""


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
    found = [name for name in names if re.split("[-.]", name, maxsplit=1)[0] == beginning]
    return found[-1] if found else None


Fault = tuple[str, str]
"""A wrong field, and the expected value."""


@dataclass(frozen=True)
class Capability:
    """A capability that few pipelines have; `pipeline_defs.capabilities` has them all."""

    @property
    def allows_holds(self) -> bool:
        """Whether an order may wait for a person."""
        return True

    def find_faults(self, pipeline: "Pipeline", example: Brief) -> Iterator[Fault]:
        """Yield each field that does not fit the pipeline or its example."""
        return iter(())


_Capability = TypeVar("_Capability", bound=Capability)


@dataclass(frozen=True)
class Pipeline:
    """A kind of order, with everything that the interfaces, the sensors and the engine need.

    - `acceptance` raises InvalidInputError for an order that these makers (by stage) and settings cannot fulfill.
    - `remarks` returns soft warnings about an order that these makers can fulfill.
    - `result` builds the client's JSON from all products; the default is the last product.
    - `cover` finds an order's cover among its files. `uploads` are the order's fields that hold pictures.
    - `queue` is served in turn with the other queues.
    - `retention` is in days where it differs from the settings `CASTAD_KEEP_…`.
    - `extras` are the capabilities of `pipeline_defs.capabilities`, each kind at most once.
    """

    name: str
    title: str
    order_model: type[BaseModel]
    stages: Annotated[tuple[Stage, ...], Field(min_length=1)]
    example: Mapping[str, Any]
    summary: Callable[[Brief], str]
    acceptance: Callable[[Brief, Mapping[str, str], Any], None] = _accept_all
    remarks: Callable[[Brief, Mapping[str, str]], Sequence[Remark]] = _return_no_remarks
    result: Callable[[Products], Any] = _get_last_product
    cover: Cover | None = None
    uploads: tuple[str, ...] = ()
    queue: str = DEFAULT_QUEUE
    retention: Mapping[Kept, Days] = field(default_factory=dict)
    extras: tuple[Capability, ...] = ()

    def find_extra(self, kind: type[_Capability]) -> _Capability | None:
        """Return the pipeline's capability of this kind; None without it."""
        return next((each for each in self.extras if isinstance(each, kind)), None)

    @property
    def result_model(self) -> type[BaseModel] | None:
        """The model of the client's JSON, if that is what `result` is annotated to return."""
        is_function = isinstance(self.result, FunctionType)
        returned = typing.get_type_hints(self.result).get("return") if is_function else None
        is_model = isinstance(returned, type) and issubclass(returned, BaseModel)
        return returned if is_model else None

    @property
    def stage_names(self) -> tuple[str, ...]:
        """The stages in order."""
        return tuple(stage.name for stage in self.stages)

    @property
    def holdable_stages(self) -> tuple[str, ...]:
        """The stages after which an order may wait for a person."""
        return self.stage_names[:-1] if all(each.allows_holds for each in self.extras) else ()

    def check_hold(self, stages: Iterable[str]) -> None:
        """Raise InvalidInputError `hold` unless an order may wait for a person after each of these stages."""
        unknown = next((name for name in stages if name not in self.holdable_stages), None)
        if unknown is None:
            return
        known = ", ".join(self.holdable_stages)
        expected = f"expected stages of {self.name} before its last one: {known}"
        none = f"expected none: no stage of {self.name} waits for a person"
        shown = ascii(unknown)[:_LONGEST_NAME]
        raise InvalidInputError("hold", f"{expected if known else none}, got {shown}")

    def find_stage(self, name: str) -> Stage | None:
        """Return the stage of this name, if there is one."""
        return next((stage for stage in self.stages if stage.name == name), None)

    def get_stage(self, field: str, name: str) -> Stage:
        """Return the stage of this name; raises InvalidInputError naming the `field` that holds the name."""
        found = self.find_stage(name)
        if found is None:
            *others, last = self.stage_names
            expected = f"{', '.join(others)} or {last}" if others else last
            raise InvalidInputError(field, f"expected {expected}")
        return found

    def get_needed_stages(self, stage: Stage) -> tuple[str, ...]:
        """Return the stages whose products this stage takes as inputs."""
        if stage.needs is not None:
            return stage.needs
        position = self.stages.index(stage)
        return self.stage_names[position - 1 : position] if position else ()

    def is_needed(self, stage: Stage) -> bool:
        """Return whether another stage takes this stage's product as an input, and so follows it."""
        return any(stage.name in self.get_needed_stages(other) for other in self.stages)

    def parse(self, payload: Mapping[str, Any]) -> Brief:
        """Parse the brief in a payload; raises InvalidInputError naming the field and the expected value."""
        try:
            return self.order_model.model_validate(dict(payload))
        except ValidationError as error:
            raise find_first_input_error(error, tuple(self.order_model.model_fields)) from None

    def normalize(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return the payload with all defaults, as JSON; raises InvalidInputError."""
        brief: BaseModel = self.parse(payload)
        return brief.model_dump(mode="json")

    def summarize_order(self, payload: Mapping[str, Any]) -> str:
        """Summarize the order in a few words for people; raises InvalidInputError."""
        return self.summary(self.parse(payload))

    @property
    def worded_stages(self) -> tuple[Stage, ...]:
        """The stages whose products have words for people, in order."""
        return tuple(stage for stage in self.stages if stage.words is not None)

    def join_words(self, results: Mapping[str, Mapping[str, Any]]) -> str:
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

    def is_same_order(self, stored: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
        """Return whether two payloads mean the same order; False if one is invalid."""
        try:
            return self.normalize(stored) == self.normalize(given)
        except InvalidInputError:
            return False

    def build_result(self, results: Mapping[str, Mapping[str, Any]]) -> Any:
        """Build the client's JSON from the stages' stored results; None if they do not fit this release."""
        try:
            return as_json(self.result(self.parse_products(results)))
        except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
            _log.warning("result not shown: pipeline=%s error=%s", self.name, type(error).__name__)
            return None

    def parse_products(self, results: Mapping[str, Mapping[str, Any]]) -> Products:
        """Return the stored results of stages as their models."""
        return {
            stage.name: stage.product.model_validate(results[stage.name])
            for stage in self.stages
            if stage.name in results
        }
