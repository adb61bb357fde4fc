"""What is listed beside the scans: the classes with their instructions, and the characters."""

from dataclasses import asdict
from typing import Any

from pipeline_defs.scan.characters import store
from pipeline_defs.scan.characters.catalogue import catalogue, character_match, character_url
from pipeline_defs.scan.characters.store import checked, read_csv
from pipeline_defs.scan.stages import rules
from resources.contract.errors import InvalidInputError, StateUnavailableError
from resources.process.settings import settings


def categories() -> list[dict[str, Any]]:
    """Every class with its instructions, as the source system lists them."""
    return [
        {
            "id": number,
            "name": rule.middle or rule.major,
            "display_name": rule.name.ko,
            "display_name_en": rule.name.en,
            "instructions": list(rule.steps.ko),
            "instructions_en": list(rule.steps.en),
        }
        for number, rule in enumerate(rules().all, 1)
    ]


def characters() -> list[dict[str, str]]:
    """The characters as this process knows them."""
    snapshot = catalogue().snapshot()
    return [] if snapshot is None else [asdict(each) for each in snapshot.characters]


def replace_characters(given: Any) -> int:
    """The catalogue has exactly these characters, of a CSV file or of rows; returns its new version.

    Raises InvalidInputError naming row and column, and StateUnavailableError where its database does not answer.
    """
    from sqlalchemy.exc import SQLAlchemyError

    if isinstance(given, list):
        if not all(isinstance(each, dict) for each in given):
            raise InvalidInputError("characters", "expected a list of objects")
        listed = checked(given)
    else:
        listed = read_csv(str(given))
    try:
        return store.replace_catalogue(character_url(settings()), listed)
    except SQLAlchemyError:
        raise StateUnavailableError(
            "CASTAD_CHARACTER_DATABASE_URL: the database does not answer; try again"
        ) from None


def match(message: Any) -> dict[str, Any]:
    """`character.match` for other programs: the character of a message's `middle_category`.

    Raises InvalidInputError.
    """
    label = message.get("middle_category") if isinstance(message, dict) else None
    if not isinstance(label, str):
        raise InvalidInputError("middle_category", "expected text")
    found = character_match(label)
    return {"match": None if found is None else asdict(found)}
