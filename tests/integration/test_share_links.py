"""Share links: one completed order's files, to whoever has the address, and nothing else."""

from pathlib import Path

import httpx
import pytest

from castad.views.snapshot import read_shared_snapshot
from resources.files.artifacts import open_artifact_store
from resources.ledger.ledger_errors import UnknownShareLinkError
from resources.ledger.request import Token
from resources.ledger.transitions.access import share_request
from resources.ledger.transitions.core import Lease
from resources.process.settings import settings
from tests.api_house import ON_BOTH, House
from tests.command_line import castad
from tests.ledger_steps import STAGES

CONTENT = b"a film"
ORDERS = ("a", "b")
FILES = {
    "song": ("song.mp3", "song-2.mp3"),
    "video": ("video.mp4", "cover.jpg", "lyrics.lrc", "lyrics.srt", "lyrics.vtt"),
}
SHOWN = {"video.mp4", "cover.jpg", "lyrics.vtt"}


@pytest.fixture
def house(house: House, tmp_path: Path) -> House:
    """An API with two completed orders of `shop`, each with a file."""
    for name in ORDERS:
        _complete(house, name, tmp_path)
    return house


def _complete(house: House, name: str, folder: Path) -> None:
    lease = house.steps.working(name)
    for stage in STAGES:
        _make(house, lease, stage, folder / name, *FILES.get(stage, ()))
    house.steps.sql("UPDATE requests SET owner = 'shop' WHERE task_id = :name", name=name)


def _make(house: House, lease: Lease, stage: str, folder: Path, *names: str) -> None:
    """The stage is completed with these files."""
    folder.mkdir(exist_ok=True)
    files = []
    for name in names:
        (folder / name).write_bytes(CONTENT)
        files.append(open_artifact_store(settings()).store_file(folder / name, lease.task_id, name))
    result = {"files": [{"name": each.name, "where": each.where} for each in files]}
    house.steps.complete(lease, house.steps.begin(lease, stage), result=result, files=files)


@pytest.fixture
def shop(house: House) -> httpx.Client:
    return house.as_("shop")


@pytest.fixture
def anybody(house: House) -> httpx.Client:
    return house.client(None)


def share(client: httpx.Client, task_id: str = "a", **chosen: int) -> dict[str, str]:
    answer = client.post(f"/v1/pipeline/share/{task_id}", json=chosen)
    assert answer.status_code == 201, answer.text
    body: dict[str, str] = answer.json()
    return body


def told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_whoever_has_the_link_reads_its_orders_files(shop, anybody):
    url = share(shop)["url"]
    whole = anybody.get(f"{url}/files/video.mp4")
    part = anybody.get(f"{url}/files/video.mp4", headers={"Range": "bytes=2-"})
    assert (whole.content, part.content, part.status_code) == (CONTENT, CONTENT[2:], 206)


def test_link_reaches_no_other_order(shop, anybody):
    url = share(shop)["url"]
    names = ("b.mp4", "..%2fb%2fvideo.mp4", "%2e%2e/b/video.mp4", "none.mp4")
    answers = [anybody.get(f"{url}/files/{name}") for name in names]
    assert {answer.status_code for answer in answers} == {404}


def test_links_token_is_no_key(shop, house):
    token = share(shop)["url"].rpartition("/")[2]
    asked = house.client(token)
    asked.cookies.set("castad_session", token)
    paths = ("/v1/pipeline/status/a", "/v1/pipeline", "/artifacts/a/video.mp4", "/v1/session")
    assert {asked.get(path).status_code for path in paths} == {401}


@ON_BOTH
def test_revoked_link_shows_nothing(shop, anybody):
    link, other = share(shop), share(shop)
    for _ in range(2):
        answer = shop.delete(f"/v1/pipeline/share/a/{link['id']}")
        assert (answer.status_code, answer.json()["revoked_at"] is not None) == (200, True)
    asked = [anybody.get(f"{each['url']}/files/video.mp4") for each in (link, other)]
    assert [answer.status_code for answer in asked] == [404, 200]
    assert told(asked[0]) == (404, "unknown_share_link")


@ON_BOTH
def test_expired_link_shows_nothing(shop, anybody, house):
    url = share(shop, days=1)["url"]
    house.steps.sql("UPDATE share_links SET expires_at = created_at")
    assert told(anybody.get(f"{url}/files/video.mp4")) == (404, "unknown_share_link")
    assert shop.get("/v1/pipeline/share/a").json() == {"links": []}


def shown(anybody: httpx.Client, url: str) -> set[str]:
    """The files that the link hands out, of all that were ever made."""
    names = {name for made in FILES.values() for name in made}
    names |= {name.replace(".", ".2.", 1) for name in names}
    return {name for name in names if anybody.get(f"{url}/files/{name}").status_code == 200}


def test_link_hands_out_the_film_and_what_it_is_looked_at_with(shop, anybody):
    url = share(shop)["url"]
    assert shown(anybody, url) == SHOWN
    assert told(anybody.get(f"{url}/files/song-2.mp3")) == (404, "unknown_artifact")


@pytest.mark.parametrize("stage", STAGES)
def test_link_shows_what_was_shared_whatever_is_made_again(shop, anybody, house, tmp_path, stage):
    """While it is made, after it has failed for good, and when it is done."""
    first = share(shop)["url"]
    house.steps.redo("a", stage)
    assert shown(anybody, first) == SHOWN
    lease = house.steps.take("a")
    for each in STAGES[STAGES.index(stage) :]:
        names = [name.replace(".", ".2.", 1) for name in FILES.get(each, ())]
        _make(house, lease, each, tmp_path / "new", *names)
        assert shown(anybody, first) == SHOWN
    second = share(shop)["url"]
    pages = [anybody.get(url).text for url in (first, second)]
    assert (shown(anybody, first), shown(anybody, second)) == (
        SHOWN,
        {name.replace(".", ".2.", 1) for name in SHOWN},
    )
    assert ["/files/video.mp4" in page for page in pages] == [True, False]
    assert ["/files/video.2.mp4" in page for page in pages] == [False, True]


def test_link_shows_the_shared_film_of_an_order_that_died_afterwards(shop, anybody, house):
    url = share(shop)["url"]
    house.steps.redo("a", "video")
    house.steps.sql("UPDATE requests SET status = 'dead' WHERE task_id = 'a'")
    assert shown(anybody, url) == SHOWN
    assert anybody.get(url).status_code == 200


@pytest.mark.parametrize("kept", [True, False])
def test_link_to_a_film_that_was_removed_says_so(shop, anybody, house, kept):
    url = share(shop)["url"]
    if kept:
        (settings().home / "artifacts" / "a" / "video.mp4").unlink()
    else:
        house.steps.sql("DELETE FROM artifacts WHERE name = 'video.mp4'")
    page = anybody.get(f"{url}?lang=ko")
    assert page.status_code == 404
    assert "작품이 지워졌습니다" in page.text
    assert told(anybody.get(f"{url}/files/video.mp4")) == (404, "unknown_share_link")
    assert shown(anybody, url) == set()


@ON_BOTH
def test_deleted_order_takes_its_links_with_it(shop, anybody, house):
    url = share(shop)["url"]
    house.steps.sql("DELETE FROM requests WHERE task_id = 'a'")
    assert told(anybody.get(f"{url}/files/video.mp4")) == (404, "unknown_share_link")


@ON_BOTH
def test_list_has_the_links_of_the_order_and_no_address(shop):
    made = [share(shop, days=days)["id"] for days in (1, 90)]
    share(shop, "b")
    answer = shop.get("/v1/pipeline/share/a")
    assert {link["id"] for link in answer.json()["links"]} == set(made)
    assert "/s/" not in answer.text


def test_link_is_revoked_through_its_own_order_only(shop):
    link = share(shop)
    assert told(shop.delete(f"/v1/pipeline/share/b/{link['id']}")) == (404, "unknown_share_link")


def test_only_a_completed_order_is_shared(shop, house):
    house.steps.order("new")
    house.steps.sql("UPDATE requests SET owner = 'shop' WHERE task_id = 'new'")
    assert told(shop.post("/v1/pipeline/share/new")) == (409, "not_completed")


@ON_BOTH
def test_order_has_a_hundred_links_at_most(shop, house):
    for _ in range(99):
        share_request(house.db, "a", Token.new(), days=1, created_by="a test")
    share(shop)
    assert told(shop.post("/v1/pipeline/share/a")) == (409, "many_share_links")


def test_unusable_time_is_refused_by_its_field(shop):
    for body in ('{"days": 0}', '{"days": 91}', '{"days": true}', '{"day": 1}'):
        answer = shop.post("/v1/pipeline/share/a", content=body)
        assert (told(answer), answer.json()["field"]) == ((422, "invalid_input"), "days")


@ON_BOTH
def test_made_up_token_shows_nothing(house):
    for token in ("x", "A" * 43, "%00", "../a"):
        with pytest.raises(UnknownShareLinkError):
            read_shared_snapshot(house.db, token, settings().home)


def test_commands_share_list_and_revoke(house, anybody):
    address = castad("share", "a").stdout.strip()
    path = f"/s/{address.rpartition('/')[2]}/files/video.mp4"
    before = anybody.get(path).status_code
    link_id = castad("share", "a", "--list").stdout.split()[0]
    castad("share", "a", "--revoke", link_id)
    assert (before, anybody.get(path).status_code) == (200, 404)
