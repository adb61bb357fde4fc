"""The options by which an order waits for a person."""

from typing import Any

import pytest

from castad.orders.orders_file import CheckedOrder, check_order
from resources.contract.errors import InvalidInputError
from tests.song_video import SONG_VIDEO

STAGES = "expected stages of song_video before its last one: lyric, song, got"


def order(**options: Any) -> CheckedOrder:
    return check_order({**SONG_VIDEO.example, **options})


@pytest.mark.parametrize("given", [["lyric", "song"], "lyric,song", " lyric , song,,lyric "])
def test_stages_are_a_list_or_a_text_with_commas(given):
    assert order(hold=given).hold == "lyric,song"


@pytest.mark.parametrize("given", [[], "", ",", None])
def test_order_without_a_stage_is_not_held(given):
    assert not order(hold=given).hold


def test_order_is_canceled_where_nobody_acts_in_time_unless_it_says_otherwise():
    assert order(hold="lyric", hold_seconds=60).hold_then == "cancel"
    assert order(hold="lyric", hold_seconds=60, hold_then="continue").hold_then == "continue"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"hold": ["video"]}, f"hold: {STAGES} 'video'"),
        ({"hold": "nothing"}, f"hold: {STAGES} 'nothing'"),
        ({"hold": 3}, "hold: expected a list of stages"),
        ({"hold": [3]}, "hold: expected a list of stages"),
        ({"hold_seconds": 60}, "hold_seconds: expected only with hold"),
        ({"hold_then": "cancel"}, "hold_then: expected only with hold"),
        ({"hold": "lyric", "hold_then": "cancel"}, "hold_then: expected only with hold_seconds"),
        (
            {"hold": "lyric", "hold_seconds": 59},
            "hold_seconds: expected a whole number from 60 to 2,592,000",
        ),
        (
            {"hold": "lyric", "hold_seconds": 60, "hold_then": "stop"},
            "hold_then: expected continue or cancel",
        ),
    ],
)
def test_hold_that_cannot_be_is_refused(options, sentence):
    with pytest.raises(InvalidInputError) as refused:
        order(**options)
    assert refused.value.message == sentence


def test_order_that_is_answered_at_once_is_not_held():
    with pytest.raises(InvalidInputError, match="hold: expected none: no stage of scan waits"):
        check_order({"pipeline": "scan", "note": "a bottle", "user_id": "me", "hold": "see"})
