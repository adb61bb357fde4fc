"""A person for whom an order waits, over HTTP: approve, change, choose and reject."""

from typing import Any

import httpx
import pytest

from resources.ledger.transitions.approval import end_expired_holds
from tests.api_house import BRIEF, House

LYRIC = {"title": "봄날", "text": "빵 냄새\n아침", "model": "m", "files": []}
FILES = [
    {"name": f"song{n}.mp3", "sha256": "0" * 64, "bytes": 9, "media_type": "audio/mpeg", "where": n}
    for n in ("", "-2")
]
SONG = {
    "seconds": 20.0,
    "genre": "pop",
    "timeline": [],
    "songs": [{"id": f"s{n}", "title": "봄날", "seconds": n} for n in (20.0, 24.0)],
    "files": FILES,
}


@pytest.fixture
def held(house: House, client: httpx.Client) -> httpx.Client:
    """The client whose order `a` waits for the approval of its lyric."""
    order = {**BRIEF, "task_id": "a", "hold": ["lyric", "song"], "hold_seconds": 600}
    assert client.post("/v1/pipeline/start", json=order).status_code == 202
    lease = house.steps.take("a")
    house.steps.complete(lease, house.steps.begin(lease, "lyric"), result=LYRIC)
    house.steps.meets_hold(lease, "song")
    return client


@pytest.fixture
def with_song(house: House, held: httpx.Client) -> httpx.Client:
    """The same client, whose order waits for the approval of its song, of which there are two takes."""
    held.post("/v1/pipeline/approve/a?stage=lyric")
    lease = house.steps.take("a")
    house.steps.complete(lease, house.steps.begin(lease, "song"), result=SONG)
    house.steps.meets_hold(lease, "video")
    return held


def status(client: httpx.Client) -> dict[str, Any]:
    body: dict[str, Any] = client.get("/v1/pipeline/status/a").json()
    return body


def told(response: httpx.Response) -> tuple[int, str, str | None]:
    body = response.json()
    return response.status_code, body["code"], body["field"]


def test_status_says_where_the_order_waits_and_what_may_be_changed(held):
    body = status(held)
    hold = body["hold"]
    assert (hold["stages"], hold["waiting"], hold["then"]) == (["lyric", "song"], "lyric", "cancel")
    assert (hold["until"], body["waits_for"]) == (body["not_before"], "approval:lyric")
    assert body["editable"] == {"title": LYRIC["title"], "text": LYRIC["text"]}
    assert (body["choices"], body["orders_ahead"], body["error"]) == (None, None, None)


def test_status_of_an_order_without_a_hold_has_none(client):
    client.post("/v1/pipeline/start", json={**BRIEF, "task_id": "a"})
    body = status(client)
    assert (body["hold"], body["editable"], body["choices"]) == (None, None, None)


def test_approved_order_is_due_and_says_who_approved_it(held):
    assert held.post("/v1/pipeline/approve/a").json()["status"] == "pending"
    body = status(held)
    assert (body["hold"]["waiting"], body["editable"]) == (None, None)
    assert (body["stages"]["lyric"]["approved_by"], body["waits_for"]) == ("shop", None)


def test_approval_whose_answer_was_lost_may_be_sent_again(held):
    for _ in range(2):
        assert held.post("/v1/pipeline/approve/a?stage=lyric").status_code == 200
    assert told(held.post("/v1/pipeline/approve/a")) == (409, "not_held", "task_id")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("PATCH", "product/a/lyric", {"text": "새 노래"}), ("POST", "choose/a/song", {"choice": "b"})],
)
def test_change_whose_answer_was_lost_may_be_sent_again(with_song, house, method, path, body):
    client = with_song
    if method == "PATCH":
        client.post("/v1/pipeline/redo/a?from=lyric")
        lease = house.steps.take("a")
        house.steps.complete(lease, house.steps.begin(lease, "lyric"), result=LYRIC)
        house.steps.meets_hold(lease, "song")
    seen = status(client)["stages"][path.rpartition("/")[2]]["generation"]
    answers = [
        client.request(method, f"/v1/pipeline/{path}?generation={seen}", json=body).json()
        for _ in range(2)
    ]
    assert [each["generation"] for each in answers] == [seen + 1, seen + 1]


def test_change_that_another_one_overtook_is_refused_when_it_is_sent_again(held):
    for generation, text in ((1, "하나"), (2, "둘"), (1, "하나")):
        answer = held.patch(
            f"/v1/pipeline/product/a/lyric?generation={generation}", json={"text": text}
        )
    assert told(answer) == (409, "changed_meanwhile", "generation")


def test_other_change_of_what_was_changed_meanwhile_is_refused(held):
    for text in ("하나", "둘"):
        answer = held.patch("/v1/pipeline/product/a/lyric?generation=1", json={"text": text})
    assert told(answer) == (409, "changed_meanwhile", "generation")


def test_changed_words_are_those_that_the_order_goes_on_with(held, house):
    changed = held.patch("/v1/pipeline/product/a/lyric", json={"text": " 새  노래 \n\n\n\n둘째 줄"})
    assert changed.status_code == 200
    body = status(held)
    assert body["editable"] == {"title": "봄날", "text": "새 노래\n\n둘째 줄"}
    assert (body["words"], body["stages"]["lyric"]["generation"]) == (
        "봄날\n\n새 노래\n\n둘째 줄",
        2,
    )
    held.post("/v1/pipeline/approve/a")
    lease = house.steps.take("a")
    assert house.steps.begin(lease, "lyric").result == {**LYRIC, "text": "새 노래\n\n둘째 줄"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/pipeline/approve/a?stage=lyric&generation=1", None),
        ("PATCH", "/v1/pipeline/product/a/lyric?generation=1", {"text": "la"}),
    ],
)
def test_act_on_words_that_were_changed_meanwhile_is_refused(held, method, path, body):
    held.patch("/v1/pipeline/product/a/lyric?generation=1", json={"text": "새 노래"})
    answer = held.request(method, path, json=body)
    assert told(answer) == (409, "changed_meanwhile", "generation")


def test_choice_among_takes_that_were_changed_meanwhile_is_refused(with_song):
    path = "/v1/pipeline/choose/a/song?generation=1"
    answers = [with_song.post(path, json={"choice": choice}) for choice in ("b", "a")]
    assert answers[0].status_code == 200
    assert told(answers[1]) == (409, "changed_meanwhile", "generation")


REFUSED: list[tuple[str, str, Any, str]] = [
    ("POST", "approve/a?generation=1", None, "generation"),
    ("POST", "approve/a?stage=%00", None, "stage"),
    *(("PATCH", f"product/a/{stage}", {"text": "la"}, "stage") for stage in ("song", "x")),
    *(("POST", "reject/a", {"reason": reason}, "reason") for reason in (3, "x" * 501, "a\0b")),
    *(
        ("PATCH", "product/a/lyric", {"text": text}, "text")
        for text in ("", " \n ", "a\0", "\n".join(["la"] * 121), "la " * 50, "la\n" * 3000, 3)
    ),
    *(("PATCH", "product/a/lyric", {"title": title}, "title") for title in ("", "x" * 81)),
    ("PATCH", "product/a/lyric", {"files": []}, "files"),
]


def test_act_that_cannot_be_is_refused_by_its_field_and_changes_nothing(held):
    before = status(held)["seq"]
    asked = [
        held.request(method, f"/v1/pipeline/{path}", json=body) for method, path, body, _ in REFUSED
    ]
    assert [told(each) for each in asked] == [(422, "invalid_input", each[-1]) for each in REFUSED]
    assert status(held)["seq"] == before


def test_product_of_an_order_that_goes_on_is_not_changed(held):
    held.post("/v1/pipeline/approve/a")
    assert told(held.patch("/v1/pipeline/product/a/lyric", json={"text": "la"})) == (
        409,
        "not_held",
        "task_id",
    )


def test_other_take_becomes_the_one_that_is_used(with_song, house):
    takes = status(with_song)["choices"]
    assert [(take["id"], take["url"]) for take in takes] == [
        ("a", "/artifacts/a/song.mp3"),
        ("b", "/artifacts/a/song-2.mp3"),
    ]
    chosen = with_song.post("/v1/pipeline/choose/a/song", json={"choice": "b"})
    assert chosen.status_code == 200
    assert [take["id"] for take in status(with_song)["choices"]] == ["b", "a"]
    event = house.steps.last("a")
    assert (event.type, event.data["choice"], event.data["by"]) == ("chosen", "b", "shop")


def test_take_that_does_not_exist_is_refused(with_song):
    for choice in ("c", "", None, 3, ["b"]):
        answer = with_song.post("/v1/pipeline/choose/a/song", json={"choice": choice})
        assert told(answer) == (422, "invalid_input", "choice")
        assert answer.json()["detail"] == "choice: expected a or b"


def test_rejected_order_is_canceled_with_the_reason(held):
    rejected = held.post("/v1/pipeline/reject/a", json={"reason": "not  our shop"})
    assert rejected.json()["status"] == "canceled"
    assert status(held)["error"] == {
        "code": "rejected",
        "message": "lyric: rejected by shop: not our shop",
    }


def test_rejection_needs_no_reason(held):
    assert held.post("/v1/pipeline/reject/a").json()["status"] == "canceled"


def test_other_owners_order_is_unknown(held, house):
    before, other = status(held)["seq"], house.as_("other")
    asked = [other.post(f"/v1/pipeline/{act}/a", json={}) for act in ("approve", "reject")]
    asked.append(other.patch("/v1/pipeline/product/a/lyric", json={"text": "la"}))
    asked.append(other.post("/v1/pipeline/choose/a/song", json={"choice": "b"}))
    assert {told(each) for each in asked} == {(404, "unknown_task_id", "task_id")}
    assert status(held)["seq"] == before


def test_redo_of_a_held_order_asks_for_other_words(held):
    assert held.post("/v1/pipeline/redo/a?from=lyric").json()["status"] == "pending"
    body = status(held)
    assert (body["hold"]["waiting"], body["stages"]["lyric"]["status"]) == (None, "pending")


def test_order_that_waited_too_long_says_that_time_has_rejected_it(held, house):
    house.steps.edit("not_before = '2020-01-01 00:00:00+00:00'", "a")
    end_expired_holds(house.db)
    assert status(held)["error"]["message"] == "lyric: rejected by time: nobody approved it in time"
