import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imageio_ffmpeg import get_ffmpeg_exe

from resources.process.settings import PROJECT_ROOT
from tests.fakes.charges import Charges
from tests.fakes.creatomate import FakeCreatomate
from tests.fakes.faults import Fault
from tests.fakes.openai import FakeOpenAI
from tests.fakes.remote import RemoteFake
from tests.fakes.server import FakeVendor
from tests.fakes.suno import CREDITS, FakeSuno
from tests.tables import read_beside, rows_beside

QUICK = 0.1
NEVER = 1_000_000.0
SONG = read_beside(__file__)["SONG"]
VIDEO = read_beside(__file__)["VIDEO"]
CHAT = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Write a sung advertisement in Korean"}],
    "store": True,
    "metadata": {"token": "token-1"},
}
VENDORS = (FakeOpenAI, FakeSuno, FakeCreatomate)
ORDERS = {
    "openai": ("/chat/completions", CHAT),
    "suno": ("/api/v1/generate", SONG),
    "creatomate": ("/v2/renders", VIDEO),
}
RECORD = "/api/v1/generate/record-info"


@pytest.fixture(params=VENDORS, ids=lambda vendor: vendor.name)
def vendor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FakeVendor]:
    with request.param(tmp_path) as fake:
        yield fake


@pytest.fixture
def suno(tmp_path: Path) -> Iterator[FakeSuno]:
    with FakeSuno(tmp_path) as fake:
        yield fake


@pytest.fixture
def creatomate(tmp_path: Path) -> Iterator[FakeCreatomate]:
    with FakeCreatomate(tmp_path) as fake:
        yield fake


@pytest.fixture
def openai(tmp_path: Path) -> Iterator[FakeOpenAI]:
    with FakeOpenAI(tmp_path) as fake:
        yield fake


def ask(fake: FakeVendor, method: str, path: str, body: Any = None, **given: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {fake.key}"}
    timeout = given.pop("timeout", 20)
    with httpx.Client(
        base_url=fake.url, headers=headers, timeout=timeout, trust_env=False, verify=False
    ) as client:
        return client.request(method, path, json=body, **given)


def order(fake: FakeVendor, **changes: Any) -> httpx.Response:
    path, body = ORDERS[fake.name]
    return ask(fake, "POST", path, {**body, **changes})


def ordered(fake: FakeVendor, **changes: Any) -> str:
    content = order(fake, **changes).json()
    return str(content["data"]["taskId"] if fake.name == "suno" else content["id"])


def record(suno: FakeSuno, task: str) -> dict[str, Any]:
    data: dict[str, Any] = ask(suno, "GET", RECORD, params={"taskId": task}).json()["data"]
    return data


def rendered(creatomate: FakeCreatomate, render: str) -> dict[str, Any]:
    content: dict[str, Any] = ask(creatomate, "GET", f"/v2/renders/{render}").json()
    return content


def fetched(url: str, **given: Any) -> httpx.Response:
    return httpx.get(url, trust_env=False, verify=False, **given)


def what_ffmpeg_sees(content: bytes, folder: Path) -> str:
    file = folder / "seen"
    file.write_bytes(content)
    decoded = subprocess.run(
        [get_ffmpeg_exe(), "-nostdin", "-i", str(file), "-f", "null", "-"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return decoded.stderr


@contextmanager
def by_hand(folder: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """The fakes in a process of their own, and what it says to export."""
    command = [sys.executable, "-m", "tests.fakes", "--folder", str(folder)]
    process = subprocess.Popen(command, cwd=PROJECT_ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    exports = {}
    for line in iter(process.stdout.readline, ""):
        name, separator, value = line.strip().removeprefix("export ").partition("=")
        if not separator:
            break
        exports[name] = value
    try:
        yield process, exports
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_ledger_outlives_its_fake(tmp_path):
    for _ in range(2):
        with FakeSuno(tmp_path) as suno:
            order(suno)
    assert len(Charges(tmp_path / "suno.jsonl").read()) == 2


def test_ledger_tells_what_was_charged_for_which_request(vendor):
    made = [ordered(vendor), ordered(vendor)]
    first, second = vendor.charges()
    assert [first["id"], second["id"]] == made
    assert first["id"] != second["id"]
    assert "token-1" in json.dumps(first["metadata"])
    assert first["cost"] > 0
    assert re.fullmatch("[0-9a-f]{64}", first["request_sha256"])
    assert first["request_sha256"] == second["request_sha256"]


def test_ledger_of_a_killed_process_is_whole(tmp_path):
    with by_hand(tmp_path) as (process, exports):
        headers = {"Authorization": f"Bearer {exports['SUNO_API_KEY']}"}
        httpx.post(f"{exports['SUNO_BASE_URL']}/api/v1/generate", json=SONG, headers=headers)
        process.kill()
        process.wait()
    assert [charge["cost"] for charge in Charges(tmp_path / "suno.jsonl").read()] == [CREDITS]


def test_by_hand_every_variable_is_told_and_sigterm_ends_it(tmp_path):
    with by_hand(tmp_path) as (process, exports):
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    own = {
        f"{vendor.name.upper()}_{what}" for vendor in VENDORS for what in ("API_KEY", "BASE_URL")
    }
    assert set(exports) == own | {"CASTAD_POLL_LONGEST"}


def test_remote_fake_is_steered_like_a_near_one(vendor):
    remote = RemoteFake(vendor.url)
    remote.script(Fault("garbage_after", "submit", raw=b"\xff\x00"))
    assert [fault.as_json() for fault in remote.unused()] == [
        fault.as_json() for fault in vendor.unused()
    ]
    assert order(vendor).content == b"\xff\x00"
    remote.set(delay=3.0, rate=[20, 10.0])
    assert (vendor.delay, vendor.rate) == (3.0, (20, 10.0))
    assert remote.charges() == vendor.charges()
    assert [call.body for call in remote.calls] == [call.body for call in vendor.calls]


@pytest.mark.parametrize("told", [{"delayed": 1}, {"calls": []}])
def test_remote_fake_refuses_what_cannot_be_set(suno, told):
    with pytest.raises(ValueError, match="is none of"):
        RemoteFake(suno.url).set(**told)


@given(
    kind=st.text(max_size=20),
    times=st.integers(1, 9),
    details=st.dictionaries(
        st.sampled_from(["code", "raw", "body"]),
        st.binary() | st.text() | st.integers() | st.none() | st.booleans(),
    ),
)
def test_fault_survives_json(kind, times, details):
    fault = Fault(kind, "submit", times, **details)
    read = Fault.from_json(json.loads(json.dumps(fault.as_json())))
    assert (read.kind, read.route, read.times, read.details) == (kind, "submit", times, details)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("statsu"),
        Fault("status", "sumbit"),
        Fault("status", cod=500),
        Fault("final_status", "credits"),
        Fault("completion"),
    ],
)
def test_fault_that_makes_no_sense_is_refused(suno, fault):
    with pytest.raises(ValueError, match="suno: "):
        suno.script(fault)


def test_faults_are_used_up_in_order_by_their_own_route(suno):
    suno.script(
        Fault("status", "credits", times=2, code=503),
        Fault("status", "submit", code=500),
        Fault("status", "credits", code=504),
    )
    path = "/api/v1/generate/credit"
    assert [ask(suno, "GET", path).status_code for _ in range(4)] == [503, 503, 504, 200]
    assert [order(suno).status_code for _ in range(2)] == [500, 200]
    assert suno.unused() == []


@pytest.mark.parametrize(
    ("fault", "charged"),
    [
        (Fault("reset", "submit"), 0),
        (Fault("hang_headers", "submit"), 0),
        (Fault("lose_reply", "submit"), 1),
        (Fault("reset_after", "submit"), 1),
        (Fault("hang_after", "submit"), 1),
        (Fault("hang_body", "submit"), 1),
        (Fault("truncate", "submit"), 1),
        (Fault("truncate", "submit", bytes=0), 1),
    ],
    ids=repr,
)
def test_fault_without_a_whole_answer_charges_as_it_says(vendor, fault, charged):
    vendor.script(fault)
    path, body = ORDERS[vendor.name]
    with pytest.raises(httpx.TransportError):
        ask(vendor, "POST", path, body, timeout=httpx.Timeout(20, read=QUICK))
    while not vendor.calls:
        pass
    vendor.close()
    assert len(vendor.charges()) == charged


@pytest.mark.parametrize(
    ("fault", "status", "charged"),
    [
        (Fault("status", "submit", code=503), 503, 0),
        (Fault("redirect", "submit", location="http://127.0.0.1/"), 302, 0),
        (Fault("expired", "submit", code=410), 410, 0),
        (Fault("status_after", "submit", code=504), 504, 1),
        (Fault("other_status", "submit", code=429), 429, 1),
    ],
    ids=repr,
)
def test_fault_with_a_status_charges_as_it_says(vendor, fault, status, charged):
    vendor.script(fault)
    assert (order(vendor).status_code, len(vendor.charges())) == (status, charged)


@pytest.mark.parametrize(
    "kind", ["hang_headers", "hang_after", "hang_body", "drip_headers", "drip_body", "endless"]
)
def test_closed_fake_leaves_no_thread_and_nobody_waiting(tmp_path, kind):
    before = set(threading.enumerate())
    with FakeSuno(tmp_path) as suno, socket.socket() as caller:
        suno.script(Fault(kind, "credits"))
        caller.connect(("127.0.0.1", int(suno.url.rpartition(":")[2])))
        caller.sendall(b"GET /api/v1/generate/credit HTTP/1.1\r\nHost: suno\r\n\r\n")
        while suno.unused():
            caller.getpeername()
        suno.close()
        caller.settimeout(20)
        with suppress(ConnectionResetError):
            while caller.recv(1_000_000):
                pass
    assert set(threading.enumerate()) == before


def test_fake_that_broke_says_so(tmp_path):
    suno = FakeSuno(tmp_path)
    suno.__enter__()
    suno.script(Fault("fields", "file", status=1))
    with pytest.raises(httpx.TransportError):
        fetched(f"{suno.url}/files/none.mp3")
    with pytest.raises(RuntimeError, match="itself broke"):
        suno.close()


@pytest.mark.parametrize("kind", [FakeSuno, FakeCreatomate])
def test_usual_rate_is_enforced(tmp_path, kind):
    with kind(tmp_path) as vendor:
        assert vendor.usual_rate is not None
        vendor.rate = (vendor.usual_rate[0], NEVER)
        answers = [ask(vendor, "GET", "/nothing") for _ in range(vendor.usual_rate[0] + 1)]
    codes = [answer.json().get("code", answer.status_code) for answer in answers]
    assert codes[:-1] == [404] * vendor.usual_rate[0]
    assert codes[-1] in (429, 430)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"callBackUrl": None}, 400),
        ({"customMode": "yes"}, 400),
        ({"title": ""}, 400),
        ({"style": None}, 400),
        ({"prompt": " "}, 400),
        ({"model": "V9"}, 400),
        ({"audioWeight": 2}, 400),
        ({"prompt": "x" * 5001}, 413),
        ({"prompt": "x" * 3001, "model": "V4"}, 413),
        ({"style": "x" * 201, "model": "V3_5"}, 413),
        ({"title": "x" * 81}, 413),
        ({"prompt": "x" * 501, "customMode": False}, 413),
        ({"prompt": "x" * 5000}, 200),
        ({"prompt": None, "instrumental": True}, 200),
    ],
)
def test_song_input_is_checked(suno, changes, code):
    answer = order(suno, **changes)
    assert (answer.status_code, answer.json()["code"]) == (200, code)
    assert len(suno.charges()) == (code == 200)


def test_video_costs_by_the_formula(creatomate):
    order(creatomate, width=1080, height=1920, duration=60)
    assert [charge["cost"] for charge in creatomate.charges()] == [38]


def test_video_is_as_ordered_with_the_song(suno, creatomate, tmp_path):
    link = record(suno, ordered(suno))["response"]["sunoData"][0]["audioUrl"]
    render = ordered(creatomate, elements=[{"type": "audio", "source": link}])
    told = rendered(creatomate, render)
    seen = what_ffmpeg_sees(fetched(told["url"]).content, tmp_path)
    assert "320x568" in seen
    assert "Duration: 00:00:02" in seen
    assert "Audio: aac" in seen
    assert told["metadata"] == "token-1"
    assert [call.route for call in suno.calls].count("file") == 1


@pytest.mark.parametrize("kind", ["expired", "html", "lose_reply"])
def test_render_fails_where_the_song_cannot_be_had(suno, creatomate, kind):
    link = record(suno, ordered(suno))["response"]["sunoData"][0]["audioUrl"]
    suno.script(Fault(kind, "file"))
    told = rendered(creatomate, ordered(creatomate, elements=[{"type": "audio", "source": link}]))
    assert told["status"] == "failed"
    assert "source" in told["error_message"]


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:1", "localhost:1", "10.0.0.1", "169.254.169.254", "[::1]", "castad.invalid", ""],
)
@pytest.mark.parametrize("scheme", ["https", "http"])
def test_render_fails_where_no_vendor_could_fetch_the_song(creatomate, scheme, host):
    song = {"type": "audio", "source": f"{scheme}://{host}/song.mp3"}
    told = rendered(creatomate, ordered(creatomate, elements=[song]))
    assert told["status"] == "failed"
    assert "could not be downloaded" in told["error_message"]


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_render_believes_the_link_to_a_public_host(creatomate, scheme):
    song = {"type": "audio", "source": f"{scheme}://8.8.8.8/song.mp3"}
    assert rendered(creatomate, ordered(creatomate, elements=[song]))["status"] == "succeeded"


@rows_beside
def test_render_input_is_checked_with_a_hint(changes, creatomate):
    answer = order(creatomate, **changes)
    assert (answer.status_code, bool(answer.json()["hint"])) == (400, True)
    assert creatomate.charges() == []


@pytest.mark.parametrize(("language", "korean"), [("Korean", True), ("English", False)])
def test_lyric_is_in_the_prompts_language(openai, language, korean):
    asked = {"role": "user", "content": f"Sing in {language} of Stay"}
    lyric = order(openai, messages=[asked]).json()["choices"][0]["message"]["content"]
    assert len(lyric.splitlines()) >= 4
    assert len(lyric) >= 50
    assert bool(re.search("[가-힣]", lyric)) is korean


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"model": None}, 400),
        ({"model": "gpt-0"}, 404),
        ({"messages": []}, 400),
        ({"messages": ["hello"]}, 400),
        ({"metadata": {"token": "x" * 513}}, 400),
    ],
)
def test_completion_input_is_checked(openai, changes, status):
    answer = order(openai, **changes)
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"message", "type", "param", "code"}
    assert answer.headers["x-request-id"]
    assert openai.charges() == []
