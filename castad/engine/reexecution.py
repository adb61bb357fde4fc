"""What stands against executing a run again, in sentences; stock, Dagster answers HTTP 500 with a trace."""

from types import TracebackType
from typing import Any

from dagster._core.errors import (
    DagsterInvariantViolationError,
    DagsterRunNotFoundError,
)
from dagster_graphql.implementation.utils import ErrorCapture
from dagster_graphql.schema.errors import GraphenePythonError
from dagster_shared.check import CheckError
from dagster_shared.error import SerializableErrorInfo
from dagster_webserver.webserver import DagsterWebserver

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType]

_GONE = (
    "the run was deleted meanwhile, and nothing can be executed again from it; "
    "`castad retry TASK_ID` begins its request anew"
)
_NOT_FAILED = (
    "the run has neither failed nor been canceled, so nothing can be executed again from its failure; "
    "wait for its end, or execute all of it again"
)
_TOLD: tuple[tuple[type[BaseException], str, str], ...] = (
    (CheckError, "Could not find parent run with id", _GONE),
    (DagsterRunNotFoundError, "", _GONE),
    (DagsterInvariantViolationError, "that was passed to submit_run", _GONE),
    (DagsterInvariantViolationError, "a run that is not failed or canceled", _NOT_FAILED),
)


def sentence_on(error: BaseException) -> str | None:
    """What a person is told of an error that is nobody's bug; None of any other."""
    for kind, words, sentence in _TOLD:
        if isinstance(error, kind) and words in str(error):
            return sentence
    return None


class PlainSpokenWebserver(DagsterWebserver):
    """Dagster's own, which answers in a sentence (HTTP 200) where a run cannot be executed again."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        ErrorCapture.on_exception = _as_answer

    def _determine_status_code(self, resolver_errors: Any, captured_errors: list[Exception]) -> int:
        unexpected = [error for error in captured_errors if sentence_on(error) is None]
        return super()._determine_status_code(resolver_errors, unexpected)


def _as_answer(exc_info: ExceptionInfo) -> GraphenePythonError:
    sentence = sentence_on(exc_info[1])
    if sentence is None:
        return ErrorCapture.default_on_exception(exc_info)
    return GraphenePythonError(SerializableErrorInfo(sentence, [], None))
