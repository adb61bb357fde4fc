"""The answer where no rule is known. Pure."""

from collections.abc import Mapping
from typing import Any

from pipeline_defs.scan.products import Classification

FIXED = "fixed"
"""Who has answered where nobody was asked."""

_UNKNOWN = {
    "Korean": "무엇인지 확실하지 않아 배출 방법을 안내하지 못했습니다. 품목을 글로 적어 다시 물어보시거나, "
    "거주지 구청 또는 주민센터에 확인해 주세요.",
    "English": "I am not sure what this is, so I cannot say how to dispose of it. "
    "Say in words what it is and ask again, or ask your district office.",
}
_NO_RULE = {
    "Korean": "이 품목의 배출 규칙이 아직 없습니다. 거주지 구청 또는 주민센터에 확인해 주세요.",
    "English": "There is no rule for this thing yet. Please ask your district office.",
}


def fixed_answer(seen: Classification, language: str) -> Mapping[str, Any]:
    """The answer for a thing without a rule."""
    texts = _UNKNOWN if seen.remark or not seen.minor_category else _NO_RULE
    return {
        "disposal_steps": {},
        "insufficiencies": [],
        "user_answer": texts[language],
        "model": FIXED,
    }
