"""How a fake vendor calls back: over real HTTP, and nobody but this machine."""

import threading
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx

from tests.fakes.server import FakeVendor

_NEAR = frozenset(("127.0.0.1", "localhost", "::1"))
_ANSWER_SECONDS = 15.0
_AGAIN_AFTER = (1.0, 5.0, 15.0)
_LOOK_SECONDS = 0.05


def is_near(address: str | None) -> bool:
    """Whether this is an address of this machine that can be called."""
    parts = urlsplit(address or "")
    return parts.scheme in ("http", "https") and parts.hostname in _NEAR


class CallingVendor(FakeVendor):
    """A vendor that calls back about its jobs, where a test has it do so (`call_back`).

    `early` are the kinds of callbacks that are sent before a job is answered. With `may_call_back` a job's
    are sent by themselves as its time passes, and again where they are not answered well
    (docs/vendors/suno.md). Addresses that are not this machine's are never called.
    """

    settable: ClassVar[tuple[str, ...]] = (*FakeVendor.settable, "early", "calls_back")
    last_kinds: ClassVar[frozenset[str]]
    """After these nothing more is to be told of a job."""

    def __init__(self, folder: Path, *, key: str | None = None, port: int = 0) -> None:
        super().__init__(folder, key=key, port=port)
        self.early: tuple[str, ...] = ()
        self.calls_back = False
        self._followers: list[threading.Thread] = []

    def close(self) -> None:
        self._closing.set()
        for follower in self._followers:
            follower.join()
        super().close()

    def call_back(
        self, job: str, kind: str, *, times: int = 1, address: str | None = None
    ) -> list[int]:
        """A job's callback has been sent, to its own address or another; with what status it was answered.

        Raises ValueError where the address is not this machine's, httpx.HTTPError where nobody answers there.
        """
        target = address or self.callback_address(job)
        if target is None or not is_near(target):
            raise ValueError(f"{self.name}: {target} is nobody to be called")
        content = self.callback(job, kind)
        with httpx.Client(trust_env=False, verify=False, timeout=_ANSWER_SECONDS) as client:
            return [client.post(target, json=content).status_code for _ in range(times)]

    def accepted(self, job: str) -> None:
        """The submission has become this job, and nobody has been told yet."""
        if not is_near(self.callback_address(job)):
            return
        for kind in self.early:
            self.call_back(job, kind)
        if self.calls_back:
            follower = threading.Thread(target=self._follow, args=(job,))
            self._followers.append(follower)
            follower.start()

    def callback_address(self, job: str) -> str | None:
        """Where the submission wants to be called back."""
        raise NotImplementedError

    def callback(self, job: str, kind: str) -> Any:
        """What is sent, as JSON."""
        raise NotImplementedError

    def callback_due(self, job: str) -> str | None:
        """The kind of callback that the job has come as far as, by itself."""
        raise NotImplementedError

    def _follow(self, job: str) -> None:
        told = None
        while told not in self.last_kinds and not self._closing.wait(_LOOK_SECONDS):
            kind = self.callback_due(job)
            if kind is not None and kind != told:
                self._insist(job, kind)
                told = kind

    def _insist(self, job: str, kind: str) -> None:
        """Called until it is answered well, or the vendor has had enough of it."""
        for pause in (0.0, *_AGAIN_AFTER):
            if self._closing.wait(pause):
                return
            try:
                if self.call_back(job, kind) == [200]:
                    return
            except httpx.HTTPError:
                continue
