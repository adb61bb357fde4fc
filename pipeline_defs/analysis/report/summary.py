"""Summarize measured files, found tests and remarks as an analysis. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline_defs.analysis.counting.found import CaseStatus, TestFile
from pipeline_defs.analysis.measuring.languages import Lines, Type, load_languages
from pipeline_defs.analysis.measuring.measured_files import LeftOut, MeasuredFile
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
    """A file of a programming language without tests."""

    path: str
    code_lines: int


def find_untested_folders(sources: Iterable[SourceFile], tests: Iterable[str]) -> list[FolderCount]:
    """Return the folders without tests, longest first.

    A folder has tests if a test file lies in it, or is named after it or one of its files. A test file in a folder
    of tests lies where that folder does.
    """
    test_paths = list(tests)
    homes = {_get_home(path) for path in test_paths}
    subjects = {_get_subject(path) for path in test_paths}
    by_folder: dict[str, list[SourceFile]] = defaultdict(list)
    for source in sources:
        by_folder[source.path.rpartition("/")[0]].append(source)
    found = [
        FolderCount(
            path=folder or ".",
            files=len(files),
            code_lines=sum(file.code_lines for file in files),
        )
        for folder, files in by_folder.items()
        if not _is_tested(folder, files, homes, subjects)
    ]
    return sorted(found, key=lambda each: (-each.code_lines, each.path))


def _is_tested(folder: str, files: list[SourceFile], homes: set[str], subjects: set[str]) -> bool:
    is_of_tests = not _TEST_FOLDERS.isdisjoint(folder.split("/"))
    names = {_get_plain_name(folder), *(_get_plain_name(file.path) for file in files)}
    return is_of_tests or folder in homes or not subjects.isdisjoint(names)


def _get_home(path: str) -> str:
    """Return the folder of a test file, or the folder in which its folder of tests lies."""
    folders = path.split("/")[:-1]
    for depth, folder in enumerate(folders):
        if folder in _TEST_FOLDERS:
            return "/".join(folders[:depth])
    return "/".join(folders)


def _get_subject(path: str) -> str:
    """Return what a test file is named after: `tag` for `a/test_tag.py` and `TagTest.java`."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return _fold(_AFFIX.sub("", stem))


def _get_plain_name(path: str) -> str:
    name = path.rpartition("/")[2]
    return _fold(name.partition(".")[0])


def _fold(stem: str) -> str:
    return _SEPARATORS.sub("", stem).lower()


MOST_LISTED = 20
_EXAMPLES = 3


def summarize(
    files: Sequence[MeasuredFile],
    tests: Sequence[TestFile],
    remarks: Mapping[MemberRemark, Sequence[str]],
) -> Analysis:
    """Build the analysis; lists have the largest first, and then the order of names.

    `remarks` has the paths of each remark.
    """
    counted = [file for file in files if file.left_out is None]
    untested = _find_untested(counted, tests)
    return Analysis(
        files=len(files),
        bytes=sum(file.size for file in files),
        lines=_sum_lines(counted),
        languages=_count_languages(counted),
        left_out=_count_left_out(files),
        test_count=sum(len(file.tests) for file in tests),
        tests=_count_frameworks(tests),
        test_files=tuple(
            FileTests(
                path=file.path,
                framework=file.framework,
                language=file.language,
                tests=len(file.tests),
                statuses=Counter(str(test.status) for test in file.tests),
            )
            for file in _split_by_framework(sorted(tests, key=lambda file: file.path))
        ),
        largest_files=_list_largest(files),
        untested_folder_count=len(untested),
        untested_folders=tuple(untested[:MOST_LISTED]),
        remarks=_count_remarks(remarks),
    )


def _sum_lines(files: Iterable[MeasuredFile]) -> LineCounts:
    total = sum((file.lines for file in files), Lines())
    return LineCounts(code=total.code, comment=total.comment, blank=total.blank)


def _count_languages(counted: Sequence[MeasuredFile]) -> tuple[LanguageShare, ...]:
    groups: dict[str, list[MeasuredFile]] = defaultdict(list)
    for file in counted:
        if file.language is not None:
            groups[file.language.group].append(file)
    all_bytes = sum(file.size for file in counted)
    shares = []
    for name, files in groups.items():
        size = sum(file.size for file in files)
        share = LanguageShare(
            name=name,
            colour=load_languages().by_name[name.lower()].colour,
            files=len(files),
            bytes=size,
            percent=round(100 * size / all_bytes, 4) if all_bytes else 0.0,
            lines=_sum_lines(files),
        )
        shares.append(share)
    return tuple(sorted(shares, key=lambda share: (-share.bytes, share.name)))


def _count_left_out(files: Sequence[MeasuredFile]) -> tuple[LeftOutCount, ...]:
    counts = [
        LeftOutCount(
            reason=reason,
            files=sum(file.left_out is reason for file in files),
            bytes=sum(file.size for file in files if file.left_out is reason),
        )
        for reason in LeftOut
    ]
    return tuple(count for count in counts if count.files)


def _count_frameworks(tests: Sequence[TestFile]) -> tuple[FrameworkCount, ...]:
    groups: dict[str, list[TestFile]] = defaultdict(list)
    for file in _split_by_framework(tests):
        groups[file.framework].append(file)
    counts = []
    for framework, files in groups.items():
        numbers = Counter(test.status for file in files for test in file.tests)
        count = FrameworkCount(
            framework=framework,
            files=len(files),
            tests=numbers.total(),
            statuses={str(status): numbers[status] for status in CaseStatus},
        )
        counts.append(count)
    return tuple(sorted(counts, key=lambda count: (-count.tests, count.framework)))


def _split_by_framework(tests: Iterable[TestFile]) -> Iterator[TestFile]:
    """Yield each file once for every framework of its tests."""
    for file in tests:
        others = {test.framework: None for test in file.tests if test.framework is not None}
        if not others:
            yield file
            continue
        for framework in (None, *others):
            of_it = tuple(test for test in file.tests if test.framework == framework)
            yield replace(file, framework=framework or file.framework, tests=of_it)


def _list_largest(files: Sequence[MeasuredFile]) -> tuple[LargeFile, ...]:
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


def _find_untested(
    counted: Sequence[MeasuredFile], tests: Sequence[TestFile]
) -> Sequence[FolderCount]:
    test_paths = {file.path for file in tests}
    sources = [
        SourceFile(file.path, file.lines.code)
        for file in counted
        if file.language is not None
        and file.language.type is Type.PROGRAMMING
        and file.path not in test_paths
        and file.lines.code
    ]
    return find_untested_folders(sources, test_paths)


def _count_remarks(remarks: Mapping[MemberRemark, Sequence[str]]) -> tuple[RemarkCount, ...]:
    counts = [
        RemarkCount(remark=remark, count=len(paths), examples=tuple(paths[:_EXAMPLES]))
        for remark, paths in remarks.items()
    ]
    return tuple(sorted(counts, key=lambda count: (-count.count, count.remark)))
