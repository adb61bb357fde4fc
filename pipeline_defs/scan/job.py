"""The job: vision, then rule, answer, reward, and what is saved after the answer."""

from pipeline_defs.build import request_job, stage_ops
from pipeline_defs.scan.pipeline import PIPELINE

vision, rule, answer, reward, save = stage_ops(PIPELINE)


@request_job(PIPELINE)
def job() -> None:
    """The graph of the ops."""
    seen = vision()
    found = rule(seen)
    said = answer(vision=seen, rule=found)
    save(reward(vision=seen, rule=found, answer=said))
