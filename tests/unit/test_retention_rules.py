"""What may go: never what is alive, in doubt or untold, and nothing before its days are over."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.ledger.retention_rules import (
    EndedRequest,
    Hold,
    KeepDays,
    KeepTimes,
    Part,
    explain_kept,
)
from resources.ledger.schema.tables import TERMINAL, Status

NOW = datetime(2030, 1, 31, tzinfo=UTC)
SETTINGS: KeepDays = {"runs": 30, "failed_runs": 90, "files": 60, "dead": 80, "requests": 400}
TIMES = KeepTimes(SETTINGS, {"short": {"files": 1, "requests": 2}})


def ended(status: Status, days: float, pipeline: str = "", **facts: bool) -> EndedRequest:
    past = NOW - timedelta(days=days)
    known = {"is_in_doubt": False, "is_untold": False, **facts}
    return EndedRequest(1, "a", pipeline, status, past, past, **known)


@given(
    st.sampled_from(Status),
    st.sampled_from(Part),
    st.sampled_from(["", "short", "another"]),
    st.floats(0, 10_000),
    st.booleans(),
    st.booleans(),
)
def test_only_what_has_ended_is_settled_and_told_ever_goes(
    status, part, pipeline, days, in_doubt, untold
):
    request = ended(status, days, pipeline, is_in_doubt=in_doubt, is_untold=untold)
    if explain_kept(request, part, TIMES, NOW) is None:
        assert status in TERMINAL
        assert not in_doubt
        assert not untold
        assert days >= TIMES.days(pipeline, status, part) >= TIMES.shortest(status, part)


@pytest.mark.parametrize(
    ("status", "part", "pipeline", "kept"),
    [
        (Status.COMPLETED, Part.LOG, "", 30),
        (Status.DEAD, Part.LOG, "", 90),
        (Status.CANCELED, Part.LOG, "", 90),
        (Status.COMPLETED, Part.FILES, "", 60),
        (Status.COMPLETED, Part.FILES, "short", 1),
        (Status.COMPLETED, Part.REQUEST, "", 400),
        (Status.CANCELED, Part.REQUEST, "short", 2),
        (Status.DEAD, Part.REQUEST, "short", 80),
    ],
)
def test_each_part_goes_when_its_days_are_over(status, part, pipeline, kept):
    assert explain_kept(ended(status, kept - 0.01, pipeline), part, TIMES, NOW) is Hold.YOUNG
    assert explain_kept(ended(status, kept + 0.01, pipeline), part, TIMES, NOW) is None
