"""Every way to upload a picture is bounded, by key and day."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from resources.process.settings import settings
from tests.api_house import House, picture, served

PHOTO = picture()


@pytest.fixture
def house(sqlite_ledger_url: str) -> Iterator[House]:
    with served(settings().model_copy(update={"upload_bytes_per_day": len(PHOTO)})) as house:
        yield house


def by_upload(client: httpx.Client) -> httpx.Response:
    return client.post("/v1/pipeline/images", content=PHOTO)


def by_form(client: httpx.Client) -> httpx.Response:
    files: Any = {"images": ("a.png", PHOTO)}
    return client.post("/v1/image/jobs", data={"prompt": "x"}, files=files)


@pytest.mark.parametrize("way", [by_upload, by_form])
def test_uploads_of_a_key_are_bounded_and_anothers_are_not(house, way):
    shop, other = house.as_("shop"), house.as_("other")
    assert by_upload(shop).status_code == 201
    refused = way(shop)
    assert (refused.status_code, refused.json()["code"]) == (429, "upload_quota")
    assert by_upload(other).status_code == 201
