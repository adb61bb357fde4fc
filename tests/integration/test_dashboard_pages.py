"""The operators' dashboard without JavaScript: who may see it, its numbers, its filters, and every act."""

import re
from collections.abc import Callable

import httpx
import pytest

from castad.web.words import Translator
from resources.delivery.engine import Decision
from resources.delivery.spool import Entry, open_spool
from resources.ledger.queries.access import list_keys
from resources.ledger.queries.hours import StageFigures
from resources.ledger.queries.money import list_submissions, read_pauses
from resources.ledger.queries.status import list_requests, read_clock
from resources.ledger.queries.webhooks import list_deliveries
from resources.ledger.rules import Failure, FailureAction
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.housekeeping import pause_provider, save_report
from resources.process.settings import settings
from resources.views.report import HOUR, format_hour
from sensors.hour_report import find_last_closed
from tests.api_house import BRIEF, House
from tests.integration.test_webhook_faces import given_up
from tests.page_visitor import PageVisitor, field_value, log_in, question_in
from tests.tables import read_beside

pytestmark = pytest.mark.usefixtures("sqlite_ledger_url")

HOSTILE = "<script>alert(1)</script>'\"😀"
PAGES = (
    "/dashboard",
    "/admin",
    "/dashboard/r",
    "/dashboard/-/system",
    "/dashboard/-/webhooks",
    "/dashboard/-/reports",
    "/dashboard/-/reports/now",
    "/dashboard/-/rows",
    "/dashboard/-/numbers",
)
FORMS = ("/dashboard/-/bulk", "/dashboard/r/retry", "/dashboard/-/system/resume")


@pytest.fixture
def operator(house: House) -> PageVisitor:
    return log_in(house, "admin", "admin")


def listed(page: httpx.Response) -> list[str]:
    """The orders in the table, the newest first."""
    return [name for name in re.findall(r'<tr role="row" data-id="([^"]*)"', page.text) if name]


def tiles(page: httpx.Response) -> dict[str, int]:
    found = re.findall(r'data-tile="(\w+)".*?<strong class="number">(\d+)', page.text, re.DOTALL)
    return {name: int(number) for name, number in found}


def statuses(house: House) -> dict[str, str]:
    return {each.task_id: each.status.value for each in list_requests(house.db)}


def one_of_each(house: House) -> None:
    """Two that wait, and one of every other state that has a tile."""
    steps = house.steps
    steps.completed("done")
    steps.lost_for_good("doubt")
    steps.dead("dead")
    steps.held("held")
    steps.working("working")
    steps.failed("retry")
    for name in ("w1", "w2", "paused"):
        steps.order(name)
    steps.edit("waits_for = 'suno'", "paused")


# Who may see it


def test_dashboard_is_for_admins_alone(house):
    shop, nobody = log_in(house, "shop"), house.client(None)
    for path in PAGES:
        refused = shop.get(path)
        assert (refused.status_code, "missing_scope" in refused.text) == (403, True)
        assert nobody.get(path).headers["location"].startswith("/login")


@pytest.mark.parametrize(
    ("former", "new"),
    [
        ("/desk", "/dashboard"),
        ("/desk?status=dead&q=a%26b", "/dashboard?status=dead&q=a%26b"),
        ("/desk/-/system?lang=en", "/dashboard/-/system?lang=en"),
        ("/desk/a%20desk%3Fx/redo?y=1", "/dashboard/a%20desk%3Fx/redo?y=1"),
    ],
)
def test_former_address_redirects_for_good(house, former, new):
    answer = house.client(None).get(former)
    assert (answer.status_code, answer.headers["location"]) == (308, new)


def test_act_without_the_token_of_the_session_is_refused(house, operator):
    house.steps.dead()
    form = {"verb": "retry", "status": "dead", "provider": "suno"}
    assert {operator.http.post(path, data=form).status_code for path in FORMS} == {403}
    assert statuses(house) == {"r": "dead"}


# Tiles and filters


def test_tiles_show_the_numbers_of_the_ledger(house, operator):
    one_of_each(house)
    assert tiles(operator.get("/dashboard")) == {
        **{"waiting": 2, "working": 1, "retry": 1, "dead": 1},
        **{"in_doubt": 1, "paused": 1, "held": 1, "done_today": 1},
    }


def test_tile_lists_what_it_counts(house, operator):
    one_of_each(house)
    counted = read_beside(__file__)["tile_lists_what_it_counts"]
    assert {
        state: listed(operator.get(f"/dashboard?status={state}")) for state in counted
    } == counted


def test_filters_are_in_the_address(house, operator):
    house.steps.order("a", {"customer_name": "Bluebird", "region": "Busan"}, owner="cafe")
    lease = house.steps.take("a")
    house.steps.release(lease)
    house.steps.cancel("a")
    house.steps.order("b", {"customer_name": "Heron", "region": "Seoul"}, owner="shop")
    begun = house.steps.take("b")
    house.steps.begin(begun)
    house.steps.fail(begun, FailureAction.DEAD_LETTER)
    found = read_beside(__file__)["filters_are_in_the_address"]
    assert {query: listed(operator.get(f"/dashboard?{query}")) for query in found} == found
    for unreadable in ("status=lost", "q=%00", "owner=a%0Ab", "cursor=x"):
        assert operator.get(f"/dashboard?{unreadable}").status_code == 422


def codes(page: httpx.Response) -> dict[str, str]:
    """What the list of error codes offers, with the number of orders; a chosen code begins with `*`."""
    found = re.findall(r'<option value="([^"]+)"( selected)?>(\d+\+?) ·', page.text)
    return {f"{'*' if chosen else ''}{code}": count for code, chosen, count in found}


def test_error_codes_are_counted_under_the_other_filters(house, operator):
    many_dead(house)
    house.steps.order("sea", {"customer_name": "Heron", "region": "Seoul"}, owner="cafe")
    house.steps.fail(house.steps.take("sea"), FailureAction.RETRY)
    counted = read_beside(__file__)["error_codes_are_counted_under_the_other_filters"]
    assert {query: codes(operator.get(f"/dashboard?{query}")) for query in counted} == counted


def test_error_code_is_said_in_words_in_both_languages(house, operator):
    readable_dead(house, "r", "timeout")
    for language in ("ko", "en"):
        said = Translator(language)("code_timeout")
        assert f"timeout · {said}</option>" in operator.get(f"/dashboard?lang={language}").text


def test_older_orders_are_a_page_away(house, operator):
    for number in range(42):
        house.steps.order(f"o{number}")
    first = operator.get("/dashboard?status=waiting")
    older = re.search(r'data-older href="([^"]*)"', first.text)
    assert older
    rest = operator.get(older[1].replace("&amp;", "&"))
    assert (listed(first)[0], len(listed(first)), listed(rest)) == ("o41", 40, ["o1", "o0"])


def test_rows_for_the_script_are_those_of_the_page(house, operator):
    one_of_each(house)
    body = operator.get("/dashboard/-/rows?status=waiting").json()
    assert ([each["task_id"] for each in body["orders"]], body["next"]) == (["w2", "w1"], None)


def test_what_an_order_says_is_shown_as_text(house, operator):
    house.steps.order("r", {"customer_name": HOSTILE, "region": HOSTILE}, owner=HOSTILE)
    lease = house.steps.take("r")
    house.steps.fail_as(lease, Failure("<script>", HOSTILE, FailureAction.DEAD_LETTER))
    for path in ("/dashboard", "/dashboard/r", "/dashboard?status=dead&code=%3Cscript%3E"):
        page = operator.get(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "&lt;script&gt;alert" in page.text


# One order


def test_page_of_an_order_shows_who_did_what(house, operator):
    house.steps.held()
    house.steps.approve(by="Mina")
    page = operator.get("/dashboard/r").text
    assert re.search(r"<strong><bdi>Mina</bdi></strong>\s*<span>승인", page)


def test_page_of_an_unknown_order_says_so(operator):
    assert operator.get("/dashboard/nobody").status_code == 404


@pytest.mark.parametrize(
    ("verb", "after"), [("retry", "pending"), ("redo", "pending"), ("delete", None)]
)
def test_dead_order_is_retried_made_again_or_deleted(house, operator, verb, after):
    house.steps.order("r", dict(BRIEF))
    lease = house.steps.take("r")
    house.steps.begin(lease)
    house.steps.fail(lease, FailureAction.DEAD_LETTER)
    answer = operator.confirm(f"/dashboard/r/{verb}", {"stage": "lyric"})
    assert answer.status_code == 303
    assert statuses(house) == ({} if after is None else {"r": after})
    assert after is None or house.steps.last().data["by"] == "admin"


def test_open_order_is_canceled(house, operator):
    house.steps.order()
    assert (
        operator.confirm("/dashboard/r/cancel", {}).headers["location"] == "/dashboard/r?did=cancel"
    )
    assert statuses(house) == {"r": "canceled"}


def test_cancel_of_a_running_attempt_says_who_asked_for_it(house, operator):
    house.steps.working()
    operator.confirm("/dashboard/r/cancel", {})
    assert (house.steps.last().type, house.steps.last().data["by"]) == ("cancel_requested", "admin")


def test_redo_says_its_price_before_it_is_done(house, operator):
    house.steps.order("r", dict(BRIEF))
    house.steps.make_all(house.steps.take("r"))
    page = operator.post("/dashboard/r/redo", {"stage": "video"})
    assert question_in(page)[1]["stage"] == "video"
    assert "$0" in page.text[page.text.index("asked") :]
    assert statuses(house) == {"r": "completed"}


def test_act_that_is_not_possible_is_said_in_a_sentence(house, operator):
    house.steps.order()
    answer = operator.post("/dashboard/r/retry", {})
    assert (answer.status_code, "nothing_to_retry" in answer.text) == (404, True)


# A submission in doubt


@pytest.mark.parametrize("path", ["/dashboard", "/dashboard/r"])
def test_lost_submission_is_in_doubt_and_not_merely_dead(house, operator, path):
    house.steps.lost_for_good()
    assert '<span class="badge in_doubt"' in operator.get(path).text


def test_wizard_shows_what_is_known_of_a_lost_submission(house, operator):
    house.steps.lost_for_good()
    page = operator.get("/dashboard/r").text
    assert "token of r" in page
    assert {"attach", "resubmit", "give_up"} <= set(
        re.findall(r'name="choice" value="(\w+)"', page)
    )


@pytest.mark.parametrize(
    ("form", "status", "job"),
    [
        ({"choice": "attach", "external_id": "v-7"}, "pending", ("submitted", "v-7")),
        ({"choice": "resubmit"}, "pending", ("failed", None)),
        ({"choice": "give_up"}, "dead", ("failed", None)),
    ],
)
def test_lost_submission_is_resolved_as_the_operator_says(house, operator, form, status, job):
    house.steps.lost_for_good()
    send = operator.post if form["choice"] == "attach" else operator.confirm
    assert send("/dashboard/r/resolve", form).status_code == 303
    found = list_submissions(house.db, house.steps.row())
    assert statuses(house) == {"r": status}
    assert [(each.status, each.external_id) for each in found.views] == [job]
    assert found.in_doubt is None


def test_choice_that_cannot_be_read_resolves_nothing(house, operator):
    house.steps.lost_for_good()
    for form in ({"choice": "attach", "external_id": " "}, {"choice": "guess"}, {}):
        assert operator.post("/dashboard/r/resolve", form).status_code == 422
    assert list_submissions(house.db, house.steps.row()).in_doubt is not None


# Many at once


def readable_dead(house: House, name: str, code: str = "for_none") -> None:
    """An order that a retry can try again."""
    house.steps.order(name, dict(BRIEF))
    lease = house.steps.take(name)
    house.steps.begin(lease)
    house.steps.fail_as(lease, Failure(code, "it went wrong", FailureAction.DEAD_LETTER), "lyric")


def many_dead(house: House) -> None:
    """Three that can be tried, two whose order is not readable, and three in doubt at one vendor."""
    for name in ("a", "b", "c"):
        readable_dead(house, name, "provider_failed")
    for name in ("d", "e"):
        house.steps.dead(name)
    for name in ("f", "g", "h"):
        house.steps.lost_for_good(name)


def test_bulk_preview_names_a_status_in_the_readers_language(house, operator):
    house.steps.order("r")
    house.steps.cancel("r")
    page = operator.post("/dashboard/-/bulk", {"verb": "retry", "status": "canceled"}).text
    assert "<code>canceled</code>" not in page


def test_dry_run_counts_by_code_what_is_tried_and_what_needs_something_else(house, operator):
    many_dead(house)
    page = operator.post("/dashboard/-/bulk?lang=en", {"verb": "retry", "status": "dead"}).text
    assert "3 orders would be tried again, for up to $" in page
    found = re.findall(
        r'<span class="number">(\d)</span> <code>(\w+)</code> (tried|not tried: \w+ \w+)', page
    )
    assert sorted(found) == [
        ("2", "for_none", "not tried: the order"),
        ("3", "provider_failed", "tried"),
    ]
    assert set(statuses(house).values()) == {"dead"}


def test_retry_of_many_tries_what_it_promised_and_says_what_became_of_it(house, operator):
    many_dead(house)
    form = {"verb": "retry", "status": "dead"}
    before = field_value(operator.post("/dashboard/-/bulk", form).text, "before")
    after = operator.post("/dashboard/-/bulk", {**form, "before": before}).headers["location"]
    assert {name for name, each in statuses(house).items() if each == "pending"} == set("abc")
    page = operator.get(f"{after}&lang=en").text
    assert "3 orders are tried again. They are now: waiting 3." in page
    lease = house.steps.take("a")
    house.steps.fail_as(lease, Failure("no", "no", FailureAction.DEAD_LETTER), "lyric")
    assert "dead 1" in operator.get(f"{after}&lang=en").text
    again = operator.post("/dashboard/-/bulk", {**form, "before": before}).headers["location"]
    assert "n=0" in again


@pytest.mark.parametrize(("verb", "after"), [("resubmit", {"pending"}), ("give_up", {"dead"})])
def test_many_in_doubt_at_one_vendor_are_resolved_together(house, operator, verb, after):
    for name in ("f", "g", "h"):
        house.steps.lost_for_good(name)
    assert f'name="verb" value="{verb}"' in operator.get("/dashboard?status=in_doubt").text
    form = {"verb": verb, "status": "in_doubt"}
    asked = operator.post("/dashboard/-/bulk?lang=en", form).text
    provider, before = (field_value(asked, name) for name in ("provider", "before"))
    assert "paid twice" in asked or "are dead" in asked
    assert {len(list_submissions(house.db, house.steps.row(each)).views) for each in "fgh"} == {1}
    done = {**form, "provider": provider, "before": before}
    assert "n=3" in operator.post("/dashboard/-/bulk", done).headers["location"]
    assert set(statuses(house).values()) == after
    assert "n=0" in operator.post("/dashboard/-/bulk", done).headers["location"]


@pytest.mark.parametrize(
    ("reach", "shown", "hidden"),
    [
        (
            lambda house: house.steps.lost_for_good("r"),
            'primary" href="#resolve"',
            "/dashboard/r/retry",
        ),
        (
            lambda house: readable_dead(house, "r", "invalid_payload"),
            'primary" href="/order/song_video?like=r"',
            'class="primary">재시도',
        ),
        (lambda house: readable_dead(house, "r"), 'class="primary">재시도', 'primary" href="#'),
    ],
)
def test_first_button_of_an_order_is_what_helps_it(house, operator, reach, shown, hidden):
    reach(house)
    page = operator.get("/dashboard/r").text
    assert shown in page
    assert hidden not in page


@pytest.mark.parametrize(
    ("verb", "state", "after"), [("retry", "dead", "pending"), ("cancel", "waiting", "canceled")]
)
def test_act_on_many_is_about_those_of_the_dry_run(house, operator, verb, state, after):
    making: dict[str, Callable[[str], object]]
    making = {"dead": lambda name: readable_dead(house, name), "waiting": house.steps.order}
    make = making[state]
    house.steps.held("b")
    make("a")
    form = {"verb": verb, "status": state}
    before = field_value(operator.post("/dashboard/-/bulk", form).text, "before")
    make("late")
    late = statuses(house)["late"]
    answer = operator.post("/dashboard/-/bulk", {**form, "before": before})
    assert "n=1" in answer.headers["location"]
    assert house.steps.last("a").data["by"] == "admin"
    assert statuses(house) == {"a": after, "b": "pending", "late": late}


def test_act_on_many_that_makes_no_sense_is_refused(operator):
    forms = read_beside(__file__)["act_on_many_that_makes_no_sense_is_refused"]
    assert {operator.post("/dashboard/-/bulk", form).status_code for form in forms} == {422}


def test_address_of_a_form_leads_to_its_page_with_the_query(operator):
    asked = "?lang=en&status=dead"
    for page, act in (
        ("/dashboard", "/-/bulk"),
        ("/dashboard/r", "/redo"),
        ("/dashboard/-/system", "/resume"),
    ):
        assert operator.get(f"{page}{act}{asked}").headers["location"] == f"{page}{asked}"


def test_page_of_a_dry_run_keeps_the_filter_in_its_address(house, operator):
    house.steps.dead()
    assert 'action="/dashboard/-/bulk?status=dead"' in operator.get("/dashboard?status=dead").text


# The system


def test_key_is_revoked_once_it_was_asked(house, operator):
    house.key("former")
    (key,) = [each for each in list_keys(house.db) if each.name == "former"]
    asked = operator.post("/dashboard/-/system/revoke", {"key_id": key.id})
    assert (asked.status_code, "former" in asked.text) == (200, True)
    assert [each.revoked_at for each in list_keys(house.db) if each.id == key.id] == [None]
    operator.confirm("/dashboard/-/system/revoke", {"key_id": key.id})
    (revoked,) = [each for each in list_keys(house.db) if each.id == key.id]
    assert revoked.revoked_at is not None
    assert key.id not in operator.get("/dashboard/-/system").text


def test_vendor_is_resumed(house, operator):
    pause_provider(house.db, "suno", HOSTILE, 600)
    assert "&lt;script&gt;" in operator.get("/dashboard/-/system").text
    operator.confirm("/dashboard/-/system/resume", {"provider": "suno"})
    assert read_pauses(house.db) == []


def test_vendor_is_paused_with_a_reason_and_by_whom(house, operator):
    form = {"provider": "suno", "pause": "6h", "reason": "they repair"}
    assert operator.post("/dashboard/-/system/pause", form).status_code == 303
    [paused] = read_pauses(house.db)
    assert (paused.provider, paused.why) == ("suno", "paused by admin: they repair")
    assert 5 < (paused.until - read_clock(house.db)).total_seconds() / 3600 <= 6


def test_dead_letters_lead_to_their_orders(house, operator):
    house.steps.dead()
    assert "/dashboard?status=dead&amp;code=for_none" in operator.get("/dashboard/-/system").text


def test_dead_save_is_sent_again(operator):
    spool = open_spool(settings().home)
    spool.append([Entry("logs", "k", {})])
    [entry] = spool.waiting()
    spool.record(entry, Decision(DeliveryStatus.DEAD, message=HOSTILE))
    assert "logs k" in operator.get("/dashboard/-/system").text
    operator.post("/dashboard/-/system/save", {"id": str(entry.id)})
    assert (len(spool.waiting()), spool.dead()) == (1, [])


def test_act_on_the_system_that_is_not_possible_is_refused(operator):
    asked = [
        ("resume", {"provider": "suno"}, 422),
        ("revoke", {"key_id": "000000000000"}, 404),
        ("pause", {"provider": "nobody"}, 422),
        ("pause", {"provider": "suno", "pause": "31d"}, 422),
        ("pause", {"provider": "suno", "reason": "x" * 201}, 422),
        ("webhook", {"id": "9"}, 404),
        ("webhook", {"id": "9" * 5000}, 422),
        ("webhook", {"status": "lost"}, 422),
        ("save", {"id": "7"}, 422),
        ("restart", {}, 422),
    ]
    for verb, form, status in asked:
        assert operator.post(f"/dashboard/-/system/{verb}", form).status_code == status, (
            verb,
            form,
        )


# The log of webhooks


def logged(page: httpx.Response) -> list[list[str]]:
    """The texts of each row of the log."""
    rows = re.findall(r'<tr role="row">(\s*<td.*?)</tr>', page.text, re.DOTALL)
    return [
        [" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in row.split("</td>")[:-1]]
        for row in rows
    ]


def test_log_has_each_webhook_with_its_state_attempts_answer_and_times(house, operator):
    number = given_up(house.steps)
    [row] = logged(operator.get("/dashboard/-/webhooks?lang=en"))
    [found] = list_deliveries(house.db)
    times = " ".join(
        f"{name} {at:%Y-%m-%d %H:%M:%S} UTC"
        for name, at in (("made", found.created_at), ("changed", found.updated_at))
    )
    error = f"{found.last_code} {found.last_error}"
    assert row == [
        *(str(number), "r", found.url, "request.canceled", "failed"),
        *(str(found.attempt), error, times, "Send again"),
    ]


def test_log_shows_one_state_and_pages_through_it(house, operator):
    for number in range(52):
        given_up(house.steps, f"r{number}")
    operator.post("/dashboard/-/system/webhook", {"id": logged(log(operator))[0][0]})
    states = {
        state: [row[1] for row in logged(log(operator, state))]
        for state in ("pending", "delivered")
    }
    assert states == {"pending": ["r51"], "delivered": []}
    first = log(operator, "dead")
    assert "cursor=" in first.text
    older = re.search(r'href="([^"]*cursor=[^"]*)"', first.text)
    assert older
    rest = logged(operator.get(older[1].replace("&amp;", "&")))
    assert ([row[1] for row in rest], len(logged(first))) == (["r0"], 50)
    for query in ("status=lost", "cursor=x"):
        assert operator.get(f"/dashboard/-/webhooks?{query}").status_code == 422


def log(operator: PageVisitor, state: str = "") -> httpx.Response:
    return operator.get(f"/dashboard/-/webhooks?lang=en&status={state}")


def test_webhook_of_the_log_is_sent_again_and_the_log_says_so_in_its_state(house, operator):
    number = given_up(house.steps)
    form = {"id": str(number), "status": "dead"}
    assert operator.http.post("/dashboard/-/system/webhook", data=form).status_code == 403
    after = operator.post("/dashboard/-/system/webhook", form).headers["location"]
    assert after == "/dashboard/-/webhooks?status=dead&replayed=yes"
    assert 'role="status"' in operator.get(after).text
    assert [each.status for each in list_deliveries(house.db)] == [DeliveryStatus.PENDING]


# The hourly reports


def test_reports_are_listed_with_the_running_hour_first_and_lead_to_each(house, operator):
    last = find_last_closed(read_clock(house.db))
    for back in range(50):
        save_report(house.db, last - HOUR * back, [StageFigures("p", "s", completed=back)])
    page = operator.get("/dashboard/-/reports?lang=en")
    hours = re.findall(r'<td role="cell"[^>]*><a href="/dashboard/-/reports/([^"]*)"', page.text)
    assert hours[:2] == [format_hour(last + HOUR), format_hour(last)]
    assert (len(hours), page.text.count("not finished")) == (49, 1)
    older = re.search(r'href="([^"]*before=[^"]*)"', page.text)
    assert older
    rest = operator.get(older[1])
    assert f"/reports/{format_hour(last - HOUR * 49)}" in rest.text
    assert "not finished" not in rest.text


@pytest.mark.parametrize(("hour", "is_finished"), [("-1", True), ("now", False)])
def test_report_has_an_address_and_a_way_back(house, operator, hour, is_finished):
    last = find_last_closed(read_clock(house.db))
    save_report(
        house.db, last, [StageFigures("p", "s", completed=7, p50=1.0, p95=2.0, longest=3.0)]
    )
    page = operator.get(f"/dashboard/-/reports/{hour}?lang=en")
    assert page.status_code == 200
    assert ("This hour is not finished" in page.text) is not is_finished
    assert ("3.0 s" in page.text) is is_finished
    for back in ("/dashboard/-/reports", "/dashboard"):
        assert f'href="{back}"' in page.text


def test_report_leads_to_those_that_there_are_before_and_after_it(house, operator):
    last = find_last_closed(read_clock(house.db))
    hours = [last - HOUR * 5, last - HOUR, last]
    for hour in hours:
        save_report(house.db, hour, [StageFigures("p", "s")])
    names = [*map(format_hour, hours), format_hour(last + HOUR)]
    leads = {
        name: re.findall(
            r'href="/dashboard/-/reports/([^"?]*)"',
            operator.get(f"/dashboard/-/reports/{name}").text,
        )
        for name in names
    }
    assert leads == {
        names[0]: [],
        names[1]: [names[0], names[2]],
        names[2]: [names[1], names[3]],
        names[3]: [names[2]],
    }


def test_plot_of_the_hours_says_the_listed_figures(house, operator):
    last = find_last_closed(read_clock(house.db))
    save_report(house.db, last, [StageFigures("p", "s", completed=1234, p95=75.04)])
    page = operator.get("/dashboard/-/reports?lang=en").text
    assert f"{last:%H:00} UTC: 1,234 completed, 0 failed" in page
    assert page.count("1,234") == 4
    assert page.count("75.0 s") == 4


@pytest.mark.parametrize(("hour", "status"), [("-7", 404), ("tomorrow", 422)])
def test_hour_without_a_report_says_so(operator, hour, status):
    assert operator.get(f"/dashboard/-/reports/{hour}").status_code == status
