"""What stands against starting a run, in sentences; stock, Dagster answers HTTP 500 with a trace."""

import traceback
from types import TracebackType
from typing import Any

from dagster import DagsterInvariantViolationError, DagsterRunNotFoundError
from dagster_graphql.implementation import execution
from dagster_graphql.implementation.utils import ErrorCapture
from dagster_graphql.schema.errors import GraphenePythonError
from dagster_shared.check import CheckError
from dagster_shared.error import SerializableErrorInfo
from dagster_webserver.webserver import DagsterWebserver

from resources.process.configure_logging import escape_to_one_line
from resources.process.traceback_log import log_traceback

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType]

_GONE = (
    "there is no such run, or it was deleted meanwhile, and nothing can be executed again from it; "
    "`castad retry TASK_ID` begins its request anew"
)
_BY_HAND = (
    "the run was started outside of Dagster's daemon, as by `dagster job execute`, and cannot be executed "
    "again from here; `castad retry TASK_ID` begins its request anew"
)
_NOT_FAILED = (
    "the run has neither failed nor been canceled, so nothing can be executed again from its failure; "
    "wait for its end, or execute all of it again"
)
_EXPLANATIONS: tuple[tuple[type[BaseException], str, str], ...] = (
    (CheckError, "Could not find parent run with id", _GONE),
    (CheckError, "Failed to reload run", _GONE),
    (DagsterRunNotFoundError, "", _GONE),
    (DagsterInvariantViolationError, "Could not load run", _GONE),
    (DagsterInvariantViolationError, "a run that is not failed or canceled", _NOT_FAILED),
)
_TOLD_OF_LAUNCHES: tuple[tuple[type[BaseException], str, str], ...] = (
    # What was launched is read once more to be shown.
    (IndexError, "", _GONE),
    (CheckError, "Expected non-None value", _BY_HAND),
)
_LAUNCHES = tuple(execution.__path__)


def explain(error: BaseException) -> str | None:
    """What a person is told of what kept a run from being started, ended or deleted; None of any other error."""
    sentence = _known(error)
    if sentence is None and _was_launching(error):
        said = "".join(traceback.format_exception_only(error))
        sentence = f"Dagster could not do that: {escape_to_one_line(' '.join(said.split()))}"
    return sentence


def _known(error: BaseException) -> str | None:
    told = (*_EXPLANATIONS, *_TOLD_OF_LAUNCHES) if _was_launching(error) else _EXPLANATIONS
    for kind, words, sentence in told:
        if isinstance(error, kind) and words in str(error):
            return sentence
    return None


def _was_launching(error: BaseException) -> bool:
    """Whether it was raised below what carries out the UI's orders about runs."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code.co_filename.startswith(_LAUNCHES) for frame, _ in frames)


class ExplainingWebserver(DagsterWebserver):
    """Dagster's own, which answers in a sentence (HTTP 200) where a run cannot be started."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        ErrorCapture.on_exception = _as_explained_error

    def _determine_status_code(self, resolver_errors: Any, captured_errors: list[Exception]) -> int:
        unexpected = [error for error in captured_errors if explain(error) is None]
        return super()._determine_status_code(resolver_errors, unexpected)


def _as_explained_error(exc_info: ExceptionInfo) -> GraphenePythonError:
    """The sentence; the trace of what has none of its own is in castad's log."""
    error = exc_info[1]
    sentence = explain(error)
    if sentence is None:
        return ErrorCapture.default_on_exception(exc_info)
    if _known(error) is None:
        sentence = f"{sentence}; the trace is in {log_traceback(error, 'castad.ui')}"
    return GraphenePythonError(SerializableErrorInfo(sentence, [], None))
