"""Analyse the members of a source, and the messages of the process that does it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import TypeAdapter

from pipeline_defs.analysis.counting.compiled import find_derived_attributes
from pipeline_defs.analysis.counting.count import Configs, count_tests, read_configs
from pipeline_defs.analysis.counting.detect import (
    find_uncounted_by_name,
    find_uncounted_by_words,
)
from pipeline_defs.analysis.counting.found import TestFile, is_config, may_hold_tests
from pipeline_defs.analysis.counting.syntax import UncountableSourceError
from pipeline_defs.analysis.measuring.attributes import FILE_NAME, AttributeRules
from pipeline_defs.analysis.measuring.measured_files import (
    MeasuredFile,
    apply_attributes,
    measure_file,
)
from pipeline_defs.analysis.reading.git_tree import add_listed, read_commit
from pipeline_defs.analysis.reading.members import (
    AnalysisLimits,
    Deadline,
    Member,
    MemberRemark,
    convert_to_utf8,
    normalize_line_ends,
)
from pipeline_defs.analysis.reading.tarball import read_tarball
from pipeline_defs.analysis.reading.work_tree import read_work_tree
from pipeline_defs.analysis.report.analysis import Analysis
from pipeline_defs.analysis.report.summary import summarize


@dataclass(frozen=True)
class Tarball:
    """A gzip'd tar that comes as a stream of bytes; those of GitHub have a top folder.

    `listing` is the list of what its commit consists of, as `write_listing` writes it.
    """

    has_top_folder: bool = True
    listing: Path | None = None
    kind: Literal["tarball"] = "tarball"


@dataclass(frozen=True)
class CommittedTree:
    """A commit of the local git repository at `path`, by its full sha."""

    path: Path
    sha: str
    kind: Literal["committed_tree"] = "committed_tree"


@dataclass(frozen=True)
class WorkTree:
    """The work tree of the local git repository at `path`, with what is not committed."""

    path: Path
    kind: Literal["work_tree"] = "work_tree"


Source = Tarball | CommittedTree | WorkTree


def read_members(source: Source, stream: BinaryIO, limits: AnalysisLimits) -> Iterator[Member]:
    """Read the members of the source; `stream` has the bytes of a tarball and is ignored otherwise."""
    match source:
        case Tarball():
            members = read_tarball(stream, limits, has_top_folder=source.has_top_folder)
            return members if source.listing is None else add_listed(members, source.listing)
        case CommittedTree():
            return read_commit(source.path, source.sha, limits)
        case WorkTree():
            return read_work_tree(source.path, limits)


_REPORT_EVERY = 200


@dataclass(frozen=True)
class Progress:
    """The progress of an analysis: members read, of an unknown number, then test files counted, of `total`."""

    step: str
    done: int
    total: int | None = None


ReportProgress = Callable[[Progress], None]


CountTests = Callable[[str, bytes, Configs], TestFile | None]
"""Counts as `count_tests` does."""


def analyse(
    members: Iterable[Member],
    limits: AnalysisLimits,
    report_progress: ReportProgress,
    count: CountTests = count_tests,
) -> Analysis:
    """Analyse a repository; `count` counts the tests of a file.

    Raise PermanentError `analysis_timed_out`, and what `members` raises.
    """
    deadline = Deadline(limits.seconds)
    reading = _Reading(limits)
    for number, member in enumerate(members, start=1):
        reading.add(member)
        if number % _REPORT_EVERY == 0:
            deadline.check()
            report_progress(Progress("reading", number))
    tests = list(_count_all(reading, deadline, report_progress, count))
    rules = AttributeRules(reading.attribute_files)
    files = []
    for file in reading.files:
        deadline.check()
        files.append(apply_attributes(file, rules.get_attributes(file.path)))
    return summarize(files, tests, reading.remarks)


class _Reading:
    """The data of the members that are needed after all are read."""

    def __init__(self, limits: AnalysisLimits) -> None:
        self.files: list[MeasuredFile] = []
        self.attribute_files: dict[str, bytes] = {}
        self.configs: dict[str, bytes] = {}
        self.sources: dict[str, bytes] = {}
        self.derived: set[str] = set()
        self.remarks: dict[MemberRemark, list[str]] = defaultdict(list)
        self._room = limits.held_bytes

    def add(self, member: Member) -> None:
        """Measure the member, and store its content if it is needed again."""
        if member.remark is not None:
            self.remarks[member.remark].append(member.path)
        if member.remark in (None, MemberRemark.LARGE_FILE):
            self.files.append(measure_file(member.path, member.size, member.content))
        if member.remark is None:
            self._keep(member)

    def remark_uncounted(self, path: str, framework: str) -> None:
        """Remark the file with the framework that it looks like."""
        self.remarks[MemberRemark.FRAMEWORK_NOT_COUNTED].append(f"{path} ({framework})")

    def _keep(self, member: Member) -> None:
        if member.path.endswith(".cs"):
            self.derived |= find_derived_attributes(member.content)
        name = find_uncounted_by_name(member.path, member.content)
        if name is not None:
            self.remark_uncounted(member.path, name)
        places = (
            (member.path.rpartition("/")[2] == FILE_NAME, self.attribute_files),
            (is_config(member.path), self.configs),
            (may_hold_tests(member.path), self.sources),
        )
        wanted = [place for is_wanted, place in places if is_wanted]
        if wanted and member.size > self._room:
            self.remarks[MemberRemark.TESTS_NOT_COUNTED].append(member.path)
            return
        for place in wanted:
            place[member.path] = member.content
        self._room -= member.size if wanted else 0


def _count_all(
    reading: _Reading, deadline: Deadline, report_progress: ReportProgress, count: CountTests
) -> Iterator[TestFile]:
    configs = replace(read_configs(reading.configs), derived=frozenset(reading.derived))
    for done, (path, source) in enumerate(sorted(reading.sources.items())):
        deadline.check()
        if done % _REPORT_EVERY == 0:
            report_progress(Progress("counting", done, len(reading.sources)))
        try:
            found = count(path, source, configs)
        except UncountableSourceError:
            reading.remarks[MemberRemark.TESTS_NOT_COUNTED].append(path)
            continue
        if found is None or not found.tests:
            name = find_uncounted_by_words(path, normalize_line_ends(convert_to_utf8(source)))
            if name is not None:
                reading.remark_uncounted(path, name)
        if found is not None:
            yield found


@dataclass(frozen=True)
class AnalysisMessage:
    """The request for an analysis."""

    source: Source
    limits: AnalysisLimits


@dataclass(frozen=True)
class ProgressMessage:
    """The progress of the analysis."""

    progress: Progress
    kind: Literal["progress"] = "progress"


@dataclass(frozen=True)
class ResultMessage:
    """The last line of a successful analysis."""

    analysis: Analysis
    kind: Literal["result"] = "result"


@dataclass(frozen=True)
class RefusalMessage:
    """The last line of a failed analysis."""

    code: str
    message: str
    kind: Literal["refusal"] = "refusal"


Answer = ProgressMessage | ResultMessage | RefusalMessage

REQUEST: TypeAdapter[AnalysisMessage] = TypeAdapter(AnalysisMessage)
ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)
