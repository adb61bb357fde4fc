"""What the process of an analysis is asked, and what it answers: one line of JSON each. Pure."""

from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from pipeline_defs.analysis.analysing import Progress
from pipeline_defs.analysis.reading.reading_limits import Limits
from pipeline_defs.analysis.report.analysis import Analysis
from pipeline_defs.analysis.sources import Source


@dataclass(frozen=True)
class AnalysisMessage:
    """The analysis that is asked for."""

    source: Source
    limits: Limits


@dataclass(frozen=True)
class ProgressMessage:
    """The analysis has come this far."""

    progress: Progress
    kind: Literal["progress"] = "progress"


@dataclass(frozen=True)
class ResultMessage:
    """The last line of an analysis that was made."""

    analysis: Analysis
    kind: Literal["result"] = "result"


@dataclass(frozen=True)
class Refusal:
    """The last line of one that was not."""

    code: str
    message: str
    kind: Literal["refusal"] = "refusal"


Answer = ProgressMessage | ResultMessage | Refusal

REQUEST: TypeAdapter[AnalysisMessage] = TypeAdapter(AnalysisMessage)
ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)
