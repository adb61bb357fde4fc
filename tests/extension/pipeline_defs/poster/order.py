"""The order of a poster."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pipeline_defs.fields import normalize_line, normalize_text

Line = Annotated[str, Field(max_length=60), AfterValidator(normalize_text)]


class Order(BaseModel):
    """What the poster says, and how it is printed."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    headline: Annotated[str, Field(min_length=1, max_length=40), AfterValidator(normalize_line)] = (
        Field(description="What is read first: 1 to 40 characters")
    )
    lines: list[Line] = Field([], max_length=8, description="Up to 8 lines below it")
    paper: Literal["A3", "A2"] = Field("A3", description="The size of the paper")
    copies: int = Field(10, ge=1, le=500, description="How many are printed: 1 to 500")
    footer: Line | None = Field(None, description="A line at the bottom")
    colours: dict[str, str] = Field({}, description='Colours by part, such as {"headline": "red"}')
