"""The saves of a scan in the databases outside the ledger."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from pipeline_defs.fields import find_first_input_error, normalize_text
from pipeline_defs.pipeline import Products
from pipeline_defs.scan.characters import store
from pipeline_defs.scan.characters.catalogue import get_character_url, get_my_url
from pipeline_defs.scan.order import Order
from pipeline_defs.scan.products import Reward
from resources.delivery.spool import Entry
from resources.process.settings import settings

SAVE_OWNERSHIP = "character.save_ownership"
SAVE_CHARACTER = "my.save_character"


def build_saves(order: Order, products: Products, task_id: str) -> Sequence[Entry]:
    """Build the two saves of a scan in which a user has won a character; none otherwise."""
    won: Reward = products["reward"]
    if won.reward is None or not order.user_id:
        return ()
    body = store.build_save_body(order.user_id, task_id, won.code, won.reward.model_dump())
    return tuple(
        Entry(target, _make_key(body), body) for target in (SAVE_OWNERSHIP, SAVE_CHARACTER)
    )


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


def _read_message(message: Any, target: str) -> Sequence[Entry]:
    try:
        body = _Message.model_validate(message).model_dump()
    except ValidationError as error:
        raise find_first_input_error(error, tuple(_Message.model_fields)) from None
    return [Entry(target, _make_key(body), body)]


def _make_key(body: Mapping[str, Any]) -> str:
    return json.dumps([body["user_id"], body["code"]], ensure_ascii=False)


read_ownership_message = partial(_read_message, target=SAVE_OWNERSHIP)
"""Read a save from a message of the queue castad.character.reward. Raise InvalidInputError."""
read_character_message = partial(_read_message, target=SAVE_CHARACTER)
"""Read a save from a message of the queue castad.my.reward. Raise InvalidInputError."""


def save_ownership(body: Mapping[str, Any]) -> None:
    """Run `character.save_ownership`: store in the character database that the user owns the character."""
    store.save_ownership(get_character_url(settings()), body)


def save_character(body: Mapping[str, Any]) -> None:
    """Run `my.save_character`: store the character among the user's in the "my" database."""
    store.save_character(get_my_url(settings()), body)
