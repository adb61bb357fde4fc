"""The job: prepare, then render, then deliver."""

from pipeline_defs.build import request_job, stage_ops
from pipeline_defs.image.pipeline import PIPELINE

prepare, render, deliver = stage_ops(PIPELINE)


@request_job(PIPELINE)
def job() -> None:
    """The graph of the ops."""
    deliver(render(prepare()))
