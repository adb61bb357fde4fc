"""What a fake vendor was asked and what it means to answer, before anything goes wrong with it."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Call:
    """One request as it came; `body` is its JSON or None, the names of `headers` are in small letters."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    route: str
    raw: bytes = b""
    at: float = field(default_factory=time.time)
    """When it came, in seconds since 1970."""

    def as_json(self) -> dict[str, Any]:
        """All of it but the raw bytes."""
        fields = asdict(self)
        del fields["raw"]
        return fields


@dataclass(frozen=True)
class Reply:
    """An answer. `stream` is what follows the body; `length` is what is promised, None: nothing is."""

    status: int
    body: bytes
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Iterator[bytes] | None = None
    length: int | None = None


def json_reply(status: int, content: Any, headers: Mapping[str, str] | None = None) -> Reply:
    """The answer of an API."""
    return Reply(status, json.dumps(content, ensure_ascii=False).encode(), headers=headers or {})


ECHO = "<token>"
_TOKEN = re.compile(rb'"(?:metadata|callBackUrl)": ?(?:\{"\w+": ?)?"(?:[^"]*/)?([^"/]+)"')


def token_in(call: Call) -> str | None:
    """The token that a submission brings along; None where the call is none."""
    found = _TOKEN.search(call.raw)
    return found[1].decode() if found else None


def with_token(reply: Reply, token: str) -> Reply:
    """The answer that says the token wherever a script has written ECHO."""
    return replace(reply, body=reply.body.replace(ECHO.encode(), token.encode()))
