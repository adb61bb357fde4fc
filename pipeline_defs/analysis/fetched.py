"""A commit of a repository of GitHub, fetched for one analysis on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from pipeline_defs.analysis.order import GitHubRepository
from pipeline_defs.analysis.reading.limits import Limits
from resources.process.settings import settings


@dataclass(frozen=True)
class Fetched:
    """The archive of a commit, and its repository as GitHub spells it."""

    name: str
    sha: str
    archive: BinaryIO


@contextmanager
def fetched(repository: GitHubRepository, ref: str, limits: Limits) -> Iterator[Fetched]:
    """The commit that the ref names now, in a folder that goes with the block.

    Raises what `GitHubClient` raises.
    """
    from resources.providers.github.vendor import github_client

    github = github_client(settings())
    commit = github.resolve(repository.owner, repository.name, ref)
    with TemporaryDirectory(prefix="castad-analyse-") as folder:
        file = Path(folder, "archive.tar.gz")
        of = (commit.owner, commit.name, commit.sha)
        github.download(*of, file, _go_on, limits.compressed_bytes)
        with file.open("rb") as archive:
            yield Fetched(f"{commit.owner}/{commit.name}", commit.sha, archive)


def _go_on() -> None:
    """Nothing ends the download but its limits, and an interrupt."""
