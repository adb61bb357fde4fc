"""The words of a report, in English and Korean. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline_defs.analysis.counting.found import Status
from pipeline_defs.analysis.measuring.files import LeftOut
from pipeline_defs.analysis.reading.members import Remark


@dataclass(frozen=True)
class Words:
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
    statuses: Mapping[Status, str]
    reasons: Mapping[LeftOut, str]
    remark_names: Mapping[Remark, str]


ENGLISH = Words(
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
        Status.ACTIVE: "active",
        Status.SKIPPED: "skipped",
        Status.TODO: "todo",
        Status.XFAIL: "expected to fail",
        Status.FOCUSED: "focused",
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
        Remark.SYMLINK: "symbolic links, not followed",
        Remark.HARD_LINK: "hard links",
        Remark.SUBMODULE: "submodules, not read",
        Remark.SPECIAL_FILE: "devices and other special files",
        Remark.ABSOLUTE_NAME: "absolute names",
        Remark.PARENT_NAME: "names with ..",
        Remark.EMPTY_NAME: "empty names",
        Remark.NAME_WITH_NUL: "names with a NUL",
        Remark.NAME_NOT_UTF8: "names that are not UTF-8",
        Remark.NAME_TOO_LONG: "names that are too long",
        Remark.NAME_TOO_DEEP: "folders that are too deep",
        Remark.REPEATED_NAME: "names that occur twice",
        Remark.UNREADABLE_FILE: "files that cannot be opened",
        Remark.LARGE_FILE: "files too large to look into",
        Remark.LFS_POINTER: "files that Git LFS keeps elsewhere",
        Remark.NOT_IN_ARCHIVE: "files that GitHub's archive leaves out (export-ignore), not read",
        Remark.LISTING_CUT: "not known which files GitHub's archive leaves out",
        Remark.NOT_FETCHED: "files that this partial clone has not fetched, not read",
        Remark.FRAMEWORK_NOT_COUNTED: "test files of frameworks that are not counted",
        Remark.TESTS_NOT_COUNTED: "files whose tests were not counted",
    },
)

KOREAN = Words(
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
        Status.ACTIVE: "실행",
        Status.SKIPPED: "건너뜀",
        Status.TODO: "예정",
        Status.XFAIL: "실패 예상",
        Status.FOCUSED: "단독 실행",
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
        Remark.SYMLINK: "심볼릭 링크 (따라가지 않음)",
        Remark.HARD_LINK: "하드 링크",
        Remark.SUBMODULE: "서브모듈 (읽지 않음)",
        Remark.SPECIAL_FILE: "장치 등 특수 파일",
        Remark.ABSOLUTE_NAME: "절대 경로 이름",
        Remark.PARENT_NAME: "..이 든 이름",
        Remark.EMPTY_NAME: "빈 이름",
        Remark.NAME_WITH_NUL: "NUL이 든 이름",
        Remark.NAME_NOT_UTF8: "UTF-8이 아닌 이름",
        Remark.NAME_TOO_LONG: "너무 긴 이름",
        Remark.NAME_TOO_DEEP: "너무 깊은 폴더",
        Remark.REPEATED_NAME: "두 번 나온 이름",
        Remark.UNREADABLE_FILE: "열 수 없는 파일",
        Remark.LARGE_FILE: "너무 커서 읽지 않은 파일",
        Remark.LFS_POINTER: "Git LFS가 따로 보관하는 파일",
        Remark.NOT_IN_ARCHIVE: "GitHub 아카이브에서 빠진 파일 (export-ignore, 읽지 않음)",
        Remark.LISTING_CUT: "GitHub 아카이브에서 빠진 파일을 다 알 수 없음",
        Remark.FRAMEWORK_NOT_COUNTED: "세지 않는 프레임워크의 테스트 파일",
        Remark.NOT_FETCHED: "부분 클론이 내려받지 않은 파일 (읽지 않음)",
        Remark.TESTS_NOT_COUNTED: "테스트를 세지 못한 파일",
    },
)
