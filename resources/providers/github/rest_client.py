"""Resolve a ref at GitHub, list the files of a commit and download its tarball (docs/vendors/github.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from resources.contract.errors import TransientError
from resources.http.addresses import HostAllowlist
from resources.http.download import ExpiredLinkError, download
from resources.http.vendor_client import VendorClient, VendorResponse
from resources.providers.github.answers import (
    NOT_MODIFIED,
    REDIRECTS,
    CommitFiles,
    build_refusal_error,
    check_redirect,
    list_archive_hosts,
    read_calls_left,
    read_etag,
    read_full_name,
    read_listing,
    read_sha,
)

_MAX_ANSWER_BYTES = 20_000_000
_VERSION = "2022-11-28"
_SHA_ONLY = "application/vnd.github.sha"
_JSON = "application/vnd.github+json"
ARCHIVE_UNAVAILABLE = "archive_unavailable"
ARCHIVE_REFUSED = "archive_refused"


@dataclass(frozen=True)
class Commit:
    """The commit that a ref named when GitHub was queried; owner and name are in GitHub's spelling if known."""

    owner: str
    name: str
    sha: str
    is_private: bool
    etag: str


class GitHubClient:
    """A client of GitHub's REST API, with its token if one is set.

    Redirects are followed only for a renamed repository and to an archive's address.
    """

    name = "github"

    def __init__(
        self, base_url: str, token: str, *, deadline_seconds: float, download_seconds: float
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._client = VendorClient(
            self.name,
            self._base_url,
            token or None,
            deadline_seconds=deadline_seconds,
            setting="GITHUB_API_URL",
            max_response_bytes=_MAX_ANSWER_BYTES,
        )
        self._download_seconds = download_seconds

    def account_status(self) -> str:
        """Query how many calls GitHub allows; without a token nothing is sent. Raises the errors of `resolve`."""
        if not self._token:
            return "no GITHUB_TOKEN: 60 calls an hour, public repositories only"
        answer = self._exchange(f"{self._base_url}/rate_limit", _JSON)
        # A server without limits has no such address.
        if answer.status not in (200, 404):
            raise build_refusal_error(answer, "limit", self._token)
        return f"the token is accepted, {read_calls_left(answer)}"

    def resolve(self, owner: str, name: str, ref: str) -> Commit:
        """Resolve the ref, a branch, tag or SHA, to the commit that it names now. Raises ProviderError.

        Without a token this takes one call, since GitHub allows 60 in an hour. With a token it takes two: only the
        repository's record says whether it is private.
        """
        found = self.resolve_changed(owner, name, ref, "")
        if found is None:
            raise TransientError("github: the answer is no commit", code="provider_no_answer")
        return found

    def resolve_changed(self, owner: str, name: str, ref: str, etag: str) -> Commit | None:
        """Resolve the ref as `resolve` does; return None, after one call, if its commit still has this ETag."""
        path = f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}"
        commit_path = f"/commits/{quote(ref, safe='')}"
        asked = f"commit {ref} in {owner}/{name}"
        answer, has_moved = self._get(path + commit_path, asked, _SHA_ONLY, etag)
        if answer.status == NOT_MODIFIED:
            return None
        is_private = False
        if self._token or has_moved:
            record = self._get_record(path, f"{owner}/{name}")
            owner, name = read_full_name(record) or (owner, name)
            is_private = record.get("private") is True
        return Commit(owner, name, read_sha(answer), is_private, read_etag(answer))

    def list_files(self, owner: str, name: str, sha: str) -> CommitFiles:
        """List the files of the commit, including those that its archive leaves out."""
        repository = f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}"
        path = f"{repository}/git/trees/{quote(sha, safe='')}?recursive=1"
        asked = f"tree of {owner}/{name}"
        answer, _ = self._get(path, asked, _JSON)
        return read_listing(answer)

    def download(
        self, owner: str, name: str, sha: str, file: Path, check: Callable[[], None], max_bytes: int
    ) -> None:
        """Download the commit's gzipped tar to `file`, without the token; an error of `check` ends the download.

        Raises the errors of `resolve`, TransientError `archive_unavailable`, and PermanentError `archive_refused`.
        """
        path = (
            f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}/tarball/{quote(sha, safe='')}"
        )
        asked = f"archive of {owner}/{name}"
        url = f"{self._base_url}{path}"
        answer = self._exchange(url, _JSON)
        if answer.status not in REDIRECTS:
            raise build_refusal_error(answer, asked, self._token)
        try:
            download(
                check_redirect(answer, url, list_archive_hosts(self._base_url)),
                file,
                field="repository",
                max_bytes=max_bytes,
                allowlist=HostAllowlist.for_base_url(self._base_url),
                deadline_seconds=self._download_seconds,
                code=ARCHIVE_UNAVAILABLE,
                refused=ARCHIVE_REFUSED,
                redirects=0,
                check=check,
            )
        except ExpiredLinkError as error:
            # The next attempt asks for a new address.
            raise TransientError(error.message, code=ARCHIVE_UNAVAILABLE) from None

    def _get_record(self, path: str, asked: str) -> Mapping[str, Any]:
        """Fetch the repository's record. Raises TransientError for an answer that is none."""
        answer, _ = self._get(path, asked, _JSON)
        if answer.body is None:
            raise TransientError("github: the answer is no repository", code="provider_no_answer")
        return answer.fields

    def _get(
        self, path: str, asked: str, accept: str, etag: str = ""
    ) -> tuple[VendorResponse, bool]:
        """Fetch an API path; return the success or `NOT_MODIFIED`, and whether the repository was renamed.

        `asked` describes the request for errors.
        """
        url = f"{self._base_url}{path}"
        answer, has_moved = self._exchange(url, accept, etag), False
        if answer.status in REDIRECTS:
            moved = check_redirect(answer, url, (urlsplit(self._base_url).netloc,))
            answer, has_moved = self._exchange(moved, accept, etag), True
        is_unchanged = bool(etag) and answer.status == NOT_MODIFIED
        if not is_unchanged and answer.status != 200:
            raise build_refusal_error(answer, asked, self._token)
        return answer, has_moved

    def _exchange(self, url: str, accept: str, etag: str = "") -> VendorResponse:
        headers = {"Accept": accept, "X-GitHub-Api-Version": _VERSION, "User-Agent": "castad"}
        if etag:
            headers["If-None-Match"] = etag
        return self._client.get(url, headers=headers)
