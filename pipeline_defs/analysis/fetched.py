"""A commit of a repository of GitHub, fetched for one analysis on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from pipeline_defs.analysis.order import GitHubRepository
from pipeline_defs.analysis.reading.git_tree import write_listing
from pipeline_defs.analysis.reading.members import Limits
from resources.contract.errors import PermanentError
from resources.process.settings import settings

if TYPE_CHECKING:
    from resources.providers.github.rest_client import GitHubClient


@dataclass(frozen=True)
class Fetched:
    """The archive of a commit and the list of its files, and its repository as GitHub spells it."""

    name: str
    sha: str
    archive: BinaryIO
    listing: Path


@contextmanager
def fetched(repository: GitHubRepository, ref: str, limits: Limits) -> Iterator[Fetched]:
    """The commit that the ref names now, in a folder that goes with the block.

    Raises what `GitHubClient` raises.
    """
    from resources.providers.github.vendor import make_github_client

    github = make_github_client(settings())
    commit = github.resolve(repository.owner, repository.name, ref)
    with TemporaryDirectory(prefix="castad-analyse-") as folder:
        file = Path(folder, "archive.tar.gz")
        of = (commit.owner, commit.name, commit.sha)
        github.download(*of, file, _go_on, limits.compressed_bytes)
        listing = write_list_of_commit(github, of, Path(folder))
        with file.open("rb") as archive:
            yield Fetched(f"{commit.owner}/{commit.name}", commit.sha, archive, listing)


def write_list_of_commit(github: "GitHubClient", of: tuple[str, str, str], folder: Path) -> Path:
    """Write what the commit (owner, name, sha) consists of into the folder: its archive may leave some of it out.

    Raises what `GitHubClient.list_files` raises, but no PermanentError: the archive may be there all the same,
    and the result says that the list is not.
    """
    from resources.providers.github.answers import CommitFiles

    try:
        listing = github.list_files(*of)
    except PermanentError:
        listing = CommitFiles({}, (), is_cut=True)
    file = folder / "listing.json"
    write_listing(file, listing.files, listing.submodules, is_cut=listing.is_cut)
    return file


def _go_on() -> None:
    """Nothing ends the download but its limits, and an interrupt."""
