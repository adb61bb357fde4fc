"""The process of one analysis: the request is its argument, a tarball its input, the answers its output.

`python -m pipeline_defs.analysis.analysing_process REQUEST`
"""

import resource
import sys
from typing import BinaryIO

from pipeline_defs.analysis.analysing import (
    ANSWER,
    REQUEST,
    AnalysisMessage,
    Answer,
    Progress,
    ProgressMessage,
    RefusalMessage,
    ResultMessage,
    analyse,
    read_members,
)
from pipeline_defs.analysis.counting.count import KillableCounter
from pipeline_defs.analysis.reading.members import MEGABYTE, RefusalCode, make_refusal
from resources.contract.errors import PermanentError


def main(request: AnalysisMessage, tarball: BinaryIO, answers: BinaryIO) -> None:
    """Limit this process, analyse, and write one answer per line; the last is a result or a refusal."""
    limits = request.limits
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def report_progress(progress: Progress) -> None:
        _write(answers, _encode_line(ProgressMessage(progress)))

    counter = KillableCounter()
    try:
        members = read_members(request.source, tarball, limits)
        analysis = analyse(members, limits, report_progress, counter.count)
        answer = _encode_line(ResultMessage(analysis))
        if len(answer) > limits.answer_bytes:
            raise make_refusal(
                RefusalCode.REPOSITORY_TOO_LARGE,
                "repository: expected one whose analysis is at most "
                f"{limits.answer_bytes / MEGABYTE:g} MB of JSON",
            )
    except PermanentError as error:
        answer = _encode_line(RefusalMessage(error.code, error.message))
    except MemoryError:
        expected = (
            f"expected one that is analysed within {limits.memory_bytes / MEGABYTE:g} MB of memory"
        )
        answer = _encode_line(
            RefusalMessage(RefusalCode.ANALYSIS_OUT_OF_MEMORY, f"repository: {expected}")
        )
    finally:
        counter.close()
    _write(answers, answer)


def _encode_line(answer: Answer) -> bytes:
    return ANSWER.dump_json(answer) + b"\n"


def _write(answers: BinaryIO, line: bytes) -> None:
    answers.write(line)
    answers.flush()


if __name__ == "__main__":
    main(REQUEST.validate_json(sys.argv[1]), sys.stdin.buffer, sys.stdout.buffer)
