"""Laws of money: what the vendors charged, against what the ledger says was sent. Pure."""

from collections import Counter
from collections.abc import Iterator

from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import BoughtStage
from resources.ledger.schema.tables import JobStatus, StageStatus
from tests.chaos.history import History, Row, Story

CHEAP_AND_LOST = "submission_lost"
BOUGHT = frozenset(
    stage.name
    for pipeline in get_catalog()
    for stage in pipeline.stages
    if isinstance(stage, BoughtStage)
)


def stages_are_bought_once(history: History) -> Iterator[str]:
    for story in history.stories:
        by_hand = "resolved" in story.types
        bought: Counter[tuple[str, int]] = Counter()
        left: Counter[tuple[str, int]] = Counter()
        for job in story.jobs:
            stage_of_job = job["stage"], job["generation"]
            if job["error_code"] == CHEAP_AND_LOST:
                left[stage_of_job] += job["cost"]
            charges = len(history.charges_by_token.get(job["token"], ()))
            if charges > 1:
                yield f"{story.named(job)}: one submission was charged {charges} times"
            allowance = history.resubmit_below - left[stage_of_job]
            if charges and not (by_hand or _may_be_followed(job, allowance)):
                bought[stage_of_job] += 1
        for (stage, generation), count in bought.items():
            if count > 1:
                yield f"{story.task_id} {stage} (generation {generation}) was bought {count} times"
        yield from _completed_without_charge(history, story)


def _may_be_followed(job: Row, allowance: int) -> bool:
    """Whether a charged submission allows another: by the vendor's final status, or while lost ones are cheap."""
    if job["status"] != JobStatus.FAILED:
        return False
    if job["error_code"] == CHEAP_AND_LOST:
        return allowance > 0
    return job["submitted_at"] is not None


def _completed_without_charge(history: History, story: Story) -> Iterator[str]:
    for stage in story.stages:
        if stage["status"] != StageStatus.COMPLETED or stage["stage"] not in BOUGHT:
            continue
        charged = [
            job
            for job in story.jobs
            if (job["stage"], job["generation"]) == (stage["stage"], stage["generation"])
            and job["status"] == JobStatus.SUCCEEDED
            and len(history.charges_by_token.get(job["token"], ())) == 1
        ]
        if len(charged) != 1:
            yield f"{story.named(stage)} is completed with {len(charged)} charged submissions"


def ids_belong_to_one(history: History) -> Iterator[str]:
    """A vendor's id, in an answer or a callback, names one submission for ever."""
    owners: dict[tuple[str, str], tuple[str, str]] = {}
    for story in history.stories:
        for job in story.jobs:
            for called in {job["external_id"], job["heard_id"]} - {None}:
                mine = job["token"], story.named(job)
                token, owner = owners.setdefault((job["provider"], called), mine)
                if token != job["token"]:
                    yield f"{story.named(job)} goes by {job['provider']}'s {called}, as {owner} does"


def books_agree(history: History) -> Iterator[str]:
    deleted = (job for deletion in history.deletions for job in deletion.jobs)
    tokens = {job["token"] for job in (*history.jobs, *history.orphans, *deleted)}
    for charge in history.charges:
        if charge.token not in tokens:
            yield f"{charge.vendor} charged {charge.id}, which nobody intended"
    for story in history.stories:
        for job in story.jobs:
            charges = history.charges_by_token.get(job["token"], ())
            # A look on all servers that finds no job names it by its token.
            known = job["external_id"] not in (None, job["token"])
            if known and job["external_id"] not in [charge.id for charge in charges]:
                yield f"{story.named(job)}: {job['external_id']} is in no vendor's books"
            if not known and job["status"] in (JobStatus.SUBMITTED, JobStatus.SUCCEEDED):
                yield f"{story.named(job)} is {job['status']} without the vendor's id"
