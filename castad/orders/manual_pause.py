"""An operator pauses a provider by hand, and lets it be asked again; both are logged with who did it."""

import logging
import re

from pipeline_defs.fields import normalize_text
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import is_longer_than
from resources.ledger.db.database import Database
from resources.ledger.transitions.housekeeping import pause_provider, resume_provider
from resources.process.configure_logging import LOG_FIELDS
from resources.providers.vendor import VENDORS

USUAL_PAUSE = "1h"
LONGEST_REASON = 200
_PAUSE = re.compile(r"([1-9][0-9]{0,3})([mhd])")
_SECONDS = {"m": 60, "h": 3600, "d": 86_400}
_MOST_SECONDS = 30 * 86_400
_log = logging.getLogger("castad.pause")


def pause_seconds(field: str, text: str) -> int:
    """The seconds of a text such as `30m`, `1h` or `2d`; raises InvalidInputError."""
    found = _PAUSE.fullmatch(text)
    seconds = int(found[1]) * _SECONDS[found[2]] if found else 0
    if not 0 < seconds <= _MOST_SECONDS:
        raise InvalidInputError(field, "expected a time such as 30m, 1h or 2d, up to 30d")
    return seconds


def pause_by_hand(db: Database, provider: str, seconds: int, by: str, reason: str = "") -> None:
    """Nothing is submitted to the provider for this long, or longer where it is paused already; orders wait.

    Raises InvalidInputError.
    """
    if provider not in VENDORS:
        raise InvalidInputError("provider", f"expected one of {', '.join(VENDORS)}")
    why = _checked_reason(reason)
    pause_provider(db, provider, f"paused by {by}" + (f": {why}" if why else ""), seconds)
    _log.info("paused", extra={LOG_FIELDS: {"provider": provider, "by": by, "seconds": seconds}})


def resume_by_hand(db: Database, provider: str, by: str) -> bool:
    """The provider may be asked at once; False if it was not paused."""
    was_paused = resume_provider(db, provider)
    if was_paused:
        _log.info("resumed", extra={LOG_FIELDS: {"provider": provider, "by": by}})
    return was_paused


def _checked_reason(reason: str) -> str:
    try:
        checked = " ".join(normalize_text(reason).split())
    except ValueError as error:
        raise InvalidInputError("reason", str(error)) from None
    if is_longer_than(checked, LONGEST_REASON):
        raise InvalidInputError("reason", f"expected text of at most {LONGEST_REASON} characters")
    return checked
