"""The screens as people walk through them: on a phone, at a desk and on a wall, in Korean and in English."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from castad.web.reference import read_example
from castad.web.words import Translator
from tests.browser.languages import foreign_to
from tests.browser.site import DESKTOP, PHONE, WALL, Person, Site, person, task_id_of
from tests.eventually import eventually

SHOPS = {
    "ko": {
        "customer_name": "봄날 베이커리",
        "region": "전주 한옥마을",
        "detail_region_info": "새벽에 굽는 소금빵",
    },
    "en": {
        "customer_name": "Blue Harbor Coffee",
        "region": "Busan",
        "detail_region_info": "Slow-roasted beans and a view of the sea",
    },
}
SUNG = {"ko": "소금빵 향기가 골목을 채워요", "en": "Blue Harbor pours the morning sun"}
WITHOUT_ORDER = (
    "/",
    "/order/image",
    "/order/analysis",
    "/order/scan",
    "/works",
    "/batches",
    "/docs",
    "/docs/orders",
    "/docs/live",
    "/docs/webhooks",
    "/docs/codes",
    "/docs/calls/look",
)
ADMINS = (
    "/dashboard",
    "/dashboard/-/system",
    "/dashboard/-/webhooks",
    "/dashboard/-/reports",
    "/dashboard/-/reports/now",
)


@pytest.fixture
def shopkeeper(request: pytest.FixtureRequest, browser: Browser, site: Site) -> Iterator[Person]:
    """Who has a shop, and no order yet: the language and the window are the test's parameters."""
    language, size = request.param
    with person(browser, site, size, language) as someone:
        someone.log_in(site.key(f"shop-{language}").text)
        yield someone


def fill_in(page: Page, language: str) -> None:
    """The shop's order is in the form: the shortest film, and two songs to choose from."""
    for name, value in SHOPS[language].items():
        page.fill(f"#f-{name}", value)
    page.check(f"[name=language][value={'Korean' if language == 'ko' else 'English'}]", force=True)
    page.fill("#f-duration_seconds", "10")
    page.locator("details.more > summary").first.click()
    page.fill("#f-takes", "2")


def look(someone: Person, name: str) -> None:
    """The screen is right on a phone and at a desk, in the light and in the dark, and in one language."""
    someone.look(name, PHONE, DESKTOP)
    someone.look_in_the_dark(name)
    assert foreign_to(someone.language, someone.page) == set(), name


@pytest.mark.parametrize(
    "shopkeeper", [("ko", PHONE), ("en", DESKTOP)], indirect=True, ids=["ko-phone", "en-desktop"]
)
def test_work_is_ordered_changed_followed_and_seen(shopkeeper):
    page, language = shopkeeper.page, shopkeeper.language
    shopkeeper.go("/")
    fill_in(page, language)
    expect(page.locator("[data-estimate-line] strong")).to_have_text("$0")
    look(shopkeeper, "1-order")
    page.click("button.primary[value=order]")

    page.wait_for_selector("[data-held=lyric]")
    words = page.input_value("[name=text]").split("\n")
    words[next(at for at, line in enumerate(words) if line and line[0] != "[")] = SUNG[language]
    page.fill("[name=text]", "\n".join(words))
    expect(page.locator("[data-lines] li")).to_have_count(len(words))
    look(shopkeeper, "2-words")
    page.click("button[value=approve]")

    page.wait_for_selector("[data-held=song]")
    expect(page.locator("[data-karaoke]")).to_contain_text(SUNG[language])
    look(shopkeeper, "3-song")
    page.check("[name=choice][value=b]")
    page.click("button[value=approve]")

    page.wait_for_selector("[data-stage=video].now")
    shopkeeper.look("4-live", PHONE, DESKTOP)
    assert foreign_to(language, page) == set()

    page.wait_for_selector("video")
    assert page.title().startswith(Translator(language)("status_completed"))
    assert eventually(lambda: is_playing(page))
    look(shopkeeper, "5-result")
    assert acts_of(shopkeeper) == ["revised", "approved", "chosen", "approved"]


@pytest.mark.parametrize("shopkeeper", [("ko", PHONE)], indirect=True)
def test_what_is_typed_outlives_a_reload_and_another_language_until_it_is_ordered(shopkeeper):
    page = shopkeeper.page
    shopkeeper.go("/")
    fill_in(page, "ko")
    is_kept = "Object.keys(localStorage).some((name) => name.startsWith('draft:'))"
    page.wait_for_function(f"() => {is_kept}")
    page.reload()
    expect(page.locator("#f-customer_name")).to_have_value(SHOPS["ko"]["customer_name"])
    shopkeeper.go("/?lang=en")
    expect(page.locator("#f-region")).to_have_value(SHOPS["ko"]["region"])
    page.click("button.primary[value=order]")
    page.wait_for_selector(".work")
    page.wait_for_function(f"() => !{is_kept}")
    shopkeeper.go("/")
    expect(page.locator("#f-customer_name")).to_have_value("")


@pytest.mark.parametrize("shopkeeper", [("ko", PHONE)], indirect=True)
def test_back_from_a_work_leads_past_its_form_to_the_gallery(shopkeeper):
    page = shopkeeper.page
    shopkeeper.go("/")
    fill_in(page, "ko")
    page.click("button.primary[value=order]")
    page.wait_for_selector(".work")
    page.go_back()
    page.wait_for_url("**/works")


_PLAY = """
async film => {
  film.muted = true;
  await film.play();
  return film.currentTime > 0 && film.readyState > 1;
}
"""


def is_playing(page: Page) -> bool:
    """Whether the film has come to move."""
    moves: bool = page.locator("video").evaluate(_PLAY)
    return moves


def acts_of(someone: Person) -> list[str]:
    """What its owner has done with the work that is shown."""
    history = f"{someone.site.page}/v1/pipeline/history/{task_id_of(someone.page.url)}"
    told = [each["what"] for each in someone.context.request.get(history).json()["history"]]
    acts = [each.split()[0] for each in told]
    return [each for each in acts if each in ("revised", "chosen", "approved")]


@pytest.fixture(scope="module")
def film(site: Site) -> str:
    """A finished work of the administrator's."""
    with site.client(site.admin_key) as client:
        order = {**SHOPS["ko"], "duration_seconds": 10, "task_id": "film"}
        assert client.post("/v1/pipeline/start", json=order).status_code < 300
        assert eventually(lambda: status_of(client, "film") == "completed", 180)
    return "film"


def status_of(client: httpx.Client, task_id: str) -> str:
    status: str = client.get(f"/v1/pipeline/status/{task_id}").json()["overall_status"]
    return status


@pytest.fixture(params=[("ko", PHONE), ("en", DESKTOP)], ids=["ko-phone", "en-desktop"])
def operator(request: pytest.FixtureRequest, browser: Browser, site: Site) -> Iterator[Person]:
    """Who may see all orders."""
    language, size = request.param
    with person(browser, site, size, language) as someone:
        someone.log_in()
        yield someone


def test_frame_at_which_the_film_stands_becomes_its_cover(operator, film):
    page = operator.page
    operator.go(f"/works/{film}")
    before = page.get_attribute("#cover img", "src")
    second = 3 if operator.language == "ko" else 6
    page.locator("video").evaluate("(film, second) => { film.currentTime = second }", second)
    expect(page.locator("[data-frame] [name=seconds]")).to_have_value(f"{second}.0")
    page.click("[data-frame] button")
    expect(page.locator("#cover img")).not_to_have_attribute("src", str(before))
    assert eventually(
        lambda: page.locator("#cover img").evaluate("cover => cover.naturalWidth") > 0
    )


def test_share_link_shows_one_result_to_whoever_has_it(browser, site, operator, film):
    operator.go(f"/works/{film}")
    operator.page.click("#share form[action$=share] button")
    address = operator.page.input_value("#share-address")
    with person(browser, site, operator.size, operator.language) as stranger:
        stranger.page.goto(address)
        assert eventually(lambda: is_playing(stranger.page))
        stranger.look("6-shared", PHONE, DESKTOP)
        for path in ("/", f"/works/{film}", "/works", "/dashboard"):
            stranger.go(path)
            assert "/login" in stranger.page.url
        assert stranger.context.request.get(f"{site.page}/artifacts/{film}/video.mp4").status == 401


def test_profile_of_a_shop_begins_its_next_order(operator, film):
    page, name = operator.page, f"shop {operator.language}"
    operator.go("/")
    fill_in(page, operator.language)
    page.locator("details.more > summary").last.click()
    page.fill("#f-profile_name", name)
    page.click("button[value=profile]")
    page.wait_for_url("**profile=**")
    operator.go("/works")
    look(operator, "7-gallery")
    page.click(f".profile a >> text={name}")
    shop = SHOPS[operator.language]["customer_name"]
    expect(page.locator("#f-customer_name")).to_have_value(shop)


def test_batch_says_how_many_of_its_orders_are_done(operator):
    page, count = operator.page, 3
    operator.go("/batches")
    look(operator, "8-batch")
    rows = [f"{name},{operator.language},lyric" for name in "ABC"]
    table = "\n".join(["customer_name,region,hold", *rows]).encode()
    page.set_input_files("#file", {"name": "orders.csv", "mimeType": "text/csv", "buffer": table})
    page.click("button[value=check]")
    look(operator, "8-batch-checked")
    page.click("button.primary[value=order]")
    page.wait_for_selector(f"progress[max='{count}']")
    expect(page.locator(".badge.held, .badge.pending").first).to_be_visible()
    look(operator, "8-batch-progress")


def test_dashboard_filters_by_its_tiles_and_opens_an_order_beside_them(operator, film):
    page = operator.page
    operator.go("/dashboard")
    page.wait_for_selector("[data-stream][data-state=live]")
    operator.look("9-dashboard", PHONE, DESKTOP)
    page.click("[data-tile=done_today]")
    page.wait_for_selector(f"tr[data-id={film}]")
    page.click(f"tr[data-id={film}] a")
    page.wait_for_selector(f"[data-drawer={film}]")
    operator.look("9-dashboard-order", PHONE, DESKTOP)
    operator.go("/dashboard/-/system")
    look(operator, "9-dashboard-system")
    for name in ("webhooks", "reports", "reports/now"):
        operator.go(f"/dashboard/-/{name}")
        look(operator, f"9-dashboard-{name.replace('/', '-')}")


def test_call_is_tried_on_the_page_of_the_api(operator, film):
    page = operator.page
    operator.go("/docs")
    look(operator, "10-api")
    for name in ("orders", "live", "webhooks", "codes"):
        operator.go(f"/docs/{name}")
        look(operator, f"10-api-{name}")
    operator.go("/docs/calls/look")
    call = page.locator(
        "details.call", has=page.locator("[data-try='/v1/pipeline/status/{task_id}']")
    )
    call.locator("summary").click()
    call.locator("[name=task_id]").fill(film)
    call.locator("form button").click()
    expect(call.locator(".answer")).to_contain_text('"overall_status": "completed"')
    operator.look("10-api-tried", PHONE, DESKTOP)


def test_page_follows_an_order_by_its_session_as_pasted(operator, film):
    page, kinds = operator.page, []
    operator.go("/docs/live")
    page.on("console", lambda said: kinds.append(said.text.split(" ", 1)[0]))
    with page.expect_console_message(lambda said: said.text.startswith("end ")):
        page.evaluate(f"() => {{ {read_example('follow.js').replace('shop-1', film)} }}")
    assert (kinds[0], kinds[-1]) == ("snapshot", "end")
    assert "message" in kinds


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_screen_fits_a_narrow_phone_and_a_wall(browser, site, language, film):
    with person(browser, site, (360, 740), language) as someone:
        someone.go("/login")
        someone.look("0-login", (360, 740), WALL)
        someone.log_in()
        for path in (*WITHOUT_ORDER, *ADMINS, f"/works/{film}", f"/dashboard/{film}"):
            someone.go(path)
            for size in ((360, 740), WALL):
                someone.fits(path, size)
            someone.look_in_the_dark(path)
            if film not in path and path != "/works" and path != "/dashboard":
                assert foreign_to(language, someone.page) == set(), path


@pytest.mark.parametrize("shopkeeper", [("ko", PHONE)], indirect=True)
def test_form_complains_of_nothing_before_it_is_filled_in(shopkeeper):
    page = shopkeeper.page
    shopkeeper.go("/order/scan")
    page.wait_for_load_state("networkidle")
    assert page.locator("[data-estimate-line] .note, [aria-invalid=true]").count() == 0
    page.fill("#f-note", " ")
    expect(page.locator("[data-estimate-line] .note")).to_be_visible()


@pytest.mark.parametrize("shopkeeper", [("ko", DESKTOP)], indirect=True)
def test_keyboard_alone_orders_and_approves(shopkeeper):
    page, keys = shopkeeper.page, shopkeeper.page.keyboard
    shopkeeper.go("/")
    for name, value in SHOPS["ko"].items():
        tab_to(page, f"#f-{name}")
        keys.type(value)
    tab_to(page, "#f-duration_seconds")
    keys.type("10")
    tab_to(page, "button.primary[value=order]")
    keys.press("Enter")
    page.wait_for_selector("[data-held=lyric]")
    tab_to(page, "button[value=approve]")
    keys.press("Enter")
    page.wait_for_selector("[data-held=song], [data-scene=live]")
    assert acts_of(shopkeeper) == ["approved"]


def tab_to(page: Page, selector: str) -> None:
    """The Tab key alone leads there, and what has the focus is seen to have it."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            shown = "getComputedStyle(document.activeElement).outlineStyle"
            assert page.evaluate(shown) != "none", f"the focus on {selector} is not seen"
            return
    raise AssertionError(f"Tab does not lead to {selector}")
