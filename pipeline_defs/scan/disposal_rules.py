"""The rules of disposal: a JSON file for each class and each danger, in Korean and English.

A tag names a situation in which a thing may be seen. A tag that blocks makes the thing unfit for collection until
something is done about it; the rule of the thing's class says what. The tags are castad's own.
"""

import datetime
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Generic, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from resources.contract.errors import InvalidInputError, describe_expected
from studio.waste import MAJORS, MIDDLES, RECYCLABLE, UNKNOWN, list_dangers


@dataclass(frozen=True, slots=True)
class Tag:
    """A situation in both languages; `blocks`: it has to be ended first."""

    ko: str
    en: str
    blocks: bool


def _read_tags() -> Iterator[tuple[str, Tag]]:
    table = Path(__file__).with_name("tags.tsv").read_text("utf-8")
    for line in table.splitlines()[1:]:
        name, blocks, ko, en = line.split("\t")
        yield name, Tag(ko, en, blocks == "yes")


TAGS: Mapping[str, Tag] = dict(_read_tags())
"""All tags by name: those that block first."""


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

    def select(self, language: Language) -> T:
        """Return the text, or texts, in this language."""
        return self.ko if language == "Korean" else self.en


def _check_tag(tag: str) -> str:
    if tag not in TAGS:
        raise ValueError("expected a tag of pipeline_defs/scan/disposal_rules.py")
    return tag


class Condition(InBoth[Text]):
    """The step that comes first for a thing in the situation `tag`."""

    tag: Annotated[str, AfterValidator(_check_tag)]


class NotHere(InBoth[Text]):
    """A similar thing that goes elsewhere, and where; `words` name it in a note, as the table of dangers does."""

    to_ko: Text
    to_en: Text
    words: tuple[Text, ...] = ()

    def get_destination(self, language: Language) -> str:
        """Return where the thing goes, in this language."""
        return self.to_ko if language == "Korean" else self.to_en


class Guidance(_Frozen):
    """The published guidance that the rule follows; `date` is its edition's, `read` the day of the last check."""

    title: Text
    url: Text
    date: Text | None = None
    read: datetime.date


class Rule(_Frozen):
    """The disposal of the things of a class; `middle` is None if the rule applies to a whole major class.

    A rule with a `danger` applies to all things with that danger, and its `warning` is part of every reply.
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
    def _check_class(self) -> Self:
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

    def format_for_model(self, language: Language) -> str:
        """Format the rule as a few lines of this language, for a chat model."""
        name, items, steps, first, elsewhere, local = _HEADINGS[language]
        numbered = (
            f"{number}. {step}" for number, step in enumerate(self.steps.select(language), 1)
        )
        lines = [
            f"{name}: {self.name.select(language)}",
            f"{items}: {', '.join(self.items.select(language))}",
            f"{steps}: {' '.join(numbered)}",
            *(f"{first} {each.tag}: {each.select(language)}" for each in self.only_if),
            *(
                f"{elsewhere}: {it.select(language)} → {it.get_destination(language)}"
                for it in self.not_here
            ),
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
        """Return the rule of the middle class, or else of its major class; None if neither has one."""
        if major == UNKNOWN:
            return None
        of_major = {rule.middle: rule for rule in self.all if rule.major == major}
        return of_major.get(middle) or of_major.get(None)


@cache
def load_shipped_rules() -> Rules:
    """Load the rules that castad ships."""
    return Rules(_read_rules(FOLDER), _load_shipped_dangers())


@cache
def _load_shipped_dangers() -> Mapping[str, Rule]:
    return {str(rule.danger): rule for rule in _read_rules(DANGERS)}


def load_rules(folder: Path) -> Rules:
    """Load the rules from the folder's JSON files. Shipped rules for dangers stay unless the folder replaces them.

    Raise InvalidInputError, which names the file and the field.
    """
    found = _read_rules(folder)
    own = {rule.danger: rule for rule in found if rule.danger is not None}
    classes = tuple(rule for rule in found if rule.danger is None)
    return Rules(classes, {**_load_shipped_dangers(), **own})


def _read_rules(folder: Path) -> tuple[Rule, ...]:
    try:
        names = sorted(each.name for each in folder.iterdir())
    except (OSError, ValueError) as error:
        got = f"{str(folder)!r} ({type(error).__name__})"
        raise _make_error(f"expected a folder that can be read, got {got}") from None
    found: dict[tuple[str | None, ...], tuple[str, Rule]] = {}
    for name in names:
        if not name.endswith(".json") or name.startswith("."):
            continue
        file = folder / name
        rule = _read_rule(file)
        of = (rule.danger,) if rule.danger is not None else (rule.major, rule.middle)
        first = found.setdefault(of, (file.name, rule))[0]
        if first != file.name:
            where = f"{first!r} and {file.name!r} for {rule.danger or rule.middle or rule.major}"
            raise _make_error(f"expected one file for a class or danger, got {where}")
    if not found:
        raise _make_error(f"expected a folder with rules (*.json), got none in {str(folder)!r}")
    return tuple(rule for _, rule in found.values())


def _read_rule(file: Path) -> Rule:
    try:
        return Rule.model_validate(json.loads(file.read_text("utf-8")))
    except ValidationError as error:
        raise _make_error(_describe_fault(file.name, error)) from None
    except OSError as error:
        fault = f"expected a file that can be read, got {file.name!r} ({type(error).__name__})"
        raise _make_error(fault) from None
    except (ValueError, RecursionError) as error:
        got = f"{file.name!r} ({type(error).__name__})"
        raise _make_error(f"expected JSON in UTF-8, got {got}") from None


def _describe_fault(name: str, error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    field = ".".join(map(str, first["loc"])) or "the rule"
    place = f"of {field!r} in {name!r}"
    if first["type"] == "extra_forbidden":
        return f"expected only the fields of a rule, got one more, {field!r} in {name!r}"
    if first["type"] == "missing":
        return f"expected a value {place}, got none"
    expected = "expected a list" if first["type"] == "tuple_type" else describe_expected(first)
    given = first["input"]
    got = "a list" if isinstance(given, list) else repr(given)[:60]
    got = "an object" if isinstance(given, dict) else got
    return f"{expected.partition(', got ')[0]} as the value {place}, got {got}"


def _make_error(fault: str) -> InvalidInputError:
    return InvalidInputError(SETTING, fault)
