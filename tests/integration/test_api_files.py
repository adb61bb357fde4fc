"""Finished files: whole or in parts, to their owner and to who holds a signed link."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.files.artifacts import SignedLinks, get_signed_links, open_artifact_store
from resources.ledger.transitions.stages import complete_stage
from resources.process.settings import settings
from tests.api_house import BRIEF, House, served
from tests.ledger_steps import STAGES

CONTENT = bytes(range(256)) * 40
PATH = "/artifacts/shop-1/video.mp4"


@pytest.fixture
def house(sqlite_ledger_url: str, tmp_path: Path) -> Iterator[House]:
    """An API with one order of `shop` that has a file."""
    with served() as house:
        placed = house.as_("shop").post("/v1/pipeline/start", json={**BRIEF, "task_id": "shop-1"})
        assert placed.status_code == 202
        house.steps.dispatch()
        lease = house.steps.take("shop-1", dispatched_as=1)
        draft = tmp_path / "video.mp4"
        draft.write_bytes(CONTENT)
        file = open_artifact_store(settings()).store_file(draft, "shop-1", "video.mp4")
        complete_stage(
            house.db,
            lease,
            house.steps.begin(lease, "lyric"),
            result={"files": []},
            cost=0,
            token=None,
            files=[file],
            pipeline_stages=STAGES,
        )
        yield house


@pytest.fixture
def kept(house: House) -> Path:
    return settings().home / "artifacts" / "shop-1" / "video.mp4"


def test_status_names_the_file_by_its_address_which_sends_it_as_it_was_stored(client):
    [artifact] = client.get("/v1/pipeline/status/shop-1").json()["artifacts"]
    assert (artifact["url"], artifact["bytes"]) == (PATH, len(CONTENT))
    answer = client.get(PATH)
    assert (answer.content, answer.headers["content-type"]) == (CONTENT, "video/mp4")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_file_comes_in_the_part_that_was_asked_for(client):
    parts = {"0-9": CONTENT[:10], "100-": CONTENT[100:], "-5": CONTENT[-5:]}
    for asked, part in parts.items():
        answer = client.get(PATH, headers={"Range": f"bytes={asked}"})
        assert (answer.status_code, answer.content) == (206, part)
    for asked, status in (("bytes=99999-", 416), ("bytes=x", 400)):
        answer = client.get(PATH, headers={"Range": asked})
        assert (answer.status_code, answer.json()["field"]) == (status, "Range")


def test_head_tells_the_size_without_the_file(client):
    answer = client.head(PATH)
    assert (answer.headers["content-length"], answer.content) == (str(len(CONTENT)), b"")


def test_file_of_another_name_is_not_found(client):
    names = ["other.mp4", "..%2f..%2fcastad.db", "%2e%2e", "..%5c..%5cx", "video.mp4%00", "x" * 300]
    names += ["%2fetc%2fpasswd", "video.mp4%2f..%2fvideo.mp4", "%F0%9F%8E%AC"]
    assert {client.get(f"/artifacts/shop-1/{name}").status_code for name in names} == {404}


def test_file_is_served_to_an_owner_whose_order_is_this_request_too(house):
    house.steps.sql(
        "INSERT INTO shared_access (request_id, owner) SELECT id, 'other' FROM requests"
    )
    served = [house.as_(owner).get(PATH).status_code for owner in ("other", "third")]
    assert served == [200, 404]


def test_file_that_was_deleted_is_gone(client, kept):
    kept.unlink()
    answer = client.get(PATH)
    assert (answer.status_code, answer.json()["code"]) == (410, "artifact_missing")


@pytest.mark.parametrize("is_asked_before", [True, False])
def test_file_that_was_changed_is_not_sent_nor_by_link(client, house, kept, is_asked_before):
    if is_asked_before:
        client.get(PATH)
    kept.write_bytes(CONTENT[:-1] + b"?")
    for answer in (client.get(PATH), house.client(None).get(linked(house))):
        assert (answer.status_code, answer.json()["code"]) == (502, "artifact_damaged")


# Signed


def linked(house: House, where: str = "shop-1/video.mp4") -> str:
    return get_signed_links(settings()).get_path_to(where)


def test_signed_link_opens_without_a_key_and_in_parts(house):
    whole, part = (
        house.client(None).get(linked(house), headers=headers)
        for headers in ({}, {"Range": "bytes=5-6"})
    )
    assert whole.content == CONTENT
    assert (part.status_code, part.content) == (206, CONTENT[5:7])


@pytest.mark.parametrize("folder", [".uploads", ".fetched"])
def test_signed_link_to_a_kept_picture_says_what_it_is(house, folder):
    pictures = settings().home / "artifacts" / folder
    pictures.mkdir()
    content = b"\x89PNG...."
    name = sha256(content).hexdigest()
    (pictures / name).write_bytes(content)
    answer = house.client(None).get(linked(house, f"{folder}/{name}"))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")


def test_link_that_was_changed_opens_nothing(house):
    changes = [("video.mp4", "song.mp3"), ("shop-1", "shop-2"), ("expires=", "expires=1")]
    changes += [
        ("signature=", "signature=0"),
        ("signature=", "signature=%00"),
        ("expires", "expired"),
    ]
    for change in changes:
        answer = house.client(None).get(linked(house).replace(*change))
        assert (answer.status_code, answer.json()["code"]) == (403, "bad_link"), change


def test_link_that_has_expired_opens_nothing(house):
    links = get_signed_links(settings())
    old = SignedLinks(links.secret, -10).get_path_to("shop-1/video.mp4")
    assert house.client(None).get(old).status_code == 403


def test_links_are_known_again_by_another_process(house):
    first = get_signed_links(settings())
    get_signed_links.cache_clear()
    second = get_signed_links(settings())
    assert first.secret == second.secret
    assert (settings().home / "link.key").stat().st_mode & 0o077 == 0


def test_links_of_machines_with_one_secret_are_the_same(monkeypatch):
    monkeypatch.setenv("CASTAD_LINK_SECRET", "a secret of many machines")
    settings.cache_clear()
    assert get_signed_links(settings()).secret == b"a secret of many machines"


@given(st.text(max_size=40))
def test_link_to_any_name_is_good_for_that_name_only(where):
    links = SignedLinks(b"secret", 60)
    parts = urlsplit(links.get_path_to(where))
    query = parse_qs(parts.query)
    expires, signature = int(query["expires"][0]), query["signature"][0]
    assert unquote(parts.path).removeprefix("/artifacts/") == where
    assert links.is_valid(where, expires, signature)
    assert not links.is_valid(f"{where}x", expires, signature)
    assert not links.is_valid(where, expires + 1, signature)
