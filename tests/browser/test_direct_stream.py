"""The stream of a direct answer in a real browser."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api_house import House, served
from tests.browser.chromium import Tab, browsing
from tests.direct_house import ANSWER, GLASS, STEPS

_READ = """
(async () => {
  const response = await fetch(%s, {method: "POST", headers: {Authorization: %s}, body: %s});
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const pieces = [];
  for (;;) {
    const {done, value} = await reader.read();
    if (done) break;
    pieces.push(value);
  }
  return {type: response.headers.get("content-type"), text: pieces.join("")};
})()
"""


@pytest.fixture
def house(sqlite_ledger_url: str) -> Iterator[House]:
    with served() as house:
        yield house


@pytest.fixture
def tab(tmp_path: Path) -> Iterator[Tab]:
    with browsing(tmp_path) as tab:
        yield tab


def test_browser_reads_every_step_and_the_result(house, tab):
    tab.go(f"{house.url}/healthz")
    said = (ANSWER, f"Bearer {house.key('shop')}", json.dumps({**GLASS, "task_id": "s1"}))
    seen = tab.evaluate(_READ % tuple(json.dumps(each) for each in said))
    events = [json.loads(line[6:]) for line in seen["text"].splitlines() if line.startswith("data")]
    assert seen["type"].startswith("text/event-stream")
    assert [each["step"] for each in events[1::2]] == list(STEPS)
    assert events[-1]["result"]["reward"]["name"] == "반짝병"
