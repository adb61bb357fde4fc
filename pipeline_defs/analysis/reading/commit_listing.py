"""What a commit consists of, beside an archive that may leave some of it out."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pipeline_defs.analysis.reading.members import Kind, Member, MemberRemark


def write_listing(
    file: Path, files: Mapping[str, int], submodules: Sequence[str], *, is_cut: bool
) -> None:
    """Write the list; `files` are paths with their sizes, `is_cut` says that there are more."""
    listing = {"files": files, "submodules": submodules, "is_cut": is_cut}
    file.write_text(json.dumps(listing, ensure_ascii=False), "utf-8", "surrogatepass")


def with_listed(members: Iterable[Member], file: Path) -> Iterator[Member]:
    """Yield the members of an archive, then what the list of its commit also has, with a remark."""
    listing = json.loads(file.read_text("utf-8", "surrogatepass"))
    seen = set()
    for member in members:
        seen.add(member.path)
        yield member
    for path, size in listing["files"].items():
        if path not in seen:
            yield Member(path, size, Kind.FILE, remark=MemberRemark.NOT_IN_ARCHIVE)
    for path in listing["submodules"]:
        if path not in seen:
            yield Member(path, 0, Kind.SUBMODULE, remark=MemberRemark.SUBMODULE)
    if listing["is_cut"]:
        yield Member(".", 0, Kind.SPECIAL, remark=MemberRemark.LISTING_CUT)
