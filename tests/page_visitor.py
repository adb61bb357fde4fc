"""A person at the pages: a client with a session's cookie, who fills in forms."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any

import httpx

from tests.api_house import House


@dataclass
class PageVisitor:
    """One who is logged in."""

    http: httpx.Client
    owner: str

    def get(self, path: str, **options: Any) -> httpx.Response:
        """The page."""
        return self.http.get(path, **options)

    @property
    def csrf(self) -> str:
        """What the forms of this session carry."""
        return field_value(self.get("/works").text, "csrf")

    def post(
        self, path: str, fields: Mapping[str, Any], files: Any = None, **options: Any
    ) -> httpx.Response:
        """A form is sent, as multipart where `files` says so."""
        return self.http.post(path, data={"csrf": self.csrf, **fields}, files=files, **options)

    def follow(self, answer: httpx.Response) -> httpx.Response:
        """The page to which a form's answer leads."""
        assert answer.status_code == 303, answer.text
        return self.get(answer.headers["location"])

    def confirm(self, path: str, fields: Mapping[str, Any]) -> httpx.Response:
        """A form is sent, and the question that follows is answered with yes."""
        address, asked = question_in(self.post(path, fields))
        return self.http.post(address, data=asked)


def question_in(answer: httpx.Response) -> tuple[str, dict[str, str]]:
    """The address and the fields of the form that a page asks with."""
    assert answer.status_code == 200, answer.text
    form = re.search(
        r'class="card narrow stack asked".*?<form method="post" action="([^"]*)"(.*?)</form>',
        answer.text,
        re.DOTALL,
    )
    assert form, "the page asks nothing"
    fields = re.findall(r'name="([^"]*)" value="([^"]*)"', form[2])
    return unescape(form[1]), {name: unescape(value) for name, value in fields}


def log_in(house: House, owner: str = "shop", *scopes: str) -> PageVisitor:
    """Whoever owns a new key of these scopes logs in with it."""
    client = house.client(None)
    answer = client.post("/login", data={"key": house.key(owner, *scopes)})
    assert answer.status_code == 303, answer.text
    return PageVisitor(client, owner)


def field_value(page: str, name: str) -> str:
    """The value of the first input of this name."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, f"no field {name}"
    return unescape(found[1])
