"""Logging in, ordering, profiles, batches and the gallery at the pages, without JavaScript."""

import json
import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any

import pytest

from castad.web.pages import ensure_own_path
from castad.web.words import Translator
from pipeline_defs.catalog import get_catalog
from resources.ledger.queries.access import find_draft
from resources.ledger.queries.status import get_request, list_requests
from resources.ledger.request import Request, make_task_id
from resources.ledger.transitions.orders import cancel_request
from resources.process.settings import settings
from studio.genres import read_genres
from tests.api_house import BRIEF, House, picture, served
from tests.page_visitor import PageVisitor, field_value, log_in

HOSTILE = "<script>alert(1)</script>😀\"'"

KOREAN = Translator("ko")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One for all tests: each has owners of its own."""
    home = tmp_path_factory.mktemp("pages")
    with served(settings().model_copy(update={"home": home})) as house:
        yield house


@pytest.fixture
def shop(house: House) -> PageVisitor:
    return log_in(house, make_task_id())


@pytest.fixture
def other(house: House) -> PageVisitor:
    """Who owns other orders."""
    return log_in(house, make_task_id())


@pytest.fixture
def name() -> str:
    """An order's."""
    return make_task_id()


def orders_of(house: House, visitor: PageVisitor) -> list[Request]:
    return [each for each in list_requests(house.db) if each.owner == visitor.owner]


def order(visitor: PageVisitor, **fields: Any):
    name = get_catalog().default.name
    sent = {**BRIEF, "action": "order", **fields}
    return visitor.post(f"/order/{name}", sent, files={"images": ("", b"")})


@pytest.mark.parametrize(
    "path", ["/", "/works", "/batches", "/docs", "/docs/codes", "/docs/calls/look", "/works/a"]
)
def test_page_leads_to_the_log_in_without_a_session(house, path):
    answer = house.client(None).get(path)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/login")


def test_ended_session_is_said_and_leads_back_to_the_page(house, shop):
    cookies = dict(shop.http.cookies)
    shop.post("/logout", {"everywhere": "yes"})
    shop.http.cookies.update(cookies)
    answer = shop.get("/works?q=a")
    assert answer.headers["location"] == "/login?next=%2Fworks%3Fq%3Da&ended=yes"
    assert KOREAN("session_ended") in shop.get(answer.headers["location"]).text
    assert KOREAN("session_ended") not in house.client(None).get("/login").text


def test_shop_sees_what_is_made_for_a_person_only_and_an_operator_all(house, shop):
    kinds = {each: f'href="/order/{each}"' for each in ("image", "analysis", "scan")}
    of_shop, of_operator = shop.get("/").text, log_in(house, "boss", "admin").get("/").text
    assert [each for each, link in kinds.items() if link in of_shop] == ["image"]
    assert [each for each, link in kinds.items() if link in of_operator] == [*kinds]


def test_refused_form_says_each_fault_at_its_field_and_all_of_them_together(shop):
    answer = shop.follow(order(shop, customer_name="", duration_seconds="999", language="Latin"))
    wrong = ("customer_name", "duration_seconds", "language")
    assert [each for each in wrong if f'id="error-{each}"' not in answer.text] == []
    assert KOREAN("faults", n=3) in answer.text


def test_refused_profile_says_only_what_is_wrong_with_the_profile(shop):
    given = {"customer_name": "", "region": "", "action": "profile", "profile_name": ""}
    page = shop.follow(order(shop, **given)).text
    assert re.findall('id="error-(.*?)"', page) == ["profile_name"]


def test_log_in_with_a_wrong_key_says_so_at_the_field(house):
    answer = house.client(None).post("/login", data={"key": "castad_wrong"})
    assert answer.status_code == 401
    assert 'role="alert"' in answer.text


def test_log_in_goes_on_to_the_page_that_was_asked_for(house):
    form = {"key": house.key("shop"), "next": "/works?q=a"}
    assert house.client(None).post("/login", data=form).headers["location"] == "/works?q=a"


@pytest.mark.parametrize(
    "path", ["//elsewhere.example", "/\\elsewhere.example", "https://a", "a\n"]
)
def test_log_in_leads_to_no_other_site(path):
    assert ensure_own_path(path) == "/"


def test_log_out_ends_the_session(shop):
    shop.post("/logout", {})
    assert shop.get("/works").status_code == 303


def test_page_allows_nothing_inline_and_no_frame(shop):
    policy = shop.get("/").headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_order_by_form_is_in_the_ledger_and_waits_for_its_approvals(house, shop, name):
    answer = order(shop, task_id=name, hold="yes", stems="true")
    assert answer.headers["location"] == f"/works/{name}"
    request = get_request(house.db, name)
    assert (request.owner, request.hold) == (shop.owner, "lyric,song")
    assert (request.order() or {})["stems"] is True


def test_order_by_form_that_is_sent_twice_is_one_order(house, shop):
    name = field_value(shop.get("/").text, "task_id")
    assert order(shop, task_id=name).headers["location"] == f"/works/{name}"
    assert order(shop, task_id=name).headers["location"] == f"/works/{name}"
    assert len(orders_of(house, shop)) == 1


def test_order_by_form_takes_pictures_and_a_brand(house, shop):
    files = {each: (f"{each}.png", picture(), "image/png") for each in ("logo", "images")}
    brand = {"brand_colors": ["#e4572e", ""], "phone": "063-123-4567", "link": "https://a.example"}
    form = {**BRIEF, **brand, "action": "order"}
    shop.post(f"/order/{get_catalog().default.name}", form, files=files)
    [given] = [request.order() or {} for request in orders_of(house, shop)]
    assert given["images"][0].startswith("upload:")
    assert given["logo"][0].startswith("upload:")
    assert given["brand_colors"] == ["#e4572e"]
    assert (given["phone"], given["link"]) == ("063-123-4567", "https://a.example")


def test_profile_fills_in_the_brand(shop):
    files = {"logo": ("logo.png", picture(), "image/png")}
    kept = {**BRIEF, "phone": "063-123-4567", "action": "profile", "profile_name": "봄날"}
    shop.post("/order/song_video", kept, files=files)
    page = shop.get("/order/song_video", params={"profile": "봄날"}).text
    assert field_value(page, "phone") == "063-123-4567"
    assert 'name="logo" value="upload:' in page


def test_order_by_form_leaves_out_json_that_is_empty(house, shop):
    form = {"template": "poster", "workflow": "", "action": "order"}
    files = {"images": ("shop.png", picture(), "image/png")}
    assert shop.post("/order/image", form, files=files).status_code == 303
    [request] = orders_of(house, shop)
    assert "poster" in str(request.order())


def test_order_that_is_wrong_is_shown_again_with_the_error_at_its_field(house, shop):
    answer = shop.follow(order(shop, duration_seconds="5", detail_region_info=HOSTILE))
    assert 'id="error-duration_seconds"' in answer.text
    assert not orders_of(house, shop)


def test_price_is_shown_and_nothing_ordered(house, shop):
    assert '<strong class="number">$0' in shop.follow(order(shop, action="price")).text
    assert not orders_of(house, shop)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("duration_seconds", "5", '"field":"duration_seconds"'),
        ("genre", "flamenco {nearest}", "가장 가까운 장르인 어쿠스틱(으)로"),
    ],
)
def test_estimate_names_the_field_that_is_wrong_or_the_nearest_genre(shop, field, value, told):
    path = f"/order/{get_catalog().default.name}/estimate"
    answer = shop.post(path, {**BRIEF, field: value}, files={"images": ("", b"")})
    assert told in json.dumps(answer.json(), ensure_ascii=False, separators=(",", ":"))


def test_form_offers_every_genre_with_three_seconds_to_listen_to(shop):
    name = get_catalog().default.name
    shown = shop.http.get(f"/order/{name}").text
    for genre in read_genres():
        assert f'class="suggestion" value="{genre}"' in shown
        assert f"sample-{genre}.mp3" in shown


@pytest.mark.parametrize("path", ["/order/song_video", "/batches", "/logout"])
def test_form_without_the_sessions_token_is_refused(house, shop, path):
    answer = shop.http.post(path, data=BRIEF, files={"images": ("", b"")})
    assert answer.status_code == 403
    assert not orders_of(house, shop)


def test_form_of_a_key_that_may_only_read_is_refused(house):
    assert order(log_in(house, make_task_id(), "read")).status_code == 403


def test_form_begins_as_a_like_order_was(shop, name):
    order(shop, task_id=name, customer_name=HOSTILE)
    page = shop.get(f"/order/song_video?like={name}").text
    assert field_value(page, "customer_name") == HOSTILE
    assert "<script>alert" not in page


def test_form_shows_no_order_of_another_owner(shop, other, name):
    order(other, task_id=name)
    assert shop.get(f"/order/song_video?like={name}").status_code == 404


def test_enter_in_the_form_orders(shop):
    """Enter presses a form's first button."""
    form = shop.get("/").text.partition("data-order")[2]
    assert re.findall(r'<button[^>]* value="(\w+)"', form)[0] == "order"


def test_form_that_is_like_an_order_can_leave_out_its_pictures(house, shop, name):
    order(shop, task_id=name, images=["https://a.example/1.jpg", "https://a.example/2.jpg"])
    page = shop.get(f"/order/song_video?like={name}").text
    kept = re.findall(r'type="checkbox" name="images" value="([^"]+)" checked', page)
    order(shop, images=kept[1:])
    newest = max(orders_of(house, shop), key=lambda each: each.id)
    assert (newest.order() or {})["images"] == ["https://a.example/2.jpg"]


def test_form_of_an_order_that_conflicts_becomes_another_order(shop, name):
    order(shop, task_id=name)
    again = shop.follow(order(shop, task_id=name, region="Jeju")).text
    assert KOREAN("refusal_conflict") in again
    assert field_value(again, "task_id") != name


def test_form_with_damaged_json_keeps_what_was_typed(shop):
    sent = {"template": "poster", "parameters": "{bad", "action": "order"}
    answer = shop.post("/order/image", sent, files={"images": ("", b"")})
    page = shop.follow(answer).text
    assert "{bad" in page
    assert 'id="error-parameters"' in page


def refuse(visitor: PageVisitor, pictures: Sequence[tuple[str, bytes]] = (), **fields: Any):
    """A form whose length is wrong is sent."""
    sent = {**BRIEF, "duration_seconds": "5", "action": "order", **fields}
    files = [("images", (name, content)) for name, content in pictures] or {"images": ("", b"")}
    return visitor.post("/order/song_video", sent, files=files)


def shown_pictures(page: str) -> dict[str, str]:
    """The pictures of a form by their references, with what stands beside them."""
    found = re.findall(r'name="images" value="([^"]+)" checked> <span class="small">(.*?)<', page)
    return dict(found)


@pytest.mark.parametrize("address", ["/", "/order/song_video", "/order/song_video?lang=en"])
def test_refused_form_is_wherever_its_person_looks_for_it(shop, address):
    refuse(shop, detail_region_info=HOSTILE, region="Jeju")
    page = shop.get(address).text
    assert HOSTILE in unescape(page)
    assert HOSTILE not in page
    assert field_value(page, "region") == "Jeju"
    assert 'id="error-duration_seconds"' in page


def test_refused_form_keeps_a_switch_that_was_turned_off(shop):
    refuse(shop)
    assert not re.search(r'name="(vocals|hold)" value="\w+" checked', shop.get("/").text)


def test_refused_form_has_each_good_picture_once_by_its_name_and_says_which_are_broken(shop):
    sent = [("a.png", picture()), ("a.png", picture()), ("b.gif", b"GIF89a"), ("c.jpg", b"?")]
    page = shop.follow(refuse(shop, sent)).text
    assert [*shown_pictures(page).values()] == ["a.png"]
    said = page.partition('id="error-images"')[2].partition("</div>")[0]
    assert [each in said for each in ("b.gif", "c.jpg", "a.png")] == [True, True, False]


def test_picture_of_a_refused_form_keeps_its_name_at_the_next_refusal_and_is_ordered(house, shop):
    kept = [*shown_pictures(shop.follow(refuse(shop, [("a.png", picture())])).text)]
    assert shown_pictures(shop.follow(refuse(shop, images=kept)).text) == {kept[0]: "a.png"}
    order(shop, images=kept)
    [request] = orders_of(house, shop)
    assert (request.order() or {})["images"] == kept


def test_picture_of_a_refused_form_is_shown_to_its_owner_only(shop, other):
    page = shop.follow(refuse(shop, [("a.png", picture())])).text
    [address] = re.findall('<img src="(/order/song_video/pictures/[^"]+)"', page)
    assert shop.get(address).headers["content-type"] == "image/jpeg"
    assert shop.get(f"{address}?whole=yes").content == picture()
    assert other.get(address).status_code == 404


def test_pictures_and_links_keep_the_order_of_the_form(house, shop):
    link = "https://a.example/1.jpg"
    parts = [("images", ("a.png", picture())), ("images", (None, link))]
    shop.post("/order/song_video", {**BRIEF, "action": "order"}, files=parts)
    [request] = orders_of(house, shop)
    assert [each[:7] for each in (request.order() or {})["images"]] == ["upload:", link[:7]]


@pytest.mark.parametrize("leave", ["order", "clear", "profile"])
def test_kept_form_is_gone_when_it_is_ordered_cleared_or_made_a_profile(house, shop, leave):
    refuse(shop)
    order(shop, action=leave, profile_name="a")
    assert find_draft(house.db, shop.owner, "song_video") is None


def test_kept_form_is_no_profile_and_of_its_owner_alone(shop, other):
    refuse(shop)
    assert "/draft" not in shop.get("/works").text + shop.get("/").text
    assert field_value(shop.get("/order/song_video?profile=/draft").text, "customer_name") == ""
    assert field_value(other.get("/").text, "customer_name") == ""


def test_form_like_an_order_is_not_the_one_that_was_refused_elsewhere(shop, name):
    order(shop, task_id=name, region="Jeju")
    refuse(shop, region="Busan")
    like = f"/order/song_video?like={name}"
    assert field_value(shop.get(like).text, "region") == "Jeju"
    wrong = {**BRIEF, "region": "Ulsan", "duration_seconds": "5", "action": "order"}
    answer = shop.post(like, wrong, files={"images": ("", b"")})
    assert answer.headers["location"] == like
    assert field_value(shop.follow(answer).text, "region") == "Ulsan"


def test_form_of_an_ended_session_leads_back_to_where_it_was_sent_from(shop):
    cookies = dict(shop.http.cookies)
    shop.post("/logout", {"everywhere": "yes"})
    shop.http.cookies.update(cookies)
    came_from = {"Referer": f"{shop.http.base_url}/order/scan?like=a"}
    answer = shop.http.post("/order/scan", data={}, headers=came_from)
    assert answer.headers["location"].startswith("/login?next=%2Forder%2Fscan%3Flike%3Da")


def test_picture_field_says_its_limits(shop):
    said = {"n": 10, "size": "20 MB", "all": "64 MB", "kinds": "JPEG, PNG, WebP"}
    assert KOREAN("picture_limits", **said) in shop.get("/").text


@pytest.mark.parametrize(
    "path", ["/", "/works", "/docs", "/docs/live", "/docs/calls/look", "/batches"]
)
def test_page_needs_a_key_that_may_read(house, path):
    assert log_in(house, make_task_id(), "order").get(path).status_code == 403


def test_page_is_counted_against_the_rate_of_its_key(house):
    client = house.client(None)
    client.post("/login", data={"key": house.key(make_task_id(), rate=2)})
    assert [client.get("/works").status_code for _ in range(3)] == [200, 200, 429]


def test_script_of_a_page_gets_problems_and_no_pages(house, shop):
    fetched = {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin"}
    assert shop.get("/works/none", headers=fetched).json()["code"] == "unknown_task_id"
    answer = house.client(None).get("/works", headers=fetched)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


def test_address_that_there_is_not_is_a_page_in_a_browser(shop):
    browser = {"Accept": "text/html,application/xhtml+xml", "Sec-Fetch-Mode": "navigate"}
    answer = shop.get("/nowhere", headers=browser)
    assert (answer.status_code, answer.headers["content-type"][:9]) == (404, "text/html")
    assert shop.get("/nowhere").json()["code"] == "not_found"


def test_refusal_is_in_the_language_of_the_page(shop):
    korean = shop.get("/works/none").text
    assert "그런 작품이 없거나" in korean
    assert 'lang="en"' in korean
    assert "그런 작품이" not in shop.get("/works/none?lang=en").text


def test_link_from_another_site_arrives_with_the_session_at_the_second_look(house):
    """A strict cookie comes along only where the site itself leads."""
    arriving = {
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Dest": "document",
    }
    assert 'http-equiv="refresh"' in house.client(None).get("/works", headers=arriving).text


def test_profile_fills_in_the_next_form_of_its_owner_only(shop, other):
    kept = HOSTILE.replace("/", "")
    order(shop, action="profile", profile_name=kept)
    page = shop.get("/order/song_video", params={"profile": kept}).text
    assert field_value(page, "customer_name") == BRIEF["customer_name"]
    foreign = other.get("/order/song_video", params={"profile": kept}).text
    assert field_value(foreign, "customer_name") == ""


def test_profile_is_removed_by_its_owner(shop, other):
    order(shop, action="profile", profile_name="a b")
    gone = {"pipeline": "song_video", "name": "a b"}
    assert other.post("/works/profiles/remove", gone).status_code == 404
    shop.confirm("/works/profiles/remove", gone)
    assert "a b" not in shop.get("/order/song_video").text


def test_gallery_shows_ones_own_works_and_finds_them_by_words(shop, other, name):
    order(shop, customer_name=HOSTILE)
    order(shop, task_id=name, customer_name="Bluebird")
    order(other, customer_name="Bluebird")
    page = shop.get("/works?q=bluebird").text
    assert re.findall('data-task="(.*?)"', page) == [name]
    assert "<script>alert" not in shop.get("/works").text


CSV = "customer_name,region\nA,Busan\nB,Jeju\n"


def batch(visitor: PageVisitor, text: str, **fields: str):
    return visitor.post("/batches", fields, files={"file": ("a.csv", text.encode())})


def test_batch_is_priced_before_it_is_ordered(house, shop):
    checked = batch(shop, CSV, action="check").text
    assert not orders_of(house, shop)
    name = field_value(checked, "batch")
    sent = {"batch": name, "text": CSV, "action": "order"}
    answer = shop.post("/batches", sent, files={"file": ("", b"")})
    assert answer.headers["location"] == f"/batches/{name}"
    assert 'max="2" value="0"' in shop.get(f"/batches/{name}").text
    assert len(orders_of(house, shop)) == 2


def test_batch_with_a_wrong_row_names_it_and_orders_nothing(house, shop):
    answer = batch(shop, CSV + ",Seoul\n", action="order")
    assert answer.status_code == 422
    assert "row 4" in answer.text
    assert not orders_of(house, shop)


RETRIES = "customer_name,region,max_retries\nA,Busan,{}\nB,Jeju,\n"


def test_batch_sent_again_with_other_options_says_how_many_were_changed(house, shop):
    name = field_value(batch(shop, CSV, action="check").text, "batch")
    batch(shop, CSV, action="order", batch=name)
    again = batch(shop, RETRIES.format(1), action="order", batch=name)
    assert again.headers["location"] == f"/batches/{name}?updated=1"
    assert sorted(each.max_retries for each in orders_of(house, shop)) == [1, 3]
    shown = shop.get(again.headers["location"], headers={"accept-language": "en"}).text
    assert "1 orders were there already" in shown


def test_batch_sent_again_after_an_end_names_the_row_whose_option_is_too_late(house, shop):
    name = field_value(batch(shop, CSV, action="check").text, "batch")
    batch(shop, CSV, action="order", batch=name)
    for each in orders_of(house, shop):
        cancel_request(house.db, each.task_id)
    again = batch(shop, RETRIES.format(1), action="order", batch=name)
    assert (again.status_code, "max_retries" in again.text) == (422, True)


def test_batch_of_a_korean_excel_is_read(shop):
    text = "customer_name,region\n봄날,전주\n"
    files = {"file": ("a.csv", text.encode("cp949"))}
    assert "봄날" in shop.post("/batches", {"action": "check"}, files=files).text


def test_batch_of_another_owner_is_not_found(shop, other):
    name = field_value(batch(other, CSV, action="check").text, "batch")
    other.post(
        "/batches", {"batch": name, "text": CSV, "action": "order"}, files={"file": ("", b"")}
    )
    assert shop.get(f"/batches/{name}").status_code == 404


def test_language_is_that_of_the_browser_until_one_is_chosen(house):
    client = house.client(None)
    assert '<html lang="en"' in client.get("/login", headers={"Accept-Language": "en-GB"}).text
    client.get("/login?lang=ko")
    assert '<html lang="ko"' in client.get("/login", headers={"Accept-Language": "en-GB"}).text
