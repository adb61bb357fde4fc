"""Download a file from an untrusted link without connecting to private addresses."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from resources.contract.errors import PermanentError, ProviderError, TransientError
from resources.http.addresses import HostAllowlist
from resources.http.guarded_client import (
    CompressedBodyError,
    RefusedAddressError,
    RefusedSchemeError,
    TooLargeError,
    UnknownHostError,
    find_trust_problem,
    make_guarded_client,
)
from resources.http.vendor_client import NO_HEADERS, parse_retry_after
from resources.process.file_locks import translate_disk_errors

_REDIRECTS = 3
_READ_TIMEOUT = 60.0
_EXPIRED = (401, 403, 404, 410)
_RETRYABLE = (408, 425, 429)
_UNREACHABLE = "source_unreachable"


class ExpiredLinkError(PermanentError):
    """Raised when the link does not or no longer lead to the file; the caller may know how to get a new link."""

    code = "link_expired"


class UnknownHostLinkError(TransientError):
    """Raised when the link's host does not exist: worth a retry for a vendor's file, final for an order's link."""


@dataclass(frozen=True)
class _DownloadErrors:
    """The builder of one download's errors.

    `field` begins every message, `code` is that of transient errors, `refused` that of permanent ones, if any.
    """

    field: str
    code: str
    refused: str | None

    def build_transient_error(self, why: str, retry_after: float | None = None) -> TransientError:
        """Build the error of a link that could not be fetched; `retry_after` is in seconds."""
        message = f"{self.field}: the link could not be fetched ({why})"
        return TransientError(message, code=self.code, retry_after=retry_after)

    def build_unusable_error(self, why: str) -> ProviderError:
        """Build the error of an unusable link or file: permanent with the code `refused`, else transient."""
        message = f"{self.field}: {why}"
        if self.refused is None:
            return TransientError(message, code=self.code)
        return PermanentError(message, code=self.refused)

    @contextmanager
    def translate_client_errors(self, max_bytes: int) -> Iterator[None]:
        """Translate errors of the HTTP client in the block into provider errors."""
        try:
            yield
        except RefusedAddressError:
            message = f"{self.field}: the link leads to a private address; expected a public one"
            raise PermanentError(message, code="private_address") from None
        except RefusedSchemeError as error:
            raise self.build_unusable_error(f"the link cannot be used: {error}") from None
        except TooLargeError:
            limit = f"the file is larger than {max_bytes // 1_000_000} MB"
            raise self.build_unusable_error(limit) from None
        except CompressedBodyError as error:
            raise self.build_unusable_error(f"the file cannot be used: {error}") from None
        except UnknownHostError as error:
            message = f"{self.field}: the link could not be fetched ({error})"
            raise UnknownHostLinkError(message, code=self.code) from None
        except httpx.TimeoutException:
            raise self.build_transient_error("it did not finish in time") from None
        except (httpx.InvalidURL, ValueError):
            raise self.build_unusable_error("the link is not a valid address") from None
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise self.build_transient_error(
                find_trust_problem(error) or type(error).__name__
            ) from None


def download(
    url: str,
    destination: Path,
    *,
    field: str,
    max_bytes: int,
    allowlist: HostAllowlist,
    deadline_seconds: float,
    code: str,
    refused: str | None = None,
    redirects: int = _REDIRECTS,
    check: Callable[[], None] = lambda: None,
    headers: Mapping[str, str] = NO_HEADERS,
) -> None:
    """Download the linked file to `destination`: complete, synced to disk, not empty, at most `max_bytes` long.

    `field` names the link in messages. Every redirect is checked against `allowlist`; the deadline covers all hops
    and the file. `check` is called between the pieces of the file; its error ends the download. `headers` are sent
    to the link's own server only, not after a redirect.

    Raises:
        PermanentError: `private_address`; or, with the code `refused`, if the link or the file cannot be used.
            Without `refused` this is transient too: the vendor that made the file gave the link.
        ExpiredLinkError: there is no such file, or the link gives no access to it.
        UnknownHostLinkError: the link's host does not exist.
        TransientError: with this `code`; `disk_full` or `disk_error`.
    """
    errors = _DownloadErrors(field, code, refused)
    partial = destination.with_name(f"{destination.name}.{os.getpid()}.part")
    with (
        _open_link(
            url, errors, max_bytes, allowlist, deadline_seconds, redirects, headers
        ) as response,
        translate_disk_errors(),
    ):
        try:
            with partial.open("wb") as file:
                # Written as received: waiting for a full chunk would let a slow sender exceed the deadline.
                for chunk in response.iter_raw():
                    file.write(chunk)
                    check()
                if not file.tell():
                    raise errors.build_unusable_error("the file is empty")
                file.flush()
                os.fsync(file.fileno())
            partial.replace(destination)
        finally:
            partial.unlink(missing_ok=True)


def probe_link(
    url: str,
    *,
    field: str,
    allowlist: HostAllowlist,
    deadline_seconds: float,
    headers: Mapping[str, str] = NO_HEADERS,
) -> None:
    """Check that the link leads to a file that is not empty, by reading its beginning.

    `field` names the link in messages. Raises PermanentError or, if a retry may succeed, TransientError, both
    `source_unreachable`.
    """
    errors = _DownloadErrors(field, _UNREACHABLE, _UNREACHABLE)
    try:
        with _open_link(
            url, errors, sys.maxsize, allowlist, deadline_seconds, _REDIRECTS, headers
        ) as response:
            if not next(response.iter_raw(), b""):
                raise errors.build_unusable_error("the file is empty")
    except PermanentError as error:
        raise PermanentError(error.message, code=_UNREACHABLE) from None


@contextmanager
def _open_link(
    url: str,
    errors: _DownloadErrors,
    max_bytes: int,
    allowlist: HostAllowlist,
    deadline_seconds: float,
    redirects: int,
    headers: Mapping[str, str],
) -> Iterator[httpx.Response]:
    """Follow up to `redirects` redirects; yield the response, of status 200, with its body unread.

    Translates errors of the HTTP client in the block.
    """
    with (
        errors.translate_client_errors(max_bytes),
        make_guarded_client(
            allowlist, deadline_seconds=deadline_seconds, max_response_bytes=max_bytes
        ) as client,
    ):
        request = client.build_request("GET", url, headers=dict(headers))
        request.extensions["timeout"]["read"] = _READ_TIMEOUT
        for _ in range(redirects + 1):
            with closing(client.send(request, stream=True)) as response:
                if response.next_request is None:
                    _check_status(response, errors)
                    yield response
                    return
            request = response.next_request
            for name in headers:
                request.headers.pop(name, None)
        raise errors.build_unusable_error(f"the link redirects more than {redirects} times")


def _check_status(response: httpx.Response, errors: _DownloadErrors) -> None:
    status = response.status_code
    message = f"the link answers with HTTP status {status}"
    if status in _EXPIRED:
        raise ExpiredLinkError(
            f"{errors.field}: {message}; it has expired or there is no such file"
        )
    if status in _RETRYABLE or status >= 500:
        raise errors.build_transient_error(
            f"HTTP status {status}", parse_retry_after(response.headers)
        )
    if status != 200:
        raise errors.build_unusable_error(f"{message}; expected a file")
