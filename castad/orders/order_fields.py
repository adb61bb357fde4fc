"""The options of an order, and JSON from outside."""

import json
from collections.abc import Callable, Mapping
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
from pipeline_defs.fields import check_text
from resources.contract.errors import InvalidInputError
from resources.http.addresses import HostAllowlist
from resources.ledger.request import check_task_id
from resources.process.settings import settings

_LONGEST_LINK = 2000
_PORTS = (None, 443, 8443)
_TIMESTAMP_EXPECTED = "expected a timestamp with its time zone, such as 2030-01-31T09:00:00+09:00"
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = datetime(2200, 1, 1, tzinfo=UTC)


def check_order_options(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The options among `fields`, checked; raises InvalidInputError.

    An option that is missing or None is not in the result: the ledger's default applies.
    """
    given = {name: fields[name] for name in ORDER_OPTIONS if fields.get(name) is not None}
    return {name: ORDER_OPTIONS[name](name, value) for name, value in given.items()}


def _whole_number(low: int, high: int) -> Callable[[str, Any], int]:
    def check(field: str, given: Any) -> int:
        text = str(given) if isinstance(given, int | str) and not isinstance(given, bool) else ""
        usable = text.isascii() and len(text) < 10 and text.removeprefix("-").isdecimal()
        if not usable or not low <= int(text) <= high:
            raise InvalidInputError(field, f"expected a whole number from {low:,} to {high:,}")
        return int(text)

    return check


def parse_timestamp_field(field: str, given: Any) -> datetime:
    """The timestamp in UTC; raises InvalidInputError.

    It is a datetime, as YAML parses one, or text in ISO 8601.
    """
    try:
        moment = given if isinstance(given, datetime) else datetime.fromisoformat(given)
        if moment.tzinfo is not None and _EARLIEST <= moment <= _LATEST:
            return moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InvalidInputError(field, _TIMESTAMP_EXPECTED)


def _schedule(field: str, given: Any) -> datetime:
    """Return the timestamp in milliseconds, as every database keeps it: sent again it is the same."""
    moment = parse_timestamp_field(field, given)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _callback_url(field: str, given: Any) -> str:
    """A public https link; a later call has to resolve and check its host again."""
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


ORDER_OPTIONS: Mapping[str, Callable[[str, Any], Any]] = {
    "task_id": lambda _, given: check_task_id(given),
    "pipeline": lambda _, given: get_catalog().get_pipeline(str(given)).name,
    "priority": _whole_number(-1_000_000, 1_000_000),
    "max_retries": _whole_number(0, 100),
    "not_before": _schedule,
    "callback_url": _callback_url,
    HOLD: parse_hold,
    SECONDS: _whole_number(SHORTEST_SECONDS, LONGEST_SECONDS),
    THEN: parse_hold_then,
}
"""Each option's check, which returns its value."""


_JSON_EXPECTED = "expected JSON text in UTF-8"


def parse_json(text: bytes, field: str) -> Any:
    """The value of a JSON text; raises InvalidInputError, also where parsers disagree about it."""
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
    """The JSON object; raises InvalidInputError for any other value."""
    if not isinstance(content, dict):
        raise InvalidInputError(field, "expected a JSON object")
    return content
