"""The analysis that follows from the measured files, the tests found and the remarks. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline_defs.analysis.counting.found import CaseStatus, TestFile
from pipeline_defs.analysis.measuring.files import LeftOut, MeasuredFile
from pipeline_defs.analysis.measuring.languages import Lines, Type, languages
from pipeline_defs.analysis.reading.members import MemberRemark
from pipeline_defs.analysis.report.analysis import (
    Analysis,
    FileTests,
    FolderCount,
    FrameworkCount,
    LanguageShare,
    LargeFile,
    LeftOutCount,
    LineCounts,
    RemarkCount,
)

_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "e2e", "cypress"})
_AFFIX = re.compile(r"^tests?[_-]|^Tests?(?=[A-Z])|[._-](?:tests?|spec|it)$|(?:Tests?|Spec|IT)$")
_SEPARATORS = re.compile(r"[._-]")


@dataclass(frozen=True)
class SourceFile:
    """A file of a programming language that holds no tests."""

    path: str
    code_lines: int


@dataclass(frozen=True)
class UntestedFolder:
    """A folder, with what lies directly in it."""

    path: str
    files: int
    code_lines: int


def untested_folders(sources: Iterable[SourceFile], tests: Iterable[str]) -> list[UntestedFolder]:
    """Those in which no test file lies, and of which no test bears the name nor that of a file; longest first.

    A test file in a folder of tests lies where that folder does.
    """
    test_paths = list(tests)
    homes = {_home(path) for path in test_paths}
    subjects = {_subject(path) for path in test_paths}
    by_folder: dict[str, list[SourceFile]] = defaultdict(list)
    for source in sources:
        by_folder[source.path.rpartition("/")[0]].append(source)
    found = [
        UntestedFolder(folder or ".", len(files), sum(file.code_lines for file in files))
        for folder, files in by_folder.items()
        if not _is_tested(folder, files, homes, subjects)
    ]
    return sorted(found, key=lambda each: (-each.code_lines, each.path))


def _is_tested(folder: str, files: list[SourceFile], homes: set[str], subjects: set[str]) -> bool:
    is_of_tests = not _TEST_FOLDERS.isdisjoint(folder.split("/"))
    names = {_plain(folder), *(_plain(file.path) for file in files)}
    return is_of_tests or folder in homes or not subjects.isdisjoint(names)


def _home(path: str) -> str:
    """The folder of a test file, or that in which its folder of tests lies."""
    folders = path.split("/")[:-1]
    for depth, folder in enumerate(folders):
        if folder in _TEST_FOLDERS:
            return "/".join(folders[:depth])
    return "/".join(folders)


def _subject(path: str) -> str:
    """What a test file is named after: `a/test_tag.py` and `TagTest.java` after `tag`."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return _folded(_AFFIX.sub("", stem))


def _plain(path: str) -> str:
    name = path.rpartition("/")[2]
    return _folded(name.partition(".")[0])


def _folded(stem: str) -> str:
    return _SEPARATORS.sub("", stem).lower()


MOST_LISTED = 20
_EXAMPLES = 3


@dataclass(frozen=True)
class Findings:
    """What is known of a repository; `remarks` has the paths of each."""

    files: Sequence[MeasuredFile]
    tests: Sequence[TestFile]
    remarks: Mapping[MemberRemark, Sequence[str]]


def summarize(findings: Findings) -> Analysis:
    """The analysis: everything largest first, and otherwise in order of names."""
    counted = [file for file in findings.files if file.left_out is None]
    untested = _untested(counted, findings.tests)
    return Analysis(
        files=len(findings.files),
        bytes=sum(file.size for file in findings.files),
        lines=_line_counts(counted),
        languages=_languages(counted),
        left_out=_left_out(findings.files),
        test_count=sum(len(file.tests) for file in findings.tests),
        tests=_frameworks(findings.tests),
        test_files=tuple(
            map(_test_file, _by_framework(sorted(findings.tests, key=lambda file: file.path)))
        ),
        largest_files=_largest(findings.files),
        untested_folder_count=len(untested),
        untested_folders=tuple(
            FolderCount(path=each.path, files=each.files, code_lines=each.code_lines)
            for each in untested[:MOST_LISTED]
        ),
        remarks=_remarks(findings.remarks),
    )


def _line_counts(files: Iterable[MeasuredFile]) -> LineCounts:
    total = sum((file.lines for file in files), Lines())
    return LineCounts(code=total.code, comment=total.comment, blank=total.blank)


def _languages(counted: Sequence[MeasuredFile]) -> tuple[LanguageShare, ...]:
    groups: dict[str, list[MeasuredFile]] = defaultdict(list)
    for file in counted:
        if file.language is not None:
            groups[file.language.group].append(file)
    all_bytes = sum(file.size for file in counted)
    shares = [_share(name, files, all_bytes) for name, files in groups.items()]
    return tuple(sorted(shares, key=lambda share: (-share.bytes, share.name)))


def _share(name: str, files: Sequence[MeasuredFile], all_bytes: int) -> LanguageShare:
    size = sum(file.size for file in files)
    return LanguageShare(
        name=name,
        colour=languages().by_name[name.lower()].colour,
        files=len(files),
        bytes=size,
        percent=round(100 * size / all_bytes, 4) if all_bytes else 0.0,
        lines=_line_counts(files),
    )


def _left_out(files: Sequence[MeasuredFile]) -> tuple[LeftOutCount, ...]:
    counts = [
        LeftOutCount(
            reason=reason,
            files=sum(file.left_out is reason for file in files),
            bytes=sum(file.size for file in files if file.left_out is reason),
        )
        for reason in LeftOut
    ]
    return tuple(count for count in counts if count.files)


def _frameworks(tests: Sequence[TestFile]) -> tuple[FrameworkCount, ...]:
    groups: dict[str, list[TestFile]] = defaultdict(list)
    for file in _by_framework(tests):
        groups[file.framework].append(file)
    counts = [
        FrameworkCount(
            framework=str(framework),
            files=len(files),
            tests=sum(len(file.tests) for file in files),
            statuses={str(status): _number_of(status, files) for status in CaseStatus},
        )
        for framework, files in groups.items()
    ]
    return tuple(sorted(counts, key=lambda count: (-count.tests, count.framework)))


def _by_framework(tests: Iterable[TestFile]) -> Iterator[TestFile]:
    """Each file, once for every framework that it has tests of."""
    for file in tests:
        others = {test.framework: None for test in file.tests if test.framework is not None}
        if not others:
            yield file
            continue
        for framework in (None, *others):
            of_it = tuple(test for test in file.tests if test.framework is framework)
            yield replace(file, framework=framework or file.framework, tests=of_it)


def _number_of(status: CaseStatus, files: Iterable[TestFile]) -> int:
    return sum(test.status is status for file in files for test in file.tests)


def _test_file(file: TestFile) -> FileTests:
    return FileTests(
        path=file.path,
        framework=str(file.framework),
        language=str(file.language),
        tests=len(file.tests),
        statuses=Counter(str(test.status) for test in file.tests),
    )


def _largest(files: Sequence[MeasuredFile]) -> tuple[LargeFile, ...]:
    largest = sorted(files, key=lambda file: (-file.size, file.path))[:MOST_LISTED]
    return tuple(
        LargeFile(
            path=file.path,
            bytes=file.size,
            lines=file.lines.total,
            language=file.language.name if file.language else None,
        )
        for file in largest
    )


def _untested(
    counted: Sequence[MeasuredFile], tests: Sequence[TestFile]
) -> Sequence[UntestedFolder]:
    test_paths = {file.path for file in tests}
    sources = [
        SourceFile(file.path, file.lines.code)
        for file in counted
        if file.language is not None
        and file.language.type is Type.PROGRAMMING
        and file.path not in test_paths
        and file.lines.code
    ]
    return untested_folders(sources, test_paths)


def _remarks(remarks: Mapping[MemberRemark, Sequence[str]]) -> tuple[RemarkCount, ...]:
    counts = [
        RemarkCount(remark=remark, count=len(paths), examples=tuple(paths[:_EXAMPLES]))
        for remark, paths in remarks.items()
    ]
    return tuple(sorted(counts, key=lambda count: (-count.count, count.remark)))
