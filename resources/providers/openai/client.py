"""Send requests to OpenAI's API or a compatible server, each once, by the official SDK.

Protocol facts: docs/vendors/openai.md. The SDK's retries are off. It does not check the types in answers, so that
this module does.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import httpx

from resources.contract.answer_table import Meaning, Row, build_error
from resources.contract.errors import ProviderError
from resources.contract.protocol import BeforeSend, no_send_check
from resources.http.addresses import HostAllowlist
from resources.http.guarded_client import guarded_client
from resources.http.vendor_client import (
    MAX_RESPONSE_BYTES,
    NoAnswerError,
    VendorResponse,
    classify_http_error,
    json_object,
    one_line,
    read_response,
)
from resources.providers.openai.answers import OTHER_WORDS, find_row, sentence_in

if TYPE_CHECKING:
    from openai import OpenAI

_OF_STORING = re.compile(r"\b(?:store|metadata)\b", re.IGNORECASE)
_OF_SEEING = re.compile(r"image.{1,60}(?:only|not) support|not support.{1,60}image", re.IGNORECASE)

Call = Callable[["OpenAI"], Any]
"""One method of the SDK, called for its raw response."""


@dataclass(frozen=True)
class Reply:
    """JSON, or a refusal after which nothing was done.

    `where` names the request for messages, `row` is what the answer means if it is a refusal.
    """

    answer: VendorResponse
    where: str
    row: Row

    @property
    def ok(self) -> bool:
        """Whether the server accepted the request; some answer 200 and refuse it in the body."""
        return 200 <= self.answer.status < 300 and not self.is_refusal

    @property
    def is_refusal(self) -> bool:
        """Whether the answer proves that nothing was done."""
        if 200 <= self.answer.status < 300 and not self.answer.fields.get("error"):
            return False
        return not self.answer.fields.get("choices") and self.row.meaning is not Meaning.UNKNOWN


class OpenAIClient:
    """The server's API. Nothing is sent twice, every call has a deadline, and no error repeats the key."""

    def __init__(self, key: str, base_url: str, deadline_seconds: float) -> None:
        self._key = key
        self._base_url = base_url
        self._deadline = deadline_seconds

    def exchange(self, call: Call, before_send: BeforeSend = no_send_check) -> Reply:
        """Send one request and read its answer.

        Raises NotSentError where nothing can have arrived, as after an error of `before_send`; NoAnswerError
        where nothing readable came back.
        """
        # The SDK takes half a second to import, and most processes never call a model.
        from openai import APIConnectionError, APIStatusError, OpenAI

        allowlist = HostAllowlist.for_base_url(self._base_url)
        with guarded_client(
            allowlist,
            deadline_seconds=self._deadline,
            max_response_bytes=MAX_RESPONSE_BYTES,
            before_send=before_send,
        ) as http:
            try:
                client = OpenAI(
                    api_key=self._key,
                    base_url=self._base_url,
                    max_retries=0,
                    default_headers={"Accept-Encoding": "identity"},
                    http_client=cast(Any, http),
                )
                response = call(client).http_response
            except APIStatusError as error:
                response = error.response
            except APIConnectionError as error:
                raise classify_http_error(
                    "openai", self._base_url, error.__cause__ or error
                ) from None
            except Exception as error:  # noqa: BLE001 - whatever the SDK makes of a hostile answer
                raise classify_http_error("openai", self._base_url, error) from None
        return self._read_reply(cast(httpx.Response, response))

    def refusal_error(self, reply: Reply) -> ProviderError:
        """Return the error of a refusal (docs/vendors/openai.md)."""
        why = f"{self.reason(reply)}{_suggest_settings(reply.answer, reply.row)}"
        retry_after = reply.answer.retry_after
        error = build_error(reply.row, "openai", why, advice=OTHER_WORDS, retry_after=retry_after)
        if error is None:
            raise AssertionError("an answer that proves nothing is no reply")
        return error

    def reason(self, reply: Reply) -> str:
        """Quote the vendor's own words and the request that they are about, fit for a message."""
        return f"{self._summarize(reply.answer)}{reply.where}"

    def _read_reply(self, response: httpx.Response) -> Reply:
        answer = read_response(response, self._key)
        request_id = one_line(response.headers.get("x-request-id", ""), self._key)
        reply = Reply(answer, f" (request {request_id})" if request_id else "", find_row(answer))
        if not reply.ok and not reply.is_refusal:
            raise NoAnswerError(
                f"openai: the server failed with {answer.status}: "
                f"{self.reason(reply)}{_suggest_settings(answer, reply.row)}",
                retry_after=answer.retry_after,
            )
        if reply.ok and answer.body is None:
            raise NoAnswerError(f"openai: the answer cannot be read{reply.where}")
        return reply

    def _summarize(self, answer: VendorResponse) -> str:
        return one_line(sentence_in(answer.body), self._key) or answer.summary or "no reason given"


def _suggest_settings(answer: VendorResponse, row: Row) -> str:
    """Name the settings to check where the row names none.

    Compatible servers support less than OpenAI's.
    """
    if 300 <= answer.status < 400 and row.meaning is Meaning.UNKNOWN:
        return "; check OPENAI_BASE_URL"
    error = json_object(answer.fields.get("error"))
    words = f"{error.get('message')} {error.get('param')} {answer.summary}"
    if answer.status == 400 and _OF_STORING.search(words):
        return "; set OPENAI_STORE=false"
    if answer.status == 400 and _OF_SEEING.search(words):
        return "; set OPENAI_MODEL to a model that sees pictures"
    return ""
