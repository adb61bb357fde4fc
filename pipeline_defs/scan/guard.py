"""Find dangers and situations in the words about a thing, and answer where no model is asked. Pure.

Reads the words about a thing for dangers and situations, whoever has said what it is. Pure.

A danger decides before the class that a maker has found: the note, the maker's own name for the thing, its tags
and its class are all read, and the gravest danger counts.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pipeline_defs.scan.disposal_rules import Language, Rule, Rules
from pipeline_defs.scan.products import Classification
from studio.waste import find_dangers, find_tags, fold, list_words
from studio.word_table import mentions

NOTE = "note"
_BY_TAG = {
    "배터리_부풂": "부푼 배터리",
    "가스_남음": "스프레이 캔",
    "약품_남음": "화학약품",
    "배터리_들어있음": "배터리 내장",
    "단자_드러남": "건전지",
    "깨짐": "깨진 {thing}",
}
"""What a tag of the maker says of the thing, in words of the table."""
_BY_CLASS = {"전지": "건전지", "조명제품": "형광등", "생활계유해폐기물": "화학약품"}
_UNKNOWN_WORD = "미지의 unknownword"
_WITHOUT_MERCURY = ("led", "엘이디")


def guarded(note: str, seen: Classification, rules: Rules) -> tuple[Classification, Rule | None]:
    """Return what the thing is and the rule for it: a danger's before that of its class."""
    tags = [*dict.fromkeys((*seen.situation_tags, *find_tags(note)))]
    told: dict[str, Any] = {"situation_tags": tags}
    danger = _gravest(note, seen, tags)
    if danger is None:
        thing = seen.model_copy(update=told)
        return thing, rules.find(thing.major_category, thing.middle_category)
    rule = rules.dangers[danger]
    told |= {"major_category": rule.major, "middle_category": rule.middle or rule.major}
    told |= {"minor_category": rule.name.ko, "remark": "", "confidence": None}
    return seen.model_copy(update=told), rule


def elsewhere(note: str, thing: Classification, rule: Rule) -> list[int]:
    """Return which of the rule's things that go elsewhere the note, or the thing's name, speaks of."""
    about = f"{note}\n{thing.minor_category or ''}"
    return [
        place
        for place, each in enumerate(rule.not_here)
        if each.words and mentions(about, each.words)
    ]


def warm_tables() -> None:
    """Read the tables of words, typing errors among them, before the first order asks."""
    find_dangers(_UNKNOWN_WORD, _ordinary())
    find_tags(_UNKNOWN_WORD)


def _gravest(note: str, seen: Classification, tags: Sequence[str]) -> str | None:
    found = [each for text in _spoken(note, seen, tags) for each in find_dangers(text, _ordinary())]
    if not found:
        found.extend(find_dangers(_class_words(note, seen)))
    return min(found).name if found else None


def _spoken(note: str, seen: Classification, tags: Sequence[str]) -> Iterator[str]:
    """Yield the note, and what a maker who has looked says: its name for the thing and the tags."""
    yield note
    thing = seen.minor_category if seen.seen_by != NOTE and seen.minor_category else ""
    yield thing
    yield from (_BY_TAG[tag].format(thing=thing) for tag in tags if tag in _BY_TAG)


def _class_words(note: str, seen: Classification) -> str:
    about = fold(f"{note} {seen.minor_category or ''}")
    if seen.middle_category == "조명제품" and any(word in about for word in _WITHOUT_MERCURY):
        return ""
    return _BY_CLASS.get(seen.middle_category, "")


@cache
def _ordinary() -> frozenset[str]:
    """Return the words for things of every class, which are no typing errors for a danger."""
    return frozenset(part for each in list_words() for part in fold(each.word).split())


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
