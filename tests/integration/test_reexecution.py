"""What the UI's own code raises where a run cannot be started, and what a person is told of it."""

import asyncio
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from dagster import DagsterInstance, job, op
from dagster_graphql.implementation.execution import launch_execution

from castad.engine.launcher import _as_explained_error, explain, sentence_in
from resources.process.configure_logging import traceback_log_path
from tests.quiet_dagster import NO_TELEMETRY


@op
def nothing() -> None:
    """Ends at once."""


@job
def by_hand() -> None:
    nothing()


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[DagsterInstance]:
    with DagsterInstance.local_temp(str(tmp_path), overrides=NO_TELEMETRY) as instance:
        yield instance


def error_of(instance: DagsterInstance, run_id: str) -> Exception:
    """What Dagster's own code raises that executes a run again."""
    info = SimpleNamespace(context=SimpleNamespace(instance=instance))
    launch = launch_execution.launch_reexecution_from_parent_run
    with pytest.raises(Exception) as raised:
        asyncio.run(launch(info, run_id, "FROM_FAILURE"))
    return raised.value


def test_run_that_was_started_by_hand_is_refused_with_what_works(instance: DagsterInstance) -> None:
    run_id = by_hand.execute_in_process(instance=instance).run_id
    told = explain(error_of(instance, run_id))
    assert told is not None
    assert "as by `dagster job execute`" in told
    assert "`castad retry TASK_ID`" in told


def test_run_that_there_never_was_is_not_said_to_have_been_there(instance: DagsterInstance) -> None:
    told = explain(error_of(instance, "nonsense"))
    assert str(told).startswith("the run does not exist or was deleted")


def test_refusal_of_a_code_server_is_its_sentence_without_classes_and_trace() -> None:
    said = (
        "dagster._core.errors.DagsterUserCodeProcessError: dagster._core.errors.DagsterInvalidConfigError: "
        'customer_name: expected a value, got none\n\nStack Trace:\n  File "server.py", line 873'
    )
    assert sentence_in(said) == "customer_name: expected a value, got none"


def test_what_nobody_foresaw_is_a_sentence_and_its_trace_is_in_the_log(
    instance: DagsterInstance, tmp_path: Path
) -> None:
    run_id = by_hand.execute_in_process(instance=instance).run_id
    with closing(sqlite3.connect(tmp_path / "history" / "runs.db")) as runs:
        runs.execute("UPDATE runs SET run_body = 'garbage'")
        runs.commit()
    error = error_of(instance, run_id)
    answer = _as_explained_error((type(error), error, error.__traceback__))
    assert answer.resolve_message(None).startswith(
        "Dagster could not do that: json.decoder.JSONDecodeError: "
    )
    assert answer.resolve_message(None).endswith(f"; the trace is in {traceback_log_path()}")
    assert "JSONDecodeError" in traceback_log_path().read_text()


def test_error_of_anything_else_is_left_to_dagster() -> None:
    try:
        [][0]
    except IndexError:
        assert explain(sys.exc_info()[1]) is None
