"""The bodies of orders as OpenAPI describes them: one schema per pipeline."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from castad.orders.approval import LONGEST_SECONDS, SHORTEST_SECONDS
from pipeline_defs.capabilities import list_changeable_fields
from pipeline_defs.catalog import Catalog
from pipeline_defs.fields import BriefField, list_order_fields
from pipeline_defs.pipeline import Pipeline

_TASK_ID = "shop-1"
_SCHEMAS = "#/components/schemas/"


class OrderOptions(BaseModel):
    """The options of an order's processing."""

    task_id: str | None = Field(
        None,
        pattern="^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$",
        description="The order's unique name; generated where left out. An order with a task_id can be sent again "
        "safely: the same task_id is the same order",
    )
    priority: int | None = Field(
        None,
        ge=-1_000_000,
        le=1_000_000,
        description="Orders with a higher priority start first; 0 where left out. Any other needs a key with the "
        "scope admin",
    )
    max_retries: int | None = Field(
        None, ge=0, le=100, description="Retries of each stage; 3 where left out"
    )
    not_before: datetime | None = Field(
        None,
        description="The order does not start before this timestamp (ISO 8601 with its time zone)",
    )
    callback_url: str | None = Field(
        None,
        max_length=2000,
        description="Called when the order has ended, signed by a secret that has to be there "
        "(docs/webhooks.md). A public https:// link",
    )
    notify: str | None = Field(
        None,
        max_length=254,
        description="An e-mail address that is told when the order waits for an approval and when it has ended, "
        "where this castad sends mail; no callback_url beside it",
    )


class HoldOptions(BaseModel):
    """The options of an order that may wait for a person."""

    hold: list[str] | None = Field(
        None,
        description="The stages after which the order waits until a person approves what they have made",
    )
    hold_seconds: int | None = Field(
        None,
        ge=SHORTEST_SECONDS,
        le=LONGEST_SECONDS,
        description="How long it waits for each approval; without end where left out",
    )
    hold_then: Literal["continue", "cancel"] | None = Field(
        None, description="What follows when that time is over; cancel where left out"
    )


def build_order_schemas(pipelines: Catalog) -> dict[str, dict[str, Any]]:
    """Build the schema of an order of each pipeline and of any, `NewOrder`, with all they refer to.

    Only an order of the default pipeline may leave out `pipeline`.
    """
    models = [build_order_model(each, is_default=each is pipelines.default) for each in pipelines]
    found: dict[str, dict[str, Any]] = {
        "NewOrder": {
            "description": "An order of one of the pipelines",
            "oneOf": [{"$ref": f"{_SCHEMAS}{model.__name__}"} for model in models],
            "examples": build_example_orders(pipelines)["orders"],
        }
    }
    for model in models:
        found |= _build_schemas(model)
    return found


def _build_schemas(model: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """Build the model's schema and those inside it, prefixed by its name to keep them unique."""
    inside = f"{model.__name__}."
    schema = model.model_json_schema(ref_template=f"{_SCHEMAS}{inside}{{model}}")
    defined = schema.pop("$defs", {})
    if "anyOf" in schema:
        # The same, where generators of clients do not take the alternatives for models in place of the fields.
        schema |= {"if": {}, "then": {"anyOf": schema.pop("anyOf")}}
    return {model.__name__: schema, **{f"{inside}{name}": each for name, each in defined.items()}}


def get_order_model_name(pipeline: Pipeline) -> str:
    """Return the name of the schema of the pipeline's orders."""
    return "".join(part.title() for part in pipeline.name.split("_")) + "Order"


def build_order_model(pipeline: Pipeline, *, is_default: bool) -> type[BaseModel]:
    """Build the model of the pipeline's orders with all their options; the default needs no name."""
    name = get_order_model_name(pipeline)
    kind: Any = Literal[pipeline.name]
    field = Field(None if is_default else ..., description="The pipeline that makes the order")
    named = {} if is_default else {"pipeline": pipeline.name}
    example = {"task_id": _TASK_ID, **named, **pipeline.example}
    of_brief = pipeline.order_model.model_config.get("json_schema_extra")

    def extend(schema: dict[str, Any]) -> None:
        if callable(of_brief):
            cast(Callable[[dict[str, Any]], None], of_brief)(schema)
        schema["examples"] = [example]

    examples = ConfigDict(extra="forbid", json_schema_extra=extend)
    options = (HoldOptions, OrderOptions) if pipeline.holdable_stages else (OrderOptions,)
    base = type(
        name,
        (*options, pipeline.order_model),
        {"model_config": examples, "__doc__": pipeline.title},
    )
    fields: dict[str, Any] = {"pipeline": (kind | None if is_default else kind, field)}
    if pipeline.holdable_stages:
        stage: Any = Literal[pipeline.holdable_stages]
        fields["hold"] = (list[stage] | None, HoldOptions.model_fields["hold"])
    return create_model(name, __base__=base, **fields)


def describe_order_body(pipeline: Pipeline, *, form: bool = False) -> dict[str, Any]:
    """Describe the request body of one order of the pipeline: JSON, or also a form with its pictures."""
    schema = {"$ref": f"{_SCHEMAS}{get_order_model_name(pipeline)}"}
    content = {"application/json": {"schema": schema}}
    if form:
        content["multipart/form-data"] = {"schema": _build_form_schema(pipeline)}
    return {"requestBody": {"required": True, "content": content}}


def _build_form_schema(pipeline: Pipeline) -> dict[str, Any]:
    """Build the schema of a form: pictures are files, nested fields are JSON as text."""
    fields: dict[str, Any] = {}
    for field in list_order_fields(pipeline.order_model):
        text = _build_parameter_schema(field)
        file = {"type": "string", "format": "binary"}
        schema = {"type": "array", "items": file} if field.name in pipeline.uploads else text
        fields[field.name] = {**schema, "description": field.description}
    for name in ("task_id", "callback_url", "notify", "not_before"):
        described = OrderOptions.model_fields[name].description
        fields[name] = {"type": "string", "description": described}
    return {"type": "object", "properties": fields}


def describe_changeable_parameters(pipelines: Catalog) -> list[dict[str, Any]]:
    """Describe a redo's query parameters: the fields that it may change, each once."""
    found: dict[str, list[BriefField]] = {}
    for field in (field for pipeline in pipelines for field in list_changeable_fields(pipeline)):
        found.setdefault(field.name, []).append(field)
    return [
        {
            "in": "query",
            "name": name,
            "required": False,
            "description": f"{fields[0].description}; unchanged where left out",
            "schema": _join_schemas([_build_parameter_schema(field) for field in fields]),
        }
        for name, fields in found.items()
    ]


def _build_parameter_schema(field: BriefField) -> dict[str, Any]:
    """Build the schema of a text; a list's entries are parameters of the same name."""
    text = {"type": "string", **({"enum": [*field.type.choices]} if field.type.choices else {})}
    return {"type": "array", "items": text} if field.type.kind == "list" else text


def _join_schemas(schemas: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return schemas[0] if all(each == schemas[0] for each in schemas) else {"anyOf": [*schemas]}


def build_example_orders(pipelines: Catalog) -> dict[str, Any]:
    """Build a batch of one order of the default pipeline."""
    return {"orders": [{"task_id": _TASK_ID, **pipelines.default.example}]}


def build_example_csv(pipelines: Catalog, *, named: bool = True) -> str:
    """Build the same batch as CSV, with its task_id or without."""
    name = {"task_id": _TASK_ID} if named else {}
    example = {**name, **pipelines.default.example}
    text = io.StringIO()
    rows = csv.DictWriter(text, example, lineterminator="\n")
    rows.writeheader()
    rows.writerow({name: _format_cell(value) for name, value in example.items()})
    return text.getvalue()


def _format_cell(value: Any) -> Any:
    """Format a cell: a list's texts are separated by `|`; other nested values are JSON."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "|".join(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
