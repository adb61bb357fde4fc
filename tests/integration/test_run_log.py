"""What a run says in a worker's log."""

import logging

import pytest
from dagster import (
    DagsterInstance,
    DagsterRunNotFoundError,
    Failure,
    OpExecutionContext,
    in_process_executor,
    job,
    op,
)

from pipeline_defs.build import LOGGERS
from resources.dagster.request_resource import TASK_ID_TAG
from resources.process.configure_logging import OneLineFormatter, get_traceback_log_path


def said(caplog: pytest.LogCaptureFixture, error: Exception | None) -> list[str]:
    """The lines of a run whose one step says something and then raises this."""

    @op
    def lyric(context: OpExecutionContext) -> str:
        context.log.info("lyric: sent")
        if error is not None:
            raise error
        return ""

    @op
    def song(given: str) -> None:
        """Left out where the first fails."""

    @job(
        executor_def=in_process_executor,
        logger_defs=LOGGERS,
        config={"loggers": {"console": {}}},
        tags={TASK_ID_TAG: "shop-1"},
    )
    def both() -> None:
        song(lyric())

    with DagsterInstance.ephemeral() as instance, caplog.at_level(logging.INFO, "castad"):
        both.execute_in_process(instance=instance, raise_on_error=False)
    lines = [OneLineFormatter().format(record) for record in caplog.records]
    return [line.split(" ", 1)[1] for line in lines if " castad.run " in line]


def test_run_tells_each_message_on_a_line_that_names_the_order(caplog):
    assert said(caplog, None) == ["info castad.run lyric: sent task_id=shop-1"]


def test_failure_that_a_stage_has_told_is_not_told_again(caplog):
    assert said(caplog, Failure("no", allow_retries=False)) == said(caplog, None)[:1]
    assert not get_traceback_log_path().exists()


def test_run_that_is_deleted_under_way_is_no_bug(caplog):
    _, told = said(
        caplog, DagsterRunNotFoundError("Run x was not found in instance.", invalid_run_id="x")
    )
    assert told == "warning castad.run run deleted while it was executed task_id=shop-1"
    assert not get_traceback_log_path().exists()


def test_bug_is_one_line_and_its_trace_is_in_the_log_file(caplog):
    _, bug = said(caplog, ValueError("boom"))
    assert bug.startswith("error castad.run ")
    assert bug.endswith(f"; the trace is in {get_traceback_log_path()} task_id=shop-1")
    assert "ValueError: boom" in get_traceback_log_path().read_text()
