"""The API's request and response bodies and parameters, as OpenAPI describes them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, Self, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel, Field
from starlette.datastructures import QueryParams
from starlette.responses import Response

from castad.orders.order_fields import parse_timestamp_field
from castad.views.order_list import EXAMPLE_LINKS, Links, build_links
from pipeline_defs.capabilities import list_changeable_fields
from pipeline_defs.catalog import Catalog
from pipeline_defs.fields import BriefField
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import normalize_to_nfc
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.approval import Revised
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example

Cursor = Annotated[
    str | None, Query(pattern="^[0-9]{1,18}$", description="`next` of the previous page")
]
"""Where the page of a list begins."""
T = TypeVar("T")


@dataclass(frozen=True)
class AskedPage:
    """The page of a list that a call asks for: at most `limit` entries whose ids are below `before`."""

    limit: int
    before: int | None

    def split(
        self, found: Sequence[T], get_id: Callable[[T], int]
    ) -> tuple[Sequence[T], str | None]:
        """Split entries, of which one more than the page was read, into the page and the next `cursor`."""
        more = str(get_id(found[self.limit - 1])) if len(found) > self.limit else None
        return found[: self.limit], more


def read_page_query(what: str, most: int = 500) -> Any:
    """Make the dependency that reads `limit` and `cursor` of a list of these entries."""

    def read(
        limit: Annotated[int, Query(ge=1, le=most, description=f"{what} per page")] = 50,
        cursor: Cursor = None,
    ) -> AskedPage:
        return AskedPage(limit, None if cursor is None else int(cursor))

    return Depends(read)


class Cost(BaseModel):
    """The price of a stage, in USD."""

    stage: str
    provider: str | None = Field(description="Null where no vendor is paid for the stage")
    cost_usd: float


class OrderReceipt(BaseModel):
    """An order that is in the ledger; `created` is whether this call added it."""

    model_config = example(
        task_id="shop-1",
        status="pending",
        created=True,
        updated=[],
        scheduled_at=None,
        links=EXAMPLE_LINKS,
    )

    task_id: str
    status: Status
    created: bool
    updated: list[str] = Field(
        [], description="The options of the order, there already, that this call has changed"
    )
    scheduled_at: Timestamp | None = Field(
        None, description="The order does not begin before it; null where it was not scheduled"
    )
    links: Links


class OrderPrice(BaseModel):
    """The price of an order, each stage bought once; nothing was submitted."""

    model_config = example(
        dry_run=True,
        stages=[{"stage": "song", "provider": "suno", "cost_usd": 0.06}],
        cost_usd=0.06,
        remarks=[],
    )

    dry_run: Literal[True] = True
    stages: list[Cost]
    cost_usd: float
    remarks: list[str] = Field([], description="Soft warnings: the order can be made all the same")


class BatchReceipt(BaseModel):
    """Every order of the batch is in the ledger; `created` is how many this call added."""

    model_config = example(
        orders=[
            {
                "task_id": "shop-1",
                "status": "pending",
                "created": True,
                "updated": [],
                "scheduled_at": None,
                "links": EXAMPLE_LINKS,
            }
        ],
        created=1,
        updated=0,
    )

    orders: list[OrderReceipt]
    created: int
    updated: int = Field(0, description="How many of the others have got other options")


class BatchPrice(BaseModel):
    """The number of orders, all of them valid, and their price together; nothing was submitted."""

    model_config = example(dry_run=True, orders=2, cost_usd=0.12)

    dry_run: Literal[True] = True
    orders: int
    cost_usd: float


class OrderState(BaseModel):
    """The order's status after a retry, redo or cancel."""

    model_config = example(
        task_id="shop-1", status="pending", cancel_requested=False, links=EXAMPLE_LINKS
    )

    task_id: str
    status: Status
    cancel_requested: bool = Field(description="Whether its running attempt was asked to stop")
    links: Links

    @classmethod
    def build(cls, order: Request) -> Self:
        """Build the state of this order."""
        return cls(**vars(order), links=build_links(order.task_id))


class RevisedOrder(OrderState):
    """The order's status, and the generation of the changed product, which the next act names."""

    model_config = example(
        task_id="shop-1",
        status="pending",
        cancel_requested=False,
        links=EXAMPLE_LINKS,
        stage="lyric",
        generation=2,
    )

    stage: LedgerText
    generation: int

    @classmethod
    def of(cls, revised: Revised, stage: str) -> Self:
        """Build the state of the order whose stage was revised."""
        order = revised.request
        return cls(
            **vars(order) | {"stage": stage},
            links=build_links(order.task_id),
            generation=revised.generation,
        )


class PlannedGroup(BaseModel):
    """Orders with the same error code that need the same."""

    code: LedgerText
    needs: Literal["retry", "resolve", "correct"] = Field(
        description="`resolve`: its submission is in doubt; `correct`: the order itself has to be corrected"
    )
    orders: int
    cost_usd: float = Field(description="What their remaining stages cost; 0 where none is retried")


class PlannedOrders(BaseModel):
    """The orders that a retry would be about, at most 500; nothing was changed."""

    model_config = example(
        dry_run=True,
        orders=1,
        before=EXAMPLE_TIMESTAMP,
        more=False,
        groups=[{"code": "provider_failed", "needs": "retry", "orders": 1, "cost_usd": 0.06}],
    )

    dry_run: Literal[True] = True
    orders: int
    before: datetime = Field(
        description="Repeat the call with it, so that it is about no order that came later"
    )
    more: bool = Field(description="Whether more orders match than one call looks at")
    groups: list[PlannedGroup]


class RetriedOrders(BaseModel):
    """The orders that are pending again."""

    model_config = example(
        retried=1, task_ids=["shop-1"], skipped=0, before=EXAMPLE_TIMESTAMP, more=False, groups=[]
    )

    retried: int
    task_ids: list[str]
    skipped: int = Field(description="Orders that another caller changed meanwhile")
    before: datetime = Field(
        description="Only orders that ended before this timestamp were retried; the same call with the same "
        "`before` retries no order twice"
    )
    more: bool = Field(description="Whether more orders match; repeat the call for them")
    groups: list[PlannedGroup] = Field(
        description="Orders that were not retried, by what they need"
    )


class CanceledOrders(BaseModel):
    """The orders that are canceled, or whose attempts were asked to stop."""

    model_config = example(
        canceled=1, task_ids=["shop-1"], skipped=0, before=EXAMPLE_TIMESTAMP, more=False
    )

    canceled: int
    task_ids: list[str]
    skipped: int = Field(description="Orders that another caller changed meanwhile")
    before: datetime = Field(description="Only orders created before this timestamp were canceled")
    more: bool = Field(description="Whether more orders match; repeat the call for them")


class AffectedOrders(BaseModel):
    """How many orders the call would be about; nothing was changed."""

    model_config = example(dry_run=True, orders=37, before=EXAMPLE_TIMESTAMP)

    dry_run: Literal[True] = True
    orders: int
    before: datetime = Field(
        description="Repeat the call with it, so that it is about no order that came later"
    )


class UploadedPicture(BaseModel):
    """A stored picture; an order uses it by putting `image` into its `images`."""

    model_config = example(image=f"upload:{'0' * 64}", bytes=48_213)

    image: str
    bytes: int


class Health(BaseModel):
    """The service lives, or takes orders."""

    model_config = example(status="ok")

    status: Literal["ok"]


def reply_json(
    body: BaseModel, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Build the response of a body. FastAPI would validate and render a returned model twice more."""
    return Response(
        body.model_dump_json(), status, headers=dict(headers or {}), media_type="application/json"
    )


_EXAMPLE = "2030-01-31T09:00:00+09:00"


def describe_timestamp(description: str) -> Any:
    """Describe a query parameter in ISO 8601 with a time zone; `parse_timestamp` parses it."""
    return Query(
        description=f"{description} (ISO 8601 with its time zone)",
        json_schema_extra={"format": "date-time"},
        examples=[_EXAMPLE],
    )


def parse_timestamp(field: str, given: str | None) -> datetime | None:
    """Parse the timestamp and return it in UTC, None if none is given; raises InvalidInputError."""
    return None if given is None else parse_timestamp_field(field, given)


def require_plain_text(field: str, given: str | None) -> str | None:
    """Return the text in NFC; raise InvalidInputError if it is not printable."""
    if given is not None and not given.isprintable():
        raise InvalidInputError(field, "expected printable text")
    return None if given is None else normalize_to_nfc(given)


def parse_redo_changes(pipelines: Catalog, pipeline: str, given: QueryParams) -> dict[str, Any]:
    """Parse the fields among a redo's parameters as an order of this pipeline takes them.

    Fields that only other pipelines may change are kept: the redo refuses them. Raises InvalidInputError.
    """
    known = {
        field.name
        for each in pipelines
        for field in list_changeable_fields(each)
        if field.name in given
    }
    found = pipelines.find_pipeline(pipeline)
    own = {field.name: field for field in (list_changeable_fields(found) if found else ())}
    return {
        name: _parse_field(own[name], given) if name in own else given[name]
        for name in sorted(known)
    }


def _parse_field(field: BriefField, given: QueryParams) -> Any:
    is_list = field.type.kind == "list"
    return field.parse(given.getlist(field.name) if is_list else given[field.name])
