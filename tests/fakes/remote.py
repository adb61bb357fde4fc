"""A fake vendor in another process, with the words of one in this process."""

from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.fakes.faults import Fault
from tests.fakes.reply import Call


class RemoteFake:
    """Steers the fake at this URL over HTTP. Every method raises ValueError with the fake's own words."""

    def __init__(self, url: str) -> None:
        self.url = url
        parts = urlsplit(url)
        self._control = f"{parts.scheme}://{parts.netloc}/_fake"

    def script(self, *faults: Fault) -> None:
        """These happen after those that are scripted already."""
        self._post("script", [fault.as_json() for fault in faults])

    def unused(self) -> list[Fault]:
        """The scripted faults that nobody has met yet."""
        return [Fault.from_json(fields) for fields in self._get("script")]

    def charges(self) -> list[dict[str, Any]]:
        """All that was ever charged in its folder, the oldest first."""
        charges: list[dict[str, Any]] = self._get("charges")
        return charges

    @property
    def calls(self) -> list[Call]:
        """What it was asked, in order."""
        return [Call(**fields) for fields in self._get("calls")]

    def revoke(self) -> None:
        """From now on the key is refused."""
        self.set(revoked=True)

    def set(self, **values: Any) -> None:
        """Its attributes are these: delay, credits, rate, revoked, clock_offset …"""
        self._post("set", values)

    def _get(self, what: str) -> Any:
        return _content(httpx.get(f"{self._control}/{what}", trust_env=False, verify=False))

    def _post(self, what: str, content: Any) -> None:
        _content(httpx.post(f"{self._control}/{what}", json=content, trust_env=False, verify=False))


def _content(response: httpx.Response) -> Any:
    if response.status_code != 200:
        raise ValueError(response.json()["error"])
    return response.json()
