"""The page's view of a finished scan. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any


def result(
    brief: Mapping[str, Any], products: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return what the page shows: the thing, how to dispose of it, what is missing, and the character."""
    answer = products["answer"]
    seen = products.get("rule", {}).get("thing") or products["vision"]
    names = (seen["major_category"], seen["middle_category"], seen.get("minor_category"))
    steps = answer["disposal_steps"]
    return {
        "title": brief.get("note", ""),
        "classes": _list_classes(brief, products, names),
        "confidence": seen.get("confidence"),
        "remark": seen.get("remark", ""),
        "answer": answer["user_answer"],
        "steps": steps if isinstance(steps, list) else list(steps.values()),
        "missing": answer.get("insufficiencies", []),
        "character": products.get("reward", {}).get("reward"),
    }


def _list_classes(
    brief: Mapping[str, Any],
    products: Mapping[str, Mapping[str, Any]],
    names: Sequence[str | None],
) -> Sequence[str]:
    """Return the classes; in English the rule's name, since the classes have Korean names only."""
    rule = products.get("rule", {}).get("rule")
    if brief.get("language") == "English":
        return [str(rule["name"]["en"])] if rule else []
    return list(dict.fromkeys(filter(None, names)))
