"""The products of the stages, as the ledger stores them."""

from typing import Any

from pydantic import BaseModel, Field, field_validator, model_validator

from studio.waste import MIDDLES, RECYCLABLE


class Classification(BaseModel):
    """What the thing is. `middle_category` has the major one's name where there is no class below it.

    `seen_by` is the model, or `note`; `confidence`, from 0 to 1, is what it says of itself, where it does.
    `remark` is a sentence for the user where nothing is known.
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
    def _with_a_middle_class_that_fits(self) -> "Classification":
        """A middle class that is none of the major one's is as good as none."""
        if self.major_category != RECYCLABLE or self.middle_category not in MIDDLES:
            self.middle_category = self.major_category
        return self

    @property
    def is_recyclable(self) -> bool:
        """Whether it is a recyclable of a known class."""
        return self.major_category == RECYCLABLE and self.middle_category in MIDDLES


class FoundRule(BaseModel):
    """The rule of disposal; `rule` is None where there is none.

    `thing` is what the thing is once the words about it were read for dangers; it is None in what an earlier
    release has stored.
    """

    rule: dict[str, Any] | None = None
    thing: Classification | None = None
    elsewhere: list[int] = []
    """Which of the rule's `not_here` the words about the thing name."""

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
    def _numbered(cls, given: Any) -> Any:
        """A model lists the steps; clients get them by number."""
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
