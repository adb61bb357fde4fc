"""The benchmark's long history: copies of one finished request beside the original."""

from bench.engine.history import fill_ledger, name_copy, read_template
from resources.ledger.schema.tables import JobStatus, Status
from tests.ledger_steps import STAGES

_COPIES = 3


def test_history_has_every_copy_with_its_jobs_beside_the_original(steps):
    lease = steps.working()
    for stage in STAGES:
        entry = steps.begin(lease, stage)
        job = steps.save_intent(lease, entry, token=stage)
        job = steps.settle(lease, entry, job, JobStatus.SUBMITTED, external_id=stage)
        steps.settle(lease, entry, job, JobStatus.SUCCEEDED)
        steps.complete(lease, entry)
    fill_ledger(steps.db, read_template(steps.db, "r"), _COPIES)
    names = ["r", *(name_copy(number) for number in range(1, _COPIES + 1))]
    assert {steps.row(name).status for name in names} == {Status.COMPLETED}
    jobs = [[(job.stage, job.status) for job in steps.jobs(name)] for name in names]
    assert jobs == [[(stage, JobStatus.SUCCEEDED) for stage in STAGES]] * (_COPIES + 1)
