"""The script language: what a fake vendor does wrong, to whom, and how often.

A fault is taken by the first requests of its route, in the order of the script, one fault a request, and
is used up by them. The kinds every vendor knows:

before handling (nothing accepted, nothing charged)
    status(code=500, body=, headers={})        any answer: text, bytes, JSON, or else a web page
    reset()                                    RST instead of an answer
    hang_headers()                             silence until somebody hangs up
    out_of_credits()                           in the vendor's own words
    rate_limited(retry_after=None, as_date=False, code=None)    code: which one, where it has several
    refused_key(echo=False)                    `echo` repeats the whole key in the answer
    redirect(location, code=302)
    expired(code=403)                          what a file store says of a link that is too old
after handling (accepted and charged)
    lose_reply()                               hangs up without a byte
    reset_after()
    status_after(code=502, body=, headers={})
    other_status(code)                         the right answer under another HTTP status
    hang_after()
    garbage_after(raw=b"", megabytes=None, json=..., media_type=None)    GARBAGE has examples
on the way of the right answer
    hang_body()                                half of the body, then silence
    drip_headers(pause=0.05), drip_body(pause=0.05)    byte by byte
    truncate(bytes=None)                       promises all, sends so much (half of it), hangs up
    content_type(value)
    empty()                                    zero bytes
    short(bytes=1000)                          a whole answer that was cut before
    html()                                     a web page under the media type of the right answer
    endless()                                  the right beginning and no end
    fields(...)                                these members of the answer's JSON object are replaced

`<token>` in what a vendor says stands for the token that the last submission brought along.

Each vendor's module says which kinds it adds: those are its own behaviour, as `final_status`. Taken by a
submission, they hold for its job for good, once its time has passed; taken by a question, for that one
answer, at once.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

ALWAYS = 1_000_000_000


@dataclass(frozen=True)
class Kind:
    """What a kind of fault may be told, by name (None: anything), and the routes it makes sense on."""

    details: frozenset[str] | None
    routes: frozenset[str] = frozenset()


def kind(details: str = "", routes: str = "") -> Kind:
    """A kind by the names of its details and of its routes; no routes: all of them."""
    return Kind(frozenset(details.split()), frozenset(routes.split()))


BEFORE: Mapping[str, Kind] = {
    "status": kind("code body headers"),
    "reset": kind(),
    "hang_headers": kind(),
    "out_of_credits": kind(),
    "rate_limited": kind("retry_after as_date code"),
    "refused_key": kind("echo"),
    "redirect": kind("location code"),
    "expired": kind("code"),
}
AFTER: Mapping[str, Kind] = {
    "lose_reply": kind(),
    "reset_after": kind(),
    "status_after": kind("code body headers"),
    "other_status": kind("code"),
    "hang_after": kind(),
    "garbage_after": kind("raw megabytes json media_type"),
    "hang_body": kind(),
    "drip_headers": kind("pause"),
    "drip_body": kind("pause"),
    "truncate": kind("bytes"),
    "content_type": kind("value"),
    "empty": kind(),
    "short": kind("bytes"),
    "html": kind(),
    "endless": kind(),
    "fields": Kind(None),
}

PAGE = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"

GARBAGE: Mapping[str, bytes] = {
    "html": PAGE,
    "empty": b"",
    "truncated": b'{"code":200,"id":"half","data":{"taskId":"ha',
    "invalid UTF-8": b'{"code":200,"id":"\xff\xfe\x80","data":{"taskId":"\xc3\x28"}}',
    "deep nesting": b"[" * 100_000,
    "deep objects": b'{"data":' * 50_000,
    "null": b"null",
    "a number": b"1e999",
    "NaN": b'{"code":NaN,"id":NaN,"data":NaN,"status":NaN}',
    "a list of lists": b"[[],[[]]]",
    "a string": b'"success"',
    "no members": b"{}",
    "wrong types": b'{"code":"200","id":[],"data":7,"status":{},"choices":"none","usage":[1]}',
    "wrong types inside": b'{"code":200,"id":{"id":1},"data":{"taskId":["a"],"status":false},"choices":[7]}',
    "empty id": b'{"code":200,"id":"","data":{"taskId":""},"status":""}',
    "ten megabytes": b'{"code":200,"padding":"' + b"x" * 10_000_000 + b'"}',
}


class Fault:
    """One thing that goes wrong on `times` requests of a route; the module says what the kinds do."""

    def __init__(self, kind: str, route: str = "any", times: int = 1, **details: Any) -> None:
        self.kind = kind
        self.route = route
        self.times = times
        self.details = details

    def get(self, name: str, otherwise: Any = None) -> Any:
        """A detail, as given."""
        return self.details.get(name, otherwise)

    def as_json(self) -> dict[str, Any]:
        """What `from_json` makes the same fault of."""
        return {
            "kind": self.kind,
            "route": self.route,
            "times": self.times,
            **{name: _packed(value) for name, value in self.details.items()},
        }

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> "Fault":
        """The fault written as one JSON object: kind, route, times and its details side by side."""
        return Fault(**{name: _unpacked(value) for name, value in fields.items()})

    def __repr__(self) -> str:
        details = "".join(f", {name}={repr(value)[:40]}" for name, value in self.details.items())
        return f"Fault({self.kind!r}, {self.route!r}, times={self.times}{details})"


class Script:
    """The faults that are still to happen, in order."""

    def __init__(self) -> None:
        self._left: list[tuple[Fault, frozenset[str], int]] = []
        self._lock = Lock()

    def add(self, fault: Fault, routes: frozenset[str]) -> None:
        """It comes after those that are there and happens on these routes; none: on all."""
        with self._lock:
            self._left.append((fault, routes, fault.times))

    def take(self, route: str) -> Fault | None:
        """The first fault for this route, one time less."""
        with self._lock:
            for index, (fault, routes, times) in enumerate(self._left):
                if not routes or route in routes:
                    rest = [(fault, routes, times - 1)] if times > 1 else []
                    self._left[index : index + 1] = rest
                    return fault
        return None

    def left(self) -> list[Fault]:
        """What nobody has met yet."""
        with self._lock:
            return [fault for fault, _, _ in self._left]


def _packed(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return value


def _unpacked(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"base64"}:
        return base64.b64decode(value["base64"])
    return value
