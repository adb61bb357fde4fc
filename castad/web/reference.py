"""The pages for programmers: calls, orders' fields, live streams, webhooks, error codes."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from castad.api.order_schema import get_order_model_name
from castad.api.problems import ApiError
from castad.api.state import ApiDep
from castad.views.status_body import StatusBody
from castad.web.pages import PageRoute, Visitor, VisitorDep, render_page
from castad.web.words import (
    Language,
    Translator,
    find_code_sentence,
    get_translator,
    list_pipeline_kinds,
)
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.ledger.queries.webhooks import list_deliveries
from resources.views.order_body import OwnerStatusBody
from resources.views.text import EXAMPLE_TIMESTAMP, get_example
from resources.views.webhooks import build_order_webhook_body

_METHODS = ("get", "post", "put", "patch", "delete")
_KEY = "$CASTAD_KEY"
_NAMES = {
    **{"task_id": "shop-1", "id": "shop-1", "webhook_id": "1", "hour": "-1"},
    **{"pipeline": "song_video", "stage": "lyric", "name": "video.mp4"},
    **{"owner": "psf", "repo": "requests", "provider": "suno", "token": "TOKEN", "from": "song"},
}
"""Stand in the examples' paths."""
_FILE = "shop.jpg"
"""Stands in the examples for the picture that is sent."""


_JSON, _STREAM = "application/json", "text/event-stream"


@dataclass(frozen=True)
class Parameter:
    """A parameter of the path, the query or a header."""

    name: str
    place: str
    required: bool
    description: str
    choices: tuple[str, ...]
    example: str


@dataclass(frozen=True)
class Operation:
    """One call; `answers` are pairs of a status and what it means."""

    anchor: str
    method: str
    path: str
    summary: str
    description: str
    parameters: tuple[Parameter, ...]
    body: str
    body_type: str
    is_stream: bool
    answers: tuple[tuple[str, str], ...]
    reply: str
    """The body of the answer by example; "" where it has none, or is a file."""

    @property
    def can_be_tried(self) -> bool:
        """Whether the page may send the call unchanged: it only reads, and it ends."""
        return self.method == "GET" and not self.is_stream

    def build_curl(self, origin: str) -> str:
        """Build the call as a curl command."""
        parts = ["curl", *(["-N"] if self.is_stream else [])]
        if self.method != "GET":
            parts += ["-X", self.method]
        parts.append(f'-H "Authorization: Bearer {_KEY}"')
        if self.body:
            parts += [f"-H 'Content-Type: {self.body_type}'", f"-d {shlex.quote(self.body)}"]
        elif self.body_type:
            parts += [f"-H 'Content-Type: {self.body_type}'", f"--data-binary @{_FILE}"]
        return " ".join([*parts, shlex.quote(origin + self._example_path)])

    def build_python(self, origin: str) -> str:
        """Build the call as Python code with httpx."""
        imports = "import os, httpx\n\nheaders = {'Authorization': f\"Bearer {os.environ['CASTAD_KEY']}\"}"
        address = repr(origin + self._example_path)
        if self.is_stream:
            return (
                f"{imports}\nwith httpx.stream('GET', {address}, headers=headers, timeout=None) as stream:\n"
                "    for line in stream.iter_lines():\n        print(line)"
            )
        body = f", json={json.loads(self.body)!r}" if self.body else ""
        if self.body_type and not self.body:
            imports += f"\nheaders['Content-Type'] = {self.body_type!r}"
            body = f", content=open({_FILE!r}, 'rb')"
        call = f"httpx.request({self.method!r}, {address}, headers=headers{body})"
        return f"{imports}\nanswer = {call}\nprint(answer.status_code, answer.text)"

    @property
    def _example_path(self) -> str:
        required = [each for each in self.parameters if each.required]
        query = "&".join(
            f"{each.name}={each.example}" for each in required if each.place == "query"
        )
        named = {each.name: each.example for each in required if each.place == "path"}
        path = self.path.format_map(named)
        return f"{path}?{query}" if query else path


@dataclass(frozen=True)
class Section:
    """The calls of one subject."""

    name: str
    description: str
    operations: tuple[Operation, ...]


def group_calls(description: Mapping[str, Any]) -> list[Section]:
    """Group the calls of an OpenAPI description by tag, in the description's order."""
    found: dict[str, list[Operation]] = {tag["name"]: [] for tag in description.get("tags", [])}
    for path, item in description["paths"].items():
        for method in (each for each in _METHODS if each in item):
            operation = item[method]
            tag = (operation.get("tags") or ["other"])[0]
            found.setdefault(tag, []).append(_read_operation(description, method, path, operation))
    texts = {tag["name"]: tag.get("description", "") for tag in description.get("tags", [])}
    return [
        Section(name, texts.get(name, ""), tuple(operations))
        for name, operations in found.items()
        if operations
    ]


def _read_operation(
    description: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]
) -> Operation:
    contents = operation.get("requestBody", {}).get("content", {})
    kind = _JSON if _JSON in contents else next(iter(contents), "")
    body = _format_example(description, contents[kind]) if kind == _JSON else ""
    answers = operation.get("responses", {})
    is_stream = any(_STREAM in each.get("content", {}) for each in answers.values())
    return Operation(
        anchor=operation.get("operationId", f"{method}{path}"),
        method=method.upper(),
        path=path,
        summary=operation.get("summary", path),
        description=operation.get("description", ""),
        parameters=tuple(_read_parameter(each) for each in operation.get("parameters", [])),
        body=body,
        body_type=kind,
        is_stream=is_stream,
        answers=tuple((status, each["description"]) for status, each in answers.items()),
        reply=_build_reply(description, answers),
    )


def _build_reply(description: Mapping[str, Any], answers: Mapping[str, Any]) -> str:
    """Build the body of the first answer that is no error and has one; a stream's are its events."""
    for status in sorted(each for each in answers if each.startswith("2")):
        content = answers[status].get("content", {})
        if _STREAM in content:
            return str(content[_STREAM]["example"]).strip()
        if _JSON in content:
            return _format_example(description, content[_JSON])
    return ""


def _format_example(description: Mapping[str, Any], content: Mapping[str, Any]) -> str:
    example = content.get("example", build_example(description, content.get("schema", {})))
    return json.dumps(example, ensure_ascii=False, indent=2)


def _read_parameter(parameter: Mapping[str, Any]) -> Parameter:
    schema = parameter.get("schema", {})
    kinds = [schema, *schema.get("anyOf", [])]
    choices = next((each["enum"] for each in kinds if "enum" in each), ())
    return Parameter(
        parameter["name"],
        parameter["in"],
        parameter.get("required", False),
        parameter.get("description", schema.get("description", "")),
        tuple(str(each) for each in choices),
        str(next(iter(schema.get("examples") or choices), _NAMES.get(parameter["name"], ""))),
    )


def build_example(description: Mapping[str, Any], schema: Mapping[str, Any], depth: int = 0) -> Any:
    """Return the schema's first example, or a value made of the examples inside it."""
    name = schema.get("$ref", "").rpartition("/")[2]
    if name:
        return build_example(description, description["components"]["schemas"].get(name, {}), depth)
    if schema.get("examples"):
        return schema["examples"][0]
    for known in ("default", "const"):
        if known in schema:
            return schema[known]
    if schema.get("enum"):
        return schema["enum"][0]
    kinds = schema.get("anyOf") or schema.get("oneOf")
    if kinds:
        return build_example(description, kinds[0], depth + 1)
    if schema.get("format") == "date-time":
        return EXAMPLE_TIMESTAMP
    if "properties" in schema and depth < _DEEPEST:
        members = schema["properties"].items()
        return {name: build_example(description, each, depth + 1) for name, each in members}
    if schema.get("type") == "array":
        return (
            [build_example(description, schema["items"], depth + 1)] if schema.get("items") else []
        )
    return _PLAIN.get(schema.get("type", ""), "…")


_DEEPEST = 6
_PLAIN: Mapping[str, Any] = {
    "integer": 1,
    "number": 1.0,
    "boolean": True,
    "object": {},
    "null": None,
}


@dataclass(frozen=True)
class OrderField:
    """A field of an order: its type and limits, its value where it is left out, its meaning."""

    name: str
    required: bool
    limits: str
    default: str
    meaning: str


def list_fields(
    description: Mapping[str, Any], pipeline: Pipeline, translate: Translator
) -> list[OrderField]:
    """List the fields of the pipeline's orders, as the API's description has them."""
    schema = description["components"]["schemas"][get_order_model_name(pipeline)]
    return [
        OrderField(
            name=name,
            required=name in schema.get("required", ()),
            limits=_format_limits(each, translate),
            default=""
            if each.get("default") in (None, "", [], {})
            else json.dumps(each["default"], ensure_ascii=False),
            meaning=_find_meaning(name, each, translate),
        )
        for name, each in schema["properties"].items()
    ]


def _find_meaning(name: str, schema: Mapping[str, Any], translate: Translator) -> str:
    """Return the description; in another language than English the text of the form, or of the option."""
    described = str(schema.get("description", ""))
    if translate.language == "en":
        return described
    return translate.find(f"help_{name}", translate.find(f"option_{name}", described))


def _format_limits(schema: Mapping[str, Any], translate: Translator) -> str:
    """Format what a value may be: its type, its choices, its least and its greatest length or value."""
    kinds = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    kind = kinds[0] if kinds else schema
    if "const" in kind or "enum" in kind:
        return " · ".join(str(each) for each in kind.get("enum", [kind.get("const")]))
    name = translate.find(f"type_{kind.get('type', '')}", translate("type_object"))
    if kind.get("format") == "date-time":
        name = translate("type_time")
    if kind.get("type") == "array":
        name = f"{name} ({_format_limits(kind.get('items', {}), translate)})"
    low, high = (
        next((kind[each] for each in names if each in kind), None)
        for names in (("minLength", "minimum", "minItems"), ("maxLength", "maximum", "maxItems"))
    )
    found = [name]
    if high is not None:
        found.append(f"≤ {high:,}" if low is None else f"{low:,} – {high:,}")
    if "pattern" in kind:
        found.append(kind["pattern"])
    return ", ".join(found)


@dataclass(frozen=True)
class Code:
    """A stable error code, what it means, and what helps."""

    code: str
    meaning: str
    remedy: str


def list_codes(language: Language) -> list[Code]:
    """List every code that castad can raise, also those of orders, with its meaning and its remedy."""
    sites = Translator(language)
    translators = (*(Translator(language, each.name) for each in get_catalog()), sites)
    return [
        Code(
            code,
            next(filter(None, (find_code_sentence(code, each) for each in translators)), ""),
            remedy,
        )
        for code, remedy in sites.list_with_prefix(_CODE_PREFIX).items()
    ]


_EXAMPLES = Path(__file__).parent / "examples"
_EXAMPLE_ORIGIN = "http://127.0.0.1:8000"


def read_example(name: str, origin: str = _EXAMPLE_ORIGIN) -> str:
    """Read an example program, which calls castad at this address."""
    text = (_EXAMPLES / f"{name}.txt").read_text("utf-8")
    return text.replace(_EXAMPLE_ORIGIN, origin).strip()


def build_example_webhook() -> dict[str, Any]:
    """Build the body of a webhook from the models of its parts."""
    status = {**get_example(StatusBody), "status": "completed", "overall_status": "completed"}
    data = OwnerStatusBody.model_validate(status).model_dump(mode="json")
    more = {"links": {"self": status["links"]["self"]}, "left_out": []}
    return {
        "type": "request.completed",
        "timestamp": EXAMPLE_TIMESTAMP,
        "data": {**data, **more},
    }


router = APIRouter(route_class=PageRoute, include_in_schema=False)
_CODE_PREFIX = "remedy_"
_WEBHOOKS = 20


def _reply(request: Request, visitor: Visitor, part: str, **context: Any) -> Response:
    return render_page(
        request,
        f"reference_{part}.html",
        visitor,
        part=part,
        sections=group_calls(request.app.openapi()),
        origin=_get_origin(request),
        example=partial(read_example, origin=_get_origin(request)),
        **context,
    )


def _get_origin(request: Request) -> str:
    return str(request.base_url).rstrip("/")


@router.get("/docs")
def show_start(request: Request, visitor: VisitorDep) -> Response:
    """Show how to get a key, the first calls, and a list of all calls."""
    return _reply(request, visitor, "start")


@router.get("/docs/calls/{name}")
def show_calls(name: str, request: Request, visitor: VisitorDep) -> Response:
    """Show the calls of one subject with their examples; those that only read can be tried."""
    found = [each for each in group_calls(request.app.openapi()) if each.name == name]
    if not found:
        raise ApiError(HTTPStatus.NOT_FOUND, "not_found", "path: expected a subject of the API")
    return _reply(request, visitor, "calls", section=found[0])


@router.get("/docs/orders")
def show_orders(request: Request, visitor: VisitorDep) -> Response:
    """Show the fields of each pipeline's orders."""
    description, language = request.app.openapi(), get_translator(request).language
    pipelines = [
        (each, list_fields(description, each, Translator(language, each.name)))
        for each in get_catalog()
    ]
    return _reply(
        request, visitor, "orders", pipelines=pipelines, kinds=list_pipeline_kinds(language)
    )


@router.get("/docs/live")
def show_live(request: Request, visitor: VisitorDep) -> Response:
    """Show how streams are followed, with a console."""
    return _reply(request, visitor, "live")


@router.get("/docs/codes")
def show_codes(request: Request, visitor: VisitorDep) -> Response:
    """Show the meaning and the remedy of each error code."""
    return _reply(request, visitor, "codes", codes=list_codes(get_translator(request).language))


@router.get("/docs/webhooks")
def show_webhooks(request: Request, api: ApiDep, visitor: VisitorDep) -> Response:
    """Show how a webhook is verified, and the newest ones of the visitor."""
    owner = None if visitor.is_admin else visitor.owner
    newest = list_deliveries(api.db, owner=owner, limit=_WEBHOOKS)
    return _reply(
        request,
        visitor,
        "webhooks",
        webhooks=[build_order_webhook_body(each) for each in newest],
        body=json.dumps(build_example_webhook(), ensure_ascii=False, indent=2),
    )
