"""The deadline of a stage: how many seconds an attempt waits for it."""

from resources.contract.errors import TransientError
from resources.contract.stage_options import StageSettings
from resources.ledger.failures import STAGE_TIMEOUT


def timeout_error(stage: StageSettings, subject: str) -> TransientError:
    """The error of a stage whose deadline is over; `subject` is what did not finish."""
    return TransientError(
        f"{stage.name}: {subject} did not finish within {stage.deadline:g} s", code=STAGE_TIMEOUT
    )
