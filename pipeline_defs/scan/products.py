"""The products of the stages, as the ledger stores them."""

from typing import Any

from pydantic import BaseModel, Field, field_validator, model_validator

from studio.waste import MIDDLES, RECYCLABLE


class Classification(BaseModel):
    """The class of the thing. `middle_category` repeats the major one if there is no class below it.

    `seen_by` is the model, or `note`. `confidence` is the model's own estimate from 0 to 1, if it gives one.
    `remark` is a sentence for the user if the class is unknown.
    """

    major_category: str
    middle_category: str
    minor_category: str | None = None
    situation_tags: list[str] = []
    seen_by: str = Field("", validation_alias="model")
    confidence: float | None = None
    remark: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None

    model_config = {"validate_by_name": True, "validate_by_alias": True}

    @model_validator(mode="after")
    def _reset_unknown_middle(self) -> "Classification":
        """Replace a middle class that is not one of the major class by the major class."""
        if self.major_category != RECYCLABLE or self.middle_category not in MIDDLES:
            self.middle_category = self.major_category
        return self

    @property
    def is_recyclable(self) -> bool:
        """Whether it is a recyclable of a known class."""
        return self.major_category == RECYCLABLE and self.middle_category in MIDDLES


class FoundRule(BaseModel):
    """The rule of disposal; `rule` is None if there is none.

    `thing` is the classification after the search for dangers; None in the products of an earlier release.
    """

    rule: dict[str, Any] | None = None
    thing: Classification | None = None
    elsewhere: list[int] = []
    """The indexes of the rule's `not_here` entries that the words about the thing mention."""

    @property
    def danger(self) -> str | None:
        """The danger that the rule is for."""
        return None if self.rule is None else self.rule.get("danger")


class Answer(BaseModel):
    """The advice: steps by `단계1` …, what has to be done first, and a reply of at most three sentences."""

    disposal_steps: dict[str, str]
    insufficiencies: list[str] = []
    user_answer: str
    answered_by: str = Field("", validation_alias="model")
    tokens_in: int | None = None
    tokens_out: int | None = None

    model_config = {"validate_by_name": True, "validate_by_alias": True}

    @field_validator("disposal_steps", mode="before")
    @classmethod
    def _number_steps(cls, given: Any) -> Any:
        """Turn a model's list of steps into steps by number, as clients get them."""
        if not isinstance(given, list):
            return given
        return {f"단계{number}": step for number, step in enumerate(given, 1)}


class Won(BaseModel):
    """The character that the user sees."""

    name: str
    dialog: str
    match_reason: str
    type: str


class Reward(BaseModel):
    """The character that the scan wins, and its code; `why_not` says why there is none."""

    reward: Won | None = None
    code: str = ""
    why_not: str = ""


class Saved(BaseModel):
    """How many saves were handed over."""

    saves: int
