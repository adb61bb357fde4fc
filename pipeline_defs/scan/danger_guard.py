"""Find dangers and situations in the words about a thing, and answer without asking a model. Pure.

A danger takes precedence over the class that a maker has found. The note, the maker's name for the thing, its tags
and its class are all searched, and the gravest danger counts.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pipeline_defs.scan.client_messages import load_texts
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
"""The words of the table for a tag of the maker."""
_BY_CLASS = {"전지": "건전지", "조명제품": "형광등", "생활계유해폐기물": "화학약품"}
_UNKNOWN_WORD = "미지의 unknownword"
_WITHOUT_MERCURY = ("led", "엘이디")


def apply_guard(
    note: str, seen: Classification, rules: Rules
) -> tuple[Classification, Rule | None]:
    """Return the thing and its rule: the rule of a danger if one is found, else the rule of its class."""
    tags = [*dict.fromkeys((*seen.situation_tags, *find_tags(note)))]
    told: dict[str, Any] = {"situation_tags": tags}
    danger = _find_gravest(note, seen, tags)
    if danger is None:
        thing = seen.model_copy(update=told)
        return thing, rules.find(thing.major_category, thing.middle_category)
    rule = rules.dangers[danger]
    told |= {"major_category": rule.major, "middle_category": rule.middle or rule.major}
    told |= {"minor_category": rule.name.ko, "remark": "", "confidence": None}
    return seen.model_copy(update=told), rule


def find_elsewhere(note: str, thing: Classification, rule: Rule) -> list[int]:
    """Return the indexes of the rule's `not_here` entries that the note or the thing's name mentions."""
    about = f"{note}\n{thing.minor_category or ''}"
    named = (bool(each.words) and mentions(about, each.words) for each in rule.not_here)
    return [place for place, is_named in enumerate(named) if is_named]


def warm_tables() -> None:
    """Load the word tables, including typing errors, before the first order needs them."""
    find_dangers(_UNKNOWN_WORD, _load_ordinary_words())
    find_tags(_UNKNOWN_WORD)


def _find_gravest(note: str, seen: Classification, tags: Sequence[str]) -> str | None:
    found = [
        each
        for text in _list_texts(note, seen, tags)
        for each in find_dangers(text, _load_ordinary_words())
    ]
    about = fold(f"{note} {seen.minor_category or ''}")
    is_led = seen.middle_category == "조명제품" and any(each in about for each in _WITHOUT_MERCURY)
    if not found and not is_led:
        found.extend(find_dangers(_BY_CLASS.get(seen.middle_category, "")))
    return min(found).name if found else None


def _list_texts(note: str, seen: Classification, tags: Sequence[str]) -> Iterator[str]:
    """Yield the note, and what a maker that has seen the thing says: its name for it and its tags."""
    yield note
    thing = seen.minor_category if seen.seen_by != NOTE and seen.minor_category else ""
    yield thing
    yield from (_BY_TAG[tag].format(thing=thing) for tag in tags if tag in _BY_TAG)


@cache
def _load_ordinary_words() -> frozenset[str]:
    """Load the words for things of every class, which are not typing errors for a danger."""
    return frozenset(part for each in list_words() for part in fold(each.word).split())


FIXED = "fixed"
"""The name of the maker of fixed answers."""


def build_danger_answer(rule: Rule, tags: Collection[str], language: Language) -> Mapping[str, Any]:
    """Build the answer for a dangerous thing from its rule: name, warning and steps in fixed words."""
    warning = "" if rule.warning is None else rule.warning.select(language)
    name = rule.name.select(language)
    return {
        "disposal_steps": list(rule.steps.select(language)),
        "insufficiencies": [each.select(language) for each in rule.only_if if each.tag in tags],
        "user_answer": f"{name[:1].upper()}{name[1:]}: {warning}",
        "model": FIXED,
    }


def build_fixed_answer(seen: Classification, language: str) -> Mapping[str, Any]:
    """Build the answer for a thing without a rule."""
    words = load_texts()[language]
    if seen.remark or not seen.minor_category:
        said = f"{seen.remark or words['unknown']} {words['ask']}"
    else:
        said = words["no_rule"]
    return {"disposal_steps": {}, "insufficiencies": [], "user_answer": said, "model": FIXED}
