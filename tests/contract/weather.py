"""All that a vendor can do to each question it is asked, and what came of it."""

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from resources.contract.protocol import Provider
from tests.contract.deals import as_stored, finished
from tests.contract.subjects import KEY, PATIENT, SECRET, Subject
from tests.fakes.faults import GARBAGE, Fault

HASTY = 0.1
PRIVATE = "http://169.254.169.254/latest/meta-data/"
ANY_STATUS = sorted(
    {status.value for status in HTTPStatus if status >= 300}
    | {
        300,
        310,
        399,
        419,
        420,
        444,
        449,
        450,
        495,
        498,
        499,
        509,
        520,
        524,
        526,
        529,
        530,
        598,
        599,
    }
)
"""All that have a name, those that proxies invent, and the first and last of every kind."""
SOME_STATUSES = (204, 302, 400, 401, 404, 425, 429, 500)
WORDY = "첫 줄\n\x00\u202e둘째 줄\t" * 200
NEVER_ENDING = ("hang_headers", "hang_after", "hang_body", "drip_headers", "drip_body")

_MOST_TRIES = 5
_QUOTED_NOWHERE = ("file", "lyrics")
"""What is said there is told to nobody; another song or film is delivered, and half a gigabyte let in."""

Case = tuple[str, str, Mapping[str, Any]]
"""Its name, the kind of fault, and its details."""
Call = Callable[[Provider, str], Any]
"""Asks the provider something, with a token of its own."""


@dataclass(frozen=True)
class Outcome:
    """What one call came to; `value` is None where there was an error."""

    case: str
    fault: Fault
    token: str
    value: Any
    error: Exception | None

    @property
    def told(self) -> str:
        """All that a log would show of it."""
        shown = "".join(traceback.format_exception(self.error)) if self.error else ""
        return f"{shown}{self.value!r}"

    def __repr__(self) -> str:
        return f"{self.case} -> {self.error!r}" if self.error else f"{self.case} -> {self.value!r}"


@dataclass(frozen=True)
class Walk:
    """What came of every case, by the provider's method.

    `charged` are the tokens the vendor charged meanwhile, `fetched` the names of all files that were left.
    """

    vendor: str
    outcomes: Mapping[str, list[Outcome]]
    charged: list[str]
    fetched: set[str]


def walk(subject: Subject, statuses: Sequence[int]) -> Walk:
    """Every method that asks the vendor has met every case on each of its routes, and each of these statuses."""
    calls = _calls(subject)
    before = len(subject.charges())
    outcomes = {
        method: [
            outcome
            for route in routes
            for name, fault in _cases(subject, method, route, statuses)
            for outcome in _met(subject, f"{method}, {route}: {name}", fault, calls[method])
        ]
        for method, routes in subject.routes.items()
    }
    fetched = {path.name for path in (subject.folder / "fetched").glob("*/*")}
    return Walk(subject.make(PATIENT).name, outcomes, subject.charged_tokens()[before:], fetched)


def _met(subject: Subject, case: str, fault: Fault, call: Call) -> Iterator[Outcome]:
    """What came of the fault. Who is in a hurry may be gone before it happens, and asks again in less of one."""
    if subject.vendor is None:
        raise ValueError("there is no vendor that could do anything")
    subject.vendor.script(fault)
    for tries in range(_MOST_TRIES):
        provider = subject.make(HASTY * 2**tries if fault.kind in NEVER_ENDING else PATIENT)
        token = uuid4().hex
        try:
            yield Outcome(case, fault, token, call(provider, token), None)
        except Exception as error:  # noqa: BLE001 - whatever it is, a law looks at it
            yield Outcome(case, fault, token, None, error)
        if not subject.vendor.unused():
            return
    raise AssertionError(f"{case}: nobody asked")


def _calls(subject: Subject) -> Mapping[str, Call]:
    """Each of the provider's methods, about a job that is done."""
    provider, job_input = subject.make(PATIENT), subject.job_input()
    external_id = provider.submit(job_input, "token-of-a-job-that-is-done").external_id
    answer = as_stored(finished(provider, job_input, external_id).answer)

    def fetch(provider: Provider, token: str) -> Any:
        folder = subject.folder / "fetched" / token
        folder.mkdir(parents=True)
        return provider.fetch(job_input, answer, folder)

    return {
        "prepare": lambda provider, _: provider.prepare(job_input),
        "submit": lambda provider, token: provider.submit(job_input, token),
        "find": lambda provider, token: provider.find(token),
        "owns": lambda provider, token: provider.owns(external_id, token),
        "poll": lambda provider, _: provider.poll(job_input, external_id),
        "fetch": fetch,
        "standing": lambda provider, _: provider.account_status(),
    }


def _cases(
    subject: Subject, method: str, route: str, statuses: Sequence[int]
) -> Iterator[tuple[str, Fault]]:
    cases = [*_anywhere()]
    if method in ("submit", "poll"):
        cases += _refused_by_number(subject, statuses)
    if method == "submit":
        cases += _taken_by_number(subject, statuses)
    if route not in _QUOTED_NOWHERE:
        cases += _said_anywhere()
    return ((name, Fault(kind, route, **details)) for name, kind, details in cases)


def _refused_by_number(subject: Subject, statuses: Sequence[int]) -> Iterator[Case]:
    for code in statuses:
        yield f"status {code}", "status", {"code": code}
        if subject.enveloped:
            body = subject.enveloped(code)
            yield f"envelope {code}", "status", {"code": 200, "body": body}


def _taken_by_number(subject: Subject, statuses: Sequence[int]) -> Iterator[Case]:
    """Without those by which the vendor says that it took nothing: that it lies, nobody can know.

    Of one whose envelope decides, no status says so under which the envelope is that of a job taken.
    """
    if subject.enveloped:
        for code in statuses:
            yield f"taken, and said so under status {code}", "other_status", {"code": code}
    for code in sorted(set(statuses) - subject.refusals):
        yield f"taken, status {code}", "status_after", {"code": code}
        if subject.enveloped:
            yield f"taken, envelope {code}", "garbage_after", {"json": subject.enveloped(code)}


def _anywhere() -> Iterator[Case]:
    yield from ((kind, kind, {}) for kind in NEVER_ENDING)
    for kind in ("reset", "reset_after", "lose_reply", "truncate", "empty", "short", "html"):
        yield kind, kind, {}
    yield "another media type", "content_type", {"value": "text/html"}
    yield "redirect", "redirect", {"location": PRIVATE}
    yield "redirect with the key", "redirect", {"location": f"{PRIVATE}?{SECRET}"}
    yield "expired", "expired", {}
    yield "no credits", "out_of_credits", {}
    yield "key refused and repeated", "refused_key", {"echo": True}
    yield "too often", "rate_limited", {}
    yield "too often, in seconds", "rate_limited", {"retry_after": 30}
    yield "too often, by date", "rate_limited", {"retry_after": 30, "as_date": True}
    yield "twenty megabytes", "garbage_after", {"megabytes": 20}
    for name, raw in GARBAGE.items():
        yield name, "garbage_after", {"raw": raw}
    for code in SOME_STATUSES:
        yield f"status {code}, a page", "status", {"code": code}


def _said_anywhere() -> Iterator[Case]:
    yield "endless", "endless", {}
    for name, body in _talk().items():
        yield f"answered {name}", "garbage_after", {"json": body}
        for code in (400, 401, 403, 429, 500):
            yield f"status {code} {name}", "status", {"code": code, "body": body}


def _talk() -> Mapping[str, Any]:
    """Too many words, and the key, wherever a vendor has words."""
    return {
        f"{name} {shape}": body
        for name, words in (("with the key", f"{KEY} {KEY}"), ("at length", WORDY))
        for shape, body in _shapes(words).items()
    }


def _shapes(words: str) -> Mapping[str, Any]:
    error = {"message": words, "type": words, "code": words, "param": words}
    song = {"id": words, "title": words, "audioUrl": "https://songs.example.com/song.mp3"}
    return {
        "as a text": words,
        "in a list": [words],
        "in its fields": {"code": 500, "msg": words, "hint": words, "error": error},
        "as ids": {"code": 200, "id": words, "data": {"taskId": words, "status": words}},
        "as many ids": [{"id": words, "status": words}] * 9,
        "as songs": {
            "code": 200,
            "data": {"status": "SUCCESS", "response": {"sunoData": [song] * 2}},
        },
        "as advice": {"valid": False, "errors": [words] * 9, "warnings": [{"message": words}]},
    }
