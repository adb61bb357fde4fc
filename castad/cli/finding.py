"""A finding of `castad doctor`."""

from collections.abc import Callable
from dataclasses import dataclass

from resources.contract.errors import CastadError
from resources.http.vendor_client import NotSentError
from resources.ledger.db.sqlite_file import DatabaseFileError
from studio.errors import StudioError


@dataclass(frozen=True)
class Finding:
    """The result of one check. One that is not `fine` and has `broken` False is only a notice."""

    check: str
    fine: bool
    message: str
    remedy: str = ""
    broken: bool = True


def run_check(check: str, probe: Callable[[], str], remedy: str) -> Finding:
    """The finding that the probe's sentence is, or the error that it raises."""
    try:
        return Finding(check, True, probe())
    except NotSentError as error:
        message, _, own_remedy = error.message.partition("; ")
        return Finding(check, False, message, own_remedy)
    except Exception as error:  # noqa: BLE001 - every error is a finding
        return Finding(check, False, _describe_error(error), remedy)


def _describe_error(error: Exception) -> str:
    if isinstance(error, DatabaseFileError):
        return error.sentence
    if isinstance(error, (CastadError, StudioError)):
        return error.message
    return f"{type(error).__name__}: {error}"[:200]
