"""What dulwich raises, as castad's errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dulwich.errors import NotGitRepository
from dulwich.repo import Repo

from pipeline_defs.analysis.reading.reading_errors import Code, refusal
from resources.contract.errors import CastadError


@contextmanager
def opened_repository(path: Path) -> Iterator[Repo]:
    """The git repository at or above `path`, bare or not; errors in the block leave it as PermanentError."""
    with _errors_as_refusals(), _discovered(path) as repository:
        yield repository


def _discovered(path: Path) -> Repo:
    try:
        # What is not there is not looked for above.
        path.stat()
        return Repo.discover(path)
    except (NotGitRepository, OSError) as error:
        raise refusal(
            Code.REPOSITORY_NOT_FOUND,
            "repository: expected the path of a git repository that can be read on this machine",
        ) from error


@contextmanager
def _errors_as_refusals() -> Iterator[None]:
    try:
        yield
    except CastadError:
        raise
    except MemoryError as error:
        raise refusal(
            Code.ANALYSIS_OUT_OF_MEMORY, "repository: expected files that fit into memory"
        ) from error
    except (
        Exception
    ) as error:  # A damaged repository makes dulwich raise whatever its bytes lead to.
        raise refusal(
            Code.REPOSITORY_BROKEN,
            f"repository: expected a whole git repository; reading it ended with {type(error).__name__}",
        ) from error
