"""The form of an order in a browser: nothing that was entered is lost, and pictures come as they were arranged."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from castad.web.words import Translator
from resources.files.artifacts import open_artifact_store
from resources.files.pictures import get_picture_source, list_picture_references
from resources.ledger.queries.status import list_requests
from resources.process.settings import Settings, settings
from studio.images import open_image
from tests.api_house import House, served
from tests.browser.languages import foreign_to
from tests.browser.site import DESKTOP, PHONE, Person, Site, person

ORIENTATION = 0x0112
NAMES = {
    "ko": {"customer_name": "봄날 베이커리", "region": "전주"},
    "en": {"customer_name": "Blue Harbor Bakery", "region": "Jeonju"},
}
RED, GREEN, BLUE = "red.jpg", "green.jpg", "blue.jpg"
WRONG = "999"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return settings().model_copy(update={"home": tmp_path_factory.mktemp("form")})


@pytest.fixture(scope="module")
def house(config: Settings) -> Iterator[House]:
    """The page alone: nothing is made of what is ordered."""
    with served(config) as house:
        yield house


@pytest.fixture
def shopkeeper(
    request: pytest.FixtureRequest, browser: Browser, house: House, config: Settings
) -> Iterator[Person]:
    """Who has a shop of their own; the options of the browser are the test's parameter."""
    at, owner = Site(house.url, "", config.home, house.db), request.node.name
    with person(browser, at, **getattr(request, "param", {})) as someone:
        someone.log_in(house.key(owner))
        yield someone


def photo(name: str, size: tuple[int, int], *, turned: int = 1) -> Any:
    """A photo in the colour of its name, white at its upper left; a camera may have noted how it is turned."""
    file, picture = io.BytesIO(), Image.new("RGB", size, Path(name).stem)
    picture.paste("white", (0, 0, size[0] // 4, size[1] // 4))
    exif = Image.Exif()
    exif[ORIENTATION] = turned
    picture.save(file, "JPEG", exif=exif)
    return {"name": name, "mimeType": "image/jpeg", "buffer": file.getvalue()}


def fill_in(page: Page, *photos: Any, language: str = "ko") -> None:
    for name, value in NAMES[language].items():
        page.fill(f"#f-{name}", value)
    if photos:
        page.set_input_files("#f-images", [*photos])


def send(page: Page) -> None:
    page.click("button.primary[value=order]")


def refuse(page: Page) -> None:
    """A length that the browser itself would not let through is sent."""
    page.locator("[data-order]").evaluate("form => form.noValidate = true")
    page.fill("#f-duration_seconds", WRONG)
    send(page)
    page.wait_for_selector("[data-faults]")


def pictures(page: Page) -> Locator:
    return page.locator("[data-field=images] [data-picture]")


def names(page: Page) -> list[str]:
    return [each.strip() for each in pictures(page).locator(".small").all_inner_texts()]


def ordered(house: House, config: Settings, owner: str) -> list[Image.Image]:
    """The pictures of the owner's one order, upright."""
    [order] = [each.order() or {} for each in list_requests(house.db) if each.owner == owner]
    source = get_picture_source(config)
    paths = [source.open(each) for each in list_picture_references(order, ["images"])]
    assert all(open_artifact_store(config).root in each.parents for each in paths)
    return [open_image(each, "picture") for each in paths]


def colours(picture: Image.Image) -> tuple[str, str]:
    """The colour of the picture, and the corner that is white."""
    width, height = picture.size
    shown = picture.convert("RGB")
    corners = {"left": (2, 2), "right": (width - 3, 2)}
    white = [name for name, at in corners.items() if min(_read(shown, at)) > 200]
    middle = _read(shown, (width // 2, height // 2))
    return ("red", "green", "blue")[middle.index(max(middle))], "".join(white)


def _read(picture: Image.Image, at: tuple[int, int]) -> tuple[int, int, int]:
    found = picture.getpixel(at)
    assert isinstance(found, tuple)
    return found[0], found[1], found[2]


@pytest.mark.parametrize(
    "shopkeeper", [{"size": PHONE}, {"size": DESKTOP, "language": "en"}], indirect=True
)
def test_refused_form_keeps_everything_once_and_says_each_fault_first(shopkeeper):
    page = shopkeeper.page
    shopkeeper.go("/")
    fill_in(page, photo(RED, (400, 300)), photo(GREEN, (300, 400)), language=shopkeeper.language)
    expect(pictures(page)).to_have_count(2)
    refuse(page)
    assert page.evaluate("document.activeElement.matches('[data-faults]')")
    for look in (page.reload, page.go_back, lambda: shopkeeper.go("/?lang=ko")):
        look()
        page.wait_for_selector("[data-faults]")
        expect(page.locator("#f-customer_name")).to_have_value(
            NAMES[shopkeeper.language]["customer_name"]
        )
        expect(page.locator("#f-duration_seconds")).to_have_value(WRONG)
        assert names(page) == [RED, GREEN]
    shopkeeper.go(f"/?lang={shopkeeper.language}")
    shopkeeper.look("1-order-refused", PHONE, DESKTOP)
    shopkeeper.look_in_the_dark("1-order-refused")
    assert foreign_to(shopkeeper.language, page) == set()


def test_pictures_reach_the_server_turned_and_in_order_and_made_small(
    shopkeeper, house, config, request
):
    page = shopkeeper.page
    shopkeeper.go("/")
    fill_in(
        page, photo(RED, (4000, 3000)), photo(GREEN, (300, 200)), photo(BLUE, (400, 200), turned=6)
    )
    expect(pictures(page)).to_have_count(3)
    pictures(page).nth(0).locator("[value=later]").press("Enter")
    assert names(page) == [GREEN, RED, BLUE]
    assert page.evaluate("document.activeElement.value") == "later"
    pictures(page).nth(0).locator("[value=turn]").click()
    pictures(page).nth(2).locator("[value=remove]").click()
    page.set_input_files("#f-images", [photo(BLUE, (400, 200), turned=6)])
    expect(pictures(page)).to_have_count(3)
    send(page)
    page.wait_for_url("**/works/*")
    found = ordered(house, config, request.node.name)
    assert [each.size for each in found] == [(200, 300), (2048, 1536), (200, 400)]
    assert [colours(each) for each in found] == [
        ("green", "right"),
        ("red", "left"),
        ("blue", "right"),
    ]


def test_kept_picture_is_turned_and_put_before_a_new_one(shopkeeper, house, config, request):
    page = shopkeeper.page
    shopkeeper.go("/")
    fill_in(page, photo(RED, (400, 300)), photo(GREEN, (300, 200)))
    expect(pictures(page)).to_have_count(2)
    refuse(page)
    page.set_input_files("#f-images", [photo(BLUE, (100, 50))])
    expect(pictures(page)).to_have_count(3)
    pictures(page).nth(2).locator("[value=earlier]").click()
    pictures(page).nth(0).locator("[value=turn]").click()
    expect(pictures(page).nth(0).locator("input[type=file]")).to_have_count(1)
    page.fill("#f-duration_seconds", "10")
    send(page)
    page.wait_for_url("**/works/*")
    found = ordered(house, config, request.node.name)
    assert [each.size for each in found] == [(300, 400), (100, 50), (300, 200)]


def test_ended_session_keeps_the_pictures_on_the_page_until_they_are_sent(
    shopkeeper, house, request
):
    page, cookies = shopkeeper.page, shopkeeper.context.cookies()
    shopkeeper.go("/")
    fill_in(page, photo(RED, (40, 30)))
    expect(pictures(page)).to_have_count(1)
    shopkeeper.context.clear_cookies()
    send(page)
    expect(page.locator("[data-estimate-line] a[href='/login']")).to_be_visible()
    assert names(page) == [RED]
    shopkeeper.complaints.clear()  # a browser complains of a price that was asked for without a session
    shopkeeper.context.add_cookies([{**each} for each in cookies])
    send(page)
    page.wait_for_url("**/works/*")
    assert [each.owner for each in list_requests(house.db)].count(request.node.name) == 1


@pytest.mark.parametrize(
    "shopkeeper", [{"size": PHONE, "java_script_enabled": False}], indirect=True
)
def test_refused_form_keeps_everything_once_without_script(shopkeeper):
    page = shopkeeper.page
    shopkeeper.go("/")
    limits = page.locator("#limits-images")
    expect(limits).to_contain_text("10")
    broken = {"name": "broken.jpg", "mimeType": "image/jpeg", "buffer": b"?"}
    fill_in(page, photo(RED, (40, 30)), broken, photo(GREEN, (40, 30)))
    send(page)
    expect(page.locator("#error-images")).to_contain_text("broken.jpg")
    expect(page.locator("#error-images")).to_contain_text(Translator("ko")("expected_picture"))
    expect(page.locator("#f-region")).to_have_value(NAMES["ko"]["region"])
    assert names(page) == [RED, GREEN]
    assert pictures(page).locator("img").count() == 2
    page.locator("[data-field=images] input[type=checkbox]").first.uncheck()
    send(page)
    page.wait_for_url("**/works/*")


def test_genre_is_added_and_taken_and_a_colour_stays_empty_until_it_is_picked(shopkeeper):
    page = shopkeeper.page
    shopkeeper.go("/")
    page.fill("#f-genre", "pop")
    page.click(".suggestion[value=jazz]")
    expect(page.locator("#f-genre")).to_have_value("pop, jazz")
    page.click(".suggestion[value=pop]")
    expect(page.locator("#f-genre")).to_have_value("jazz")
    page.locator("details.more > summary").nth(1).click()
    expect(page.locator("#f-brand_colors")).to_have_value("")
    page.locator("[data-colour] [type=color]").first.fill("#12ab34")
    expect(page.locator("#f-brand_colors")).to_have_value("#12ab34")


def test_pictures_beyond_the_limit_and_what_is_none_are_left_out_and_named(shopkeeper):
    page = shopkeeper.page
    shopkeeper.go("/")
    note = {"name": "note.txt", "mimeType": "text/plain", "buffer": b"?"}
    fill_in(page, note, *(photo(RED, (20 + each, 20)) for each in range(12)))
    expect(pictures(page)).to_have_count(10)
    said = page.locator("[data-field=images] [data-too-much]")
    expect(said).to_contain_text("note.txt")
    expect(said).to_contain_text(Translator("ko")("js_too_many", n=10))
