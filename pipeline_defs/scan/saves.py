"""What is kept of a scan outside the ledger, and where."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from pipeline_defs.fields import find_first_input_error, normalize_text
from pipeline_defs.pipeline import Products
from pipeline_defs.scan.characters import store
from pipeline_defs.scan.characters.catalogue import character_url, my_url
from pipeline_defs.scan.order import Order
from pipeline_defs.scan.products import Reward
from resources.delivery.spool import Entry
from resources.process.settings import settings

SAVE_OWNERSHIP = "character.save_ownership"
SAVE_CHARACTER = "my.save_character"


def saves_of(order: Order, products: Products, task_id: str) -> Sequence[Entry]:
    """The saves of a scan: two, where it has won a character for a user; their key is user and character."""
    won: Reward = products["reward"]
    if won.reward is None or not order.user_id:
        return ()
    body = store.won_body(order.user_id, task_id, won.code, won.reward.model_dump())
    return tuple(Entry(target, _key(body), body) for target in (SAVE_OWNERSHIP, SAVE_CHARACTER))


PlainText = Annotated[str, Field(min_length=1), AfterValidator(normalize_text)]


class _Message(BaseModel):
    """A save that another program hands over; docs/scan.md has its schema."""

    model_config = ConfigDict(strict=True)

    user_id: Annotated[PlainText, Field(max_length=128)]
    code: Annotated[PlainText, Field(max_length=64)]
    name: Annotated[PlainText, Field(max_length=80)]
    type: Annotated[PlainText, Field(max_length=40)]
    task_id: Annotated[PlainText, Field(max_length=128)]
    won_at: float = Field(ge=0, allow_inf_nan=False)


def ownership_entries(message: Any) -> Sequence[Entry]:
    """The save of a message of the queue castad.character.reward. Raises InvalidInputError."""
    return _entries(message, SAVE_OWNERSHIP)


def character_entries(message: Any) -> Sequence[Entry]:
    """The save of a message of the queue castad.my.reward. Raises InvalidInputError."""
    return _entries(message, SAVE_CHARACTER)


def _entries(message: Any, target: str) -> Sequence[Entry]:
    try:
        body = _Message.model_validate(message).model_dump()
    except ValidationError as error:
        raise find_first_input_error(error, tuple(_Message.model_fields)) from None
    return [Entry(target, _key(body), body)]


def _key(body: Mapping[str, Any]) -> str:
    return json.dumps([body["user_id"], body["code"]], ensure_ascii=False)


def save_ownership(body: Mapping[str, Any]) -> None:
    """`character.save_ownership`: the user owns the character in the character database."""
    store.save_ownership(character_url(settings()), body)


def save_character(body: Mapping[str, Any]) -> None:
    """`my.save_character`: the character is among the user's in the "my" database."""
    store.save_character(my_url(settings()), body)
