"""What buys, may buy twice or cannot be undone: asked once, done once, and said afterwards."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from typing import Any

import pytest

from castad.web.words import Translator
from resources.ledger.queries.money import read_pauses
from resources.ledger.queries.status import list_event_views
from resources.ledger.rules import FailureAction
from resources.ledger.transitions.housekeeping import pause_provider
from tests.api_house import BRIEF, House
from tests.page_visitor import PageVisitor, log_in, question_in

Reach = Callable[[House], Any]


@pytest.fixture
def operator(house: House) -> PageVisitor:
    return log_in(house, "admin", "admin")


def _ordered(house: House) -> None:
    house.steps.order("r", dict(BRIEF), owner="admin")


def _dead(house: House) -> None:
    _ordered(house)
    lease = house.steps.take("r")
    house.steps.begin(lease)
    house.steps.fail(lease, FailureAction.DEAD_LETTER)


def _done(house: House) -> None:
    _ordered(house)
    house.steps.make_all(house.steps.take("r"))


def _held(house: House) -> None:
    house.steps.order("r", dict(BRIEF), owner="admin", hold="lyric")
    lease = house.steps.take("r")
    house.steps.make_stage(lease, "lyric")
    house.steps.meets_hold(lease, "song")


def _in_doubt(house: House) -> None:
    house.steps.lost_for_good("r")


ACTS: dict[str, tuple[Reach, str, dict[str, str], str]] = {
    "retry": (_dead, "/works/r/retry", {}, "retried"),
    "redo": (_done, "/works/r/redo", {"stage": "video"}, "redone"),
    "another way": (
        _done,
        "/works/r/redo",
        {"stage": "video", "field": "orientation", "value": "horizontal"},
        "redone",
    ),
    "other words": (_held, "/works/r/redo", {"stage": "lyric"}, "redone"),
    "cancel": (_ordered, "/works/r/cancel", {}, "canceled"),
    "reject": (_held, "/works/r/reject", {}, "rejected"),
    "retry on the dashboard": (_dead, "/dashboard/r/retry", {}, "retried"),
    "redo on the dashboard": (_done, "/dashboard/r/redo", {"stage": "song"}, "redone"),
    "cancel on the dashboard": (_ordered, "/dashboard/r/cancel", {}, "canceled"),
    "submit again": (_in_doubt, "/dashboard/r/resolve", {"choice": "resubmit"}, "resolved"),
    "give up": (_in_doubt, "/dashboard/r/resolve", {"choice": "give_up"}, "resolved"),
}


def times(house: House, event: str) -> int:
    events = list_event_views(house.db, house.steps.row("r"))
    return sum(each.type == event for each in events)


@pytest.mark.parametrize(("reach", "path", "form", "event"), ACTS.values(), ids=ACTS)
def test_act_is_asked_for_with_price_or_consequence_done_once_and_told(
    house, operator, reach, path, form, event
):
    """It is sent by taps at once, and by a reload after the order has come further."""
    reach(house)
    before = house.steps.row("r")
    name = form.get("choice", path.rpartition("/")[2])
    for language in ("ko", "en"):
        page = operator.post(f"{path}?lang={language}", form)
        asked = unescape(page.text[page.text.index("asked") :])
        start = Translator(language)(f"ask_{name}_means").partition("{")[0]  # type: ignore[arg-type]
        assert start in asked
        assert name == "reject" or "$" in asked
    assert (house.steps.row("r"), times(house, event)) == (before, 0)
    address, answer = question_in(operator.post(path, form))
    cookies = dict(operator.http.cookies)
    with ThreadPoolExecutor(3) as pool:
        sent = [
            pool.submit(operator.http.post, address, data=answer, cookies=cookies) for _ in "abc"
        ]
    answers = [each.result() for each in sent]
    assert {each.status_code for each in answers} == {303}
    assert times(house, event) == 1
    [done, *_] = [
        each.headers["location"] for each in answers if "did=before" not in each.headers["location"]
    ]
    for language in ("ko", "en"):
        page = operator.get(f"{done}&lang={language}").text
        assert Translator(language)(f"did_{name}") in unescape(page)  # type: ignore[arg-type]
    house.steps.sql("UPDATE requests SET hold = NULL")
    if house.steps.row("r").status == "pending":
        house.steps.make_all(house.steps.take("r"))
    again = operator.http.post(address, data=answer)
    assert again.headers["location"].endswith("did=before")
    assert times(house, event) == 1


@pytest.mark.parametrize("verb", ["retry", "redo", "resolve", "cancel"])
def test_act_that_would_be_refused_is_not_asked_for(house, operator, verb):
    reach = _done if verb == "cancel" else _ordered
    reach(house)
    form = {"stage": "lyric", "choice": "resubmit"}
    assert operator.post(f"/dashboard/r/{verb}", form).status_code in (404, 409)


def test_deletion_is_asked_for_and_repeated_without_harm(house, operator):
    _dead(house)
    address, answer = question_in(operator.post("/dashboard/r/delete", {}))
    assert operator.http.post(address, data=answer).headers["location"] == "/dashboard"
    assert operator.http.post(address, data=answer).status_code == 404


def test_paused_vendor_is_used_again_after_a_question(house, operator):
    pause_provider(house.db, "suno", "no credits", 600)
    address, answer = question_in(operator.post("/dashboard/-/system/resume", {"provider": "suno"}))
    assert read_pauses(house.db)
    assert operator.http.post(address, data=answer).status_code == 303
    assert read_pauses(house.db) == []
