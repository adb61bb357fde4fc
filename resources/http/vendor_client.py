"""Exchange requests with a vendor's HTTP API: each is sent at most once, and answered in JSON or not at all.

NotSentError proves that the vendor received nothing; after NoAnswerError it may have acted on the request.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

import httpx

from resources.contract.errors import (
    OutOfCreditsError,
    PermanentError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import BeforeSend, Json, allow_send
from resources.http.addresses import HostAllowlist
from resources.http.guarded_client import find_trust_problem, make_guarded_client

MAX_RESPONSE_BYTES = 5_000_000
MAX_RETRY_AFTER = 900.0
_MAX_SUMMARY = 200
_SHORTEST_SECRET = 8
_LONG_RUN = re.compile(r"[\w-]{32,}", re.ASCII)
_FEWEST_CHARACTERS = 16

RateGate = Callable[[], None]
"""Returns when the vendor may be called; raises TransientError `rate_limited` where that takes too long."""


class NotSentError(TransientError):
    """Raised when no connection was established, so that the vendor has accepted nothing.

    `is_refused` is whether the machine refused the connection because nothing listens at the address.
    """

    code = "provider_unreachable"

    def __init__(self, message: str, *, is_refused: bool = False) -> None:
        super().__init__(message)
        self.is_refused = is_refused


class NoAnswerError(TransientError):
    """Raised when the request was sent and no readable answer came back: the vendor may have acted on it."""

    code = "provider_no_answer"


NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class VendorResponse:
    """A vendor's HTTP response.

    `body` is the parsed JSON, None if the body is none. `text` is the whole body. `summary` is its beginning on
    one line, without the key and tokens, for use in messages. The names of `headers` are in lower case.
    """

    status: int
    body: Json
    summary: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = field(default="", repr=False)

    @property
    def fields(self) -> Mapping[str, Any]:
        """The body if it is a JSON object, else an empty mapping."""
        return read_json_object(self.body)

    @property
    def retry_after(self) -> float | None:
        """The seconds to wait that the vendor sent; None without them."""
        return parse_retry_after(self.headers)


@dataclass(eq=False)
class VendorClient:
    """An HTTP client of one vendor's API: no redirects, nothing sent twice, a deadline on every call.

    If `key` is empty, nothing is sent and every call raises OutOfCreditsError `no_key`; None is for a vendor
    without keys. `setting` names the variable of the address in messages, by default `<VENDOR>_BASE_URL`. `gate`
    waits for the rate limit.
    """

    vendor: str
    base_url: str
    key: str | None = field(repr=False)
    deadline_seconds: float
    gate: RateGate = allow_send
    setting: str | None = None
    max_response_bytes: int = MAX_RESPONSE_BYTES

    def get(
        self, path: str, *, headers: Mapping[str, str] = NO_HEADERS, **params: str
    ) -> VendorResponse:
        """Send a GET once the rate limit allows it; return the response. Raises NotSentError or NoAnswerError.

        `path` may also be a full URL; the key is sent there too.
        """
        self.gate()
        return self._send_request("GET", path, headers=headers, params=params or None)

    def post(self, path: str, body: Json) -> VendorResponse:
        """Send a free POST once the rate limit allows it; return the response. Raises the errors of `get`."""
        self.gate()
        return self._send_request("POST", path, content=self._encode_json(body))

    def upload_file(
        self, path: str, fields: Mapping[str, str], part: str, name: str, file: Path
    ) -> VendorResponse:
        """Upload a file, free of charge, as a multipart form once the rate limit allows it. Raises as `post`.

        `part` is the form field of the file, `name` its file name, `fields` are the other form fields.
        """
        self.gate()
        with file.open("rb") as stream:
            return self._send_request("POST", path, data=fields, files={part: (name, stream)})

    def post_paid(self, path: str, body: Json, before_send: BeforeSend) -> VendorResponse:
        """Send a POST that costs money, without waiting: the caller already holds the rate limit's permit.

        Raises NotSentError if it cannot have arrived, also after an error of `before_send`, and
        UnknownSubmissionError if it may have.
        """
        try:
            return self._send_request("POST", path, before_send, content=self._encode_json(body))
        except NoAnswerError as error:
            raise UnknownSubmissionError(error.message) from None

    def _encode_json(self, body: Json) -> bytes:
        """Encode the body as ASCII JSON. Raises PermanentError for a number that JSON cannot express."""
        try:
            return json.dumps(body, allow_nan=False).encode("ascii")
        except ValueError:
            raise PermanentError(
                f"{self.vendor}: the job's input holds a number that JSON cannot express"
            ) from None

    def _send_request(
        self,
        method: str,
        path: str,
        before_send: BeforeSend = allow_send,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
        **content: Any,
    ) -> VendorResponse:
        """Send one request with the key; return the response, or raise NotSentError or NoAnswerError."""
        if self.key == "":
            raise OutOfCreditsError(f"{self.vendor}: no key is set", code="no_key")
        sent = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        if "content" in content:
            sent["Content-Type"] = "application/json"
        with make_guarded_client(
            HostAllowlist.for_base_url(self.base_url),
            deadline_seconds=self.deadline_seconds,
            max_response_bytes=self.max_response_bytes,
            before_send=before_send,
        ) as client:
            try:
                url = path if "://" in path else f"{self.base_url}{path}"
                response = client.request(method, url, headers={**sent, **headers}, **content)
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, ValueError) as error:
                raise classify_http_error(self.vendor, self.base_url, error, self.setting) from None
        return read_response(response, *([] if self.key is None else [self.key]))


def read_json_object(value: Json) -> Mapping[str, Any]:
    """Return the value if it is a JSON object, else an empty mapping."""
    return value if isinstance(value, dict) else {}


def classify_http_error(
    vendor: str, base_url: str, error: BaseException, setting: str | None = None
) -> NotSentError | NoAnswerError:
    """Build the error for a failed request: NotSentError only if nothing can have been sent, else NoAnswerError.

    `setting` names the variable of the address in the message. After a write that failed half way, or an
    unreadable answer, the vendor may have acted on the request.
    """
    kind, address = type(error).__name__, urlsplit(base_url).netloc
    if not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout):
        return NoAnswerError(f"{vendor}: the vendor did not answer ({kind})")
    if problem := find_trust_problem(error):
        return NotSentError(f"{vendor}: {address}: {problem}")
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ConnectionRefusedError):
        cause = cause.__cause__ or cause.__context__
    return NotSentError(
        f"{vendor}: {address} cannot be reached ({kind}); "
        f"check the network and {setting or f'{vendor.upper()}_BASE_URL'}",
        is_refused=cause is not None,
    )


def read_response(response: httpx.Response, *secrets: str) -> VendorResponse:
    """Parse a response whose body has been read; `summary` omits these secrets."""
    text = response.content.decode("utf-8", "replace")
    body: Json = None
    with suppress(ValueError, RecursionError):
        body = json.loads(
            response.content, parse_constant=_raise_not_finite, parse_float=_parse_finite
        )
    return VendorResponse(
        status=response.status_code,
        body=body,
        summary=shorten_to_line(text, *secrets),
        headers={name.lower(): value for name, value in response.headers.items()},
        text=text,
    )


def shorten_to_line(text: str, *secrets: str) -> str:
    """Shorten a vendor's text to one printable line of 200 characters, without these secrets and any tokens."""
    for secret in secrets:
        text = redact_secret(text, secret, "…")
    text = redact_tokens(text, "…")
    line = " ".join(
        "".join(c if c.isprintable() else " " for c in text[: 20 * _MAX_SUMMARY]).split()
    )
    return line if len(line) <= _MAX_SUMMARY else f"{line[:_MAX_SUMMARY]}…"


def redact_secret(text: str, secret: str, instead: str = "") -> str:
    """Replace the secret in the text by `instead`, also in its JSON escaped spellings."""
    for written in _list_spellings(secret):
        text = text.replace(written, instead)
    return text


def redact_tokens(text: str, instead: str = "") -> str:
    """Replace everything that looks like a submission's token by `instead`.

    A long run of letters and digits in both cases counts as a token. Ids in one case, such as UUIDs, are kept.
    """

    def redact(run: re.Match[str]) -> str:
        has_both_cases = run[0].lower() != run[0] != run[0].upper()
        is_token = has_both_cases and len(set(run[0])) >= _FEWEST_CHARACTERS
        return instead if is_token else run[0]

    return _LONG_RUN.sub(redact, text)


def contains_token(text: str) -> bool:
    """Return whether the text contains something that looks like a submission's token."""
    return redact_tokens(text, "…") != text


def contains_secret(text: str, *secrets: str) -> bool:
    """Return whether the text contains one of the secrets, also escaped or percent-encoded."""
    forms = (text, unquote(text))
    written = [spelling for secret in secrets for spelling in _list_spellings(secret)]
    return any(spelling in form for spelling in written for form in forms)


def _list_spellings(secret: str) -> tuple[str, ...]:
    """Return the secret as it is and as JSON may escape it; empty for one of fewer than 8 characters."""
    if len(secret) < _SHORTEST_SECRET:
        return ()
    escaped = json.dumps(secret)[1:-1]
    return (secret, escaped, escaped.replace("/", "\\/"))


def parse_retry_after(headers: Mapping[str, str], longest: float = MAX_RETRY_AFTER) -> float | None:
    """Return the seconds to wait by the response headers, 0 to `longest`; None without a readable header.

    `retry-after-ms` takes precedence over `retry-after`. A date is relative to the response's own `Date`, else to
    this machine's clock (RFC 9110, 10.2.3). The names of `headers` are in lower case.
    """
    given = headers.get("retry-after")
    seconds = _parse_float_or_nan(headers.get("retry-after-ms")) / 1000
    if math.isnan(seconds):
        seconds = _parse_float_or_nan(given)
    if math.isnan(seconds) and given is not None:
        with suppress(ValueError, TypeError, OverflowError):
            sent = headers.get("date")
            now = parsedate_to_datetime(sent) if sent else datetime.now(UTC)
            seconds = (parsedate_to_datetime(given) - now).total_seconds()
    return None if math.isnan(seconds) else min(max(seconds, 0.0), longest)


def _parse_float_or_nan(given: str | None) -> float:
    try:
        return math.nan if given is None else float(given)
    except ValueError:
        return math.nan


def _parse_finite(number: str) -> float:
    read = float(number)
    return read if math.isfinite(read) else _raise_not_finite(number)


def _raise_not_finite(number: str) -> NoReturn:
    raise ValueError(f"{number[:20]} is not a finite number")
