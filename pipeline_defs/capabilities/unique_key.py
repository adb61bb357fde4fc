"""Unique keys: orders with the same key are one request."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline_defs.faults import catch_error, join_unknown
from pipeline_defs.pipeline import Brief, Capability, Fault, Pipeline, Products, Stage
from resources.contract.errors import InvalidInputError
from resources.ledger.request import SettledKey

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
    def allows_holds(self) -> bool:
        """Whether an order may wait for a person: not if other owners' orders would wait with it."""
        return not self.shared

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield each field that does not fit the pipeline or its example."""
        if raised := catch_error(lambda: _check_key(self.of(example))):
            yield "of", f"expected text for the example, got {raised}"
        if unknown := join_unknown(self.settled, pipeline.stage_names):
            yield "settled", f"expected stages: {', '.join(pipeline.stage_names)}, got {unknown}"


_WITHOUT_KEY = UniqueKey(lambda brief: None)


def get_key_rules(pipeline: Pipeline) -> UniqueKey:
    """Return the rules of the pipeline's keys; without any, no order has a key."""
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


def settles_shared_key(pipeline: Pipeline) -> bool:
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
