"""The job: the layout, then the printing."""

from pipeline_defs.build import request_job, stage_ops
from pipeline_defs.poster.pipeline import PIPELINE

layout, printing = stage_ops(PIPELINE)


@request_job(PIPELINE)
def job() -> None:
    """The graph of the ops."""
    printing(layout())
