"""A scan's result in words, for a terminal. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline_defs.scan.order import Order

_WORDS = {
    "Korean": {"seen": "본 것", "first": "먼저 할 일", "won": "획득"},
    "English": {"seen": "Seen", "first": "First", "won": "Won"},
}
_UNKNOWN_IN_ENGLISH = "unknown"


def lines(order: Order, body: Mapping[str, Any]) -> Sequence[str]:
    """What it is and who says so, the steps, what has to be done first, the reply, the character."""
    words, found = _WORDS[order.language], body["pipeline_result"]
    seen, answer = found["classification_result"], found["final_answer"]
    thing = _thing(seen["classification"], found["disposal_rules"], order.language)
    shown = [f"{words['seen']}: {thing} ({_who(seen['meta'])})"]
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


def _thing(classification: Mapping[str, Any], rule: Mapping[str, Any] | None, language: str) -> str:
    """Return the classes; in English the rule's name, since the classes have Korean names only."""
    if language == "English":
        return _UNKNOWN_IN_ENGLISH if rule is None else str(rule["name"]["en"])
    names = [classification[f"{each}_category"] for each in ("major", "middle", "minor")]
    return " > ".join(dict.fromkeys(filter(None, names)))


def _who(meta: Mapping[str, Any]) -> str:
    sure = meta["confidence"]
    return meta["seen_by"] if sure is None else f"{meta['seen_by']}, {sure:.0%}"
