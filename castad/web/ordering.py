"""The pages on which orders are made: one by a form, many by a file."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import ValidationError
from starlette.responses import JSONResponse, RedirectResponse, Response

from castad.api.auth import find_readable_order
from castad.api.forms import Form, parse_nested_fields, read_unparsed_form, store_pictures
from castad.api.order_schema import build_example_csv
from castad.api.orders import SOURCE, parse_batch, submit_fields, sum_batch_prices
from castad.api.state import Api, ApiDep
from castad.orders.batch import (
    RefusedOrder,
    RefusedOrdersError,
    is_batch_name,
    make_batch_name,
    name_orders,
)
from castad.orders.order_fields import NOTIFY, check_profile, check_profile_name
from castad.orders.orders_file import LARGEST_FILE, MAX_ORDERS, CheckedOrder
from castad.orders.submit import (
    check_orders,
    list_prices,
    list_remarks,
    submit_all,
    sum_prices,
    validate_order,
)
from castad.views.expected_time import estimate_seconds
from castad.views.order_list import read_page
from castad.web.forms import build_form_fields, extract_order, group_extra_fields, read_file_form
from castad.web.pages import (
    PageRoute,
    Visitor,
    VisitorDep,
    guard,
    has_template,
    render_page,
    require_order_scope,
)
from castad.web.words import (
    Language,
    Translator,
    build_refusal,
    get_translator,
    list_pipeline_kinds,
    read_language,
)
from pipeline_defs.capabilities import get_form_values
from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import list_input_errors
from pipeline_defs.pipeline import Pipeline, Remark
from resources.contract.errors import CastadError, InvalidInputError
from resources.ledger.ledger_errors import (
    ConflictError,
    IllegalTransitionError,
    UnknownRequestError,
)
from resources.ledger.queries.access import find_profile, list_profiles
from resources.ledger.queries.listing import RequestFilter, count_batch
from resources.ledger.request import make_task_id
from resources.ledger.schema.tables import TERMINAL, Status
from resources.ledger.transitions.access import save_profile
from resources.views.order_body import to_dollars

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@dataclass(frozen=True)
class Estimate:
    """What an order costs and how long it usually takes; `remarks` are soft warnings."""

    usd: float
    seconds: float
    remarks: tuple[str, ...] = ()


@router.get("/")
def show_default_form(request: Request, api: ApiDep, visitor: VisitorDep) -> Response:
    """Show the form of the default pipeline."""
    return _show_form(
        request, api, visitor, get_catalog().default, get_form_values(get_catalog().default)
    )


@router.get("/order/{name}")
def show_order_form(
    request: Request,
    name: str,
    api: ApiDep,
    visitor: VisitorDep,
    like: Annotated[str | None, Query(max_length=128)] = None,
    profile: Annotated[str | None, Query(max_length=320)] = None,
) -> Response:
    """Show the form of a pipeline, filled from the order `like` or from a profile."""
    pipeline = _get_pipeline(name)
    given = get_form_values(pipeline)
    if like is not None:
        given = find_readable_order(api, visitor.key, like).order() or {}
    if profile is not None:
        kept = find_profile(api.db, visitor.owner, name, profile)
        given = {**given, **(kept.fields if kept else {})}
    return _show_form(request, api, visitor, pipeline, given)


def _get_pipeline(name: str) -> Pipeline:
    found = get_catalog().find_pipeline(name)
    if found is None:
        raise UnknownRequestError(name)
    return found


@router.post("/order/{name}")
async def submit_order(request: Request, name: str, api: ApiDep, visitor: VisitorDep) -> Response:
    """Store the order and redirect to its page, or show the form again with the error."""
    pipeline = _get_pipeline(name)
    form = await read_unparsed_form(request, pipeline)
    require_order_scope(visitor, form.fields.get("csrf"))
    given = dict(form.fields)
    try:
        # Browsers send an empty file for a field in which none was chosen.
        chosen = {name: [each for each in sent if each] for name, sent in form.files.items()}
        files = {name: sent for name, sent in chosen.items() if sent}
        given = await store_pictures(api, visitor.key, Form(form.fields, files))
        act = partial(_run_action, request, api, visitor, pipeline, given)
        return await run_in_threadpool(act)
    except (InvalidInputError, ConflictError, IllegalTransitionError) as error:
        if isinstance(error, ConflictError):
            given["task_id"] = ""  # the next try is another order
        shown = partial(_show_form, request, api, visitor, pipeline, given, status=422, error=error)
        return await run_in_threadpool(shown)


def _run_action(
    request: Request, api: Api, visitor: Visitor, pipeline: Pipeline, given: Mapping[str, Any]
) -> Response:
    """Perform the pressed button's action; raise the error of a wrong form."""
    parsed = parse_nested_fields(given, pipeline)
    if given.get("action") == "profile":
        return _keep_profile(api, visitor, pipeline, parsed)
    fields = _build_order(pipeline, parsed)
    if given.get("action") == "price":
        estimate = _estimate(api, visitor, fields, read_language(request))
        return _show_form(request, api, visitor, pipeline, given, estimate=estimate)
    name = {"task_id": given["task_id"]} if given.get("task_id") else {}
    receipt = submit_fields(api, visitor.key, {**fields, **name})
    request.state.task_id = receipt.task_id
    return guard(RedirectResponse(f"/works/{receipt.task_id}", 303))


def _keep_profile(
    api: Api, visitor: Visitor, pipeline: Pipeline, given: Mapping[str, Any]
) -> Response:
    name = check_profile_name(str(given.get("profile_name", "")))
    fields = check_profile(pipeline, extract_order(pipeline, given))
    save_profile(api.db, visitor.owner, pipeline.name, name, fields)
    return guard(RedirectResponse(f"/order/{pipeline.name}?{urlencode({'profile': name})}", 303))


def _build_order(pipeline: Pipeline, given: Mapping[str, Any]) -> dict[str, Any]:
    """Build the order of a form; add the hold if it is ticked and a stage can be approved."""
    fields = {**extract_order(pipeline, given), "pipeline": pipeline.name}
    held = list_held_stages(pipeline)
    if given.get("hold") and held:
        fields["hold"] = list(held)
    if given.get(NOTIFY):
        fields[NOTIFY] = given[NOTIFY]
    return fields


def list_held_stages(pipeline: Pipeline) -> tuple[str, ...]:
    """List the stages whose product a person may change or choose before the next stage runs."""
    holdable = (each for each in pipeline.stages if each.name in pipeline.holdable_stages)
    return tuple(each.name for each in holdable if each.revision is not None or each.choices)


@router.post("/order/{name}/estimate")
async def estimate_order(request: Request, name: str, api: ApiDep, visitor: VisitorDep) -> Response:
    """Return the price of this form's order as JSON, or the error and its field."""
    pipeline = _get_pipeline(name)
    form = await read_unparsed_form(request, pipeline)
    require_order_scope(visitor, form.fields.get("csrf"))
    try:
        fields = _build_order(pipeline, parse_nested_fields(form.fields, pipeline))
        found = await run_in_threadpool(_estimate, api, visitor, fields, read_language(request))
    except InvalidInputError as error:
        said = build_refusal(get_translator(request, name), error.code, error.message)
        remark = f"{said.sentence} {said.detail}".strip()
        return JSONResponse({"field": _find_field(error), "remarks": [remark]})
    return JSONResponse(
        {"field": "", "usd": found.usd, "seconds": found.seconds, "remarks": found.remarks}
    )


def _estimate(
    api: Api, visitor: Visitor, fields: Mapping[str, Any], language: Language
) -> Estimate:
    checked = validate_order(fields, api.settings, by_operator=visitor.is_admin)
    prices = list_prices(checked.pipeline, checked.payload, api.settings)
    seconds = estimate_seconds(api.db, checked.pipeline, api.settings)
    translate = Translator(language, checked.pipeline.name)
    remarks = (
        _translate_remark(translate, each)
        for each in list_remarks(checked.pipeline, checked.payload, api.settings)
    )
    return Estimate(to_dollars(sum_prices(prices)), seconds, tuple(remarks))


def _translate_remark(translate: Translator, remark: Remark) -> str:
    """Translate the remark and the names of its choices."""
    text = translate.find(f"remark_{remark.code}", "")
    choices = {
        name: translate.find(f"choice_{value}", value) for name, value in remark.choices.items()
    }
    return text.format(**choices) if text else remark.sentence


def _list_faults(
    pipeline: Pipeline, given: Mapping[str, Any], error: CastadError
) -> dict[str, str]:
    """List what is wrong with the form by field: the error, and whatever else the pipeline's model refuses.

    A profile need not be a whole order.
    """
    faults = {_find_field(error): error.message}
    if given.get("action") == "profile":
        return faults
    with suppress(InvalidInputError):
        try:
            pipeline.order_model.model_validate(
                extract_order(pipeline, parse_nested_fields(given, pipeline))
            )
        except ValidationError as found:
            for each in list_input_errors(found, tuple(pipeline.order_model.model_fields)):
                faults.setdefault(_find_field(each), each.message)
    return faults


def _find_field(error: CastadError) -> str:
    """Return the form field that the error names, or ""."""
    return str(getattr(error, "field", None) or "").partition("[")[0]


def _show_form(
    request: Request,
    api: Api,
    visitor: Visitor,
    pipeline: Pipeline,
    given: Mapping[str, Any],
    *,
    status: int = 200,
    estimate: Estimate | None = None,
    error: CastadError | None = None,
) -> Response:
    translate = get_translator(request, pipeline.name)
    errors = {} if error is None else _list_faults(pipeline, given, error)
    fields = build_form_fields(pipeline, translate, given, errors)
    is_general = error is not None and _find_field(error) not in {each.name for each in fields}
    preview = f"{pipeline.name}/order_preview.html"
    return render_page(
        request,
        "order.html",
        visitor,
        pipeline=pipeline,
        status=status,
        kinds=_list_kinds(pipeline, visitor, translate.language),
        main_fields=[each for each in fields if not each.is_extra],
        folds=group_extra_fields(fields, translate),
        refused_fields=[each for each in fields if each.error],
        general_error=build_refusal(translate, error.code, error.message)
        if error and is_general
        else None,
        estimate=estimate,
        expected=estimate_seconds(api.db, pipeline, api.settings),
        preview=preview if has_template(preview) else None,
        **_build_form_values(request, api, visitor, pipeline, given),
    )


def _build_form_values(
    request: Request, api: Api, visitor: Visitor, pipeline: Pipeline, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Build the form's values other than the order's fields."""
    return {
        "task_id": given.get("task_id") or make_task_id(),
        "profiles": list_profiles(api.db, visitor.owner, pipeline.name),
        "profile": given.get("profile_name") or request.query_params.get("profile", ""),
        "held": list_held_stages(pipeline),
        "is_held": "csrf" not in given or bool(given.get("hold")),
        "sends_mail": api.settings.mail_url is not None,
        "notify": given.get(NOTIFY, ""),
    }


def _list_kinds(here: Pipeline, visitor: Visitor, language: Language) -> list[Mapping[str, Any]]:
    """List what can be ordered, in a word each; for a shop what a person may look at before it is done."""
    default, labels = get_catalog().default.name, list_pipeline_kinds(language)
    return [
        {
            "name": each.name,
            "label": labels[each.name],
            "is_default": each.name == default,
            "is_here": each.name == here.name,
        }
        for each in get_catalog()
        if visitor.is_admin or each.holdable_stages or each.name == here.name
    ]


_SHOWN_ROWS = 200
_PER_PAGE = 60


@router.get("/batches")
def show_batch_form(request: Request, visitor: VisitorDep) -> Response:
    """Show the form that takes a file of orders."""
    return _show_batch_form(request, visitor)


@router.post("/batches")
async def check_or_order(request: Request, api: ApiDep, visitor: VisitorDep) -> Response:
    """Store or price the orders of the file; store none if any row is refused, and list those rows."""
    form = await read_file_form(request, LARGEST_FILE)
    require_order_scope(visitor, form.fields.get("csrf"))
    text = _convert_to_utf8(form.file) or form.fields.get("text", "").encode()
    action = partial(_check_or_submit, request, api, visitor, text, form.fields)
    return await run_in_threadpool(action)


def _check_or_submit(
    request: Request, api: Api, visitor: Visitor, text: bytes, fields: dict[str, str]
) -> Response:
    given = fields.get("batch", "")
    name = given if is_batch_name(given) else make_batch_name()
    check = partial(validate_order, settings=api.settings, by_operator=visitor.is_admin)
    try:
        raws = name_orders(name, parse_batch(text, is_csv=True))
        orders = check_orders(api.db, raws, check, owner=visitor.owner)
        if fields.get("action") != "order":
            price, shown = (
                to_dollars(sum_batch_prices(orders, api.settings)),
                text.decode("utf-8-sig"),
            )
            return _show_batch_form(
                request, visitor, orders=orders, price=price, batch=name, text=shown
            )
        submitted = submit_all(api.db, orders, source=SOURCE, owner=visitor.owner)
    except RefusedOrdersError as error:
        return _show_batch_form(
            request, visitor, refused=error.refused, count=len(raws), status=422
        )
    except InvalidInputError as error:
        return _show_batch_form(request, visitor, error=error, status=422)
    updated = sum(bool(each.updated) for each in submitted)
    told = f"?updated={updated}" if updated else ""
    return guard(RedirectResponse(f"/batches/{name}{told}", 303))


def _convert_to_utf8(content: bytes) -> bytes:
    """Convert the file to UTF-8; Korean Excel saves CSV in code page 949."""
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        with suppress(UnicodeDecodeError):
            return content.decode("cp949").encode()
    return content


def _show_batch_form(
    request: Request,
    visitor: Visitor,
    *,
    error: InvalidInputError | None = None,
    refused: Sequence[RefusedOrder] = (),
    count: int = 0,
    orders: Sequence[CheckedOrder] = (),
    price: float = 0.0,
    batch: str = "",
    text: str = "",
    status: int = 200,
) -> Response:
    translate = get_translator(request)
    return render_page(
        request,
        "batch.html",
        visitor,
        status=status,
        error=build_refusal(translate, error.code, error.message) if error else None,
        refused=[
            (each.location, build_refusal(translate, each.code, each.detail))
            for each in refused[:_SHOWN_ROWS]
        ],
        refused_count=len(refused),
        count=count or len(orders),
        summaries=[each.pipeline.summarize_order(each.payload) for each in orders[:_SHOWN_ROWS]],
        price=price,
        batch=batch,
        text=text,
    )


@router.get("/batches/example.csv")
def download_example(visitor: VisitorDep) -> Response:
    """Return an example file with one order."""
    return guard(
        Response("\ufeff" + build_example_csv(get_catalog(), named=False), media_type="text/csv")
    )


@router.get("/batches/{name}")
def show_batch(
    request: Request,
    name: str,
    api: ApiDep,
    visitor: VisitorDep,
    updated: Annotated[int, Query(ge=0, le=MAX_ORDERS)] = 0,
) -> Response:
    """Show how far the orders of the batch are, and that some of them were there with other options."""
    owner = None if visitor.is_admin else visitor.owner
    counts = count_batch(api.db, name, owner) if is_batch_name(name) else {}
    if not counts:
        raise UnknownRequestError(name)
    wanted = RequestFilter(owner=owner, batch=name)
    found = read_page(api.db, wanted, limit=_PER_PAGE)
    return render_page(
        request,
        "batch_progress.html",
        visitor,
        name=name,
        updated=updated,
        works=found.orders,
        kinds=list_pipeline_kinds(read_language(request)),
        **_sum_counts(counts),
    )


def _sum_counts(counts: Mapping[Status, int]) -> dict[str, Any]:
    total = sum(counts.values())
    ended = sum(count for status, count in counts.items() if status in TERMINAL)
    return {
        "total": total,
        "done": counts.get(Status.COMPLETED, 0),
        "is_over": ended == total,
        "counts": [(status, counts[status]) for status in Status if counts.get(status)],
    }
