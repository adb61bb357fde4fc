"""What the fake vendors share: real HTTP on 127.0.0.1 that does as its script says."""

import hashlib
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.fakes.charges import Charges
from tests.fakes.delivery import deliver, instead, spoiled
from tests.fakes.faults import AFTER, BEFORE, Fault, Kind, Script
from tests.fakes.listener import Listener
from tests.fakes.reply import ECHO, Call, Reply, json_reply, token_in, with_token

Route = tuple[str, str, str]
"""Its name, the method, and a pattern of the path whose groups are handed to the method `on_<name>`."""
Rate = tuple[int, float]
"""So many calls in so many seconds."""

PLENTY = 1_000_000
"""Credits that no test uses up."""


class FakeVendor:
    """A vendor behind HTTP; serves as long as the `with` block lasts.

    `delay` (seconds until a job is done) is looked at whenever a job is asked after, so that a test moves
    time by setting it. `rate` (None: no limit), `credits`, `revoked` and `clock_offset` (seconds by which
    the Date header is wrong) hold from the next request on.
    """

    name: ClassVar[str]
    base_path: ClassVar[str] = ""
    routes: ClassVar[tuple[Route, ...]]
    open_routes: ClassVar[frozenset[str]] = frozenset(("file",))
    """They ask for no key and count for no limit."""
    own_before: ClassVar[Mapping[str, Kind]] = {}
    """The vendor's own faults that happen before handling; `refusal` renders them."""
    own_kinds: ClassVar[Mapping[str, Kind]] = {}
    """The vendor's own behaviour; handed to the methods that handle."""
    usual_rate: ClassVar[Rate | None] = None
    settable: ClassVar[tuple[str, ...]] = ("delay", "credits", "rate", "revoked", "clock_offset")

    def __init__(self, folder: Path, *, key: str | None = None, port: int = 0) -> None:
        self.key = key or f"{self.name}-fake-key-0123456789"
        self.delay = 0.0
        self.credits: float = 100
        self.rate: Rate | None = None
        self.revoked = False
        self.clock_offset = 0.0
        self.calls: list[Call] = []
        self.lock = threading.Lock()
        self._token = ECHO
        self._script = Script()
        self._ledger = Charges(Path(folder) / f"{self.name}.jsonl")
        self._recent: deque[float] = deque()
        self._closing = threading.Event()
        self._listener = Listener(port, self._respond)

    @property
    def origin(self) -> str:
        """Scheme, host and port of the server."""
        return self._listener.origin

    @property
    def url(self) -> str:
        """What a client takes for the vendor's base URL."""
        return f"{self.origin}{self.base_path}"

    def __enter__(self) -> Self:
        self._listener.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """No thread and no socket is left; whoever was kept waiting is hung up on.

        Raises RuntimeError where the fake itself broke, lest that pass for a vendor's misbehaviour.
        """
        self._closing.set()
        self._listener.close()
        for error in self._listener.broken:
            raise RuntimeError(f"the fake {self.name} itself broke: {error!r}") from error

    def script(self, *faults: Fault) -> None:
        """These happen after those that are scripted already. Raises ValueError where one makes no sense."""
        for fault in faults:
            routes = self._routes_of(fault)
            self._script.add(fault, routes if fault.route == "any" else frozenset((fault.route,)))

    def unused(self) -> list[Fault]:
        """The scripted faults that nobody has met yet."""
        return self._script.left()

    def called_at(self) -> list[datetime]:
        """When each call came that counts for a limit."""
        counted = [call.at for call in self.calls if call.route not in self.open_routes]
        return [datetime.fromtimestamp(at, UTC) for at in counted]

    def charges(self) -> list[dict[str, Any]]:
        """All that was ever charged in this folder, the oldest first."""
        return self._ledger.read()

    def revoke(self) -> None:
        """From now on the key is refused."""
        self.revoked = True

    def set(self, **values: Any) -> None:
        """As if the attributes were assigned. Raises ValueError for one that cannot be."""
        for name, value in values.items():
            if name not in self.settable:
                raise ValueError(f"{self.name}: {name} is none of {', '.join(self.settable)}")
            setattr(self, name, tuple(value) if isinstance(value, list) else value)

    def charge(self, call: Call, **charge: Any) -> None:
        """It is in the ledger, with the hash of the request it was for."""
        self._ledger.add(**charge, request_sha256=hashlib.sha256(call.raw).hexdigest())

    def route(self, method: str, path: str, body: Any) -> tuple[str, tuple[str, ...]]:
        """The name of the route and the parts of the path; the name is `nothing` where there is none."""
        method = "GET" if method == "HEAD" else method
        for name, wanted, pattern in self.routes:
            match = re.fullmatch(pattern, path)
            if match and method == wanted:
                return name, tuple(unquote(part) for part in match.groups())
        return "nothing", ()

    def refusal(self, call: Call, fault: Fault) -> Reply:
        """What is answered instead of handling the call."""
        if fault.kind == "out_of_credits":
            return self.out_of_credits()
        if fault.kind == "refused_key":
            return self.unauthorized(call, echo=fault.get("echo", False))
        if fault.kind == "rate_limited":
            asked = self.retry_after(fault.get("retry_after"), fault.get("as_date", False))
            return self.too_often(asked, fault.get("code"))
        return instead(fault)

    def is_authorized(self, call: Call) -> bool:
        """Whether the call may be answered."""
        return call.headers.get("authorization") == f"Bearer {self.key}"

    def unauthorized(self, call: Call, *, echo: bool) -> Reply:
        """The vendor's 401; `echo` repeats the key in it."""
        raise NotImplementedError

    def too_often(self, headers: Mapping[str, str], code: int | None) -> Reply:
        """The vendor's answer to a caller who is too quick; `code` where it has several."""
        raise NotImplementedError

    def out_of_credits(self) -> Reply:
        """The vendor's answer to a caller who cannot pay."""
        raise NotImplementedError

    def not_found(self, call: Call) -> Reply:
        """The vendor's answer where there is no such route."""
        raise NotImplementedError

    def retry_after(self, wait: float | None, as_date: bool = False) -> dict[str, str]:
        """The header that asks to wait, where there is something to wait for."""
        if wait is None:
            return {}
        return {"Retry-After": self._date(wait) if as_date else f"{max(1, -(-wait // 1)):.0f}"}

    def _date(self, ahead: float = 0.0) -> str:
        return formatdate(time.time() + self.clock_offset + ahead, usegmt=True)

    def _respond(self, handler: BaseHTTPRequestHandler) -> None:
        target = urlsplit(handler.path)
        raw = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        body = _json(raw)
        route, parts = self.route(handler.command, target.path, body)
        call = Call(
            handler.command,
            target.path,
            dict(parse_qsl(target.query, keep_blank_values=True)),
            {name.lower(): value for name, value in handler.headers.items()},
            body,
            route,
            raw,
        )
        if target.path.startswith("/_fake/"):
            fault, reply = None, self._controlled(call)
        else:
            self.calls.append(call)
            fault = self._script.take(route)
            self._token = token_in(call) or self._token
            reply = with_token(self._answer(call, parts, fault), self._token)
        try:
            deliver(handler, reply, fault, self._date(), self._closing)
        except OSError:
            handler.close_connection = True  # nobody listens any more

    def _answer(self, call: Call, parts: tuple[str, ...], fault: Fault | None) -> Reply:
        if fault and (fault.kind in BEFORE or fault.kind in self.own_before):
            return self.refusal(call, fault)
        reply = self._handled(call, parts, fault)
        return spoiled(reply, fault) if fault else reply

    def _handled(self, call: Call, parts: tuple[str, ...], fault: Fault | None) -> Reply:
        if call.route not in self.open_routes:
            wait = self._wait()
            if wait is not None:
                return self.too_often(self.retry_after(wait), None)
            if self.revoked or not self.is_authorized(call):
                return self.unauthorized(call, echo=False)
        if call.route == "nothing":
            return self.not_found(call)
        handle: Callable[..., Reply] = getattr(self, f"on_{call.route}")
        return handle(call, fault if fault and fault.kind in self.own_kinds else None, *parts)

    def _wait(self) -> float | None:
        """Seconds until the rate limit allows this call; None: it is allowed and counted."""
        if self.rate is None:
            return None
        most, seconds = self.rate
        with self.lock:
            now = time.monotonic()
            while self._recent and self._recent[0] <= now - seconds:
                self._recent.popleft()
            if len(self._recent) >= most:
                return self._recent[0] + seconds - now
            self._recent.append(now)
            return None

    def _routes_of(self, fault: Fault) -> frozenset[str]:
        kind = {**BEFORE, **AFTER, **self.own_before, **self.own_kinds}.get(fault.kind)
        if kind is None:
            raise ValueError(f"{self.name}: there is no {fault}")
        if kind.details is not None and not fault.details.keys() <= kind.details:
            raise ValueError(f"{self.name}: {fault} takes {sorted(kind.details)}")
        possible = kind.routes or {name for name, _, _ in self.routes}
        if fault.route != "any" and fault.route not in possible:
            raise ValueError(f"{self.name}: {fault} happens on {sorted(possible)}")
        return kind.routes

    def _controlled(self, call: Call) -> Reply:
        told: dict[str, Callable[[], Any]] = {
            "/_fake/charges": self.charges,
            "/_fake/calls": lambda: [made.as_json() for made in self.calls],
            "/_fake/script": lambda: [fault.as_json() for fault in self.unused()],
            "/_fake/set": lambda: {name: getattr(self, name) for name in self.settable},
        }
        if call.path not in told:
            return json_reply(404, {"error": f"there is {', '.join(told)}"})
        try:
            if call.method == "POST" and call.path == "/_fake/script":
                self.script(*[Fault.from_json(fields) for fields in call.body])
            elif call.method == "POST":
                self.set(**call.body)
        except (TypeError, ValueError, AttributeError) as error:
            return json_reply(400, {"error": str(error)})
        return json_reply(200, told[call.path]())


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
