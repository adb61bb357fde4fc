"""What a live stream shows of a running stage."""

from castad.views.events import build_live_progress
from resources.ledger.queries.status import RunningStage
from tests.tables import rows_beside


def found(stage: str = "song", progress: float | None = None, seconds: float = 0.0) -> RunningStage:
    return RunningStage(1, "t", "song_video", None, stage, progress, "half", "suno", seconds)


@rows_beside
def test_percent_counts_each_stage_alike_and_the_running_one_by_its_report(
    stage, progress, percent
):
    assert build_live_progress(found(stage, progress), None).percent == percent


def test_percent_of_a_stage_that_the_pipeline_does_not_have_is_0():
    assert build_live_progress(found("taste", 0.5), None).percent == 0


@rows_beside
def test_expected_seconds_follow_the_share_that_is_done_or_else_the_usual_duration(
    progress, seconds, usual, expected
):
    shown = build_live_progress(found("song", progress, seconds), usual)
    assert shown.expected_seconds == expected
