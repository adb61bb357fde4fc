"""How long submissions usually take, by which polls are timed and ends are expected."""

from castad.views.events import ProgressReader
from resources.ledger.queries.money import compute_usual_seconds
from resources.ledger.schema.tables import JobStatus
from tests.ledger_steps import Steps


def made(steps: Steps, task_id: str, stage: str, seconds: int) -> None:
    """The stage's submission has succeeded after so many seconds."""
    lease = steps.working(task_id)
    entry = steps.begin(lease, stage)
    token = f"{task_id}-{stage}"
    job = steps.save_intent(lease, entry, token)
    job = steps.settle(lease, entry, job, JobStatus.SUBMITTED, external_id=token)
    steps.settle(lease, entry, job, JobStatus.SUCCEEDED)
    end = f"2030-01-01 00:{seconds // 60:02}:{seconds % 60:02}.000"
    steps.sql(
        f"UPDATE provider_jobs SET submitted_at = '2030-01-01 00:00:00.000', settled_at = '{end}'"
        f" WHERE token = '{token}'"
    )


def test_usual_seconds_are_the_median_of_one_stage_of_one_pipeline_at_one_provider(steps):
    for number, seconds in enumerate((290, 300, 900)):
        made(steps, f"r{number}", "video", seconds)
    asked = [
        ("song_video", "video", "vendor"),
        ("song_video", "lyric", "vendor"),
        ("other", "video", "vendor"),
        ("song_video", "video", "other"),
    ]
    assert [compute_usual_seconds(steps.db, *of) for of in asked] == [300.0, None, None, None]


def test_expected_seconds_of_a_stage_are_not_those_of_another_stage_of_its_provider(steps):
    for number in range(3):
        made(steps, f"v{number}", "video", 300)
        made(steps, f"l{number}", "lyric", 8)
    reader = ProgressReader(steps.db)
    expected = []
    for stage in ("video", "lyric"):
        lease = steps.working(stage)
        entry = steps.begin(lease, stage)
        job = steps.save_intent(lease, entry, stage)
        steps.settle(lease, entry, job, JobStatus.SUBMITTED, external_id=stage)
        [shown] = reader.read([lease.request_id]).values()
        expected.append(shown.expected_seconds or 0)
    assert expected[1] <= 8 < expected[0]
