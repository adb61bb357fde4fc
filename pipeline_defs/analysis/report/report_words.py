"""The words of a report in English and Korean, and the formats of its figures. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline_defs.analysis.counting.found import CaseStatus
from pipeline_defs.analysis.measuring.measured_files import LeftOut
from pipeline_defs.analysis.reading.members import MemberRemark


@dataclass(frozen=True)
class ReportWords:
    """Headings, labels and the names of every status, reason and remark."""

    html_language: str
    files: str
    size: str
    code: str
    comment: str
    blank: str
    lines: str
    tests: str
    test_files: str
    language: str
    languages: str
    framework: str
    share: str
    path: str
    count: str
    examples: str
    largest_files: str
    untested_folders: str
    left_out: str
    remarks: str
    reason: str
    nothing: str
    and_more: str
    statuses: Mapping[CaseStatus, str]
    reasons: Mapping[LeftOut, str]
    remark_names: Mapping[MemberRemark, str]


ENGLISH = ReportWords(
    html_language="en",
    files="Files",
    size="Size",
    code="Code",
    comment="Comment",
    blank="Blank",
    lines="Lines",
    tests="Tests",
    test_files="Test files",
    language="Language",
    languages="Languages",
    framework="Framework",
    share="Share",
    path="Path",
    count="Number",
    examples="Examples",
    largest_files="Largest files",
    untested_folders="Folders without tests",
    left_out="Not counted among the languages",
    remarks="Remarks",
    reason="Reason",
    nothing="None",
    and_more="and {count} more",
    statuses={
        CaseStatus.ACTIVE: "active",
        CaseStatus.SKIPPED: "skipped",
        CaseStatus.TODO: "todo",
        CaseStatus.XFAIL: "expected to fail",
        CaseStatus.FOCUSED: "focused",
    },
    reasons={
        LeftOut.VENDORED: "vendored",
        LeftOut.DOCUMENTATION: "documentation",
        LeftOut.GENERATED: "generated",
        LeftOut.BINARY: "binary",
        LeftOut.UNKNOWN_LANGUAGE: "unknown language",
        LeftOut.DATA_OR_PROSE: "data or prose",
        LeftOut.NOT_DETECTABLE: "excluded by .gitattributes",
    },
    remark_names={
        MemberRemark.SYMLINK: "symbolic links, not followed",
        MemberRemark.HARD_LINK: "hard links",
        MemberRemark.SUBMODULE: "submodules, not read",
        MemberRemark.SPECIAL_FILE: "devices and other special files",
        MemberRemark.ABSOLUTE_NAME: "absolute names",
        MemberRemark.PARENT_NAME: "names with ..",
        MemberRemark.EMPTY_NAME: "empty names",
        MemberRemark.NAME_WITH_NUL: "names with a NUL",
        MemberRemark.NAME_NOT_UTF8: "names that are not UTF-8",
        MemberRemark.NAME_TOO_LONG: "names that are too long",
        MemberRemark.NAME_TOO_DEEP: "folders that are too deep",
        MemberRemark.REPEATED_NAME: "names that occur twice",
        MemberRemark.UNREADABLE_FILE: "files that cannot be opened",
        MemberRemark.LARGE_FILE: "files too large to look into",
        MemberRemark.LFS_POINTER: "files that Git LFS keeps elsewhere",
        MemberRemark.NOT_IN_ARCHIVE: "files that GitHub's archive leaves out (export-ignore), not read",
        MemberRemark.LISTING_CUT: "not known which files GitHub's archive leaves out",
        MemberRemark.NOT_FETCHED: "files that this partial clone has not fetched, not read",
        MemberRemark.FRAMEWORK_NOT_COUNTED: "test files of frameworks that are not counted",
        MemberRemark.TESTS_NOT_COUNTED: "files whose tests were not counted",
    },
)

KOREAN = ReportWords(
    html_language="ko",
    files="파일",
    size="크기",
    code="코드",
    comment="주석",
    blank="빈 줄",
    lines="줄",
    tests="테스트",
    test_files="테스트 파일",
    language="언어",
    languages="언어",
    framework="프레임워크",
    share="비율",
    path="경로",
    count="개수",
    examples="예",
    largest_files="가장 큰 파일",
    untested_folders="테스트가 없는 폴더",
    left_out="언어 통계에서 제외한 파일",
    remarks="참고",
    reason="이유",
    nothing="없음",
    and_more="외 {count}개",
    statuses={
        CaseStatus.ACTIVE: "실행",
        CaseStatus.SKIPPED: "건너뜀",
        CaseStatus.TODO: "예정",
        CaseStatus.XFAIL: "실패 예상",
        CaseStatus.FOCUSED: "단독 실행",
    },
    reasons={
        LeftOut.VENDORED: "외부 코드",
        LeftOut.DOCUMENTATION: "문서",
        LeftOut.GENERATED: "자동 생성",
        LeftOut.BINARY: "바이너리",
        LeftOut.UNKNOWN_LANGUAGE: "알 수 없는 언어",
        LeftOut.DATA_OR_PROSE: "데이터 또는 글",
        LeftOut.NOT_DETECTABLE: ".gitattributes에서 제외",
    },
    remark_names={
        MemberRemark.SYMLINK: "심볼릭 링크 (따라가지 않음)",
        MemberRemark.HARD_LINK: "하드 링크",
        MemberRemark.SUBMODULE: "서브모듈 (읽지 않음)",
        MemberRemark.SPECIAL_FILE: "장치 등 특수 파일",
        MemberRemark.ABSOLUTE_NAME: "절대 경로 이름",
        MemberRemark.PARENT_NAME: "..이 든 이름",
        MemberRemark.EMPTY_NAME: "빈 이름",
        MemberRemark.NAME_WITH_NUL: "NUL이 든 이름",
        MemberRemark.NAME_NOT_UTF8: "UTF-8이 아닌 이름",
        MemberRemark.NAME_TOO_LONG: "너무 긴 이름",
        MemberRemark.NAME_TOO_DEEP: "너무 깊은 폴더",
        MemberRemark.REPEATED_NAME: "두 번 나온 이름",
        MemberRemark.UNREADABLE_FILE: "열 수 없는 파일",
        MemberRemark.LARGE_FILE: "너무 커서 읽지 않은 파일",
        MemberRemark.LFS_POINTER: "Git LFS가 따로 보관하는 파일",
        MemberRemark.NOT_IN_ARCHIVE: "GitHub 아카이브에서 빠진 파일 (export-ignore, 읽지 않음)",
        MemberRemark.LISTING_CUT: "GitHub 아카이브에서 빠진 파일을 다 알 수 없음",
        MemberRemark.FRAMEWORK_NOT_COUNTED: "세지 않는 프레임워크의 테스트 파일",
        MemberRemark.NOT_FETCHED: "부분 클론이 내려받지 않은 파일 (읽지 않음)",
        MemberRemark.TESTS_NOT_COUNTED: "테스트를 세지 못한 파일",
    },
)


STATUS_COLOURS = {
    CaseStatus.ACTIVE: "#2da44e",
    CaseStatus.SKIPPED: "#8c959f",
    CaseStatus.TODO: "#bf8700",
    CaseStatus.XFAIL: "#8250df",
    CaseStatus.FOCUSED: "#cf222e",
}
_UNITS = ("B", "kB", "MB", "GB")


def format_number(number: int) -> str:
    """Format 1234567 as 1,234,567."""
    return f"{number:,}"


def format_percent(share: float) -> str:
    """Format with one decimal; a positive share below 0.05 is "< 0.1 %"."""
    return "< 0.1 %" if 0 < share < 0.05 else f"{share:.1f} %"


def format_size(bytes_: int) -> str:
    """Format 1234567 as 1.2 MB."""
    value, unit = float(bytes_), _UNITS[0]
    for next_unit in _UNITS[1:]:
        if value < 999.95:
            break
        value, unit = value / 1000, next_unit
    return f"{bytes_} B" if unit == "B" else f"{value:.1f} {unit}"
