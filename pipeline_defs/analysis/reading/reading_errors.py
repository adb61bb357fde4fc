"""Every code with which an analysis is refused, and the errors that carry them. Pure."""

from enum import StrEnum

from resources.contract.errors import PermanentError


class Code(StrEnum):
    """Why a repository cannot be analysed; stable."""

    ARCHIVE_BROKEN = "archive_broken"
    """No gzip'd tar, damaged, or cut off."""
    ARCHIVE_TOO_LARGE = "archive_too_large"
    ARCHIVE_BOMB = "archive_bomb"
    """Far more comes out of the archive than a repository holds per packed byte."""
    REPOSITORY_TOO_LARGE = "repository_too_large"
    TOO_MANY_FILES = "too_many_files"
    REPOSITORY_NOT_FOUND = "repository_not_found"
    """No git repository is at the local path."""
    REPOSITORY_PRIVATE = "repository_private"
    """A private repository of GitHub: an analysis is shared by all who order it."""
    REPOSITORY_BROKEN = "repository_broken"
    """Objects of the local git repository are missing or damaged."""
    REF_NOT_FOUND = "ref_not_found"
    ANALYSIS_TIMED_OUT = "analysis_timed_out"
    ANALYSIS_OUT_OF_MEMORY = "analysis_out_of_memory"
    ANALYSIS_CRASHED = "analysis_crashed"
    """The process of the analysis ended without a result."""
    ANALYSIS_STOPPED = "analysis_stopped"
    """It was stopped from outside; a TransientError, since the same analysis may be made again."""


def refusal(code: Code, message: str) -> PermanentError:
    """The error of this code; `message` names the field and what was expected."""
    return PermanentError(message, code=code.value)


def broken_archive(why: str) -> PermanentError:
    """The archive cannot be read to its end."""
    return refusal(Code.ARCHIVE_BROKEN, f"archive: expected a whole gzip'd tar; {why}")


def timed_out(seconds: float) -> PermanentError:
    """The analysis takes longer than it may."""
    return refusal(
        Code.ANALYSIS_TIMED_OUT, f"repository: expected one that is analysed within {seconds:g} s"
    )


def private(name: str) -> PermanentError:
    """The token reaches a repository whose analysis must not be shared."""
    message = (
        f"repository: expected a public one, since all who order an analysis share it; "
        f"{name} is private: analyse a clone of it with `castad analyse`"
    )
    return refusal(Code.REPOSITORY_PRIVATE, message)
