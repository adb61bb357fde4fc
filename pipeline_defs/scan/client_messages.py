"""What a client reads of a scan that has failed: never an operator's remedy. Pure but for its texts."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_TEXTS = Path(__file__).with_name("failures.toml")
_KEYS = {"Korean": "ko", "English": "en"}
_OTHER = "other"
_FOR_OPERATORS = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|--\w|castad |operator")
"""A setting, an option, a command: what only an operator can use."""


def client_message(payload: Mapping[str, Any], code: str, message: str) -> str:
    """Return what the client of the order reads instead of the error's message, in the order's language."""
    text = _texts().get(code) or _texts()[_OTHER]
    said = str(text[_KEYS.get(str(payload.get("language")), "ko")])
    if not text.get("shows") or _FOR_OPERATORS.search(message):
        return said
    return f"{said} ({message.rstrip('.')})"


@cache
def _texts() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(_TEXTS.read_text("utf-8"))
