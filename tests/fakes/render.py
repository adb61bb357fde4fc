"""What the fake Creatomate makes of a RenderScript: the render's status, its price, and its file."""

import ipaddress
import math
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from tests.fakes import media

FORMATS = ("mp4", "gif", "jpg", "png")
_ELEMENTS = frozenset(("video", "image", "text", "shape", "audio", "composition"))
_SOUNDS = (".mp3", ".wav", ".m4a")
_FETCH_SECONDS = 2.0
_LARGEST_SOURCE = 50_000_000
TEMPLATE: Mapping[str, Any] = {"width": 1080, "height": 1920, "frame_rate": 30, "duration": 20.0}
"""What a template is like, where nothing else is set."""


class RenderError(Exception):
    """What the vendor says of a render that cannot be made."""


@dataclass
class Render:
    """One accepted job. `final_status` is what was scripted for it."""

    request: Mapping[str, Any]
    final_status: Mapping[str, Any]
    id: str = field(default_factory=lambda: str(uuid4()))
    started: float = field(default_factory=time.monotonic)
    error: str | None = None
    file: bytes | None = None
    _lock: Lock = field(default_factory=Lock)

    @property
    def width(self) -> int:
        return round(self.request["width"] * self.request.get("render_scale", 1))

    @property
    def height(self) -> int:
        return round(self.request["height"] * self.request.get("render_scale", 1))

    @property
    def frame_rate(self) -> float:
        return float(self.request.get("frame_rate", 30))

    @property
    def seconds(self) -> float:
        if "duration" in self.request:
            return float(self.request["duration"])
        ends = [
            element.get("time", 0) + element["duration"]
            for element in self.request.get("elements") or ()
            if _is_positive(element.get("duration")) and _is_number(element.get("time", 0))
        ]
        return float(max(ends, default=TEMPLATE["duration"]))

    @property
    def credits(self) -> int:
        """The vendor's formula (docs/vendors/creatomate.md): at least one."""
        return max(1, math.ceil(self.width * self.height * self.frame_rate * self.seconds / 1e8))

    def status(self, delay: float) -> str:
        """How it stands by itself, `delay` seconds being what it takes; made when that is over."""
        passed = time.monotonic() - self.started
        if passed < delay:
            return "planned" if passed < delay / 2 else "rendering"
        with self._lock:
            if self.file is None and self.error is None:
                try:
                    self.file = self._made()
                except RenderError as error:
                    self.error = str(error)
        return "failed" if self.error else "succeeded"

    def _made(self) -> bytes:
        sound = None
        for where, source, heard in _sources(self.request):
            content = _fetched(source, where)
            sound = content if heard and content else sound
        width, height = (max(2, size // 2 * 2) for size in (self.width, self.height))
        try:
            return media.video(width, height, self.seconds, sound)
        except media.UndecodableError:
            raise RenderError("The audio source is not a valid audio file.") from None


def wrong_with(body: Any) -> str | None:
    """Why this is no job at all; None: it is one, whatever its elements are worth."""
    if not isinstance(body, dict):
        return "The body should be a JSON object."
    if not isinstance(body.get("metadata", ""), str):
        return "metadata should be a string."
    if "template_id" in body:
        given = body.get("modifications", {})
        return None if isinstance(given, dict) else "modifications should be an object."
    if body.get("output_format") not in FORMATS:
        return f"output_format should be one of {', '.join(FORMATS)}."
    for name in ("width", "height"):
        if not isinstance(body.get(name), int) or not 1 <= body[name] <= 8192:
            return f"{name} should be a number of pixels."
    for name in ("frame_rate", "duration", "render_scale"):
        if not _is_positive(body.get(name, 1)):
            return f"{name} should be a positive number."
    elements = body.get("elements")
    if not isinstance(elements, list) or not all(isinstance(each, dict) for each in elements):
        return "elements should be a list of objects."
    return None


def errors_in(body: Mapping[str, Any]) -> list[dict[str, str]]:
    """The elements that nobody can render."""
    return [
        {"path": path, "message": f"Unknown element type {element.get('type')!r}."}
        for path, element in _elements(body)
        if element.get("type") not in _ELEMENTS
    ]


def unmatched(modifications: Mapping[str, Any], names: list[str]) -> list[dict[str, str]]:
    """The modifications that change nothing, since the template has no such element."""
    return [
        {"path": f"modifications.{target}", "message": "The modification matched no element."}
        for target in modifications
        if target.split(".")[0] not in names
    ]


def _fetched(source: str, where: str) -> bytes | None:
    """The file behind a link without TLS to this machine: another fake's, or castad's.

    No other link leads to a file, unless its host is public: then it is believed.
    """
    problem = f"The source of {where} could not be downloaded: {source}"
    addresses = _addresses_of(source)
    if addresses and all(address.is_global for address in addresses):
        return None
    here = bool(addresses) and all(address.is_loopback for address in addresses)
    if not here or not source.startswith("http://"):
        raise RenderError(f"{problem} (nobody serves it)")
    try:
        with httpx.stream(
            "GET",
            source,
            timeout=_FETCH_SECONDS,
            follow_redirects=True,
            trust_env=False,
            verify=False,
        ) as response:
            if response.status_code != 200:
                raise RenderError(f"{problem} (status {response.status_code})")
            content = bytearray()
            for piece in response.iter_bytes():
                content += piece
                if len(content) > _LARGEST_SOURCE:
                    raise RenderError(f"{problem} (too large)")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise RenderError(f"{problem} ({type(error).__name__})") from None
    return bytes(content)


def _addresses_of(source: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    try:
        parts = urlsplit(source)
        if not parts.hostname:
            return []
        found = socket.getaddrinfo(parts.hostname, parts.port, type=socket.SOCK_STREAM)
        return [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    except (OSError, ValueError):
        return []


def _sources(body: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Where a link stands, the link, and whether it is what is heard."""
    for path, element in _elements(body):
        if isinstance(element.get("source"), str):
            yield path, element["source"], element.get("type") == "audio"
    for target, value in (body.get("modifications") or {}).items():
        if isinstance(value, str) and "://" in value:
            yield target, value, value.endswith(_SOUNDS)


def _elements(body: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    children = body.get("elements")
    for index, element in enumerate(children if isinstance(children, list) else ()):
        if isinstance(element, dict):
            here = f"{path}elements[{index}]"
            yield here, element
            yield from _elements(element, f"{here}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_positive(value: Any) -> bool:
    return _is_number(value) and 0 < value < 1e6
