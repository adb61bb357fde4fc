"""Advice on waste by a rule, in a template's words. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_KEYS = {"Korean": "ko", "English": "en"}
_LONGEST_REPLY_STEPS = 2
# Unicode, section 3.12: a Hangul syllable's code says whether and by which consonant it ends.
_FIRST_SYLLABLE, _SYLLABLES, _FINALS, _RIEUL = 0xAC00, 11_172, 28, 8


@dataclass(frozen=True)
class Advice:
    """The steps in order, what has to be done first, and a reply of at most three sentences."""

    steps: Sequence[str]
    insufficiencies: Sequence[str]
    reply: str


def advise(
    rule: Mapping[str, Any],
    thing: str | None,
    tags: Sequence[str],
    language: str,
    elsewhere: Sequence[int] = (),
) -> Advice:
    """Return the advice for the thing, in "Korean" or "English".

    `elsewhere` are the places of those of the rule's `not_here` that the thing is.
    """
    key = _KEYS[language]
    steps = [str(step) for step in rule["steps"][key]]
    not_here = [rule["not_here"][place] for place in elsewhere]
    first = [f"{each[key]}: {each[f'to_{key}']}" for each in not_here]
    first += [str(each[key]) for each in rule.get("only_if", ()) if each.get("tag") in tags]
    name = str(rule["name"][key])
    opening = _opening(name, thing, language)
    sentences = [opening, *(first or steps)[:_LONGEST_REPLY_STEPS]]
    return Advice(steps, first, " ".join(map(_sentence, sentences)))


def _opening(name: str, thing: str | None, language: str) -> str:
    if language == "English":
        return f"This is sorted as {name}"
    sorted_as = f"{name}{_particle(name)} 분류됩니다"
    return f"{thing} 품목은 {sorted_as}" if thing else sorted_as


def _particle(name: str) -> str:
    """로 after a vowel or ㄹ, else 으로."""
    last = ord(name[-1]) - _FIRST_SYLLABLE if name else -1
    final = last % _FINALS if 0 <= last < _SYLLABLES else 0
    return "로" if final in (0, _RIEUL) else "으로"


def _sentence(text: str) -> str:
    ended = text.strip()
    return ended if ended.endswith((".", "!", "?")) else f"{ended}."
