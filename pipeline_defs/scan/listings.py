"""Public lists beside the scans: the classes with their instructions, and the characters."""

from dataclasses import asdict, dataclass
from typing import Any

from pipeline_defs.scan.characters import store
from pipeline_defs.scan.characters.catalogue import (
    get_catalogue,
    get_character_url,
    match_character,
)
from pipeline_defs.scan.characters.store import parse_rows, read_csv
from pipeline_defs.scan.stages import get_rules
from resources.contract.errors import InvalidInputError, StateUnavailableError
from resources.process.settings import settings


@dataclass(frozen=True)
class Category:
    """A class of waste with its instructions, in the format of the source system."""

    id: int
    name: str
    display_name: str
    display_name_en: str
    instructions: list[str]
    instructions_en: list[str]


def list_categories() -> list[dict[str, Any]]:
    """Return every class with its instructions."""
    return [
        asdict(
            Category(
                id=number,
                name=rule.middle or rule.major,
                display_name=rule.name.ko,
                display_name_en=rule.name.en,
                instructions=list(rule.steps.ko),
                instructions_en=list(rule.steps.en),
            )
        )
        for number, rule in enumerate(get_rules().all, 1)
    ]


def list_characters() -> list[dict[str, str]]:
    """Return the characters of this process's snapshot; none if it could not be loaded."""
    snapshot = get_catalogue().get_snapshot()
    return [] if snapshot is None else [asdict(each) for each in snapshot.characters]


def replace_characters(given: Any) -> int:
    """Replace the whole catalogue by these characters, a CSV text or rows; return its new version.

    Raise InvalidInputError, which names row and column, and StateUnavailableError if the database does not answer.
    """
    from sqlalchemy.exc import SQLAlchemyError

    if isinstance(given, list):
        if not all(isinstance(each, dict) for each in given):
            raise InvalidInputError("characters", "expected a list of objects")
        listed = parse_rows(given)
    else:
        listed = read_csv(str(given))
    try:
        return store.replace_catalogue(get_character_url(settings()), listed)
    except SQLAlchemyError:
        raise StateUnavailableError(
            "CASTAD_CHARACTER_DATABASE_URL: the database does not answer; try again"
        ) from None


def answer_match(message: Any) -> dict[str, Any]:
    """Answer `character.match` for another program: the character of the message's `middle_category`.

    Raise InvalidInputError.
    """
    label = message.get("middle_category") if isinstance(message, dict) else None
    if not isinstance(label, str):
        raise InvalidInputError("middle_category", "expected text")
    found = match_character(label)
    return {"match": None if found is None else asdict(found)}
