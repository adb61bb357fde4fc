"""The order of an analysis: which repository, and which of its commits."""

import hashlib
import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pipeline_defs.fields import check_text

LARGEST_PATH = 1_000

_SHA = re.compile(r"[0-9a-f]{40}")
_OWNER = r"(?P<owner>[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?)"
_NAME = r"(?P<name>[A-Za-z0-9._-]{1,100})"
_FORMS = tuple(
    re.compile(form)
    for form in (
        f"{_OWNER}/{_NAME}",
        f"https?://(?:www\\.)?github\\.com/{_OWNER}/{_NAME}/?",
        f"(?:ssh|git)://(?:git@)?github\\.com/{_OWNER}/{_NAME}/?",
        f"git@github\\.com:{_OWNER}/{_NAME}/?",
    )
)
_EXPECTED = "expected owner/name, an address of it at github.com, or the absolute path of a local repository"


@dataclass(frozen=True)
class GitHubRepository:
    """A repository of GitHub as the order spells it; GitHub ignores the case of both parts."""

    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"


def parse_repository(text: str) -> GitHubRepository | None:
    """Return the GitHub repository that the text names; None if it is a local path."""
    matches = (form.fullmatch(text) for form in _FORMS)
    match = next((each for each in matches if each is not None), None)
    if match is None:
        return None
    name = match["name"].removesuffix(".git")
    return None if name in ("", ".", "..") else GitHubRepository(match["owner"], name)


def is_sha(ref: str) -> bool:
    """Return whether the ref is the full sha of a commit."""
    return _SHA.fullmatch(ref) is not None


def build_commit_key(repository: str, sha: str) -> str:
    """Build a key that is equal for every order of this commit; GitHub ignores the case of names."""
    if parse_repository(repository) is not None:
        return f"{repository.lower()}@{sha}"
    return f"{hashlib.sha256(repository.encode()).hexdigest()}@{sha}"


def _normalize_repository(text: str) -> str:
    """Return owner/name, or an absolute path as it was given. Raise ValueError."""
    check_text(text)
    found = parse_repository(text)
    if found is not None:
        return str(found)
    if not text.startswith("/") or ".." in text.split("/"):
        raise ValueError(_EXPECTED)
    return text.rstrip("/") or "/"


def _normalize_ref(text: str) -> str:
    """Return the ref, a full sha in lower case. Raise ValueError for names that git forbids."""
    check_text(text)
    if is_sha(text.lower()):
        return text.lower()
    is_forbidden = text.startswith(("-", "/", ".")) or text.endswith(("/", ".", ".lock"))
    parts = ("..", "//", "@{", "\\", "^", ":", "?", "*", "[", "~")
    if is_forbidden or any(part in text for part in parts) or any(map(str.isspace, text)):
        raise ValueError("expected a branch, a tag, a commit or HEAD")
    return text


class Order(BaseModel):
    """A commit of a repository."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    repository: Annotated[
        str, Field(min_length=1, max_length=LARGEST_PATH), AfterValidator(_normalize_repository)
    ] = Field(description="owner/name, an address at github.com, or a local repository's full path")
    ref: Annotated[str, Field(min_length=1, max_length=250), AfterValidator(_normalize_ref)] = (
        Field("HEAD", description="A branch, a tag or a commit")
    )

    @property
    def github(self) -> GitHubRepository | None:
        """The repository of GitHub that is meant, None for a local one."""
        return parse_repository(self.repository)
