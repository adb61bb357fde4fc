"""Whether a pipeline's functions work for its example. They are called with it, and so may raise anything."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from pipeline_defs.fields import as_json
from pipeline_defs.pipeline import BoughtStage, Brief, Pipeline, Products
from resources.contract.errors import InvalidInputError
from resources.process.settings import Settings


def example_faults(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    """Each function of the pipeline that fails for its example, and what was expected of it."""
    try:
        brief = pipeline.parse(pipeline.example)
    except InvalidInputError as error:
        yield "example", error.message
        return
    except Exception as error:  # noqa: BLE001 - a validator of the folder may raise anything
        yield "example", f"expected an order of the brief, got {type(error).__name__}: {error}"
        return
    calls: list[tuple[str, str, Callable[[], object]]] = [
        ("summary", "text", lambda: _text(pipeline.summary(brief))),
        ("unique_key", "text", lambda: pipeline.key_of(pipeline.example)),
        ("accept", "nothing, or InvalidInputError,", lambda: _accept(pipeline, brief)),
        (
            "accept_remote",
            "nothing, or InvalidInputError,",
            lambda: _accept_remote(pipeline, brief),
        ),
        ("typical", "products by their stages", lambda: _typical(pipeline, brief)),
    ]
    for field, expected, call in calls:
        if raised := _raised_by(call):
            yield field, f"expected {expected} for the example, got {raised}"
            return
    yield from _product_faults(pipeline, brief, pipeline.typical(brief))


def _product_faults(
    pipeline: Pipeline, brief: Brief, typical: Products
) -> Iterator[tuple[str, str]]:
    """Bought stages build their input, and so have a price; the result is JSON, where all products are known."""
    expected = "for the example and `typical`, got"
    for index, stage in enumerate(pipeline.stages):
        if isinstance(stage, BoughtStage) and (
            raised := _raised_by(partial(stage.job_input, brief, "example", typical))
        ):
            yield f"stages[{index}].job_input", f"expected an input {expected} {raised}"
    is_known = set(pipeline.stage_names) <= set(typical)
    if is_known and (raised := _raised_by(lambda: as_json(pipeline.result(typical)))):
        yield "result", f"expected JSON {expected} {raised}"


def _raised_by(call: Callable[[], object]) -> str:
    """The error that the call raises, in words; "" where it raises none."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def _text(summary: Any) -> None:
    if not isinstance(summary, str):
        raise TypeError(f"{type(summary).__name__} is no text")


def _accept(pipeline: Pipeline, brief: Brief) -> None:
    """With the makers that need no key, and the settings that hold where none is set."""
    stages = pipeline.stages
    makers = {
        each.name: each.makers[-1] if isinstance(each, BoughtStage) else "" for each in stages
    }
    try:
        pipeline.accept(brief, makers, Settings.model_construct())
    except InvalidInputError:
        return  # the example may need what other settings have


def _accept_remote(pipeline: Pipeline, brief: Brief) -> None:
    with suppress(InvalidInputError):
        pipeline.accept_remote(brief)


def _typical(pipeline: Pipeline, brief: Brief) -> None:
    products = pipeline.typical(brief)
    if not isinstance(products, Mapping):
        raise TypeError(f"{type(products).__name__} is no mapping")
