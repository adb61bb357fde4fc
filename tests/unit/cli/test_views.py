from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from castad.cli.context import IncompleteError
from castad.cli.order_view import (
    build_headline,
    build_progress_lines,
    build_status_view,
    suggest_remedy,
)
from castad.cli.orders import raise_if_incomplete
from castad.stack.local_daemon import DaemonHealth
from castad.views.snapshot import Snapshot, find_stage_end
from castad.views.status_body import StatusBody, build_status_body
from resources.ledger.queries.overview import AttemptView, Overview, StageView
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.views.order_body import measure_seconds
from tests.tables import rows_beside

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
REQUEST = Request(
    **dict.fromkeys(Request.__dataclass_fields__)
    | {"id": 1, "task_id": "x", "pipeline": "song_video", "payload": "{}", "seq": 1}
    | {"status": Status.PENDING, "attempt": 1, "retry_count": 0, "max_retries": 3, "priority": 0}
    | {"cancel_requested": False, "created_at": NOW - timedelta(seconds=90), "updated_at": NOW}
)


def stage(name: str, status: str, **known: object) -> StageView:
    begun = {"started_at": NOW - timedelta(seconds=4), "completed_at": None}
    told = {"progress": None, "progress_note": ""}
    blank = {"generation": 1, "attempts": 1, "retry_count": 0, "result": None, "cost": 0}
    errors = {"error_code": None, "error_message": None}
    return StageView(
        **{"stage": name, "status": status, **begun, **told, **blank, **errors, **known}
    )


def snapshot(*stages: StageView, **changed: object) -> Snapshot:
    spent = {view.stage: view.cost for view in stages}
    request = replace(REQUEST, **changed)
    return Snapshot(Overview(request, NOW, list(stages), spent, [], []), Path("/a"))


VIDEO = stage(
    "video",
    "completed",
    completed_at=NOW,
    cost=1_500_000,
    result={
        "notes": ["played pop"],
        "files": [
            {"media_type": "video/mp4", "where": "x/video.mp4"},
            {"media_type": "image/jpeg", "where": "x/thumbnail.jpg"},
        ],
    },
)


def shown(view: Snapshot) -> str:
    output = StringIO()
    Console(file=output, width=100).print(build_status_view(view))
    return output.getvalue()


def test_a_stage_that_was_never_begun_is_shown_as_pending():
    view = snapshot(stage("lyric", "completed", completed_at=NOW))
    assert [line.status for line in view.stages] == ["completed", "pending", "pending"]


def test_the_path_is_the_mp4_and_only_of_a_completed_request():
    assert snapshot(VIDEO, status=Status.COMPLETED).path == Path("/a/x/video.mp4")
    assert snapshot(VIDEO, status=Status.PENDING).path is None


def body(view: Snapshot) -> StatusBody:
    return build_status_body(view, "http://127.0.0.1:3000")


def test_status_tells_notes_cost_and_path():
    view = snapshot(VIDEO, status=Status.COMPLETED, completed_at=NOW)
    told = shown(view)
    assert "done in 1 min 30 s" in told
    assert "note: played pop" in told
    assert "1.5000 USD" in told
    assert "/a/x/video.mp4" in told
    assert body(view).cost_usd == 1.5
    assert body(view).stages["video"].seconds == 4.0


def test_a_failure_tells_which_retry_comes_when_and_why():
    due = {"not_before": NOW + timedelta(seconds=30), "retry_count": 1, "error_code": "e"}
    view = snapshot(status=Status.FAILED, error_message="no answer", **due)
    assert build_headline(view) == "retry 1 of 3 in 30 s: no answer"


def test_status_tells_the_retries_of_each_stage_by_itself():
    lyric = stage("lyric", "completed", completed_at=NOW, attempts=4, retry_count=1)
    view = snapshot(lyric, stage="song", retry_count=2, status=Status.FAILED)
    told = [stage.retry_count for stage in body(view).stages.values()]
    assert told == [1, 2, 0]
    assert "1 retry" in shown(view)
    assert "2 retries" in shown(view)


def attempt(ends_at: float | None, error: str | None = None) -> AttemptView:
    """An attempt that ended so many seconds ago, or is open."""
    ended = None if ends_at is None else NOW - timedelta(seconds=ends_at)
    return AttemptView(1, None, "w", NOW - timedelta(seconds=9), ended, error, error)


FAILED = stage("song", "failed", error_code="e", error_message="e")
WAITED = attempt(1.0, "no_slot")


@pytest.mark.parametrize(
    ("view", "attempts", "ago"),
    [
        (stage("song", "processing"), [attempt(3.0, "e"), attempt(None)], None),
        (FAILED, [attempt(3.0, "e")], 3.0),
        (FAILED, [attempt(3.0, "e"), WAITED, attempt(None)], 3.0),
        (FAILED, [attempt(3.0, "e"), attempt(2.0, "e")], 2.0),
        (FAILED, [attempt(3.0, "edited"), WAITED], 1.0),
        (stage("song", "processing"), [attempt(3.0, "edited")], 3.0),
        (stage("song", "completed", completed_at=NOW), [attempt(3.0, "e")], 0.0),
    ],
    ids=[
        *("at work", "failed", "waits for its retry", "failed again", "its error was edited"),
        *("its attempt is over", "completed"),
    ],
)
def test_the_clock_of_a_stage_ends_with_the_last_attempt_that_worked_on_it(view, attempts, ago):
    assert find_stage_end(view, attempts) == (None if ago is None else NOW - timedelta(seconds=ago))


@pytest.mark.parametrize("status", [Status.DEAD, Status.CANCELED])
def test_the_clock_of_a_request_ends_with_it(status):
    view = snapshot(status=status, updated_at=NOW - timedelta(seconds=30))
    assert measure_seconds(view.request, view.overview.at) == 60.0


def test_plain_progress_says_each_change_once():
    stages = [stage("video", "processing", progress=part) for part in (0.1, 0.26, 0.3, 0.8)]
    views = [snapshot(), *(snapshot(one) for one in stages), snapshot(VIDEO)]
    said = [build_progress_lines(*pair) for pair in zip([None, *views], views, strict=False)]
    assert said == [
        [],
        ["video: started"],
        ["video: 25 %"],
        [],
        ["video: 75 %"],
        ["video: done in 4.0 s"],
    ]


def test_plain_progress_says_frames_and_what_is_waited_for():
    waiting = stage("video", "processing", progress_note="waits for a free slot, 2 at once")
    drawing = stage("video", "processing", progress=0.5, progress_note="frame 300 of 600")
    begun, quiet = snapshot(stage("video", "processing")), snapshot(waiting)
    assert build_progress_lines(begun, quiet) == ["video: waits for a free slot, 2 at once"]
    assert build_progress_lines(quiet, quiet) == []
    assert build_progress_lines(quiet, snapshot(drawing)) == ["video: 50 %  frame 300 of 600"]


def test_a_reason_with_brackets_is_shown_as_it_is():
    view = snapshot(status=Status.DEAD, error_code="e", error_message="[bold]images[0]: bad")
    assert "dead: [bold]images[0]: bad [e]" in shown(view)


@pytest.mark.parametrize(
    ("changed", "code", "advice"),
    [
        ({"status": Status.DEAD, "error_code": "poison"}, "poison", "castad retry x"),
        ({"status": Status.CANCELED}, "canceled", "castad retry x"),
        (
            {"status": Status.FAILED, "error_code": "submission_unknown"},
            "submission_unknown",
            "castad resolve x --attach ID",
        ),
    ],
)
def test_an_end_without_a_product_tells_code_and_what_to_do(changed, code, advice):
    view = snapshot(**changed)
    assert view.is_over
    with pytest.raises(IncompleteError) as refused:
        raise_if_incomplete(view)
    assert refused.value.code == code
    assert advice in refused.value.message


def test_a_main_file_that_is_gone_is_made_again_from_the_stage_that_made_it():
    made = {**VIDEO.result, "files": VIDEO.result["files"][:1]}
    others = stage("video", "completed", completed_at=NOW, result={"files": []})
    view = snapshot(replace(VIDEO, stage="song", result=made), others, status=Status.COMPLETED)
    with pytest.raises(IncompleteError, match="castad redo x --from song") as refused:
        raise_if_incomplete(view)
    assert refused.value.code == "artifact_missing"


def test_a_completed_order_without_its_main_file_says_which_type_was_expected():
    with pytest.raises(IncompleteError) as refused:
        raise_if_incomplete(snapshot(status=Status.COMPLETED))
    assert refused.value.message == (
        "x is completed, but no stage of song_video has made its main file: "
        "expected a file of the type video/mp4"
    )


@pytest.mark.parametrize("status", [Status.FAILED, Status.DEAD])
def test_the_way_out_of_an_unknown_submission_is_resolve(status):
    told = suggest_remedy(replace(REQUEST, status=status, error_code="submission_unknown"))
    assert all(f"`castad resolve x --{verb}" in told for verb in ("attach", "resubmit", "give-up"))


@pytest.mark.parametrize("code", ["order_changed", "artifact_expired"])
def test_the_way_out_of_what_cannot_be_used_any_more_is_redo(code):
    told = suggest_remedy(replace(REQUEST, status=Status.DEAD, stage="song", error_code=code))
    assert told.startswith("`castad redo x --from song`")


def test_the_way_out_of_a_missing_file_is_the_one_that_its_reason_says():
    told = suggest_remedy(
        replace(REQUEST, status=Status.DEAD, stage="song", error_code="artifact_missing")
    )
    assert told == "do what the reason says, or put the file back and run `castad retry x`"


def test_an_order_that_waits_says_for_what():
    view = snapshot(error_code="out_of_credits", error_message="suno is paused")
    assert build_headline(view) == "waiting: suno is paused"


def test_an_order_that_begins_to_wait_is_told_where_lines_cannot_be_rewritten():
    waits = snapshot(error_code="out_of_credits", error_message="suno is paused", seq=2)
    assert build_progress_lines(snapshot(), waits) == ["waiting: suno is paused"]


def test_costs_are_drawn_and_listed_with_their_sum():
    told = shown(snapshot(stage("song", "completed", completed_at=NOW, cost=60_000), VIDEO))
    assert "0.0600 USD" in told
    assert "1.5600 USD" in told


def test_a_failure_that_is_tried_again_is_no_end():
    assert not snapshot(status=Status.FAILED, error_code="provider_unavailable").is_over


@rows_beside
def test_a_daemon_is_at_work_while_it_beats_and_ticks(beat, tick, at_work):
    assert DaemonHealth(beat, tick).is_running is at_work
