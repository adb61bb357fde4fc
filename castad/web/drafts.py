"""Unsent order forms: kept at the server with their pictures until they are ordered or cleared.

What is wrong with one is found again each time it is shown, so that it is said in the page's language.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from pydantic import ValidationError

from castad.api.auth import find_readable_order
from castad.api.forms import BODY, parse_nested_fields
from castad.api.problems import ApiError
from castad.api.state import Api
from castad.orders.order_fields import NOTIFY, check_profile, check_profile_name
from castad.orders.submit import LARGEST_ORDER, validate_order
from castad.web.forms import extract_order
from castad.web.pages import Visitor
from castad.web.words import Refusal, Translator, build_refusal
from pipeline_defs.capabilities import get_form_values
from pipeline_defs.fields import list_input_errors, list_order_fields
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import CastadError, InvalidInputError
from resources.ledger.queries.access import find_draft, find_profile
from resources.ledger.request import format_payload
from resources.ledger.transitions.access import save_draft

ACTION = "action"
"""The form's field with the pressed button; no order has it."""
PROFILE = "profile"
PROFILE_NAME = "profile_name"
_SOURCES = ("like", "profile")
"""Queries that fill in a form again."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a form: `field` is "" for the whole form, `file` names the picture that is meant."""

    field: str
    code: str
    detail: str
    file: str = ""


@dataclass(frozen=True)
class Draft:
    """A form as it was sent.

    `files` are the names of its pictures' files by reference, `source` is the query that filled it in at first,
    and `faults` are those that no later check can find.
    """

    given: Mapping[str, Any]
    files: Mapping[str, str] = field(default_factory=dict)
    faults: Sequence[Fault] = ()
    source: str = ""


def read_source(request: Request) -> str:
    """Return the part of the address's query that fills in the form."""
    given = request.query_params
    return urlencode({name: given[name] for name in _SOURCES if name in given})


def find_form(request: Request, api: Api, visitor: Visitor, pipeline: Pipeline) -> Draft:
    """Find the form to show: an order or a profile that the address names begins another than the unsent one."""
    source, kept = read_source(request), read_draft(api, visitor, pipeline)
    if kept is not None and source in ("", kept.source):
        return kept
    query, given = request.query_params, get_form_values(pipeline)
    if "like" in query:
        given = find_readable_order(api, visitor.key, query["like"]).order() or {}
    if "profile" in query:
        profile = find_profile(api.db, visitor.owner, pipeline.name, query["profile"])
        given = {**given, **(profile.fields if profile else {})}
    return Draft(given, source=source)


def keep_draft(api: Api, visitor: Visitor, pipeline: Pipeline, draft: Draft) -> None:
    """Keep the form in place of an earlier one; raise ApiError `too_large`."""
    # A browser sends nothing of a switch that is off.
    off = {each.name: "" for each in list_order_fields(pipeline.order_model) if each.is_flag}
    given = {name: value for name, value in draft.given.items() if name != "csrf"}
    kept = asdict(replace(draft, given={**off, **given}))
    if len(format_payload(kept).encode()) > LARGEST_ORDER:
        expected = f"{BODY}: expected at most {LARGEST_ORDER / 1_000_000:g} MB of text"
        raise ApiError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", expected, field=BODY)
    save_draft(api.db, visitor.owner, pipeline.name, kept)


def read_draft(api: Api, visitor: Visitor, pipeline: Pipeline) -> Draft | None:
    """Read the owner's unsent form of the pipeline; return None if there is none."""
    kept = find_draft(api.db, visitor.owner, pipeline.name)
    if not kept:
        return None
    return Draft(**{**kept, "faults": tuple(Fault(**each) for each in kept["faults"])})


def make_fault(error: CastadError, given: Mapping[str, Any], file: str = "") -> Fault:
    """Describe the error of a form."""
    named = str(getattr(error, "field", None) or "").partition("[")[0]
    if named == "name" and given.get(ACTION) == PROFILE:
        named = PROFILE_NAME
    return Fault(named, error.code, error.message, file)


def list_faults(api: Api, visitor: Visitor, pipeline: Pipeline, draft: Draft) -> list[Fault]:
    """List all that is wrong with the form: what its checks find, and what it was refused for when it was sent."""
    found = [make_fault(each, draft.given) for each in _find_errors(api, visitor, pipeline, draft)]
    return [*dict.fromkeys((*found, *draft.faults))]


def _find_errors(
    api: Api, visitor: Visitor, pipeline: Pipeline, draft: Draft
) -> Iterator[InvalidInputError]:
    parsed: dict[str, Any] = {}
    damaged = []
    for name, value in draft.given.items():
        try:
            parsed |= parse_nested_fields({name: value}, pipeline)
        except InvalidInputError as error:
            damaged.append(name)
            yield error
    order = extract_order(pipeline, parsed)
    if draft.given.get(ACTION) == PROFILE:
        yield from _find_profile_errors(pipeline, order, draft)
        return
    is_valid = not damaged
    try:
        pipeline.order_model.model_validate(order)
    except InvalidInputError as error:
        is_valid = False
        yield error
    except ValidationError as refused:
        is_valid = False
        known = tuple(pipeline.order_model.model_fields)
        yield from (each for each in list_input_errors(refused, known) if each.field not in damaged)
    if is_valid:
        try:
            whole = build_order(pipeline, parsed)
            validate_order(whole, api.settings, by_operator=visitor.is_admin)
        except InvalidInputError as error:
            yield error


def _find_profile_errors(
    pipeline: Pipeline, order: Mapping[str, Any], draft: Draft
) -> Iterator[InvalidInputError]:
    """Find what is wrong with a profile, which need not be a whole order."""
    try:
        check_profile_name(str(draft.given.get(PROFILE_NAME, "")))
    except InvalidInputError as error:
        yield error
    try:
        check_profile(pipeline, order)
    except InvalidInputError as error:
        yield error


def build_order(pipeline: Pipeline, given: Mapping[str, Any]) -> dict[str, Any]:
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


def build_refusals(translate: Translator, faults: Sequence[Fault]) -> dict[str, list[Refusal]]:
    """Build what the page says of the faults, by field."""
    refusals: dict[str, list[Refusal]] = {}
    for each in faults:
        refusal = build_refusal(translate, each.code, each.detail)
        refusals.setdefault(each.field, []).append(replace(refusal, file=each.file))
    return refusals
