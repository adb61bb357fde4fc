"""The data of a pipeline, without Dagster, so that commands and sensors load it in milliseconds."""

import logging
import re
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.abc import InspectLoader
from importlib.util import find_spec
from types import FunctionType
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from pipeline_defs.fields import convert_to_json, find_first_input_error
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
class Revision:
    """The fields of a stage's product that a person may edit.

    `model` validates them, under the product's field names. `apply` takes the order, the current product and the
    edited fields, and returns the new product; it raises InvalidInputError.
    """

    model: type[BaseModel]
    apply: Callable[[Any, Any, BaseModel], Any]

    def get_editable_values(self, product: Any) -> dict[str, Any]:
        """Return the editable fields of the product with their values, by field name."""
        return {name: getattr(product, name) for name in self.model.model_fields}


@dataclass(frozen=True)
class Choice:
    """One of several alternatives in a product that one payment bought.

    `file` is the name of its artifact and `seconds` its playing time; None where it has none.
    """

    id: str
    label: str
    file: str | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Choices:
    """The functions that list and select the alternatives of a product that one payment bought.

    `of` takes the product and lists the alternatives, the selected one first. `choose` takes the product and a
    choice's id, and returns the product that uses this choice; its files stay.
    """

    of: Callable[[Any], Sequence[Choice]]
    choose: Callable[[Any, str], Any]


@dataclass(frozen=True)
class StageBase:
    """One stage of a pipeline, with the pydantic model of its stored product.

    `needs` names the earlier stages whose products are inputs of this stage; None means the stage right before it.
    `metadata` is "module:function". The function takes the product and the artifact store and returns the metadata
    for Dagster's asset catalog. `words` returns the product's text for people. `retry_seconds` is the wait before
    a retry, `slots` the limit of concurrent executions (None: no limit); environment variables override both.
    `deadline` is in seconds. While an order waits for the approval of the stage, a person may edit the product
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
    """A stage whose product a provider makes, paid at most once.

    `job_input` builds the provider's input from the order, the task_id and the products so far. `makers` are the
    providers that can make its `kind` (default: the stage's name). The first one whose key is set is used; the
    last needs no key. `known` returns a result that needs no provider, or None.
    """

    job_input: Callable[[Brief, str, Products], StageInput] = field(kw_only=True)
    makers: tuple[str, ...] = field(kw_only=True)
    kind: str = field(default="", kw_only=True)
    known: Callable[[Brief, Products], Mapping[str, Any] | None] | None = field(
        default=None, kw_only=True
    )

    def find_local_work(self, brief: Brief, products: Products) -> Callable[[Work], Product] | None:
        """Return the function that makes a known result on this machine; None if a provider has to make it."""
        known = None if self.known is None else self.known(brief, products)
        return None if known is None else lambda work: Product(known)


@dataclass(frozen=True)
class LocalStage(StageBase):
    """A stage whose product `work` makes on the worker's machine, without a provider and without cost.

    `work` may run again after a crash. It raises the errors of `resources.contract.errors`.
    """

    work: Callable[[Brief, Products, Work], Product] = field(kw_only=True)

    def find_local_work(self, brief: Brief, products: Products) -> Callable[[Work], Product]:
        """Return `work` bound to this order and the products of the earlier stages; never None."""
        return partial(self.work, brief, products)


Stage = BoughtStage | LocalStage


@dataclass(frozen=True)
class Remark:
    """A warning that does not refuse an order: a stable code and one sentence.

    `choices` maps names to the field values in the sentence, for translations of the sentence.
    """

    code: str
    sentence: str
    choices: Mapping[str, str] = field(default_factory=dict)


def _get_last_product(products: Products) -> Any:
    return list(products.values())[-1].model_dump(mode="json", exclude={"files"})


@dataclass(frozen=True)
class Cover:
    """The file name prefixes of an order's cover pictures: `large` in full size, `small` for lists.

    A cover of a later generation, or a chosen one, has a number after the prefix.
    """

    large: str
    small: str


def find_newest_file(beginning: str, names: Iterable[str]) -> str | None:
    """Return the last of the file names, sorted oldest first, with this beginning; None if there is none."""
    found = [name for name in names if re.split("[-.]", name, maxsplit=1)[0] == beginning]
    return found[-1] if found else None


Fault = tuple[str, str]
"""A wrong field, and the expected value."""


def catch_error(call: Callable[[], object], *allowed: type[Exception]) -> str:
    """Call the function and return the text of the error that it raises.

    Return "" if it raises no error or one of the allowed classes.
    """
    try:
        call()
    except allowed:
        return ""
    except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def join_unknown(given: Iterable[str], known: Collection[str]) -> str:
    """Join the given names that are not in `known` by commas; return "" if all are known."""
    return ", ".join(each for each in given if each not in known)


def find_unknown(
    field: str, given: Iterable[str], known: Collection[str], expected: str
) -> Iterator[Fault]:
    """Yield the field if it has a name that is not in `known`; `expected` names the known ones in the sentence."""
    if unknown := join_unknown(given, known):
        yield field, f"expected {expected}: {', '.join(known) or 'there is none'}, got {unknown}"


def find_binding_fault(function: str) -> str:
    """Return what is wrong with a "module:function" reference; "" if the module binds the name.

    The module is compiled but not executed, since it may load Dagster, which is slow.
    """
    module, _, name = function.partition(":")
    expected = f"expected module:function, got {function}"
    try:
        found = find_spec(module)
        loader = None if found is None else found.loader
        code = loader.get_code(module) if isinstance(loader, InspectLoader) else None
    except (ImportError, ValueError):
        return expected
    except Exception as error:  # noqa: BLE001 - the folder's code may raise anything
        return " ".join(f"{type(error).__name__}: {error}".split())
    return "" if code is not None and name in code.co_names else expected


@dataclass(frozen=True)
class Capability:
    """Base class of the optional features of a pipeline, which `pipeline_defs.capabilities` defines."""

    @property
    def may_hold(self) -> bool:
        """Whether orders of a pipeline with this capability may wait for a person's approval."""
        return True

    def find_faults(self, pipeline: "Pipeline", example: Brief) -> Iterator[Fault]:
        """Yield the capability's fields that do not fit the pipeline or its example, and what was expected."""
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
    acceptance: Callable[[Brief, Mapping[str, str], Any], None] = lambda brief, makers, settings: (
        None
    )
    remarks: Callable[[Brief, Mapping[str, str]], Sequence[Remark]] = lambda brief, makers: ()
    result: Callable[[Products], Any] = _get_last_product
    cover: Cover | None = None
    uploads: tuple[str, ...] = ()
    queue: str = DEFAULT_QUEUE
    retention: Mapping[Kept, Days] = field(default_factory=dict)
    extras: tuple[Capability, ...] = ()

    def find_extra(self, kind: type[_Capability]) -> _Capability | None:
        """Return the pipeline's capability of this class; None if the pipeline does not have it."""
        return next((each for each in self.extras if isinstance(each, kind)), None)

    @property
    def result_model(self) -> type[BaseModel] | None:
        """The pydantic model that `result` is annotated to return.

        None if it is annotated otherwise or not at all.
        """
        is_function = isinstance(self.result, FunctionType)
        returned = typing.get_type_hints(self.result).get("return") if is_function else None
        is_model = isinstance(returned, type) and issubclass(returned, BaseModel)
        return returned if is_model else None

    @cached_property
    def stage_names(self) -> tuple[str, ...]:
        """The names of the stages, in execution order."""
        return tuple(stage.name for stage in self.stages)

    @property
    def holdable_stages(self) -> tuple[str, ...]:
        """The names of the stages after which an order may wait for a person's approval; empty if none may."""
        return self.stage_names[:-1] if all(each.may_hold for each in self.extras) else ()

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
        """Return the stage of this name; None if the pipeline has none."""
        return next((stage for stage in self.stages if stage.name == name), None)

    def get_stage(self, field: str, name: str) -> Stage:
        """Return the stage of this name. Raises InvalidInputError for the input `field` if there is none."""
        found = self.find_stage(name)
        if found is None:
            *others, last = self.stage_names
            expected = f"{', '.join(others)} or {last}" if others else last
            raise InvalidInputError(field, f"expected {expected}")
        return found

    def get_needed_stages(self, stage: Stage) -> tuple[str, ...]:
        """Return the names of the stages whose products are inputs of this stage; empty for the first stage."""
        if stage.needs is not None:
            return stage.needs
        position = self.stages.index(stage)
        return self.stage_names[position - 1 : position] if position else ()

    def parse(self, payload: Mapping[str, Any]) -> Brief:
        """Parse the payload into the order model.

        Raises InvalidInputError naming the field and the expected value.
        """
        try:
            return self.order_model.model_validate(dict(payload))
        except ValidationError as error:
            raise find_first_input_error(error, tuple(self.order_model.model_fields)) from None

    def normalize(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Validate the payload and return it as JSON with all defaults. Raises InvalidInputError."""
        brief: BaseModel = self.parse(payload)
        return brief.model_dump(mode="json")

    def summarize_order(self, payload: Mapping[str, Any]) -> str:
        """Summarize the payload's order in a few words for people. Raises InvalidInputError."""
        return self.summary(self.parse(payload))

    @property
    def worded_stages(self) -> tuple[Stage, ...]:
        """The stages whose products have a text for people, in execution order."""
        return tuple(stage for stage in self.stages if stage.words is not None)

    def join_words(self, results: Mapping[str, Mapping[str, Any]]) -> str:
        """Join the texts for people of the stages' stored results; return "" if there are none.

        A result that does not fit its stage's model is left out and logged.
        """
        texts = []
        for stage in self.stages:
            if stage.words is None or stage.name not in results:
                continue
            try:
                texts.append(str(stage.words(stage.product.model_validate(results[stage.name]))))
            except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
                name = type(error).__name__
                _log.warning("words not shown: pipeline=%s error=%s", self.name, name)
        return "\n\n".join(filter(None, texts))

    def is_same_order(self, stored: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
        """Return whether both payloads are equal after normalization; False if either is invalid."""
        try:
            return self.normalize(stored) == self.normalize(given)
        except InvalidInputError:
            return False

    def build_result(self, results: Mapping[str, Mapping[str, Any]]) -> Any:
        """Build the client's JSON from the stages' stored results.

        None if they do not fit this release's models.
        """
        try:
            return convert_to_json(self.result(self.parse_products(results)))
        except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
            _log.warning("result not shown: pipeline=%s error=%s", self.name, type(error).__name__)
            return None

    def parse_products(self, results: Mapping[str, Mapping[str, Any]]) -> Products:
        """Parse the stored results, by stage name, into the stages' product models.

        Leave out stages without a result.

        Raises pydantic's ValidationError for a result that does not fit.
        """
        return {
            stage.name: stage.product.model_validate(results[stage.name])
            for stage in self.stages
            if stage.name in results
        }
