"""Types of an order's fields."""

import json
import re
import types
import typing
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.fields import FieldInfo

from resources.contract.errors import InvalidInputError, expected_of
from resources.contract.written_text import composed, is_longer

Kind = Literal["text", "whole number", "number", "yes or no", "choice", "list", "json"]

_PLAIN: dict[Any, Kind] = {
    str: "text",
    date: "text",
    datetime: "text",
    int: "whole number",
    float: "number",
    bool: "yes or no",
    Any: "json",
}


_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


def as_json(value: Any) -> Any:
    """The value as JSON; raises an error for one that JSON cannot express."""
    return _ANYTHING.dump_python(value, mode="json")


@dataclass(frozen=True)
class Flag:
    """The option of `castad make` for a field, where it is not the field's own name."""

    name: str
    off: str = ""
    """The option that sets a yes-or-no field to false."""


@dataclass(frozen=True)
class Extra:
    """Marks a field that a form shows only to those who want more, under the name of its group if it has one."""

    group: str = ""


@dataclass(frozen=True)
class FieldType:
    """The JSON type of a field; `item` is that of a list's entries, `choices` the values of a choice."""

    kind: Kind
    choices: tuple[str, ...] = ()
    item: "FieldType | None" = None
    is_optional: bool = False

    @property
    def is_nested(self) -> bool:
        """Whether one text is written as JSON: an object, or a list of lists or objects."""
        inner = self.item if self.kind == "list" and self.item else self
        return inner.kind in ("list", "json")


@dataclass(frozen=True)
class BriefField:
    """A field of an order."""

    name: str
    type: FieldType
    description: str
    required: bool
    default: Any
    flag: Flag
    is_extra: bool = False
    group: str = ""

    @property
    def is_flag(self) -> bool:
        """Whether its options take no value."""
        return self.type.kind == "yes or no"

    @property
    def options(self) -> tuple[str, ...]:
        """Its options at the command line; a yes-or-no field has one for true and one for false."""
        name = self.flag.name
        return (
            (f"--{name}", f"--{self.flag.off or f'no-{name}'}") if self.is_flag else (f"--{name}",)
        )

    def parse(self, given: Any) -> Any:
        """The value that is given as text, a list as the texts of its entries; raises InvalidInputError.

        Only what is nested is parsed, as JSON: the order's model parses what else it takes as text.
        """
        if not self.type.is_nested:
            return given
        try:
            return (
                [json.loads(text) for text in given]
                if isinstance(given, list)
                else json.loads(given)
            )
        except (ValueError, RecursionError):
            raise InvalidInputError(self.name, "expected JSON") from None


def brief_fields(brief: type[BaseModel]) -> tuple[BriefField, ...]:
    """The fields of an order's model, in order.

    Raises InvalidInputError naming a field with an alias, or of a type that JSON does not have.
    """
    _refuse_aliases(brief)
    return tuple(_brief_field(name, field) for name, field in brief.model_fields.items())


def _refuse_aliases(brief: type[BaseModel], inside: str = "", above: Sequence[Any] = ()) -> None:
    """No field has an alias, nor one of a model inside: a stored order has the fields' names."""
    for name, field in brief.model_fields.items():
        if field.alias or field.validation_alias or field.serialization_alias:
            raise InvalidInputError(f"{inside}{name}", "expected a field without an alias")
        for model in _models_in(field.annotation):
            if model not in (brief, *above):
                _refuse_aliases(model, f"{inside}{name}.", (brief, *above))


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if _is_model(annotation):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from _models_in(argument)


def _brief_field(name: str, field: FieldInfo) -> BriefField:
    flags = [each for each in field.metadata if isinstance(each, Flag)]
    extras = [each for each in field.metadata if isinstance(each, Extra)]
    return BriefField(
        name,
        _type_of(name, field.annotation),
        field.description or "",
        field.is_required(),
        None if field.is_required() else field.get_default(call_default_factory=True),
        flags[0] if flags else Flag(name.replace("_", "-")),
        bool(extras),
        extras[0].group if extras else "",
    )


def _type_of(name: str, annotation: Any) -> FieldType:
    if typing.get_origin(annotation) is typing.Annotated:
        return _type_of(name, typing.get_args(annotation)[0])
    if annotation in _PLAIN:
        return FieldType(_PLAIN[annotation])
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal and all(isinstance(value, str) for value in arguments):
        return FieldType("choice", choices=arguments)
    if _is_enum_of_texts(annotation):
        return FieldType("choice", choices=tuple(each.value for each in annotation))
    if origin in (typing.Union, types.UnionType):
        return _optional(name, annotation, arguments)
    if origin is list:
        return FieldType("list", item=_type_of(name, arguments[0]))
    if origin is dict or annotation is dict or _is_model(annotation):
        return FieldType("json")
    raise InvalidInputError(name, f"expected a type that JSON has, got {_named(annotation)}")


def _optional(name: str, annotation: Any, arguments: Sequence[Any]) -> FieldType:
    kinds = [each for each in arguments if each is not type(None)]
    if len(kinds) != 1:
        raise InvalidInputError(
            name, f"expected one type, or one type and None, got {' | '.join(map(_named, kinds))}"
        )
    inner = _type_of(name, kinds[0])
    return FieldType(inner.kind, inner.choices, inner.item, is_optional=True)


def _named(annotation: Any) -> str:
    """The type in a word, such as `set`; its arguments and what is annotated can be long."""
    if typing.get_origin(annotation) is typing.Annotated:
        return _named(typing.get_args(annotation)[0])
    kind = typing.get_origin(annotation) or annotation
    return getattr(kind, "__name__", None) or str(kind)


def _is_enum_of_texts(annotation: Any) -> bool:
    is_enum = isinstance(annotation, type) and issubclass(annotation, Enum)
    return is_enum and all(isinstance(each.value, str) for each in annotation)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


UPLOAD = re.compile(r"upload:[0-9a-f]{64}")
_INVISIBLE = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
_LINE_BREAKS = frozenset("\t\n\r")


@dataclass(frozen=True)
class Length:
    """A limit on the characters that are seen; stands after the validators of the text in its `Annotated`."""

    most: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        """The schema of the text inside, with this limit."""
        return WrapValidator(self._checked).__get_pydantic_core_schema__(source, handler)

    def __get_pydantic_json_schema__(
        self, schema: Any, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The schema of the text inside, with the limit as `maxLength`."""
        return {**handler(schema), "maxLength": self.most}

    def _checked(self, given: Any, validate: ValidatorFunctionWrapHandler) -> str:
        # Before the validators, which look at every character.
        if isinstance(given, str):
            self._refuse_longer(given.strip())
        text: str = validate(given)
        self._refuse_longer(text)
        return text

    def _refuse_longer(self, text: str) -> None:
        if is_longer(text, self.most):
            raise ValueError(f"expected at most {self.most} characters")


def plain_text(text: str) -> str:
    """The text in NFC, if all its characters can be stored and drawn. Raises ValueError as `exact_text` does."""
    return composed(exact_text(text))


def exact_text(text: str) -> str:
    """The text as it is, for addresses and names that are compared byte by byte.

    Raises ValueError that names the first that cannot: control characters (such as NUL), half a surrogate pair,
    and invisible marks that change the text direction.
    """
    for position, character in enumerate(text, start=1):
        kind = _unfit(character)
        if kind:
            code = f"U+{ord(character):04X}"
            raise ValueError(f"expected plain text, got {kind} {code} at position {position}")
    return text


def visible_line(text: str) -> str:
    """Plain text on one line with at least one visible character. Raises ValueError."""
    line = " ".join(plain_text(text).split())
    if not is_visible(line):
        raise ValueError("expected at least 1 visible character")
    return line


def is_visible(text: str) -> bool:
    """Whether at least one character of it is seen."""
    return any(unicodedata.category(character)[0] in "LNPS" for character in text)


def _unfit(character: str) -> str | None:
    if character in _INVISIBLE:
        return "the invisible mark"
    category = unicodedata.category(character)
    if category == "Cs":
        return "half a character"
    if category == "Cc" and character not in _LINE_BREAKS:
        return "the control character"
    return None


def image_reference(text: str) -> str:
    """A web link to a picture, or the reference of an upload by the CLI. Raises ValueError."""
    exact_text(text)
    if UPLOAD.fullmatch(text):
        return text
    try:
        parts = urlsplit(text)
        # A port out of range raises; some URL parsers drop whitespace silently.
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        # No setting allows a user name in a link, which may be a secret.
        usable = usable and "@" not in parts.netloc and not any(map(str.isspace, text))
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(
            "expected a link that begins with https:// or http:// and has no user name "
            "(local files only through `castad make --image`)"
        )
    return text


def one_of(choices: Mapping[str, str]) -> Callable[[object], object]:
    """A validator for one of `choices` (value → its short form), case-insensitive."""

    def choose(given: object) -> object:
        if not isinstance(given, str):
            return given
        for value, short in choices.items():
            if composed(given).strip().lower() in (value.lower(), short):
                return value
        raise ValueError(f"expected {' or '.join(choices)}")

    return choose


def first_input_error(error: ValidationError, fields: Sequence[str]) -> InvalidInputError:
    """The first error as a sentence, which does not repeat the customer's values."""
    first = error.errors(include_url=False, include_input=False)[0]
    location = _path(first["loc"]) or "the order"
    if first["type"] == "extra_forbidden":
        return InvalidInputError(
            ascii(_path(first["loc"]))[1:-1][:80] or "(a field without a name)",
            f"is not a field of the order; expected {', '.join(fields)}",
        )
    return InvalidInputError(location, expected_of(first))


def _path(location: Sequence[int | str]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path
