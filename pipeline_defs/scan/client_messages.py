"""The text of a failed scan for its client, and of a finished one for a terminal."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pipeline_defs.scan.order import Order

_KEYS = {"Korean": "ko", "English": "en"}
_OTHER = "other"
_FOR_OPERATORS = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|--\w|castad |operator")
"""A setting, an option, a command: what only an operator can use."""


def build_client_message(payload: Mapping[str, Any], code: str, message: str) -> str:
    """Return the text that the client reads instead of the error's message, in the order's language."""
    text = _load_failures().get(code) or _load_failures()[_OTHER]
    said = str(text[_KEYS.get(str(payload.get("language")), "ko")])
    if not text.get("shows") or _FOR_OPERATORS.search(message):
        return said
    return f"{said} ({message.rstrip('.')})"


@cache
def _load_failures() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("failures.toml").read_text("utf-8"))


@cache
def load_texts() -> Mapping[str, Mapping[str, str]]:
    """Load the prompts, and the fixed words in each language."""
    return tomllib.loads(Path(__file__).with_name("texts.toml").read_text("utf-8"))


_UNKNOWN_IN_ENGLISH = "unknown"


def build_lines(order: Order, body: Mapping[str, Any]) -> Sequence[str]:
    """Build the lines of a result: class and its maker, steps, preconditions, reply and character."""
    words, found = load_texts()[order.language], body["pipeline_result"]
    seen, answer = found["classification_result"], found["final_answer"]
    thing = _name_thing(seen["classification"], found["disposal_rules"], order.language)
    maker, sure = seen["meta"]["seen_by"], seen["meta"]["confidence"]
    maker = maker if sure is None else f"{maker}, {sure:.0%}"
    shown = [f"{words['seen']}: {thing} ({maker})"]
    if seen["meta"]["remark"] and seen["meta"]["remark"] not in answer["user_answer"]:
        shown.append(seen["meta"]["remark"])
    shown += [
        f"{number}. {step}" for number, step in enumerate(answer["disposal_steps"].values(), 1)
    ]
    shown += [f"{words['first']}: {each}" for each in answer["insufficiencies"]]
    shown.append(answer["user_answer"])
    won = body["reward"]
    if won is not None:
        shown.append(f"{words['won']}: {won['name']} - {won['dialog']}")
    return shown


def _name_thing(
    classification: Mapping[str, Any], rule: Mapping[str, Any] | None, language: str
) -> str:
    """Return the classes; in English the rule's name, since the classes have Korean names only."""
    if language == "English":
        return _UNKNOWN_IN_ENGLISH if rule is None else str(rule["name"]["en"])
    names = [classification[f"{each}_category"] for each in ("major", "middle", "minor")]
    return " > ".join(dict.fromkeys(filter(None, names)))
