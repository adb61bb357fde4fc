"""Share links: one completed order's files, to whoever has the address, and nothing besides."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from castad.api.share_links import shared_order
from resources.files.artifacts import artifact_store
from resources.ledger.errors import UnknownShareLinkError
from resources.ledger.moves.core import Lease
from resources.ledger.moves.share_links import share_request
from resources.ledger.tokens import Token
from resources.process.settings import settings
from tests.api_house import House, served, use_ledger
from tests.command_line import castad
from tests.ledger_steps import STAGES

CONTENT = b"a film"
ORDERS = ("a", "b")


@pytest.fixture
def house(ledger_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[House]:
    """An API with two completed orders of `shop`, each with a file."""
    use_ledger(ledger_url, monkeypatch)
    with served() as house:
        for name in ORDERS:
            _complete(house, name, tmp_path)
        yield house


def _complete(house: House, name: str, folder: Path) -> None:
    lease = house.steps.working(name)
    for stage in STAGES:
        _make(house, lease, stage, folder / f"{name}-{stage}.txt")
    house.steps.sql("UPDATE requests SET owner = 'shop' WHERE task_id = :name", name=name)


def _make(house: House, lease: Lease, stage: str, draft: Path) -> None:
    """The stage is completed with this file."""
    draft.write_bytes(CONTENT)
    file = artifact_store(settings()).keep(draft, lease.task_id, draft.name)
    house.steps.complete(lease, house.steps.begin(lease, stage), files=[file])


@pytest.fixture
def shop(house: House) -> httpx.Client:
    return house.as_("shop")


@pytest.fixture
def anybody(house: House) -> httpx.Client:
    return house.client(None)


def share(client: httpx.Client, task_id: str = "a", **chosen: int) -> dict[str, str]:
    answer = client.post(f"/pipeline/share/{task_id}", json=chosen)
    assert answer.status_code == 201, answer.text
    body: dict[str, str] = answer.json()
    return body


def told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_whoever_has_the_link_reads_its_orders_files(
    shop: httpx.Client, anybody: httpx.Client
) -> None:
    url = share(shop)["url"]
    whole = anybody.get(f"{url}/files/a-video.txt")
    part = anybody.get(f"{url}/files/a-video.txt", headers={"Range": "bytes=2-"})
    assert (whole.content, part.content, part.status_code) == (CONTENT, CONTENT[2:], 206)


def test_link_reaches_no_other_order(shop: httpx.Client, anybody: httpx.Client) -> None:
    url = share(shop)["url"]
    names = ("b-video.txt", "..%2fb%2fb-video.txt", "%2e%2e/b/b-video.txt", "a-none.txt")
    answers = [anybody.get(f"{url}/files/{name}") for name in names]
    assert {answer.status_code for answer in answers} == {404}


def test_links_token_is_no_key(shop: httpx.Client, house: House) -> None:
    token = share(shop)["url"].rpartition("/")[2]
    asked = house.client(token)
    asked.cookies.set("castad_session", token)
    paths = ("/pipeline/status/a", "/pipeline", "/artifacts/a/a-video.txt", "/session")
    assert {asked.get(path).status_code for path in paths} == {401}


def test_revoked_link_shows_nothing(shop: httpx.Client, anybody: httpx.Client) -> None:
    link, other = share(shop), share(shop)
    for _ in range(2):
        answer = shop.delete(f"/pipeline/share/a/{link['id']}")
        assert (answer.status_code, answer.json()["revoked_at"] is not None) == (200, True)
    asked = [anybody.get(f"{each['url']}/files/a-video.txt") for each in (link, other)]
    assert [answer.status_code for answer in asked] == [404, 200]
    assert told(asked[0]) == (404, "unknown_share_link")


def test_expired_link_shows_nothing(
    shop: httpx.Client, anybody: httpx.Client, house: House
) -> None:
    url = share(shop, days=1)["url"]
    house.steps.sql("UPDATE share_links SET expires_at = created_at")
    assert told(anybody.get(f"{url}/files/a-video.txt")) == (404, "unknown_share_link")
    assert shop.get("/pipeline/share/a").json() == {"links": []}


def test_link_shows_nothing_while_its_order_is_made_anew(
    shop: httpx.Client, anybody: httpx.Client, house: House
) -> None:
    url = share(shop)["url"]
    house.steps.redo("a", "video")
    assert told(anybody.get(f"{url}/files/a-video.txt")) == (404, "unknown_share_link")
    assert anybody.get(url).status_code == 404


def test_link_shows_what_was_made_last(
    shop: httpx.Client, anybody: httpx.Client, house: House, tmp_path: Path
) -> None:
    url = share(shop)["url"]
    house.steps.redo("a", "video")
    _make(house, house.steps.take("a"), "video", tmp_path / "a-video.2.txt")
    names = ("a-song.txt", "a-video.txt", "a-video.2.txt")
    answers = [anybody.get(f"{url}/files/{name}") for name in names]
    assert [answer.status_code for answer in answers] == [200, 404, 200]
    assert told(answers[1]) == (404, "unknown_artifact")


def test_deleted_order_takes_its_links_with_it(
    shop: httpx.Client, anybody: httpx.Client, house: House
) -> None:
    url = share(shop)["url"]
    house.steps.sql("DELETE FROM requests WHERE task_id = 'a'")
    assert told(anybody.get(f"{url}/files/a-video.txt")) == (404, "unknown_share_link")


def test_list_has_the_links_of_the_order_and_no_address(shop: httpx.Client) -> None:
    made = [share(shop, days=days)["id"] for days in (1, 90)]
    share(shop, "b")
    answer = shop.get("/pipeline/share/a")
    assert {link["id"] for link in answer.json()["links"]} == set(made)
    assert "/s/" not in answer.text


def test_link_is_revoked_through_its_own_order_only(shop: httpx.Client) -> None:
    link = share(shop)
    assert told(shop.delete(f"/pipeline/share/b/{link['id']}")) == (404, "unknown_share_link")


def test_only_a_completed_order_is_shared(shop: httpx.Client, house: House) -> None:
    house.steps.order("new")
    house.steps.sql("UPDATE requests SET owner = 'shop' WHERE task_id = 'new'")
    assert told(shop.post("/pipeline/share/new")) == (409, "not_completed")


def test_order_has_a_hundred_links_at_most(shop: httpx.Client, house: House) -> None:
    for _ in range(99):
        share_request(house.db, "a", Token.new(), days=1, created_by="a test")
    share(shop)
    assert told(shop.post("/pipeline/share/a")) == (409, "many_share_links")


@pytest.mark.parametrize("body", ['{"days": 0}', '{"days": 91}', '{"days": true}', '{"day": 1}'])
def test_unusable_time_is_refused_by_its_field(shop: httpx.Client, body: str) -> None:
    answer = shop.post("/pipeline/share/a", content=body)
    assert (told(answer), answer.json()["field"]) == ((422, "invalid_input"), "days")


@pytest.mark.parametrize("token", ["x", "A" * 43, "%00", "../a"])
def test_made_up_token_shows_nothing(house: House, token: str) -> None:
    with pytest.raises(UnknownShareLinkError):
        shared_order(house.app.state.api, token)


def test_commands_share_list_and_revoke(house: House, anybody: httpx.Client) -> None:
    address = castad("share", "a").stdout.strip()
    path = f"/s/{address.rpartition('/')[2]}/files/a-video.txt"
    before = anybody.get(path).status_code
    link_id = castad("share", "a", "--list").stdout.split()[0]
    castad("share", "a", "--revoke", link_id)
    assert (before, anybody.get(path).status_code) == (200, 404)
