"""One exchange with a vendor's HTTP API: sent at most once, answered in JSON or not at all.

What may have been acted on and what cannot have been is told apart by the error: see `notes` on each.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from resources.net import Reach, guarded_client
from resources.providers.errors import TransientError
from resources.providers.protocol import Json

LARGEST_ANSWER = 5_000_000
LONGEST_WAIT = 900.0
_MOST_SAID = 200

Gate = Callable[[], None]
"""Returns when the vendor may be called; raises TransientError `rate_limited` where that takes too long."""


class NotSentError(TransientError):
    """No connection came about: nothing can have been accepted."""

    code = "provider_unreachable"


class NoAnswerError(TransientError):
    """It was sent and no answer came back that can be read: it may or may not have been acted on."""

    code = "provider_no_answer"


@dataclass(frozen=True)
class Answer:
    """What the vendor answered.

    `body` is the JSON, None where it is none; `retry_after` in seconds; `said` is the beginning of the
    text as one line, with the key taken out, fit for messages.
    """

    status: int
    body: Json
    retry_after: float | None
    said: str

    @property
    def fields(self) -> Mapping[str, Any]:
        """The body where it is a JSON object, else nothing."""
        return self.body if isinstance(self.body, dict) else {}


class Wire:
    """A vendor's API behind its key. No redirect is followed, nothing is sent twice, nothing hangs."""

    def __init__(
        self, vendor: str, base_url: str, key: str, *, gate: Gate, deadline_seconds: float
    ) -> None:
        self._vendor = vendor
        self._base_url = base_url
        self._key = key
        self._deadline = deadline_seconds
        self.gate = gate

    def get(self, path: str, **params: str) -> Answer:
        """Ask for something, once the rate limit allows it. Raises NotSentError or NoAnswerError."""
        self.gate()
        return self._exchange("GET", path, params=params)

    def post(self, path: str, body: Json) -> Answer:
        """Send something that is free, once the rate limit allows it. Raises NotSentError or NoAnswerError."""
        self.gate()
        return self._exchange("POST", path, json=body)

    def order(self, path: str, body: Json) -> Answer:
        """Send what costs money, at once: whoever calls has waited for the rate limit before its intent.

        Raises NotSentError where it cannot have arrived, NoAnswerError where it may have.
        """
        return self._exchange("POST", path, json=body)

    def _exchange(self, method: str, path: str, **content: Any) -> Answer:
        reach = Reach.of_service(self._base_url)
        headers = {"Authorization": f"Bearer {self._key}", "Accept-Encoding": "identity"}
        with guarded_client(
            reach, deadline_seconds=self._deadline, most_bytes=LARGEST_ANSWER
        ) as client:
            try:
                response = client.request(
                    method, f"{self._base_url}{path}", headers=headers, **content
                )
            except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
                raise NotSentError(
                    f"{self._vendor} cannot be reached ({type(error).__name__})"
                ) from None
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
                raise NoAnswerError(
                    f"{self._vendor} did not answer ({type(error).__name__})"
                ) from None
        return Answer(
            status=response.status_code,
            body=_json(response.content),
            retry_after=retry_after(response.headers),
            said=one_line(response.content.decode("utf-8", "replace"), self._key),
        )


def one_line(text: str, *secrets: str) -> str:
    """A vendor's words on one line, short, printable, and without the secrets it may repeat."""
    for secret in secrets:
        text = text.replace(secret, "…") if secret else text
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 20 * _MOST_SAID]).split())
    return line if len(line) <= _MOST_SAID else f"{line[:_MOST_SAID]}…"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds a vendor asks to wait, in [0, 900]; None where it does not say.

    A date counts from the vendor's own `Date`, not from this machine's clock (RFC 9110, 10.2.3).
    """
    given = headers.get("retry-after")
    if given is None:
        return None
    try:
        seconds = float(given)
    except ValueError:
        seconds = _until(given, headers.get("date"))
    return min(max(seconds, 0.0), LONGEST_WAIT) if math.isfinite(seconds) else None


def _until(moment: str, sent: str | None) -> float:
    try:
        now = parsedate_to_datetime(sent) if sent else datetime.now(UTC)
        return (parsedate_to_datetime(moment) - now).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return math.nan


def _json(content: bytes) -> Json:
    try:
        return json.loads(content, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
