"""Whether a name in an archive or a tree can be a path of a repository. Pure."""

from collections.abc import Sequence

from pipeline_defs.analysis.reading.members import MemberRemark
from pipeline_defs.analysis.reading.reading_limits import Limits

_SHOWN_BYTES = 200


def path_of(name: bytes, limits: Limits) -> tuple[str, MemberRemark | None]:
    """The path, and why it is none; then it is the name's beginning, escaped."""
    remark = _fault(name, limits)
    if remark is not None:
        return name[:_SHOWN_BYTES].decode("utf-8", "backslashreplace"), remark
    return "/".join(_parts(name.decode("utf-8"))), None


def without_first_folder(name: bytes) -> bytes:
    """The name below its first folder; empty for that folder itself."""
    return name.removeprefix(b"./").partition(b"/")[2]


def _fault(name: bytes, limits: Limits) -> MemberRemark | None:
    if b"\0" in name:
        return MemberRemark.NAME_WITH_NUL
    if len(name) > limits.name_bytes:
        return MemberRemark.NAME_TOO_LONG
    try:
        text = name.decode("utf-8")
    except UnicodeDecodeError:
        return MemberRemark.NAME_NOT_UTF8
    return _fault_of_path(text, limits)


def _fault_of_path(text: str, limits: Limits) -> MemberRemark | None:
    parts = _parts(text)
    if text.startswith("/"):
        return MemberRemark.ABSOLUTE_NAME
    if ".." in parts:
        return MemberRemark.PARENT_NAME
    if not parts:
        return MemberRemark.EMPTY_NAME
    return MemberRemark.NAME_TOO_DEEP if len(parts) > limits.depth else None


def _parts(text: str) -> Sequence[str]:
    return [part for part in text.split("/") if part not in ("", ".")]
