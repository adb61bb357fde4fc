"""Read forms as browsers send them, and build an order's form from its pipeline's model."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from fastapi import Request
from pydantic import BaseModel
from starlette.datastructures import UploadFile

from castad.api.forms import LARGEST_FORM, FormLimits, parse_multipart
from castad.web.pages import find_static_file
from castad.web.words import Refusal, Translator
from pipeline_defs.fields import BriefField, TextKind, list_order_fields
from pipeline_defs.pipeline import Pipeline
from studio.images import FORMATS, LARGEST_FILE

_MOST_FIELDS = 20
_ROOM_FOR_FIELDS = 100_000


@dataclass(frozen=True)
class FileForm:
    """The fields by their names, and the content of the file; empty where none was chosen."""

    fields: dict[str, str]
    file: bytes


async def read_file_form(request: Request, largest: int) -> FileForm:
    """Read the form; raise InvalidInputError, or ApiError `too_large` or `too_slow`."""
    limits = FormLimits(2 * largest + _ROOM_FOR_FIELDS, largest, _MOST_FIELDS, files=1)
    async with parse_multipart(request, limits) as form:
        items = form.multi_items()
        files = [each for _, each in items if isinstance(each, UploadFile)]
        content = await files[0].read(largest + 1) if files else b""
        return FileForm({name: each for name, each in items if isinstance(each, str)}, content)


_LONG_LINE = 120
"""A text that may be longer than this gets several lines."""
_SHORT_LIST = 4

PICTURE_LIMITS: Mapping[str, Any] = {
    "octets": LARGEST_FILE,
    "form_octets": LARGEST_FORM,
    "kinds": ", ".join({"WEBP": "WebP"}.get(each, each) for each in FORMATS),
    "accept": ",".join(f"image/{each.lower()}" for each in FORMATS),
    "longest_side": 2048,
}
"""What a form says of its pictures; a script makes larger ones as small as `longest_side` pixels."""
Control = Literal["line", "text", "choice", "number", "switch", "entries", "pictures", "json"]


@dataclass(frozen=True)
class Suggestion:
    """A suggested value; `sample` is the address of an audio example, or ""."""

    value: str
    label: str
    sample: str


@dataclass(frozen=True)
class FormField:
    """A field as a form shows it; `value` is a text, True or False, or a list of texts.

    Of a list, `blanks` empty entries are also shown. `kind` is the kind of a line, as a browser knows it.
    """

    name: str
    label: str
    help: str
    control: Control
    kind: TextKind | None
    value: Any
    required: bool
    is_extra: bool
    group: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    least: float | None = None
    most: float | None = None
    most_entries: int | None = None
    blanks: int = 1
    errors: Sequence[Refusal] = ()
    suggestions: tuple[Suggestion, ...] = ()


def build_form_fields(
    pipeline: Pipeline,
    translate: Translator,
    given: Mapping[str, Any],
    errors: Mapping[str, Sequence[Refusal]],
) -> list[FormField]:
    """Build the fields of the pipeline's order with the given values, required ones first.

    Labels come from the pipeline's own texts (`field_<name>`, `help_<name>`, `choice_<value>`), and from the
    model's descriptions where it has none.
    """
    fields = build_model_fields(
        pipeline.order_model, translate, given, errors, pictures=pipeline.uploads
    )
    return sorted(fields, key=lambda each: not each.required)


def group_extra_fields(
    fields: Sequence[FormField], translate: Translator
) -> list[tuple[str, Sequence[FormField]]]:
    """Group the optional fields under the titles of their groups (`group_<name>`)."""
    groups = dict.fromkeys(each.group for each in fields if each.is_extra)
    return [
        (
            translate.find(f"group_{group}", group) if group else translate("more_options"),
            [each for each in fields if each.is_extra and each.group == group],
        )
        for group in groups
    ]


def build_model_fields(
    model: type[BaseModel],
    translate: Translator,
    given: Mapping[str, Any],
    errors: Mapping[str, Sequence[Refusal]],
    *,
    pictures: Collection[str] = (),
) -> list[FormField]:
    """Build the fields of a model in their order; those in `pictures` take files."""
    schema = _read_properties(model)
    return [
        _build_field(pictures, each, schema.get(each.name, {}), translate, given, errors)
        for each in list_order_fields(model)
    ]


@lru_cache
def _read_properties(model: type[BaseModel]) -> Mapping[str, Mapping[str, Any]]:
    """Return the JSON schema of each field; cached because building it is slow."""
    found: Mapping[str, Mapping[str, Any]] = model.model_json_schema().get("properties", {})
    return found


def _build_field(
    pictures: Collection[str],
    field: BriefField,
    schema: Mapping[str, Any],
    translate: Translator,
    given: Mapping[str, Any],
    errors: Mapping[str, Sequence[Refusal]],
) -> FormField:
    kinds = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    limits = {**(kinds[0] if kinds else {}), **schema}
    title = field.name.replace("_", " ").capitalize()
    value, most_entries = _format_value(field, given), limits.get("maxItems")
    return FormField(
        name=field.name,
        label=translate.find(f"field_{field.name}", title),
        help=translate.find(f"help_{field.name}", field.description),
        control=_choose_control(pictures, field, limits.get("maxLength")),
        kind=field.type.text or (field.type.item.text if field.type.item else None),
        value=value,
        required=field.required,
        is_extra=field.is_extra,
        group=field.group,
        choices=tuple(
            (each, translate.find(f"choice_{each}", each)) for each in field.type.choices
        ),
        least=limits.get("minimum"),
        most=limits.get("maximum"),
        most_entries=most_entries,
        blanks=_count_blanks(value, most_entries),
        errors=errors.get(field.name, ()),
        suggestions=_build_suggestions(field, translate),
    )


def _count_blanks(value: Any, most: int | None) -> int:
    """Return how many empty entries are shown: enough to fill a short list, else one."""
    if not isinstance(value, list) or most is None or most > _SHORT_LIST:
        return 1
    return max(0, most - len(value))


def _choose_control(pictures: Collection[str], field: BriefField, longest: int | None) -> Control:
    if field.name in pictures:
        return "pictures"
    if field.type.is_nested:
        return "json"
    if field.type.kind == "text":
        return "text" if (longest or 0) > _LONG_LINE and not field.type.text else "line"
    plain: Mapping[str, Control] = {
        "choice": "choice",
        "yes or no": "switch",
        "whole number": "number",
        "number": "number",
        "list": "entries",
    }
    return plain[field.type.kind]


def _build_suggestions(field: BriefField, translate: Translator) -> tuple[Suggestion, ...]:
    """Build the suggestions from the pipeline's text `suggest_<name>`, separated by `|`.

    `page/static/sample-<value>.mp3` of the pipeline is the sample of one.
    """
    listed = translate.find(f"suggest_{field.name}", "")
    values = [each.strip() for each in listed.split("|") if each.strip()]
    return tuple(
        Suggestion(
            each,
            translate.find(f"choice_{each}", each),
            find_static_file(translate.pipeline, f"sample-{each}.mp3") or "",
        )
        for each in values
    )


def _format_value(field: BriefField, given: Mapping[str, Any]) -> Any:
    value = given.get(field.name, field.default)
    if field.type.is_nested and not isinstance(value, str):
        return "" if value is None else json.dumps(value, ensure_ascii=False)
    if field.type.kind == "list":
        entries = value if isinstance(value, list) else [value]
        return [str(each) for each in entries if each not in (None, "")]
    if field.is_flag:
        return str(value).lower() in ("true", "1", "yes", "on")
    return "" if value is None else str(value)


def extract_order(pipeline: Pipeline, given: Mapping[str, Any]) -> dict[str, Any]:
    """Extract the order's fields from a form. Omit empty fields; an unticked switch is false."""
    order: dict[str, Any] = {}
    for field in list_order_fields(pipeline.order_model):
        value = given.get(field.name)
        if field.is_flag:
            order[field.name] = value is not None
        elif isinstance(value, list):
            order[field.name] = [each for each in value if each != ""]
        elif value not in (None, ""):
            order[field.name] = value
    return order
