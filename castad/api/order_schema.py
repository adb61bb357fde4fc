"""The bodies of orders as OpenAPI describes them: one schema per pipeline."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from pipeline_defs.catalog import Catalog
from pipeline_defs.pipeline import Pipeline

_TASK_ID = "shop-1"


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
        description="Orders with a higher priority start first; 0 where left out",
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
        description="Stored with the order; not called yet. A public https:// link",
    )


def order_models(pipelines: Catalog) -> list[type[BaseModel]]:
    """The body of an order of each pipeline; only the default pipeline's may leave out `pipeline`."""
    return [_order_model(each, is_default=each is pipelines.default) for each in pipelines]


def _order_model(pipeline: Pipeline, *, is_default: bool) -> type[BaseModel]:
    name = "".join(part.title() for part in pipeline.name.split("_"))
    kind: Any = Literal[pipeline.name]
    field = Field(None if is_default else ..., description="The pipeline that makes the order")
    example = {**_named(pipeline, is_default=is_default), **pipeline.example}
    examples = ConfigDict(extra="forbid", json_schema_extra={"examples": [example]})
    base = type(
        f"{name}Order",
        (OrderOptions, pipeline.brief),
        {"model_config": examples, "__doc__": pipeline.title},
    )
    return create_model(
        f"{name}Order", __base__=base, pipeline=(kind | None if is_default else kind, field)
    )


def _named(pipeline: Pipeline, *, is_default: bool) -> dict[str, Any]:
    return {"task_id": _TASK_ID} if is_default else {"task_id": _TASK_ID, "pipeline": pipeline.name}


def any_order(models: Sequence[type[BaseModel]], pipelines: Catalog) -> dict[str, Any]:
    """The schema of an order of any pipeline."""
    schemas = [{"$ref": f"#/components/schemas/{model.__name__}"} for model in models]
    return {
        "description": "An order of one of the pipelines",
        "oneOf": schemas,
        "examples": example_orders(pipelines)["orders"],
    }


def changeable_parameters(pipelines: Catalog) -> list[dict[str, Any]]:
    """The query parameters of a redo: the fields that it may change."""
    return [
        {
            "in": "query",
            "name": field.name,
            "required": False,
            "description": f"{field.description}; unchanged where left out",
            "schema": {
                "type": "string",
                **({"enum": [*field.type.choices]} if field.type.choices else {}),
            },
        }
        for field in pipelines.changeable_fields
    ]


def example_orders(pipelines: Catalog) -> dict[str, Any]:
    """A batch of one order of the default pipeline."""
    return {"orders": [{"task_id": _TASK_ID, **pipelines.default.example}]}


def example_csv(pipelines: Catalog) -> str:
    """The same batch as CSV."""
    example = {"task_id": _TASK_ID, **pipelines.default.example}
    return f"{','.join(example)}\n{','.join(map(str, example.values()))}\n"
