"""Whatever comes from outside is shown as the text that it is, on every screen."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from pipeline_defs.catalog import get_catalog
from resources.delivery.engine import Decision
from resources.delivery.spool import Entry, open_spool
from resources.ledger.queries.access import Scope, Secret
from resources.ledger.queries.hours import StageFigures
from resources.ledger.queries.status import read_clock
from resources.ledger.request import Token, format_payload
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.access import create_key, revoke_key, save_profile, share_request
from resources.ledger.transitions.housekeeping import pause_provider, save_report
from resources.ledger.transitions.rescue import register_worker
from resources.process.settings import settings
from resources.views.report import format_hour
from sensors.hour_report import find_last_closed
from tests.api_house import served
from tests.browser.hostile_texts import ALL_AT_ONCE, CORPUS, FLAG, SHAPES
from tests.browser.hostile_works import Shelf
from tests.browser.site import PATIENCE_MS, PHONE, Person, Site, person
from tests.eventually import eventually

OWNER = ALL_AT_ONCE[:128]
NAME = CORPUS[2]
BATCH = "batch-0badf00d"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The pages over a ledger in which every text is hostile; nobody works there."""
    home = tmp_path_factory.mktemp("hostile")
    config = settings().model_copy(update={"home": home})
    with served(config) as house:
        yield Site(house.url, config.ui_url, home, house.db)


@pytest.fixture(scope="module")
def shelf(house: Site) -> Shelf:
    shelf, kinds = Shelf(house.db, OWNER), list(get_catalog())
    for text in (ALL_AT_ONCE, *SHAPES[:3]):
        shelf.fill(text)
    for number, text in enumerate(CORPUS):
        shelf.order(kinds[number % len(kinds)], "row", text)
        shelf.order(kinds[number % len(kinds)], "batch", text, task_id=f"{BATCH}-{number:05d}")
    fill_the_system(house)
    return shelf


def fill_the_system(house: Site) -> None:
    """Profiles, workers, vendors, lost saves and reports of hostile names."""
    for pipeline in get_catalog():
        save_profile(house.db, OWNER, pipeline.name, ALL_AT_ONCE[:80], {})
    queues = [NAME[:40]]
    register_worker(house.db, NAME, NAME, slots=1, poison_deaths=3, queues=queues)
    pause_provider(house.db, NAME[:64], ALL_AT_ONCE, 3600)
    spool = open_spool(house.home)
    spool.append([Entry(NAME, NAME, {"text": ALL_AT_ONCE})])
    spool.record(spool.waiting()[0], Decision(DeliveryStatus.DEAD, message=ALL_AT_ONCE))
    figures = [StageFigures(NAME[:64], NAME[:64], failed=2, codes={NAME[:64]: 2})]
    save_report(house.db, find_last_closed(read_clock(house.db)), figures)


@dataclass
class Watched:
    """Somebody whose browser tells whether a page has run, opened or asked for something of a text's."""

    person: Person
    asked: list[str]

    @property
    def page(self) -> Page:
        return self.person.page

    def open(self, path: str, *texts: str) -> None:
        """The page is there, shows these texts, fits a phone, and none of them has done anything."""
        answer = self.page.goto(self.person.site.page + path)
        assert answer is not None
        assert answer.status == 200, f"{path} answers {answer.status}"
        self.check(path, *texts)

    def check(self, path: str, *texts: str) -> None:
        shown = " ".join(self.page.evaluate(_SHOWN).split())
        for text in texts:
            assert " ".join(text.split()) in shown, f"{path} does not show {text[:60]}"
        self.person.fits(path, PHONE)
        assert self.page.evaluate(f"window.{FLAG}") is None, path
        assert self.page.evaluate(_SCRIPTED_LINKS) == [], path
        assert self.asked == [], path


_SHOWN = """
document.body.innerText + " " + [...document.querySelectorAll("input, textarea")].map(each => each.value).join(" ")
"""
_SCRIPTED_LINKS = """
[...document.querySelectorAll("[href], [src], [action]")].map(each => each.href || each.src || each.action)
  .filter(address => /^(javascript|data:text|vbscript)/i.test(String(address)))
"""


@pytest.fixture
def operator(browser: Browser, house: Site, shelf: Shelf) -> Iterator[Watched]:
    """An administrator whose key has a hostile name."""
    secret = Secret.new()
    scopes = [Scope.ADMIN, Scope.ORDER, Scope.READ]
    create_key(house.db, secret, name=NAME, owner=OWNER, scopes=scopes)
    with person(browser, house, PHONE, "en") as someone:
        watched = Watched(someone, [])
        here = urlsplit(house.page).netloc
        someone.page.on(
            "request",
            lambda request: watched.asked.extend(
                [request.url] if urlsplit(request.url).netloc not in (here, "") else []
            ),
        )
        someone.page.on("dialog", lambda dialog: watched.asked.append(f"dialog: {dialog.message}"))
        someone.log_in(secret.text)
        yield watched
        someone.page.close()
        # The files of these works are names alone.
        no_file = "Failed to load resource"
        someone.complaints[:] = [each for each in someone.complaints if no_file not in each]


@pytest.mark.parametrize("pipeline", [each.name for each in get_catalog()])
def test_hostile_text_is_text_on_the_page_of_a_work(operator, shelf, pipeline):
    works = [each for each in shelf.works if each.startswith(f"{pipeline}-")]
    for task_id in works:
        if "-row-" not in task_id:
            operator.open(f"/works/{task_id}")


@pytest.mark.parametrize("pipeline", [each.name for each in get_catalog()])
def test_hostile_text_is_text_on_the_dashboard_beside_the_table(operator, shelf, pipeline):
    for task_id, text in shelf.works.items():
        if task_id.startswith(f"{pipeline}-") and "-row-" not in task_id:
            operator.open(f"/dashboard/{task_id}", text)


@pytest.mark.parametrize("pipeline", [each.name for each in get_catalog()])
def test_hostile_text_is_text_in_the_form_of_a_like_order(operator, shelf, pipeline):
    for task_id, text in shelf.works.items():
        if task_id.startswith((f"{pipeline}-waits", f"{pipeline}-row")):
            operator.open(
                f"/order/{pipeline}?like={task_id}", *([text] if "\n" not in text else [])
            )


def test_hostile_text_is_text_where_works_are_listed(operator, shelf):
    operator.open("/works", ALL_AT_ONCE[:80])
    while operator.page.locator("a[rel=next]").count():
        operator.open(str(operator.page.get_attribute("a[rel=next]", "href")))
    operator.open(f"/works?q={quote(CORPUS[0])}")
    operator.open("/dashboard")
    operator.page.wait_for_selector("[data-stream][data-state=live]")
    operator.check("/dashboard")
    operator.open("/dashboard/-/system", NAME, ALL_AT_ONCE)
    operator.open("/dashboard/-/webhooks", ALL_AT_ONCE[:60])
    hour = format_hour(find_last_closed(read_clock(operator.person.site.db)))
    operator.open("/dashboard/-/reports")
    operator.open(f"/dashboard/-/reports/{hour}", NAME[:64])


def test_hostile_name_is_a_name_in_account_profiles_and_reference(operator, shelf):
    operator.open("/", ALL_AT_ONCE[:80])
    operator.page.click(".account summary")
    operator.check("/", NAME, OWNER)
    operator.open("/docs/webhooks")
    hour = format_hour(find_last_closed(read_clock(operator.person.site.db)))
    operator.open(f"/v1/reports/{hour}?format=html", NAME[:64])


def test_hostile_text_is_text_on_a_shared_page_and_in_a_batch(operator, shelf):
    files = operator.person.site.home / "artifacts" / "x"
    files.mkdir(parents=True, exist_ok=True)
    for stage in (each for pipeline in get_catalog() for each in pipeline.stage_names):
        (files / stage).touch()
    for task_id in shelf.works:
        if "-done-" in task_id:
            token = Token.new()
            share_request(shelf.db, task_id, token, days=1, created_by=NAME)
            operator.open(f"/s/{token.text}")
            assert operator.page.locator(".shared").count() == 1
    operator.open(f"/batches/{BATCH}")


def test_hostile_text_is_text_in_the_ui_of_dagster(browser, site):
    names = [text for text in CORPUS if len(text) <= 80 and text.isprintable()]
    shelf = Shelf(site.db, OWNER)
    insert = "INSERT INTO requests (task_id, payload, hold) VALUES (:name, :payload, 'lyric')"
    tasks = {
        f"ui-{number}": pair
        for number, pair in enumerate(zip(names[::2], names[1::2], strict=False))
    }
    for task_id, (name, region) in tasks.items():
        order = {"customer_name": name, "region": region, "detail_region_info": ALL_AT_ONCE[:500]}
        shelf.steps.sql(insert, name=task_id, payload=format_payload(order))
    unusable = shelf.order(next(iter(get_catalog())), "unusable", ALL_AT_ONCE)
    assert eventually(lambda: all(shelf.steps.row(each).waits_for for each in tasks), 180)
    assert eventually(lambda: shelf.steps.row(unusable).is_terminal, 60)
    runs = [shelf.steps.attempts(each)[0].run_id for each in tasks]
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    for path in (*(f"/runs/{each}" for each in runs), "/runs", "/assets/requests", "/overview"):
        page.goto(site.ui + path)
        page.wait_for_load_state("networkidle")
        # The network may rest before the page has shown what it got.
        shown = path.rpartition("/")[2][:8]
        page.wait_for_function(
            "text => document.body.innerText.toLowerCase().includes(text)", arg=shown
        )
        assert page.evaluate(f"window.{FLAG}") is None, path
    context.close()


# Whose page it is


@pytest.mark.parametrize("path", ["/login", "/", "/works", "/dashboard", "/s/nothing"])
def test_page_is_shown_in_no_frame(operator, path):
    page = operator.person.context.new_page()
    page.goto("about:blank")
    page.set_content(f"<iframe src='{operator.person.site.page}{path}'></iframe>")
    assert eventually(lambda: page.frames[-1].url.startswith("chrome-error:"))


@pytest.mark.parametrize("token", ["", "0" * 64])
def test_cookie_without_its_token_changes_nothing(operator, shelf, token):
    name = "song_video-waits-0"
    ask, here = operator.person.context.request, operator.person.site.page
    before = shelf.steps.row(name)
    acts = [
        f"/works/{name}/{act}" for act in ("cancel", "held", "reject", "redo", "share", "cover")
    ]
    dashboard = [f"/dashboard/{name}/{act}" for act in ("cancel", "delete", "redo")]
    forms = [
        *acts,
        *dashboard,
        "/dashboard/-/bulk",
        "/dashboard/-/system/resume",
        "/batches",
        "/logout",
    ]
    for path in forms:
        is_file = path == "/batches"
        sent = {"multipart" if is_file else "form": {"csrf": token, "verb": "cancel"}}
        assert ask.post(here + path, max_redirects=0, **sent).status == 403, path
    headers = {"X-CSRF-Token": token} if token else {}
    assert ask.post(f"{here}/v1/pipeline/cancel/{name}", headers=headers).status == 403
    assert ask.delete(f"{here}/v1/pipeline/{name}", headers=headers).status == 403
    assert shelf.steps.row(name) == before


def test_ids_of_another_owner_lead_to_nothing(browser, house, shelf):
    with person(browser, house, language="en") as someone:
        someone.log_in(house.key("other").text)
        ask = someone.context.request
        for name in ("song_video-waits-0", "no-such-order"):
            for path in (
                *(
                    f"/works/{name}",
                    f"/order/song_video?like={name}",
                    f"/v1/pipeline/status/{name}",
                ),
                *(f"/v1/pipeline/history/{name}", f"/artifacts/{name}/song.wav"),
                *(f"/v1/pipeline/events/{name}", f"/batches/{BATCH}"),
            ):
                assert ask.get(house.page + path).status == 404, path
            assert ask.get(f"{house.page}/dashboard/{name}").status == 403
        someone.go("/works")
        assert someone.page.locator(".work-card").count() == 0


def test_page_says_so_when_its_key_is_revoked(browser, house, shelf):
    secret = Secret.new()
    create_key(house.db, secret, name="gone", owner=OWNER, scopes=[Scope.READ, Scope.ORDER])
    with person(browser, house, language="en") as someone:
        someone.log_in(secret.text)
        someone.go("/works/song_video-waits-0")
        someone.page.wait_for_selector("[data-stream][data-state=live]")
        revoke_key(house.db, secret.id)
        expect(someone.page.locator("[data-stream]")).to_have_text(
            "You are logged out. Log in again."
        )
        someone.complaints.clear()
        someone.go("/works")
        assert "/login" in someone.page.url
