"""Pipelines that need no vendor, so that a test has more than one."""

from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from pipeline_defs.pipeline import Capability, LocalStage, Pipeline
from resources.contract.protocol import Product, Work


class Survey(BaseModel):
    """What to look at; the remark changes nothing."""

    subject: str
    remark: str = ""


class Findings(BaseModel):
    """What was found."""

    found: int


def _look(brief: Survey, products: Any, work: Work) -> Product:
    return Product({"found": len(brief.subject)})


def small_pipeline(name: str, **chosen: Any) -> Pipeline:
    """A pipeline of one local stage, `look`: pipelines may have a stage of the same name."""
    fields: dict[str, Any] = {
        "title": f"Look at something ({name})",
        "order_model": Survey,
        "stages": (LocalStage("look", Findings, "Look", work=_look),),
        "example": {"subject": "a house"},
        "summary": lambda brief: brief.subject,
    }
    return Pipeline(name=name, **{**fields, **chosen})


def with_extras(pipeline: Pipeline, *extras: Capability) -> Pipeline:
    """The pipeline with these capabilities in place of its own of the same kinds."""
    kinds = tuple(map(type, extras))
    kept = (each for each in pipeline.extras if not isinstance(each, kinds))
    return replace(pipeline, extras=(*kept, *extras))
