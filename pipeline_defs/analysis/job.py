"""The job: resolve, then read, then analyse, then record; two of them also take what was resolved."""

from pipeline_defs.analysis.pipeline import PIPELINE
from pipeline_defs.build import request_job, stage_ops

resolve, read, analyse, record = stage_ops(PIPELINE)


@request_job(PIPELINE)
def job() -> None:
    """The graph of the ops."""
    commit = resolve()
    record(resolve=commit, analyse=analyse(resolve=commit, read=read(commit)))
