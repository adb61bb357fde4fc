"""The page for programmers: the API's reference, the live stream, webhooks, remedies."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from castad.api.state import ApiDep
from castad.web.pages import PageRoute, VisitorDep, render_page
from castad.web.words import get_translator
from resources.ledger.queries.webhooks import list_deliveries
from resources.views.webhooks import build_order_webhook_body

_METHODS = ("get", "post", "put", "patch", "delete")
_KEY = "$CASTAD_KEY"


@dataclass(frozen=True)
class Parameter:
    """A parameter of the path, the query or a header."""

    name: str
    place: str
    required: bool
    description: str
    choices: tuple[str, ...]


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
        call = f"httpx.request({self.method!r}, {address}, headers=headers{body})"
        return f"{imports}\nanswer = {call}\nprint(answer.status_code, answer.text)"

    @property
    def _example_path(self) -> str:
        needed = [each for each in self.parameters if each.place == "query" and each.required]
        query = "&".join(
            f"{each.name}={each.choices[0] if each.choices else '…'}" for each in needed
        )
        path = self.path.replace("{task_id}", "shop-1")
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
    kind = next(iter(contents), "")
    body = ""
    if "json" in kind:
        content = contents[kind]
        example = content.get("example", _build_example(description, content.get("schema", {})))
        body = json.dumps(example, ensure_ascii=False, indent=2)
    answers = operation.get("responses", {})
    is_stream = any("text/event-stream" in each.get("content", {}) for each in answers.values())
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
    )


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
    )


def _build_example(description: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """Return the schema's first example, or an object of its properties' examples."""
    name = schema.get("$ref", "").rpartition("/")[2]
    if name:
        return _build_example(description, description["components"]["schemas"].get(name, {}))
    if schema.get("examples"):
        return schema["examples"][0]
    return {name: _choose_value(each) for name, each in schema.get("properties", {}).items()}


def _choose_value(schema: Mapping[str, Any]) -> Any:
    if "default" in schema:
        return schema["default"]
    plain: Sequence[Any] = schema.get("examples") or schema.get("enum") or [None]
    if plain[0] is not None:
        return plain[0]
    kinds: Mapping[str, Any] = {
        "integer": 1,
        "number": 1.0,
        "boolean": True,
        "array": [],
        "object": {},
    }
    return kinds.get(schema.get("type", ""), "…")


router = APIRouter(route_class=PageRoute, include_in_schema=False)
_CODE_PREFIX = "remedy_"
_WEBHOOKS = 20


@router.get("/docs")
def show_reference(request: Request, api: ApiDep, visitor: VisitorDep) -> Response:
    """Show every call of the API with an example; those that only read can be tried."""
    translate = get_translator(request)
    owner = None if visitor.is_admin else visitor.owner
    newest = list_deliveries(api.db, owner=owner, limit=_WEBHOOKS)
    return render_page(
        request,
        "reference.html",
        visitor,
        sections=group_calls(request.app.openapi()),
        origin=str(request.base_url).rstrip("/"),
        remedies=translate.list_with_prefix(_CODE_PREFIX),
        webhooks=[build_order_webhook_body(each) for each in newest],
    )
