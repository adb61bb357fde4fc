"""The order of a scan: a photograph of waste, a note in words, or both."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from pipeline_defs.fields import (
    Extra,
    Flag,
    Image,
    Language,
    Length,
    check_text,
    normalize_text,
)
from resources.contract.errors import InvalidInputError

PICTURES = ("images",)
"""The fields that hold pictures."""
SOURCE_NAMES = {"image_url": "images", "user_input": "note"}
"""The field names of the first clients, and the fields that they mean."""

Note = Annotated[str, AfterValidator(normalize_text), Length(300)]
User = Annotated[str, Field(max_length=128), AfterValidator(check_text)]


class Order(BaseModel):
    """What is to be thrown away, and who asks."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    images: Annotated[list[Image], Flag("image")] = Field(
        [], max_length=1, description="A link to a photograph of one thing"
    )
    note: Note = Field("", description="What it is, in words: up to 300 characters")
    language: Language = Field("Korean", description="Korean or English")
    user_id: Annotated[User, Extra()] = Field(
        "", description="Who gets the character that the scan wins; nothing is saved without"
    )

    @model_validator(mode="before")
    @classmethod
    def _rename_source_fields(cls, given: Any) -> Any:
        """Accept the first clients' field names, `image_url` and `user_input`. Raise InvalidInputError."""
        if not isinstance(given, Mapping):
            return given
        taken = dict(given)
        for theirs, ours in SOURCE_NAMES.items():
            if theirs not in taken:
                continue
            value = taken.pop(theirs)
            if value in (None, ""):
                continue
            if not isinstance(value, str):
                raise InvalidInputError(theirs, "expected text")
            if taken.get(ours):
                raise InvalidInputError(theirs, f"expected it or {ours}, not both")
            taken[ours] = [value] if ours in PICTURES else value
        return taken

    @model_validator(mode="after")
    def _check_subject(self) -> "Order":
        if not self.images and not self.note:
            raise InvalidInputError("images", "expected a photograph, or a note in words")
        return self
