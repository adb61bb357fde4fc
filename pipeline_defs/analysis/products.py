"""The products of the stages, as the ledger stores them."""

from collections.abc import Mapping

from pydantic import BaseModel

from resources.files.artifacts import StoredArtifact


class Resolved(BaseModel):
    """The commit that is analysed, its repository as GitHub spells it; a local repository has no owner."""

    owner: str
    name: str
    sha: str


class Readable(BaseModel):
    """A commit that can be read; `bytes` is the size of the fetched archive, 0 for a local repository.

    The files, if any, are the archive and the list of the commit's files.
    """

    bytes: int
    files: list[StoredArtifact] = []


class Counted(BaseModel):
    """The figures of the repository; `analysis.json` has everything."""

    file_count: int
    bytes: int
    code_lines: int
    languages: Mapping[str, float]
    """The percentage of each language."""
    test_count: int
    frameworks: Mapping[str, int]
    """The tests of each framework."""
    files: list[StoredArtifact] = []


class Recorded(BaseModel):
    """The report as a page."""

    files: list[StoredArtifact] = []
