"""Profiles over HTTP."""

import json
import unicodedata

from resources.ledger.transitions.access import MOST_PROFILES
from tests.api_house import ON_BOTH

PATH = "/v1/profiles/song_video"


@ON_BOTH
def test_profile_is_kept_replaced_and_removed(house):
    shop = house.as_("shop")
    for region in ("Busan", "Jeju"):
        assert shop.put(f"{PATH}/봄날", json={"region": region}).status_code == 200
    assert shop.get(PATH).json() == {"profiles": [{"name": "봄날", "fields": {"region": "Jeju"}}]}
    assert shop.delete(f"{PATH}/봄날").status_code == 204
    assert shop.delete(f"{PATH}/봄날").json()["code"] == "unknown_profile"


@ON_BOTH
def test_profile_is_the_same_in_every_form_of_its_name(house):
    shop, decomposed = house.as_("shop"), unicodedata.normalize("NFD", "봄날")
    house.steps.sql(
        "INSERT INTO profiles (owner, pipeline, name, fields, updated_at) VALUES "
        f"('shop', 'song_video', '{decomposed}', '{{}}', CURRENT_TIMESTAMP)"
    )
    assert shop.put(f"{PATH}/{decomposed}", json={"region": "Jeju"}).status_code == 200
    assert shop.get(PATH).json() == {"profiles": [{"name": "봄날", "fields": {"region": "Jeju"}}]}
    assert shop.delete(f"{PATH}/{decomposed}").status_code == 204


def test_profile_keeps_a_brand(house):
    brand = {
        "logo": ["https://example.com/logo.png"],
        "brand_colors": ["#e4572e", "#29335c"],
        "phone": "063-123-4567",
        "opening_hours": "매일 10-21\n월요일 휴무",
    }
    house.as_("shop").put(f"{PATH}/봄날", json=brand)
    assert house.as_("shop").get(PATH).json()["profiles"][0]["fields"] == brand


def test_profile_is_its_owners_alone(house):
    house.as_("shop").put(f"{PATH}/a", json={})
    assert house.as_("other").get(PATH).json()["profiles"] == []
    assert house.admin().delete(f"{PATH}/a").status_code == 404


REFUSED = [
    ("PUT", f"{PATH}/a", {"logos": 1}, "logos"),
    ("PUT", f"{PATH}/a", {"customer_name": ["\ud800"]}, "customer_name"),
    ("PUT", f"{PATH}/a", {"customer_name": {"a\0": 1}}, "customer_name"),
    ("PUT", f"{PATH}/a", {"customer_name": json.loads("[" * 900 + "]" * 900)}, "customer_name"),
    ("PUT", f"{PATH}/a", {"\ud800": 1}, "?"),
    *(
        (method, f"{PATH}/{name}", {}, "name")
        for method in ("PUT", "DELETE")
        for name in ("%20", "%00")
    ),
    ("PUT", "/v1/profiles/x/a", {}, "pipeline"),
]


def test_profile_that_cannot_be_kept_or_removed_names_the_field(house):
    shop = house.as_("shop")
    for method, path, body, field in REFUSED:
        # As text with escapes, which may say what is no character.
        answer = shop.request(method, path, content=json.dumps(body) if method == "PUT" else None)
        assert (answer.status_code, answer.json()["field"]) == (422, field), (path, body)


def test_profile_is_removed_by_the_name_that_it_was_kept_by(house):
    shop = house.as_("shop")
    shop.put(f"{PATH}/%20a%20", json={})
    assert shop.delete(f"{PATH}/%20a%20").status_code == 204


@ON_BOTH
def test_profiles_of_an_owner_are_limited(house):
    shop = house.as_("shop")
    house.steps.sql(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
        f"{MOST_PROFILES}) INSERT INTO profiles (owner, pipeline, name, fields, updated_at) "
        "SELECT 'shop', 'song_video', CAST(i AS VARCHAR(9)), '{}', CURRENT_TIMESTAMP FROM n"
    )
    assert shop.put(f"{PATH}/one more", json={}).json()["code"] == "many_profiles"
    assert shop.put(f"{PATH}/1", json={}).status_code == 200


@ON_BOTH
def test_profile_that_an_operator_has_damaged_harms_nothing(house):
    shop = house.as_("shop")
    shop.put(f"{PATH}/a", json={"region": "Busan"})
    house.steps.sql("UPDATE profiles SET fields = '[1'")
    assert shop.get(PATH).json()["profiles"] == [{"name": "a", "fields": {}}]
