"""Fetch a commit from GitHub for one analysis on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from pipeline_defs.analysis.order import GitHubRepository
from pipeline_defs.analysis.reading.git_tree import write_listing
from pipeline_defs.analysis.reading.members import AnalysisLimits
from resources.contract.errors import PermanentError
from resources.process.settings import settings

if TYPE_CHECKING:
    from resources.providers.github.rest_client import GitHubClient


@dataclass(frozen=True)
class Fetched:
    """The archive of a commit, the list of its files, and its repository's name as GitHub spells it."""

    name: str
    sha: str
    archive: BinaryIO
    listing: Path


@contextmanager
def fetch_commit(
    repository: GitHubRepository, ref: str, limits: AnalysisLimits
) -> Iterator[Fetched]:
    """Fetch the commit that the ref names now into a folder that is removed after the block.

    Raise the errors of `GitHubClient`.
    """
    from resources.providers.github.vendor import make_github_client

    github = make_github_client(settings())
    commit = github.resolve(repository.owner, repository.name, ref)
    with TemporaryDirectory(prefix="castad-analyse-") as folder:
        file = Path(folder, "archive.tar.gz")
        of = (commit.owner, commit.name, commit.sha)
        # Only the limits and an interrupt end the download.
        github.download(*of, file, lambda: None, limits.compressed_bytes)
        listing = write_commit_listing(github, of, Path(folder))
        with file.open("rb") as archive:
            yield Fetched(f"{commit.owner}/{commit.name}", commit.sha, archive, listing)


def write_commit_listing(github: "GitHubClient", of: tuple[str, str, str], folder: Path) -> Path:
    """Write the list of the commit's files into the folder; an archive may lack some of them.

    `of` is owner, name and sha. Raise the errors of `GitHubClient.list_files`, except PermanentError: then the
    list is marked as cut, since the archive may still be complete.
    """
    from resources.providers.github.answers import CommitFiles

    try:
        listing = github.list_files(*of)
    except PermanentError:
        listing = CommitFiles({}, (), is_cut=True)
    file = folder / "listing.json"
    write_listing(file, listing.files, listing.submodules, is_cut=listing.is_cut)
    return file
