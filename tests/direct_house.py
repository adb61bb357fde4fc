"""Orders that the API answers itself, as a client sees them."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

ANSWER = "/v1/scan/classify/completion"
GLASS: Mapping[str, Any] = {"user_input": "소주병", "user_id": "user-1"}
STEPS = ("vision", "rule", "answer", "reward")


def lines_of(client: httpx.Client, order: Mapping[str, Any]) -> list[str]:
    """The stream of an answer, line by line."""
    with client.stream("POST", ANSWER, json=order) as response:
        assert response.status_code == 200, response.read()
        return list(response.iter_lines())


def events_of(client: httpx.Client, order: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The events of an answer."""
    return [json.loads(line[6:]) for line in lines_of(client, order) if line.startswith("data: ")]
