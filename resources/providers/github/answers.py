"""Read the answers of GitHub's REST API (docs/vendors/github.md)."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from resources.contract.answer_table import AnswerRow, Meaning, build_error, load_tables
from resources.contract.errors import PermanentError, ProviderError, TransientError
from resources.http.vendor_client import VendorResponse, parse_retry_after, shorten_to_line

LONGEST_PAUSE = 3_900.0
"""Seconds; the window of the primary limit is an hour."""
SECONDARY_PAUSE = 60.0
"""The pause that GitHub asks for where it names none."""
REDIRECTS = (301, 302, 307, 308)
NOT_MODIFIED = 304
_LONGEST_ETAG = 200
_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)
_SHA = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}", re.ASCII)


class CommitCode(StrEnum):
    """The codes of errors about a commit at GitHub; they never change."""

    NOT_FOUND = "repository_not_found"
    """There is none, or it is private and the token, if any, does not reach it: GitHub does not say which."""
    EMPTY = "repository_empty"
    BLOCKED = "repository_blocked"
    REF_NOT_FOUND = "ref_not_found"
    REDIRECT_REFUSED = "redirect_refused"


@dataclass(frozen=True)
class CommitFiles:
    """The files of a commit with their sizes in bytes, and the paths of its submodules.

    `is_cut` is whether GitHub listed only a part of them.
    """

    files: Mapping[str, int]
    submodules: tuple[str, ...]
    is_cut: bool


_ASKS_TO_WAIT, _NONE_LEFT = "retry-after", "x-ratelimit-remaining: 0"
ERRORS = load_tables(Path(__file__).with_suffix(".md"))["errors"]
"""Nothing is bought: what proves nothing is asked again. The names are headers of the answer."""


_EXPECTED = {
    CommitCode.BLOCKED: "repository: expected one that GitHub gives access to; {asked} is blocked",
    CommitCode.NOT_FOUND: (
        "repository: expected one that exists and is not private; GitHub finds no {asked}"
    ),
    CommitCode.EMPTY: "repository: expected one with a commit; {asked} is empty",
    CommitCode.REF_NOT_FOUND: (
        "ref: expected a branch, a tag or a commit of the repository; there is no {asked}"
    ),
}


def build_refusal_error(answer: VendorResponse, asked: str, token: str) -> ProviderError:
    """Build the error of an answer that is no success; `asked` describes the request, `token` is redacted."""
    why = f"HTTP status {answer.status}: {shorten_to_line(_find_sentence(answer), token) or 'no reason given'}"
    row = find_answer_row(answer)
    if row.code in set(_EXPECTED):
        code = CommitCode(row.code)
        return PermanentError(f"{_EXPECTED[code].format(asked=asked)} ({why})", code=code.value)
    pause = compute_pause(answer) if row.meaning is Meaning.RATE else answer.retry_after
    error = build_error(row, "github", why, retry_after=pause)
    if error is None:
        raise AssertionError("no row of GitHub's proves nothing")
    return error


def find_answer_row(answer: VendorResponse) -> AnswerRow:
    """Return the row of the answer table that an unsuccessful answer matches."""
    names = [_ASKS_TO_WAIT] if parse_retry_after(answer.headers, LONGEST_PAUSE) is not None else []
    if answer.headers.get("x-ratelimit-remaining") == "0":
        names.append(_NONE_LEFT)
    return ERRORS.find_row(answer.status, names, _find_sentence(answer))


def _find_sentence(answer: VendorResponse) -> str:
    """Return GitHub's error message in an answer, or the answer's text without one."""
    said = answer.fields.get("message")
    return said if isinstance(said, str) and said.strip() else answer.text


def compute_pause(answer: VendorResponse) -> float | None:
    """Return the seconds until GitHub may be called again; None if the answer is not about a rate limit.

    A limit is answered with 403 or 429. `retry-after` takes precedence. Then, if no call is left, comes
    `x-ratelimit-reset`, in Unix seconds by the answer's own clock; else the pause is a minute.
    """
    if find_answer_row(answer).meaning is not Meaning.RATE:
        return None
    asked = parse_retry_after(answer.headers, LONGEST_PAUSE)
    if asked is not None:
        return max(asked, 1.0)
    if answer.headers.get("x-ratelimit-remaining") == "0":
        return _count_seconds_to_reset(answer.headers)
    return SECONDARY_PAUSE


def _count_seconds_to_reset(headers: Mapping[str, str]) -> float:
    """Return the seconds from the answer's date to the reset of the limit; a minute without readable headers."""
    try:
        reset = float(headers["x-ratelimit-reset"])
        seconds = reset - parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError, TypeError, OverflowError):
        return SECONDARY_PAUSE
    return min(max(seconds, 1.0), LONGEST_PAUSE) if math.isfinite(seconds) else SECONDARY_PAUSE


def read_calls_left(answer: VendorResponse) -> str:
    """Describe how many calls the answer's headers say are left."""
    names = ("x-ratelimit-remaining", "x-ratelimit-limit")
    left, of = (answer.headers.get(name, "") for name in names)
    has_brand = all(_COUNT.fullmatch(each) for each in (left, of))
    return (
        f"{left} of {of} calls an hour are left" if has_brand else "it does not say how many calls"
    )


def read_listing(answer: VendorResponse) -> CommitFiles:
    """Read the files in GitHub's answer about a tree. Raises TransientError for any other answer."""
    try:
        tree = answer.fields
        entries = [(each["type"], each["path"], each) for each in tree["tree"]]
        files = {path: int(each.get("size") or 0) for kind, path, each in entries if kind == "blob"}
        submodules = tuple(path for kind, path, _ in entries if kind == "commit")
        is_cut = tree.get("truncated") is True
    except (ValueError, TypeError, KeyError, AttributeError):
        raise TransientError("github: the answer is no tree", code="provider_no_answer") from None
    if not all(isinstance(path, str) for path in (*files, *submodules)):
        raise TransientError("github: the answer is no tree", code="provider_no_answer")
    return CommitFiles(files, submodules, is_cut)


def read_sha(answer: VendorResponse) -> str:
    """Return the commit's SHA that is the whole answer. Raises TransientError for any other answer."""
    sha = answer.text.strip()
    if _SHA.fullmatch(sha) is None:
        raise TransientError("github: the answer is no commit", code="provider_no_answer")
    return sha


def read_etag(answer: VendorResponse) -> str:
    """Return the answer's ETag, for a later call; "" without a usable one."""
    etag = answer.headers.get("etag", "")
    is_usable = etag.isascii() and etag.isprintable() and len(etag) <= _LONGEST_ETAG
    return etag if is_usable else ""


def read_full_name(fields: Mapping[str, object]) -> tuple[str, str] | None:
    """Return the repository's owner and name as GitHub spells them; None without usable ones."""
    name = fields.get("full_name")
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        return None
    owner, _, repository = name.partition("/")
    return owner, repository


def check_redirect(answer: VendorResponse, asked: str, hosts: tuple[str, ...]) -> str:
    """Return the target URL of a redirect, if it leads to one of these hosts.

    `asked` is the URL that was called. Raises PermanentError `redirect_refused`.
    """
    given = answer.headers.get("location", "")
    try:
        target = urljoin(asked, given)
        parts = urlsplit(target)
        is_allowed = (
            bool(given)
            and target.isascii()
            and target.isprintable()
            and parts.scheme == urlsplit(asked).scheme
            and parts.netloc in hosts
        )
    except ValueError:
        is_allowed = False
    if not is_allowed:
        message = f"github: the answer redirects elsewhere than to {' or '.join(hosts)}"
        raise PermanentError(message, code=CommitCode.REDIRECT_REFUSED.value)
    return target


def list_archive_hosts(base_url: str) -> tuple[str, ...]:
    """List the hosts that may serve archives: the API's own, and its `codeload.` host."""
    host = urlsplit(base_url).netloc
    return (host, f"codeload.{host.removeprefix('api.')}")
