"""Pipelines that need no vendor, so that a test has more than one."""

from typing import Any

from pydantic import BaseModel

from pipeline_defs.pipeline import LocalStage, Pipeline
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
    return Pipeline(
        name=name,
        title=f"Look at something ({name})",
        brief=Survey,
        stages=(LocalStage("look", Findings, "Look", work=_look),),
        example={"subject": "a house"},
        summary=lambda brief: brief.subject,
        **chosen,
    )
