"""The sources from which a repository is read; each can be written as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from pipeline_defs.analysis.reading.git_tree import add_listed, read_commit
from pipeline_defs.analysis.reading.members import AnalysisLimits, Member
from pipeline_defs.analysis.reading.tarball import read_tarball
from pipeline_defs.analysis.reading.work_tree import read_work_tree


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
