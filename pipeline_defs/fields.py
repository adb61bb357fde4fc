"""Types of an order's fields."""

import json
import re
import types
import typing
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from resources.contract.errors import InvalidInputError, describe_expected
from resources.contract.written_text import is_longer_than, normalize_to_nfc

TextKind = Literal["color", "tel", "url", "several"]
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


def convert_to_json(value: Any) -> Any:
    """Convert a Python value to JSON-compatible values. Raises pydantic's error if JSON cannot express it."""
    return _ANYTHING.dump_python(value, mode="json")


@dataclass(frozen=True)
class Flag:
    """The name of a field's command-line option, where it differs from the field's name."""

    name: str
    off: str = ""
    """The option that sets a yes-or-no field to false."""


@dataclass(frozen=True)
class Extra:
    """A mark for a field that forms show only in their collapsed part, under `group` if it is not ""."""

    group: str = ""


@dataclass(frozen=True)
class Written:
    """A mark for a text of a known kind, for which forms have a control; `several` has commas in it."""

    kind: TextKind


@dataclass(frozen=True)
class FieldType:
    """The JSON type of an order field.

    `item` is the type of a list's entries (None for other kinds), `choices` are the values of a choice, `text` is
    the kind of a text that has a mark.
    """

    kind: Kind
    choices: tuple[str, ...] = ()
    item: "FieldType | None" = None
    is_optional: bool = False
    text: TextKind | None = None

    @property
    def is_nested(self) -> bool:
        """Whether a value is given as JSON text: an object, or a list of lists or objects."""
        inner = self.item if self.kind == "list" and self.item else self
        return inner.kind in ("list", "json")


@dataclass(frozen=True)
class BriefField:
    """One field of a pipeline's order model, as forms and command-line options need it."""

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
        """Whether the field's command-line options take no value, as for a yes-or-no field."""
        return self.type.kind == "yes or no"

    @property
    def options(self) -> tuple[str, ...]:
        """The field's command-line options; a yes-or-no field has one for true and one for false."""
        name = self.flag.name
        return (
            (f"--{name}", f"--{self.flag.off or f'no-{name}'}") if self.is_flag else (f"--{name}",)
        )

    def parse(self, given: Any) -> Any:
        """Parse the value of the field, given as text or as the texts of a list's entries.

        Only a nested value is parsed as JSON; any other value is returned unchanged, for the order model to parse.
        Raises InvalidInputError for text that is not JSON.
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


def list_order_fields(brief: type[BaseModel]) -> tuple[BriefField, ...]:
    """List the fields of an order model, in their order.

    Raises InvalidInputError naming a field with an alias, or with a type that JSON does not have.
    """
    _check_aliases(brief)
    fields = []
    for name, field in brief.model_fields.items():
        flags = [each for each in field.metadata if isinstance(each, Flag)]
        extras = [each for each in field.metadata if isinstance(each, Extra)]
        kind = _read_type(name, field.annotation)
        fields.append(
            BriefField(
                name,
                replace(kind, text=_find_text_kind(field.metadata) or kind.text),
                field.description or "",
                field.is_required(),
                None if field.is_required() else field.get_default(call_default_factory=True),
                flags[0] if flags else Flag(name.replace("_", "-")),
                bool(extras),
                extras[0].group if extras else "",
            )
        )
    return tuple(fields)


def _check_aliases(brief: type[BaseModel], inside: str = "", above: Sequence[Any] = ()) -> None:
    """Raise InvalidInputError if the model or a nested model has a field with an alias.

    Stored orders use the fields' names. `inside` is the path of the nested model, `above` the models around it.
    """
    for name, field in brief.model_fields.items():
        if field.alias or field.validation_alias or field.serialization_alias:
            raise InvalidInputError(f"{inside}{name}", "expected a field without an alias")
        for model in _find_models(field.annotation):
            if model not in (brief, *above):
                _check_aliases(model, f"{inside}{name}.", (brief, *above))


def _find_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if _is_model(annotation):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from _find_models(argument)


def _read_type(name: str, annotation: Any) -> FieldType:
    if typing.get_origin(annotation) is typing.Annotated:
        kind = _read_type(name, typing.get_args(annotation)[0])
        return replace(kind, text=_find_text_kind(annotation.__metadata__) or kind.text)
    if annotation in _PLAIN:
        return FieldType(_PLAIN[annotation])
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal and all(isinstance(value, str) for value in arguments):
        return FieldType("choice", choices=arguments)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        values = tuple(each.value for each in annotation)
        if all(isinstance(value, str) for value in values):
            return FieldType("choice", choices=values)
    if origin in (typing.Union, types.UnionType):
        kinds = [each for each in arguments if each is not type(None)]
        if len(kinds) != 1:
            got = " | ".join(map(_get_type_name, kinds))
            raise InvalidInputError(name, f"expected one type, or one type and None, got {got}")
        return replace(_read_type(name, kinds[0]), is_optional=True)
    if origin is list:
        return FieldType("list", item=_read_type(name, arguments[0]))
    if origin is dict or annotation is dict or _is_model(annotation):
        return FieldType("json")
    raise InvalidInputError(
        name, f"expected a type that JSON has, got {_get_type_name(annotation)}"
    )


def _find_text_kind(marks: Sequence[Any]) -> TextKind | None:
    return next((each.kind for each in marks if isinstance(each, Written)), None)


def _get_type_name(annotation: Any) -> str:
    """Return the type's name, such as `set`, without its arguments and annotations, which can be long."""
    if typing.get_origin(annotation) is typing.Annotated:
        return _get_type_name(typing.get_args(annotation)[0])
    kind = typing.get_origin(annotation) or annotation
    return getattr(kind, "__name__", None) or str(kind)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


UPLOAD = re.compile(r"upload:[0-9a-f]{64}")
_INVISIBLE = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
_LINE_BREAKS = frozenset("\t\n\r")


@dataclass(frozen=True)
class Length:
    """A limit on the number of visible characters of a text; in `Annotated` it follows the text's validators."""

    most: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        """Return the schema of the inner text with this limit added."""
        return WrapValidator(self._validate).__get_pydantic_core_schema__(source, handler)

    def __get_pydantic_json_schema__(
        self, schema: Any, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the JSON schema of the inner text with the limit as `maxLength`."""
        return {**handler(schema), "maxLength": self.most}

    def _validate(self, given: Any, validate: ValidatorFunctionWrapHandler) -> str:
        # Checked before the validators too, which read every character.
        if isinstance(given, str):
            self._check_length(given.strip())
        text: str = validate(given)
        self._check_length(text)
        return text

    def _check_length(self, text: str) -> None:
        if is_longer_than(text, self.most):
            raise ValueError(f"expected at most {self.most} characters")


def normalize_text(text: str) -> str:
    """Return the text in Unicode normal form C. Raises ValueError as `check_text` does."""
    return normalize_to_nfc(check_text(text))


def check_text(text: str) -> str:
    """Return the text unchanged if all its characters can be stored and drawn.

    It is for addresses and names that are compared byte by byte. Raises ValueError naming the first unusable
    character: a control character (such as NUL), half a surrogate pair, or an invisible mark of text direction.
    """
    for position, character in enumerate(text, start=1):
        category = unicodedata.category(character)
        if character in _INVISIBLE:
            kind = "the invisible mark"
        elif category == "Cs":
            kind = "half a character"
        elif category == "Cc" and character not in _LINE_BREAKS:
            kind = "the control character"
        else:
            continue
        code = f"U+{ord(character):04X}"
        raise ValueError(f"expected plain text, got {kind} {code} at position {position}")
    return text


def normalize_line(text: str) -> str:
    """Return the text on one line, in Unicode normal form C.

    Raises ValueError if it has no visible character or one that cannot be stored or drawn.
    """
    line = " ".join(normalize_text(text).split())
    if not is_visible(line):
        raise ValueError("expected at least 1 visible character")
    return line


def is_visible(text: str) -> bool:
    """Return whether the text has at least one visible character."""
    return any(unicodedata.category(character)[0] in "LNPS" for character in text)


def check_image_reference(text: str) -> str:
    """Return the text if it is an http(s) link or the reference of an uploaded picture.

    Raises ValueError otherwise.
    """
    check_text(text)
    if UPLOAD.fullmatch(text):
        return text
    try:
        parts = urlsplit(text)
        # A port out of range raises; some URL parsers drop whitespace silently.
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        # A user name in a link may be a secret, so no setting allows one.
        usable = usable and "@" not in parts.netloc and not any(map(str.isspace, text))
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(
            "expected a link that begins with https:// or http:// and has no user name "
            "(local files only through `castad make --image`)"
        )
    return text


def make_choice_parser(choices: Mapping[str, str]) -> Callable[[object], object]:
    """Make a validator that accepts any spelling of the choices in upper or lower case and returns the full value.

    `choices` maps each value to its short form, which is accepted too. The validator returns a value that is not
    text unchanged, and raises ValueError for any other text.
    """

    def choose(given: object) -> object:
        if not isinstance(given, str):
            return given
        for value, short in choices.items():
            if normalize_to_nfc(given).strip().lower() in (value.lower(), short):
                return value
        raise ValueError(f"expected {' or '.join(choices)}")

    return choose


Language = Annotated[
    Literal["Korean", "English"],
    BeforeValidator(make_choice_parser({"Korean": "ko", "English": "en"})),
]
"""The language of what is made."""
Image = Annotated[str, Field(max_length=2000), AfterValidator(check_image_reference)]
"""A link to a picture, or the reference of an uploaded one."""


def find_first_input_error(error: ValidationError, fields: Sequence[str]) -> InvalidInputError:
    """Convert pydantic's first error, as `list_input_errors` does."""
    return list_input_errors(error, fields)[0]


def list_input_errors(error: ValidationError, fields: Sequence[str]) -> list[InvalidInputError]:
    """Convert pydantic's errors to InvalidInputErrors whose sentences do not repeat the client's values.

    `fields` are the names of the order's fields, which the sentence lists for an unknown field.
    """
    found = []
    for each in error.errors(include_url=False, include_input=False):
        location = _format_path(each["loc"])
        if each["type"] == "extra_forbidden":
            name = ascii(location)[1:-1][:80] or "(a field without a name)"
            expected = f"is no field here; expected {', '.join(fields)}"
            found.append(InvalidInputError(name, expected))
        else:
            found.append(InvalidInputError(location or "the order", describe_expected(each)))
    return found


def _format_path(location: Sequence[int | str]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path
