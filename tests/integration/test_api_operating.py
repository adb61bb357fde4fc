"""An operator over HTTP: vendors paused and resumed, keys revoked; and no parameter that is ignored."""

import pytest

from resources.ledger.queries.money import read_pauses
from tests.api_house import BRIEF
from tests.eventually import eventually


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("POST", "/v1/pipeline/start?dryrun=true", "dryrun"),
        ("POST", "/pipeline/start?dryrun=true", "dryrun"),
        ("POST", "/v1/pipeline/cancel?status=pending&dryrun=true", "dryrun"),
        ("POST", "/v1/pipeline/retry?status=dead&codes=internal_error", "codes"),
        ("POST", "/v1/pipeline/cancel/a?force=1", "force"),
        ("POST", "/v1/pipeline/redo/a?from=lyric&dryrun=true", "dryrun"),
        ("GET", "/v1/pipeline?stauts=dead", "stauts"),
        ("GET", "/v1/stats?x=%0a", "x"),
    ],
)
def test_parameter_that_is_not_known_is_refused_and_nothing_is_done(house, method, path, name):
    client = house.admin()
    client.post("/v1/pipeline/start", json={**BRIEF, "task_id": "a"})
    before = [(each.type, each.seq) for each in house.steps.events("a")]
    answer = client.request(method, path, json=dict(BRIEF) if "start" in path else None)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
    assert answer.json()["field"] == name
    assert [(each.type, each.seq) for each in house.steps.events("a")] == before
    assert len(client.get("/v1/pipeline").json()["orders"]) == 1


def test_vendor_is_paused_and_resumed(house):
    client = house.admin()
    paused = client.post("/v1/providers/suno/pause", json={"for": "2h", "reason": "new account"})
    assert (paused.status_code, paused.json()["why"]) == (200, "paused by admin: new account")
    assert [each.provider for each in read_pauses(house.db)] == ["suno"]
    resumed = [client.post("/v1/providers/suno/resume").json()["was_paused"] for _ in range(2)]
    assert resumed == [True, False]
    assert read_pauses(house.db) == []


@pytest.mark.parametrize(
    ("provider", "body", "field"),
    [
        ("suno", {"for": "soon"}, "for"),
        ("nobody", {}, "provider"),
        ("suno", {"seconds": 5}, "seconds"),
        ("suno", {"reason": "x" * 3000}, "reason"),
    ],
)
def test_pause_that_cannot_be_is_refused_by_its_field(house, provider, body, field):
    answer = house.admin().post(f"/v1/providers/{provider}/pause", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


def test_revoked_key_opens_nothing(house):
    admin, shop = house.admin(), house.as_("shop")
    assert shop.get("/v1/pipeline").status_code == 200
    (found,) = [each for each in admin.get("/v1/keys").json()["keys"] if each["name"] == "shop"]
    assert admin.delete(f"/v1/keys/{found['id']}").json() == {"id": found["id"], "revoked": True}
    assert eventually(lambda: shop.get("/v1/pipeline").status_code == 401)


def test_key_that_does_not_exist_cannot_be_revoked(house):
    answer = house.admin().delete("/v1/keys/000000000000")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_key")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/providers/suno/pause"),
        ("POST", "/v1/providers/suno/resume"),
        ("GET", "/v1/keys"),
        ("DELETE", "/v1/keys/x"),
    ],
)
def test_shop_may_operate_nothing(house, method, path):
    assert house.as_("shop").request(method, path).status_code == 403
