"""The pages on which orders are made: one by a form, many by a file."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from castad.api.forms import (
    Form,
    parse_nested_fields,
    read_unparsed_form,
    store_usable_pictures,
)
from castad.api.order_schema import build_example_csv
from castad.api.orders import SOURCE, parse_batch, submit_fields, sum_batch_prices
from castad.api.problems import ApiError
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
from castad.web.drafts import (
    ACTION,
    PROFILE,
    PROFILE_NAME,
    Draft,
    build_order,
    build_refusals,
    find_form,
    keep_draft,
    list_faults,
    list_held_stages,
    make_fault,
    read_draft,
    read_source,
)
from castad.web.forms import (
    PICTURE_LIMITS,
    build_form_fields,
    extract_order,
    group_extra_fields,
    read_file_form,
)
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
from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import UPLOAD
from pipeline_defs.pipeline import Pipeline, Remark
from resources.contract.errors import CastadError, InvalidInputError
from resources.files.pictures import (
    build_image_reference,
    encode_thumbnail,
    get_picture_source,
    get_picture_type,
)
from resources.ledger.ledger_errors import (
    ConflictError,
    IllegalTransitionError,
    UnknownRequestError,
)
from resources.ledger.queries.access import list_profiles
from resources.ledger.queries.listing import RequestFilter, count_batch
from resources.ledger.request import make_task_id
from resources.ledger.schema.tables import TERMINAL, Status
from resources.ledger.transitions.access import delete_draft, save_profile
from resources.views.order_body import to_dollars

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_THUMBNAIL_SIDE = 256


@dataclass(frozen=True)
class Estimate:
    """What an order costs and how long it usually takes; `remarks` are soft warnings."""

    usd: float
    seconds: float
    remarks: tuple[str, ...] = ()


@router.get("/")
def show_default_form(request: Request, api: ApiDep, visitor: VisitorDep) -> Response:
    """Show the form of the default pipeline."""
    pipeline = get_catalog().default
    return _show_form(request, api, visitor, pipeline, find_form(request, api, visitor, pipeline))


@router.get("/order/{name}")
def show_order_form(
    request: Request, name: str, api: ApiDep, visitor: VisitorDep, price: bool = False
) -> Response:
    """Show the form of a pipeline: the unsent one, or one that is filled from an order or a profile."""
    pipeline = _get_pipeline(name)
    draft = find_form(request, api, visitor, pipeline)
    return _show_form(request, api, visitor, pipeline, draft, is_priced=price)


@router.get("/order/{name}/pictures/{digest}")
async def show_picture(
    request: Request, name: str, digest: str, api: ApiDep, visitor: VisitorDep, whole: bool = False
) -> Response:
    """Show an uploaded picture of the form at this address: small, or whole for a script that turns it."""
    pipeline = _get_pipeline(name)
    draft = await run_in_threadpool(find_form, request, api, visitor, pipeline)
    reference = f"upload:{digest}"
    is_there = any(reference in (draft.given.get(each) or ()) for each in pipeline.uploads)
    if not is_there or not UPLOAD.fullmatch(reference):
        raise UnknownRequestError(digest[:80])
    path = get_picture_source(api.settings).open(build_image_reference(reference, "picture"))
    if whole:
        return guard(FileResponse(path, media_type=get_picture_type(path)))
    small = partial(encode_thumbnail, path, "picture", _THUMBNAIL_SIDE)
    content = await to_thread.run_sync(small, limiter=api.picture_threads)
    return guard(Response(content, media_type="image/jpeg"))


def _get_pipeline(name: str) -> Pipeline:
    found = get_catalog().find_pipeline(name)
    if found is None:
        raise UnknownRequestError(name)
    return found


@router.post("/order/{name}")
async def submit_order(request: Request, name: str, api: ApiDep, visitor: VisitorDep) -> Response:
    """Store the order and redirect to its page; or keep the form, and redirect to it and what is wrong with it."""
    pipeline = _get_pipeline(name)
    form = await read_unparsed_form(request, pipeline)
    require_order_scope(visitor, form.fields.get("csrf"))
    # Browsers send an empty file for a field in which none was chosen.
    chosen = {name: [each for each in sent if each.content] for name, sent in form.files.items()}
    files = {name: sent for name, sent in chosen.items() if sent}
    given = {ACTION: "order", **form.fields}
    names: Mapping[str, str] = {}
    try:
        stored = await store_usable_pictures(api, visitor.key, Form(form.fields, files))
    except ApiError as error:
        faults = [make_fault(error, given)]
    else:
        given, names = {**given, **stored.fields}, stored.names
        faults = [make_fault(error, given, file) for file, error in stored.refused]
    once = {each: [*dict.fromkeys(given[each])] for each in pipeline.uploads if each in given}
    draft = Draft({**given, **once}, names, faults, read_source(request))
    return await run_in_threadpool(_act, request, api, visitor, pipeline, draft)


def _act(
    request: Request, api: Api, visitor: Visitor, pipeline: Pipeline, draft: Draft
) -> Response:
    """Perform the pressed button's action and redirect."""
    action, here = draft.given.get(ACTION), f"/order/{pipeline.name}"
    if action == "clear":
        delete_draft(api.db, visitor.owner, pipeline.name)
        return guard(RedirectResponse(_add_query(here, draft.source), 303))
    asked = "price=yes" if action == "price" else ""
    if not asked and not draft.faults:
        try:
            address = _perform(request, api, visitor, pipeline, draft.given)
        except (InvalidInputError, ConflictError, IllegalTransitionError) as error:
            draft = _refuse(api, visitor, pipeline, draft, error)
        else:
            delete_draft(api.db, visitor.owner, pipeline.name)
            return guard(RedirectResponse(address, 303))
    before = read_draft(api, visitor, pipeline)
    names = {**(before.files if before else {}), **draft.files}
    used = {each for name in pipeline.uploads for each in draft.given.get(name, ())}
    files = {each: name for each, name in names.items() if each in used}
    keep_draft(api, visitor, pipeline, replace(draft, files=files))
    return guard(RedirectResponse(_add_query(here, draft.source, asked), 303))


def _add_query(path: str, *queries: str) -> str:
    return "?".join(each for each in (path, "&".join(filter(None, queries))) if each)


def _refuse(
    api: Api, visitor: Visitor, pipeline: Pipeline, draft: Draft, error: CastadError
) -> Draft:
    """Note the error if no later check of the form finds it."""
    if isinstance(error, ConflictError):
        # The next try is another order.
        draft = replace(draft, given={**draft.given, "task_id": make_task_id()})
    fault = make_fault(error, draft.given)
    found = list_faults(api, visitor, pipeline, draft)
    return draft if fault in found else replace(draft, faults=(fault,))


def _perform(
    request: Request, api: Api, visitor: Visitor, pipeline: Pipeline, given: Mapping[str, Any]
) -> str:
    """Keep the form as a profile or order it; return the address to go on at. Raise the error of a wrong form."""
    parsed = parse_nested_fields(given, pipeline)
    if given.get(ACTION) == PROFILE:
        name = check_profile_name(str(given.get(PROFILE_NAME, "")))
        fields = check_profile(pipeline, extract_order(pipeline, parsed))
        save_profile(api.db, visitor.owner, pipeline.name, name, fields)
        return f"/order/{pipeline.name}?{urlencode({'profile': name})}"
    task = {"task_id": given["task_id"]} if given.get("task_id") else {}
    receipt = submit_fields(api, visitor.key, {**build_order(pipeline, parsed), **task})
    request.state.task_id = receipt.task_id
    return f"/works/{receipt.task_id}"


@router.post("/order/{name}/estimate")
async def estimate_order(request: Request, name: str, api: ApiDep, visitor: VisitorDep) -> Response:
    """Return the price of this form's order as JSON, or the error and its field."""
    pipeline = _get_pipeline(name)
    form = await read_unparsed_form(request, pipeline)
    require_order_scope(visitor, form.fields.get("csrf"))
    try:
        fields = build_order(pipeline, parse_nested_fields(form.fields, pipeline))
        found = await run_in_threadpool(_estimate, api, visitor, fields, read_language(request))
    except InvalidInputError as error:
        said = build_refusal(get_translator(request, name), error.code, error.message)
        remark = f"{said.sentence} {said.detail}".strip()
        return JSONResponse({"field": make_fault(error, {}).field, "remarks": [remark]})
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


def _show_form(
    request: Request,
    api: Api,
    visitor: Visitor,
    pipeline: Pipeline,
    draft: Draft,
    *,
    is_priced: bool = False,
) -> Response:
    translate = get_translator(request, pipeline.name)
    is_sent = ACTION in draft.given
    faults = list_faults(api, visitor, pipeline, draft) if is_sent else []
    refusals = build_refusals(translate, faults)
    fields = build_form_fields(pipeline, translate, draft.given, refusals)
    estimate = None
    if is_priced and not faults:
        with suppress(InvalidInputError):  # of a form that has nothing in it yet
            order = build_order(pipeline, parse_nested_fields(draft.given, pipeline))
            estimate = _estimate(api, visitor, order, translate.language)
    preview = f"{pipeline.name}/order_preview.html"
    labels = {
        **{each.name: each.label for each in fields},
        **{PROFILE_NAME: translate(PROFILE_NAME), NOTIFY: translate("notify_by_mail")},
    }
    return render_page(
        request,
        "order.html",
        visitor,
        pipeline=pipeline,
        kinds=_list_kinds(pipeline, visitor, translate.language),
        main_fields=[each for each in fields if not each.is_extra],
        folds=group_extra_fields(fields, translate),
        is_sent=is_sent,
        refusals=[
            (name if name in labels else "", labels.get(name, ""), each)
            for name, found in refusals.items()
            for each in found
        ],
        profile_errors=refusals.get(PROFILE_NAME, ()),
        notify_errors=refusals.get(NOTIFY, ()),
        sends_mail=api.settings.mail_url is not None,
        notify=draft.given.get(NOTIFY, ""),
        query=draft.source,
        files=draft.files,
        limits=PICTURE_LIMITS,
        estimate=estimate,
        expected=estimate_seconds(api.db, pipeline, api.settings),
        preview=preview if has_template(preview) else None,
        task_id=draft.given.get("task_id") or make_task_id(),
        profiles=list_profiles(api.db, visitor.owner, pipeline.name),
        profile=draft.given.get(PROFILE_NAME) or request.query_params.get(PROFILE, ""),
        held=list_held_stages(pipeline),
        is_held=bool(draft.given.get("hold")) or not is_sent,
    )


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
