"""Check the options of an order, JSON from outside, and the fields of a profile."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from castad.orders.approval import (
    HOLD,
    LONGEST_SECONDS,
    SECONDS,
    SHORTEST_SECONDS,
    THEN,
    parse_hold,
    parse_hold_then,
)
from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import check_text, list_order_fields, normalize_line, normalize_text
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import is_longer_than
from resources.delivery.mail import MAIL_OFF, SCHEME
from resources.http.addresses import HostAllowlist
from resources.ledger.request import check_task_id
from resources.process.setting_types import MAIL_ADDRESS
from resources.process.settings import settings

NOTIFY = "notify"
_LONGEST_LINK = 2000
_PORTS = (None, 443, 8443)
_TIMESTAMP_EXPECTED = "expected a timestamp with its time zone, such as 2030-01-31T09:00:00+09:00"
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = datetime(2200, 1, 1, tzinfo=UTC)


def check_order_options(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Check the options among `fields` and return them; raise InvalidInputError.

    An option that is missing or None is not in the result: the ledger's default applies. `notify` becomes the
    `callback_url` mailto:.
    """
    given = {name: fields[name] for name in ORDER_OPTIONS if fields.get(name) is not None}
    checked = {name: ORDER_OPTIONS[name](name, value) for name, value in given.items()}
    if NOTIFY in checked:
        if "callback_url" in checked:
            raise InvalidInputError(
                NOTIFY, "expected no callback_url beside it: one is told, not both"
            )
        checked["callback_url"] = checked.pop(NOTIFY)
    return checked


def _make_whole_number_check(low: int, high: int) -> Callable[[str, Any], int]:
    def check(field: str, given: Any) -> int:
        text = str(given) if isinstance(given, int | str) and not isinstance(given, bool) else ""
        usable = text.isascii() and len(text) < 10 and text.removeprefix("-").isdecimal()
        if not usable or not low <= int(text) <= high:
            raise InvalidInputError(field, f"expected a whole number from {low:,} to {high:,}")
        return int(text)

    return check


def parse_timestamp_field(field: str, given: Any) -> datetime:
    """Parse a timestamp with a time zone to UTC; raise InvalidInputError.

    `given` is text in ISO 8601, or a datetime as YAML parses it.
    """
    try:
        moment = given if isinstance(given, datetime) else datetime.fromisoformat(given)
        if moment.tzinfo is not None and _EARLIEST <= moment <= _LATEST:
            return moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InvalidInputError(field, _TIMESTAMP_EXPECTED)


def _parse_schedule(field: str, given: Any) -> datetime:
    """Parse a timestamp and cut it to milliseconds, as every database stores it, so that a repeat is equal."""
    moment = parse_timestamp_field(field, given)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _check_callback_url(field: str, given: Any) -> str:
    """Check that the link is public and https; whoever calls it must resolve and check its host again."""
    expected = "expected a link that begins with https://"
    if not isinstance(given, str) or not 0 < len(given) <= _LONGEST_LINK:
        raise InvalidInputError(field, expected)
    try:
        check_text(given)
    except ValueError as error:
        raise InvalidInputError(field, str(error)) from None
    refusal = HostAllowlist(settings().allow_hosts).find_url_problem(given)
    if refusal is None and not settings().allow_hosts and urlsplit(given).port not in _PORTS:
        refusal = "expected port 443 or 8443"
    if refusal is not None:
        raise InvalidInputError(field, refusal)
    return given


def _check_address(field: str, given: Any) -> str:
    """Check that this is one e-mail address and that this castad sends mail; return it as a `callback_url`."""
    if not isinstance(given, str) or not MAIL_ADDRESS.fullmatch(given):
        raise InvalidInputError(field, "expected one e-mail address, such as owner@shop.example")
    if settings().mail_url is None:
        raise InvalidInputError(
            field, "expected no address, because this castad sends no mail", code=MAIL_OFF
        )
    return f"{SCHEME}{given}"


ORDER_OPTIONS: Mapping[str, Callable[[str, Any], Any]] = {
    "task_id": lambda _, given: check_task_id(given),
    "pipeline": lambda _, given: get_catalog().get_pipeline(str(given)).name,
    "priority": _make_whole_number_check(-1_000_000, 1_000_000),
    "max_retries": _make_whole_number_check(0, 100),
    "not_before": _parse_schedule,
    "callback_url": _check_callback_url,
    NOTIFY: _check_address,
    HOLD: parse_hold,
    SECONDS: _make_whole_number_check(SHORTEST_SECONDS, LONGEST_SECONDS),
    THEN: parse_hold_then,
}
"""The check of each option, which returns its value."""


_JSON_EXPECTED = "expected JSON text in UTF-8"


def parse_json(text: bytes, field: str) -> Any:
    """Parse JSON text in UTF-8; raise InvalidInputError, also for text that parsers read differently."""
    try:
        return json.loads(
            text.decode("utf-8-sig"),
            parse_constant=partial(_refuse_constant, field),
            object_pairs_hook=partial(_refuse_duplicate_members, field),
        )
    except (ValueError, RecursionError):
        raise InvalidInputError(field, _JSON_EXPECTED) from None


def _refuse_constant(field: str, name: str) -> Any:
    raise InvalidInputError(field, f"expected JSON, in which {name} is not valid")


def _refuse_duplicate_members(field: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise InvalidInputError(field, "expected each member of an object only once")
    return members


def require_object(content: Any, field: str) -> Mapping[str, Any]:
    """Return the value if it is a JSON object; raise InvalidInputError otherwise."""
    if not isinstance(content, dict):
        raise InvalidInputError(field, "expected a JSON object")
    return content


_LONGEST_NAME = 80
_MOST_LEVELS = 20


def check_profile_name(given: str) -> str:
    """Check a profile's name for use in a path, and strip it; raise InvalidInputError."""
    name = check_sought_name(given)
    if "/" in name or not name.strip("."):
        # Clients would resolve it to another path, and no call would reach the profile.
        raise InvalidInputError("name", "expected a name without / that is not of dots alone")
    return name


def check_sought_name(given: str) -> str:
    """Check a name that a caller looks for, and strip it; raise InvalidInputError."""
    try:
        name = normalize_line(given)
    except ValueError:
        name = ""
    if not name or is_longer_than(name, _LONGEST_NAME):
        raise InvalidInputError("name", f"expected 1 to {_LONGEST_NAME} characters in one line")
    return name


def check_profile(pipeline: Pipeline, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check that all fields belong to the pipeline's order and hold plain text; raise InvalidInputError."""
    known = [each.name for each in list_order_fields(pipeline.order_model)]
    for name, value in given.items():
        if name not in known:
            raise InvalidInputError(
                name.encode(errors="replace").decode()[:40], f"expected one of {', '.join(known)}"
            )
        try:
            for text in _list_texts(value):
                normalize_text(text)
        except ValueError as error:
            raise InvalidInputError(name, str(error)) from None
    return dict(given)


def _list_texts(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON value, with the names of members; raise ValueError for too many levels."""
    left = [(value, 1)]
    while left:
        each, level = left.pop()
        if level > _MOST_LEVELS:
            raise ValueError(f"expected at most {_MOST_LEVELS} levels of lists and objects")
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            left += [(inner, level + 1) for inner in (*each, *each.values())]
        elif isinstance(each, list):
            left += [(inner, level + 1) for inner in each]
