"""The answers that no model is asked for: where no rule is known, and where a thing is dangerous. Pure."""

from collections.abc import Collection, Mapping
from typing import Any

from pipeline_defs.scan.disposal_rules import Language, Rule
from pipeline_defs.scan.products import Classification

FIXED = "fixed"
"""Who has answered where nobody was asked."""

_UNKNOWN = {
    "Korean": "무엇인지 확실하지 않아 배출 방법을 안내하지 못했습니다. 품목을 글로 적어 다시 물어보세요.",
    "English": "I am not sure what this is, so I cannot say how to dispose of it. "
    "Say in words what it is and ask again.",
}
_ASK = {
    "Korean": "위험해 보이면 만지지 말고, 거주지 구청 또는 주민센터에 확인해 주세요.",
    "English": "If it may be dangerous, leave it, and ask your district office.",
}
_NO_RULE = {
    "Korean": "이 품목의 배출 규칙이 아직 없습니다. 거주지 구청 또는 주민센터에 확인해 주세요.",
    "English": "There is no rule for this thing yet. Please ask your district office.",
}


def danger_answer(rule: Rule, tags: Collection[str], language: Language) -> Mapping[str, Any]:
    """Return the answer for a dangerous thing: its name, the warning, and the rule's steps, all in fixed words."""
    warning = "" if rule.warning is None else rule.warning.of(language)
    name = rule.name.of(language)
    return {
        "disposal_steps": list(rule.steps.of(language)),
        "insufficiencies": [each.of(language) for each in rule.only_if if each.tag in tags],
        "user_answer": f"{name[:1].upper()}{name[1:]}: {warning}",
        "model": FIXED,
    }


def fixed_answer(seen: Classification, language: str) -> Mapping[str, Any]:
    """Return the answer for a thing without a rule."""
    if seen.remark or not seen.minor_category:
        said = f"{seen.remark or _UNKNOWN[language]} {_ASK[language]}"
    else:
        said = _NO_RULE[language]
    return {
        "disposal_steps": {},
        "insufficiencies": [],
        "user_answer": said,
        "model": FIXED,
    }
