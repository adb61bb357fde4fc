"""The rules of disposal: a JSON file a class, and one a danger, in Korean and English.

A recyclable of a class that has no file gets the general rule of recyclables; what is unknown gets none. A
danger's rule comes before that of its class; a folder that has none for a danger keeps the one that castad brings.
"""

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from pipeline_defs.scan.tags import TAGS
from resources.contract.errors import InvalidInputError, describe_expected
from studio.waste import MAJORS, MIDDLES, RECYCLABLE, UNKNOWN, list_dangers

FOLDER = Path(__file__).with_name("rules")
DANGERS = Path(__file__).with_name("dangers")
SETTING = "CASTAD_SCAN_RULES"

Language = Literal["Korean", "English"]
Text = Annotated[str, Field(min_length=1, max_length=300)]
Texts = Annotated[tuple[Text, ...], Field(min_length=1, max_length=100)]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


T = TypeVar("T")


class InBoth(_Frozen, Generic[T]):
    """A text for people, or several."""

    ko: T
    en: T

    def of(self, language: Language) -> T:
        """What stands in this language."""
        return self.ko if language == "Korean" else self.en


def _known_tag(tag: str) -> str:
    if tag not in TAGS:
        raise ValueError("expected a tag of pipeline_defs/scan/tags.py")
    return tag


class Condition(InBoth[Text]):
    """What has to be done first where the thing was seen in the situation `tag`."""

    tag: Annotated[str, AfterValidator(_known_tag)]


class NotHere(InBoth[Text]):
    """What looks alike but goes elsewhere, and where; `words` name it in a note, as the table of dangers does."""

    to_ko: Text
    to_en: Text
    words: tuple[Text, ...] = ()

    def place(self, language: Language) -> str:
        """Where it goes."""
        return self.to_ko if language == "Korean" else self.to_en


class Guidance(_Frozen):
    """The published guidance that the rule follows; `date` is its edition's, `read` when it was checked."""

    title: Text
    url: Text
    date: Text | None = None
    read: datetime.date


class Rule(_Frozen):
    """How things of a class are disposed of; `middle` is None where it holds for a whole major class.

    A rule with a `danger` holds for what has that danger, and its `warning` stands in every reply.
    """

    danger: Text | None = None
    warning: InBoth[Text] | None = None
    major: Text
    middle: Text | None
    name: InBoth[Text]
    items: InBoth[Texts]
    steps: InBoth[Texts]
    only_if: tuple[Condition, ...] = ()
    not_here: tuple[NotHere, ...] = ()
    source: Guidance

    @model_validator(mode="after")
    def _of_a_known_class(self) -> Self:
        if self.major == UNKNOWN or self.major not in MAJORS:
            raise ValueError("expected a major that is a class of waste other than the unknown")
        if self.middle is not None and (self.major != RECYCLABLE or self.middle not in MIDDLES):
            raise ValueError("expected a middle that is null or a class of recyclables")
        if self.danger is not None and self.danger not in list_dangers():
            raise ValueError("expected a danger of studio/data/words/danger_words.csv")
        if (self.danger is None) != (self.warning is None):
            raise ValueError("expected a warning for a danger, and for nothing else")
        if len(self.steps.ko) != len(self.steps.en):
            raise ValueError("expected as many steps in ko as in en")
        return self

    def as_text(self, language: Language) -> str:
        """The rule in a few lines of this language, for a chat model."""
        name, items, steps, first, elsewhere, local = _HEADINGS[language]
        numbered = (f"{number}. {step}" for number, step in enumerate(self.steps.of(language), 1))
        lines = [
            f"{name}: {self.name.of(language)}",
            f"{items}: {', '.join(self.items.of(language))}",
            f"{steps}: {' '.join(numbered)}",
            *(f"{first} {each.tag}: {each.of(language)}" for each in self.only_if),
            *(f"{elsewhere}: {it.of(language)} → {it.place(language)}" for it in self.not_here),
            local,
        ]
        return "\n".join(lines)


_HEADINGS: Mapping[Language, list[str]] = {
    "Korean": ["분류", "품목", "순서", "먼저 할 일,", "여기 아님", "지자체마다 다를 수 있습니다."],
    "English": ["Class", "Things", "Steps", "First, if", "Not here", "It may differ locally."],
}


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules, at most one a class, and one for each danger."""

    all: tuple[Rule, ...]
    dangers: Mapping[str, Rule]

    def find(self, major: str, middle: str) -> Rule | None:
        """The rule of the class, else the one of its whole major class, else None."""
        if major == UNKNOWN:
            return None
        of_major = {rule.middle: rule for rule in self.all if rule.major == major}
        return of_major.get(middle) or of_major.get(None)


@cache
def shipped_rules() -> Rules:
    """Return the rules that castad brings."""
    return Rules(_rules_in(FOLDER), _shipped_dangers())


@cache
def _shipped_dangers() -> Mapping[str, Rule]:
    return {str(rule.danger): rule for rule in _rules_in(DANGERS)}


def load_rules(folder: Path) -> Rules:
    """Return the rules of the folder's JSON files.

    Raises InvalidInputError, which names the file and the field.
    """
    found = _rules_in(folder)
    own = {rule.danger: rule for rule in found if rule.danger is not None}
    classes = tuple(rule for rule in found if rule.danger is None)
    return Rules(classes, {**_shipped_dangers(), **own})


def _rules_in(folder: Path) -> tuple[Rule, ...]:
    found: dict[tuple[str | None, ...], tuple[str, Rule]] = {}
    for file in _files(folder):
        rule = _read(file)
        of = (rule.danger,) if rule.danger is not None else (rule.major, rule.middle)
        first = found.setdefault(of, (file.name, rule))[0]
        if first != file.name:
            where = f"{first!r} and {file.name!r} for {rule.danger or rule.middle or rule.major}"
            raise _refused(f"expected one file for a class or danger, got {where}")
    if not found:
        raise _refused(f"expected a folder with rules (*.json), got none in {str(folder)!r}")
    return tuple(rule for _, rule in found.values())


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if _is_rule(each.name))
    except (OSError, ValueError) as error:
        got = f"{str(folder)!r} ({type(error).__name__})"
        raise _refused(f"expected a folder that can be read, got {got}") from None


def _is_rule(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".")


def _read(file: Path) -> Rule:
    try:
        return Rule.model_validate(json.loads(file.read_text("utf-8")))
    except ValidationError as error:
        raise _refused(_schema_fault(file.name, error)) from None
    except OSError as error:
        fault = f"expected a file that can be read, got {file.name!r} ({type(error).__name__})"
        raise _refused(fault) from None
    except (ValueError, RecursionError) as error:
        got = f"{file.name!r} ({type(error).__name__})"
        raise _refused(f"expected JSON in UTF-8, got {got}") from None


def _schema_fault(name: str, error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    field = ".".join(map(str, first["loc"])) or "the rule"
    place = f"of {field!r} in {name!r}"
    if first["type"] == "extra_forbidden":
        return f"expected only the fields of a rule, got one more, {field!r} in {name!r}"
    if first["type"] == "missing":
        return f"expected a value {place}, got none"
    expected = "expected a list" if first["type"] == "tuple_type" else describe_expected(first)
    return f"{expected.partition(', got ')[0]} as the value {place}, got {_short(first['input'])}"


def _short(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return repr(value)[:60]


def _refused(fault: str) -> InvalidInputError:
    return InvalidInputError(SETTING, fault)
