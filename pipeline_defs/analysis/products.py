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
    """The commit can be read; `bytes` is what was fetched for it, 0 where it is on this machine.

    The files, if any, are the archive that was fetched and the list of what the commit consists of.
    """

    bytes: int
    files: list[StoredArtifact] = []


class Counted(BaseModel):
    """What the repository consists of, in figures; `analysis.json` has everything."""

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
