"""What pages of other origins make a browser send, and what nobody but a person at the UI sends."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

import httpx

ELSEWHERE = "http://elsewhere.example"
BRIEF = {"customer_name": "봄날 베이커리", "region": "전주", "duration_seconds": 10}
_SELECTOR = {
    "repositoryLocationName": "castad",
    "repositoryName": "__repository__",
    "jobName": "song_video",
}
_LAUNCH = "mutation L($p: ExecutionParams!) { launchRun(executionParams: $p) { __typename } }"
_RUNS = "{ runsOrError { ... on Runs { results { runId runConfigYaml } } } }"

Headers = Mapping[str, str]


@dataclass(frozen=True)
class Ask:
    """One request, and the status that it is refused with."""

    what: str
    method: str
    path: str
    refused: int
    headers: Headers = field(default_factory=dict)
    content: bytes = b""

    def __str__(self) -> str:
        return f"{self.what}: {self.method} {self.path[:40]}"


def launching(task_id: str) -> dict[str, object]:
    """The GraphQL operation that buys a video, as the Launchpad sends it."""
    order = json.dumps({**BRIEF, "task_id": task_id})
    params = {"selector": _SELECTOR, "runConfigData": order, "mode": "default"}
    return {"query": _LAUNCH, "variables": {"p": params}}


READING: Mapping[str, object] = {"query": _RUNS}


def in_address(operation: Mapping[str, object]) -> str:
    """The same as the query of an address."""
    return urlencode(
        {name: v if isinstance(v, str) else json.dumps(v) for name, v in operation.items()}
    )


_FROM_ELSEWHERE: Mapping[str, Headers] = {
    "fetch of another site": {"origin": ELSEWHERE, "sec-fetch-site": "cross-site"},
    "fetch of another port": {"origin": "http://127.0.0.1:1", "sec-fetch-site": "same-site"},
    "fetch of an old browser": {"origin": ELSEWHERE},
    "sandboxed frame": {"origin": "null", "sec-fetch-site": "cross-site"},
    "picture": {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
    "frame": {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "iframe",
    },
}
LINK: Headers = {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
}
NO_JSON = (
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain",
    "text/plain; application/json",
    "",
)


def hostile_asks(path: str, methods: frozenset[str]) -> Iterator[Ask]:
    """Everything that this path has to refuse, before anything is executed."""
    as_json = {"content-type": "application/json"}
    for method in sorted(methods):
        for what, headers in _FROM_ELSEWHERE.items():
            yield Ask(what, method, path, 403, {**headers, **as_json})
        yield Ask("another name", method, path, 421, {"host": "elsewhere.example", **as_json})
        yield Ask("another port", method, path, 421, {"host": "127.0.0.1:1", **as_json})
        yield Ask("a name that leads here", method, path, 421, {"host": "127.0.0.1.elsewhere"})
    for kind in NO_JSON:
        yield Ask(f"POST of {kind!r}", "POST", path, 415, {"content-type": kind}, b"a=b")
    yield Ask("preflight", "OPTIONS", path, 403, {"origin": ELSEWHERE})
    yield Ask("another method", "DELETE", path, 405)


def hostile_graphql(operation: Mapping[str, object]) -> Iterator[Ask]:
    """Ways to have the operation executed that are not the UI's."""
    query, body = in_address(operation), json.dumps(operation).encode()
    for address in ("/graphql", "/graphql%0A"):
        yield Ask("GET", "GET", f"{address}?{query}", 405, {"accept": "*/*"})
    yield Ask("GET of a page", "GET", f"/graphql?{query}", 405, {"accept": "text/html"})
    yield Ask("followed link", "GET", f"/graphql?{query}", 403, LINK)
    yield from hostile_asks(f"/graphql?{query}", frozenset({"GET", "POST"}))
    for kind in NO_JSON:
        yield Ask(f"form of {kind!r}", "POST", "/graphql", 415, {"content-type": kind}, body)


def answers_to(client: httpx.Client, asks: Iterator[Ask]) -> dict[str, tuple[int, int]]:
    """By the request, where it was not refused as it has to be: the status, and the one expected."""
    wrong = {}
    for ask in asks:
        given = client.request(ask.method, ask.path, headers=ask.headers, content=ask.content)
        if given.status_code != ask.refused:
            wrong[str(ask)] = (given.status_code, ask.refused)
    return wrong
