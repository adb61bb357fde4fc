"""Label values of the metrics: a bounded number, none of them chosen by clients."""

import re
from collections.abc import Iterable
from threading import Lock

OTHER = "other"
_MAX_CODES = 100
_CODE = re.compile(r"[a-z][a-z0-9_]{0,47}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class KnownLabels:
    """Known names are labels; any other name is `other`, and a missing one the empty label."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)

    def __call__(self, name: object) -> str:
        """The label of this name."""
        if name is None or name == "":
            return ""
        return name if isinstance(name, str) and name in self._names else OTHER


class ErrorCodeLabels:
    """The first hundred well-formed error codes are labels; any other is `other`."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._lock = Lock()

    def __call__(self, code: str) -> str:
        """The label of this code."""
        with self._lock:
            if code not in self._seen:
                if len(self._seen) >= _MAX_CODES or not _CODE.fullmatch(code):
                    return OTHER
                self._seen.add(code)
            return code


def method_label(method: str) -> str:
    """The HTTP method, or `other` for an unknown one."""
    return method if method in _METHODS else OTHER
