"""The templates: JSON files whose graphs become those of orders, with the order's parameters filled in.

In a template's graph a text `$name` stands for the parameter of that name, and `$image_2` for the order's second
picture; `$image` stands for the only one. The files are read and checked once.
"""

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline_defs.fields import find_first_input_error
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import is_longer_than, normalize_to_nfc
from resources.process.setting_types import Usd
from studio.graphs import check_graph

FOLDER = Path(__file__).parent / "templates"
MOST_PICTURES = 10
INVALID_TEMPLATE = "invalid_template"
_LONGEST_TEXT = 200
_PICTURES = {"$image", *(f"$image_{number}" for number in range(1, MOST_PICTURES + 1))}

Kind = Literal["integer", "number", "text", "choice", "boolean"]
Value = bool | int | float | str


class _TemplateModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class InBothLanguages(_TemplateModel):
    """A text in English and Korean."""

    en: Annotated[str, Field(min_length=1)]
    ko: Annotated[str, Field(min_length=1)]


class TemplateParameter(_TemplateModel):
    """A parameter of a template, with its limits."""

    type: Kind
    default: Value
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    help: InBothLanguages

    def parse(self, name: str, given: Any) -> Value:
        """Return the value of this parameter. Raise InvalidInputError if it is not allowed."""
        if not self._is_allowed(given):
            raise InvalidInputError(f"parameters.{name}", f"expected {self.expected}")
        if isinstance(given, str):
            return normalize_to_nfc(given)
        return float(given) if self.type == "number" else given

    def _is_allowed(self, given: Any) -> bool:
        match self.type:
            case "boolean":
                return isinstance(given, bool)
            case "choice":
                return isinstance(given, str) and given in self.choices
            case "text":
                return isinstance(given, str) and not is_longer_than(given, _LONGEST_TEXT)
        if isinstance(given, bool) or not isinstance(given, int | float):
            return False
        if self.type == "integer" and not isinstance(given, int):
            return False
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        return low <= given <= high

    @property
    def rules(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        match self.type:
            case "boolean":
                return {"type": "boolean"}
            case "choice":
                return {"enum": [*self.choices]}
            case "text":
                return {"type": "string", "maxLength": _LONGEST_TEXT}
        limits = {"minimum": self.minimum, "maximum": self.maximum}
        given = {name: limit for name, limit in limits.items() if limit is not None}
        return {"type": self.type, **given}

    @property
    def expected(self) -> str:
        """The description of a value, for an error."""
        match self.type:
            case "boolean":
                return "true or false"
            case "choice":
                return f"one of {', '.join(self.choices)}"
            case "text":
                return f"text of at most {_LONGEST_TEXT} characters"
        kind = "a whole number" if self.type == "integer" else "a number"
        limits = [
            f"{word} {limit:g}"
            for word, limit in (("from", self.minimum), ("to", self.maximum))
            if limit is not None
        ]
        return " ".join([kind, *limits])


class PictureCount(_TemplateModel):
    """The number of pictures that an order of the template brings."""

    minimum: int = Field(1, ge=0, le=MOST_PICTURES)
    maximum: int = Field(1, ge=0, le=MOST_PICTURES)


class Template(_TemplateModel):
    """A graph with parameters.

    `pictures` is the number of files that it makes, `cost` the price of a job in USD. With `stretch`, the levels
    of a dark or flat photograph are stretched first.
    """

    title: InBothLanguages
    help: InBothLanguages
    images: PictureCount = PictureCount()
    stretch: bool = False
    pictures: int = Field(1, ge=1)
    parameters: Mapping[str, TemplateParameter] = {}
    example: Mapping[str, Any] = {}
    cost: Usd | None = None
    graph: Mapping[str, Any]

    def fill_in(self, given: Mapping[str, Any]) -> dict[str, Value]:
        """Return all parameters, with defaults for those that are not given.

        Raise InvalidInputError for an unknown parameter or value.
        """
        for name in given:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none: the template has no parameters"
                raise InvalidInputError(f"parameters.{str(name)[:40]}", f"expected one of {known}")
        return {
            name: about.parse(name, given.get(name, about.default))
            for name, about in self.parameters.items()
        }

    def build_workflow(self, parameters: Mapping[str, Value]) -> dict[str, Any]:
        """Return the graph with these parameters; its pictures stay `$image_1`, `$image_2`, …."""
        return {
            node: {**about, "inputs": _substitute(about["inputs"], parameters)}
            for node, about in self.graph.items()
        }


def _substitute(inputs: Mapping[str, Any], parameters: Mapping[str, Value]) -> dict[str, Any]:
    return {
        name: parameters.get(value[1:], value)
        if isinstance(value, str) and value.startswith("$")
        else value
        for name, value in inputs.items()
    }


@cache
def load_templates() -> Mapping[str, Template]:
    """Load all templates by name. Raise InvalidInputError `invalid_template` for an unusable file."""
    return {file.stem: _read_template(file) for file in sorted(FOLDER.glob("*.json"))}


def _read_template(file: Path) -> Template:
    place = f"pipeline_defs/image/templates/{file.name}"
    try:
        template = Template.model_validate(json.loads(file.read_text("utf-8")))
        example = template.fill_in(template.example.get("parameters", {}))
    except ValidationError as error:
        fault = find_first_input_error(error, tuple(Template.model_fields)).message
    except (OSError, ValueError) as error:
        fault = f"expected JSON ({type(error).__name__})"
    except InvalidInputError as error:
        fault = f"example: {error.message}"
    else:
        checked = check_graph(template.build_workflow(example), _PICTURES.__contains__)
        if checked.error is None and not checked.node_errors:
            return template
        errors = checked.node_errors.items()
        named = [f"node {node}: {about['errors'][0]}" for node, about in errors]
        fault = f"graph: {'; '.join(named) or checked.error}"
    raise InvalidInputError(place, fault, code=INVALID_TEMPLATE)


def list_templates() -> list[dict[str, Any]]:
    """Return the templates for clients, without their graphs."""
    return [
        {"name": name, **template.model_dump(mode="json", exclude={"graph"})}
        for name, template in load_templates().items()
    ]
