"""Errors of starting a run as sentences in the UI; the stock webserver answers HTTP 500 with a traceback."""

import re
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
    "the run does not exist or was deleted, so it cannot be executed again; "
    "`castad retry TASK_ID` retries its request"
)
_BY_HAND = (
    "the run was started outside of Dagster's daemon, such as by `dagster job execute`, and cannot be executed "
    "again from here; `castad retry TASK_ID` retries its request"
)
_NOT_FAILED = (
    "the run has neither failed nor been canceled, so it cannot be executed again from its failure; "
    "wait for its end, or execute all of it again"
)
_EXPLANATIONS: tuple[tuple[type[BaseException], str, str], ...] = (
    (CheckError, "Could not find parent run with id", _GONE),
    (CheckError, "Failed to reload run", _GONE),
    (DagsterRunNotFoundError, "", _GONE),
    (DagsterInvariantViolationError, "Could not load run", _GONE),
    (DagsterInvariantViolationError, "a run that is not failed or canceled", _NOT_FAILED),
)
_LAUNCH_EXPLANATIONS: tuple[tuple[type[BaseException], str, str], ...] = (
    # Dagster reads a launched run once more to show it.
    (IndexError, "", _GONE),
    (CheckError, "Expected non-None value", _BY_HAND),
)
_DAGSTERS_CLASSES = re.compile(r"^(?:dagster[\w.]*: )+")
_LAUNCHES = tuple(execution.__path__)


def explain(error: BaseException) -> str | None:
    """The sentence for an error of starting, ending or deleting a run; None for any other error."""
    sentence = _known(error)
    if sentence is None and _was_launching(error):
        message = "".join(traceback.format_exception_only(error))
        sentence = f"Dagster could not do that: {escape_to_one_line(sentence_in(message))}"
    return sentence


def sentence_in(message: str) -> str:
    """Return what an error says, without Dagster's classes that it has passed and a code server's trace."""
    said, _, _ = message.partition("Stack Trace:")
    return _DAGSTERS_CLASSES.sub("", " ".join(said.split()))


def _known(error: BaseException) -> str | None:
    explanations = _EXPLANATIONS
    if _was_launching(error):
        explanations = (*_EXPLANATIONS, *_LAUNCH_EXPLANATIONS)
    for kind, words, sentence in explanations:
        if isinstance(error, kind) and words in str(error):
            return sentence
    return None


def _was_launching(error: BaseException) -> bool:
    """Whether the error was raised while Dagster executed the UI's mutation of a run."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code.co_filename.startswith(_LAUNCHES) for frame, _ in frames)


class ExplainingWebserver(DagsterWebserver[Any, Any]):
    """Dagster's webserver; where a run cannot be started it answers with a sentence and HTTP 200."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        ErrorCapture.on_exception = _as_explained_error

    def _determine_status_code(self, resolver_errors: Any, captured_errors: list[Exception]) -> int:
        unexpected = [error for error in captured_errors if explain(error) is None]
        return super()._determine_status_code(resolver_errors, unexpected)


def _as_explained_error(exc_info: ExceptionInfo) -> GraphenePythonError:
    """The sentence; the traceback of an error without a known explanation is in castad's log."""
    error = exc_info[1]
    sentence = explain(error)
    if sentence is None:
        return ErrorCapture.default_on_exception(exc_info)
    if _known(error) is None:
        sentence = f"{sentence}; the trace is in {log_traceback(error, 'castad.ui')}"
    return GraphenePythonError(SerializableErrorInfo(sentence, [], None))
