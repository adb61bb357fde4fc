import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import pairwise
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
from tests.fakes.faults import GARBAGE, Fault
from tests.fakes.nowhere import deaf, refusing
from tests.fakes.openai import FakeOpenAI
from tests.fakes.remote import RemoteFake
from tests.fakes.server import FakeVendor
from tests.fakes.suno import CREDITS, FakeSuno

QUICK = 0.1
NEVER = 1_000_000.0
SONG = {
    "customMode": True,
    "instrumental": False,
    "model": "V4_5",
    "callBackUrl": "https://castad.invalid/callbacks/suno/token-1",
    "prompt": "[Verse]\nWaggin' tails all day\n[Chorus]\nHappy paws",
    "style": "pop",
    "title": "Paws",
}
VIDEO = {
    "output_format": "mp4",
    "width": 320,
    "height": 568,
    "frame_rate": 30,
    "duration": 2,
    "metadata": "token-1",
    "elements": [{"type": "text", "text": "Happy paws"}],
}
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


def test_ledger_only_grows(suno, tmp_path):
    file, grown = tmp_path / "suno.jsonl", [b""]
    for _ in range(3):
        order(suno)
        grown.append(file.read_bytes())
    assert all(after.startswith(before) and after != before for before, after in pairwise(grown))


def test_ledger_is_whole_where_many_order_at_once(openai):
    with ThreadPoolExecutor(8) as callers:
        made = list(callers.map(lambda _: ordered(openai), range(24)))
    assert sorted(charge["id"] for charge in openai.charges()) == sorted(made)


def test_ledger_tells_what_was_charged_for_which_request(vendor):
    made = ordered(vendor)
    [charge] = vendor.charges()
    assert charge["id"] == made
    assert "token-1" in json.dumps(charge["metadata"])
    assert charge["cost"] > 0
    assert re.fullmatch("[0-9a-f]{64}", charge["request_sha256"])


def test_same_request_has_the_same_hash_in_the_ledger(vendor):
    order(vendor)
    order(vendor)
    first, second = vendor.charges()
    assert first["request_sha256"] == second["request_sha256"]
    assert first["id"] != second["id"]


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


def test_other_status_leaves_the_answer_as_it_is(suno):
    suno.script(Fault("other_status", "submit", code=429))
    assert order(suno).json()["data"]["taskId"] == suno.charges()[0]["id"]


@pytest.mark.parametrize("garbage", sorted(GARBAGE))
def test_garbage_comes_after_the_charge(suno, garbage):
    suno.script(Fault("garbage_after", "submit", raw=GARBAGE[garbage]))
    assert (order(suno).content, len(suno.charges())) == (GARBAGE[garbage], 1)


def test_garbage_can_be_as_large_as_wanted(suno):
    suno.script(Fault("garbage_after", "credits", megabytes=3))
    assert len(ask(suno, "GET", "/api/v1/generate/credit").json()["padding"]) == 3_000_000


@pytest.mark.parametrize("kind", ["drip_headers", "drip_body"])
def test_dripped_answer_is_the_right_one(suno, kind):
    suno.script(Fault(kind, "credits", pause=0.0))
    assert ask(suno, "GET", "/api/v1/generate/credit").json()["data"] == 100


@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        (Fault("empty"), lambda spoiled, right: spoiled.content == b""),
        (Fault("short", bytes=7), lambda spoiled, right: spoiled.content == right.content[:7]),
        (Fault("html"), lambda spoiled, right: spoiled.content.startswith(b"<!DOCTYPE html>")),
        (Fault("html"), lambda spoiled, right: spoiled.headers["content-type"] == "audio/mpeg"),
        (
            Fault("content_type", value="text/plain"),
            lambda spoiled, right: spoiled.headers["content-type"] == "text/plain",
        ),
        (
            Fault("redirect", location="http://169.254.169.254/"),
            lambda spoiled, right: spoiled.headers["location"] == "http://169.254.169.254/",
        ),
        (Fault("expired"), lambda spoiled, right: spoiled.status_code == 403),
    ],
    ids=lambda value: repr(value) if isinstance(value, Fault) else "seen",
)
def test_file_is_spoiled_as_told(suno, fault, seen):
    url = record(suno, ordered(suno))["response"]["sunoData"][0]["audioUrl"]
    right = fetched(url)
    suno.script(Fault(fault.kind, "file", **fault.details))
    assert seen(fetched(url), right)


def test_endless_file_does_not_end(suno):
    url = record(suno, ordered(suno))["response"]["sunoData"][0]["audioUrl"]
    suno.script(Fault("endless", "file"))
    read = 0
    with httpx.stream("GET", url, trust_env=False) as response:
        for piece in response.iter_raw():
            read += len(piece)
            if read > 5_000_000:
                break
    assert read > 5_000_000


def test_members_of_an_answer_can_be_replaced(openai):
    openai.script(Fault("fields", "submit", choices=[], id=7))
    content = order(openai).json()
    assert (content["choices"], content["id"], content["object"]) == ([], 7, "chat.completion")


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


def test_closed_fake_is_not_there(tmp_path):
    with FakeSuno(tmp_path) as suno:
        url = suno.url
    with pytest.raises(httpx.ConnectError):
        fetched(url)


def test_fake_that_broke_says_so(tmp_path):
    suno = FakeSuno(tmp_path)
    suno.__enter__()
    suno.script(Fault("fields", "file", status=1))
    with pytest.raises(httpx.TransportError):
        fetched(f"{suno.url}/files/none.mp3")
    with pytest.raises(RuntimeError, match="itself broke"):
        suno.close()


def test_date_is_off_by_the_offset(suno):
    suno.clock_offset = -7200
    told = parsedate_to_datetime(fetched(suno.url).headers["date"])
    assert timedelta(hours=1) < datetime.now(UTC) - told < timedelta(hours=3)


def test_other_key_is_refused_in_the_vendors_words(vendor):
    vendor.revoke()
    answer = order(vendor)
    code = answer.json().get("code", answer.status_code)
    assert (code, vendor.charges()) == (401, [])


def test_refusal_repeats_the_key_only_where_told(vendor):
    vendor.script(Fault("refused_key"), Fault("refused_key", echo=True))
    assert [vendor.key in order(vendor).text for _ in range(2)] == [False, True]


def test_empty_account_is_charged_nothing(vendor):
    vendor.credits = 0
    scripted = Fault("out_of_credits")
    by_itself = order(vendor)
    vendor.script(scripted)
    assert order(vendor).json() == by_itself.json()
    assert vendor.charges() == []


@pytest.mark.parametrize("as_date", [False, True])
def test_rate_limited_answer_asks_to_wait(vendor, as_date):
    vendor.script(
        Fault("rate_limited", "submit", retry_after=7, as_date=as_date),
        Fault("rate_limited", "submit"),
    )
    with_header, without = order(vendor), order(vendor)
    assert with_header.headers["retry-after"].endswith("GMT" if as_date else "7")
    assert "retry-after" not in without.headers
    assert vendor.charges() == []


@pytest.mark.parametrize("kind", [FakeSuno, FakeCreatomate])
def test_usual_rate_is_enforced(tmp_path, kind):
    with kind(tmp_path) as vendor:
        assert vendor.usual_rate is not None
        vendor.rate = (vendor.usual_rate[0], NEVER)
        answers = [ask(vendor, "GET", "/nothing") for _ in range(vendor.usual_rate[0] + 1)]
    codes = [answer.json().get("code", answer.status_code) for answer in answers]
    assert codes[:-1] == [404] * vendor.usual_rate[0]
    assert codes[-1] in (429, 430)


def test_song_is_pending_until_its_time(suno):
    suno.delay = NEVER
    task = ordered(suno)
    assert record(suno, task)["status"] == "PENDING"
    suno.delay = 0
    assert record(suno, task)["status"] == "SUCCESS"


def test_songs_are_two_and_audible(suno, tmp_path):
    suno.song_seconds = 2
    songs = record(suno, ordered(suno))["response"]["sunoData"]
    files = [fetched(song["audioUrl"]).content for song in songs]
    assert len(set(files)) == 2
    for file in files:
        seen = what_ffmpeg_sees(file, tmp_path)
        assert "Audio: mp3" in seen
        assert "Duration: 00:00:02" in seen


def test_record_echoes_the_request(suno):
    assert json.loads(record(suno, ordered(suno))["param"]) == SONG


def test_scripted_final_status_of_a_submission_holds_for_its_task_only(suno):
    suno.script(Fault("final_status", "submit", status="SENSITIVE_WORD_ERROR", error_message="no"))
    bad, good = ordered(suno), ordered(suno)
    assert [record(suno, bad)["status"] for _ in range(2)] == ["SENSITIVE_WORD_ERROR"] * 2
    assert record(suno, good)["status"] == "SUCCESS"


def test_scripted_final_status_waits_for_its_time(suno):
    suno.delay = NEVER
    suno.script(Fault("final_status", "submit", status="GENERATE_AUDIO_FAILED"))
    task = ordered(suno)
    assert record(suno, task)["status"] == "PENDING"
    suno.delay = 0
    assert record(suno, task)["status"] == "GENERATE_AUDIO_FAILED"


def test_scripted_final_status_of_a_poll_is_one_answer(suno):
    task = ordered(suno)
    suno.script(Fault("final_status", "poll", status="WHATEVER"))
    assert [record(suno, task)["status"] for _ in range(2)] == ["WHATEVER", "SUCCESS"]


@pytest.mark.parametrize("audio", [0, 1, 2])
@pytest.mark.parametrize("status", ["SUCCESS", "CALLBACK_EXCEPTION"])
def test_final_status_has_as_many_links_as_told(suno, status, audio):
    suno.script(Fault("final_status", "submit", status=status, audio=audio))
    response = record(suno, ordered(suno))["response"]
    songs = response["sunoData"] if response else []
    assert sum(bool(song["audioUrl"]) for song in songs) == audio


def test_other_styles_tell_the_same(suno):
    task = ordered(suno)
    suno.script(
        Fault("final_status", "poll", style="snake"),
        Fault("final_status", "poll", style="quickstart"),
    )
    snake, quickstart, camel = (record(suno, task) for _ in range(3))
    link = camel["response"]["sunoData"][0]["audioUrl"]
    assert snake["response"]["suno_data"][0]["audio_url"] == link
    assert quickstart["response"]["data"][0]["audio_url"] == link


def test_changing_vendor_has_other_songs_at_the_second_done(suno):
    suno.script(Fault("final_status", "submit", changes=True))
    task = ordered(suno)
    first, second = (record(suno, task)["response"]["sunoData"][0] for _ in range(2))
    assert first["id"] != second["id"]
    assert fetched(second["audioUrl"]).status_code == 200


def test_words_cover_the_song_and_hold_the_tags(suno):
    path = "/api/v1/generate/get-timestamped-lyrics"
    asked = {"taskId": ordered(suno), "musicIndex": 0}
    words = ask(suno, "POST", path, asked).json()["data"]["alignedWords"]
    assert "".join(word["word"] for word in words) == SONG["prompt"]
    assert words[0]["word"] == "[Verse]\nWaggin' "
    assert (words[0]["startS"], words[-1]["endS"]) == (0.0, suno.song_seconds)
    suno.script(Fault("no_words"))
    assert ask(suno, "POST", path, asked).json()["data"]["alignedWords"] == []


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


def test_song_takes_its_credits(suno):
    order(suno)
    balance = ask(suno, "GET", "/api/v1/generate/credit").json()["data"]
    assert balance == 100 - CREDITS


def test_video_costs_by_the_formula(creatomate):
    order(creatomate, width=1080, height=1920, duration=60)
    assert [charge["cost"] for charge in creatomate.charges()] == [38]


def test_dry_run_is_free_and_tells_what_is_wrong(creatomate):
    good = order(creatomate, dry_run=True).json()
    bad = order(creatomate, dry_run=True, elements=[{"type": "song"}]).json()
    assert (good["valid"], good["errors"], good["source"]) == (True, [], VIDEO)
    assert (bad["valid"], len(bad["errors"])) == (False, 1)
    assert creatomate.charges() == []


def test_render_is_accepted_with_warnings_and_costs(creatomate):
    creatomate.templates = {"t-1": ["Title"]}
    answer = order(creatomate, template_id="t-1", modifications={"Titel.text": "x"})
    assert answer.status_code == 202
    assert answer.json()["warnings"][0]["path"] == "modifications.Titel.text"
    assert len(creatomate.charges()) == 1


def test_unknown_template_is_not_found(creatomate):
    creatomate.templates = {}
    assert order(creatomate, template_id="t-1").status_code == 404


def test_video_link_is_there_at_once_and_good_at_the_end(creatomate):
    creatomate.delay = NEVER
    answer = order(creatomate).json()
    assert (answer["status"], fetched(answer["url"]).status_code) == ("planned", 404)
    creatomate.delay = 0
    assert rendered(creatomate, answer["id"])["status"] == "succeeded"
    assert fetched(answer["url"]).status_code == 200


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


def test_render_of_a_template_is_like_the_template(creatomate):
    size = {"width": 3840, "height": 2160, "frame_rate": 30, "duration": 120}
    creatomate.set(credits=1000, template_source=size)
    body = {"template_id": "t-1", "modifications": {}}
    told = ask(creatomate, "POST", "/v2/renders", body).json()
    assert {name: told[name] for name in size} == size
    assert [charge["cost"] for charge in creatomate.charges()] == [299]


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_scripted_final_status_of_a_render_holds(creatomate, status):
    creatomate.script(Fault("final_status", "submit", status=status, error_message="Out of fonts"))
    render = ordered(creatomate)
    told = [rendered(creatomate, render) for _ in range(2)]
    assert [(each["status"], each["error_message"]) for each in told] == [
        (status, "Out of fonts")
    ] * 2


@pytest.mark.parametrize(
    "changes",
    [
        {"output_format": "avi"},
        {"width": "1080"},
        {"height": 0},
        {"duration": -1},
        {"elements": None},
        {"metadata": {"token": 1}},
    ],
)
def test_render_input_is_checked_with_a_hint(creatomate, changes):
    answer = order(creatomate, **changes)
    assert (answer.status_code, bool(answer.json()["hint"])) == (400, True)
    assert creatomate.charges() == []


def test_lyric_is_the_same_for_the_same_prompt(openai):
    first, second = (order(openai).json()["choices"][0]["message"] for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("language", "korean"), [("Korean", True), ("English", False)])
def test_lyric_is_in_the_prompts_language(openai, language, korean):
    asked = {"role": "user", "content": f"Sing in {language} of Stay"}
    lyric = order(openai, messages=[asked]).json()["choices"][0]["message"]["content"]
    assert len(lyric.splitlines()) >= 4
    assert len(lyric) >= 50
    assert bool(re.search("[가-힣]", lyric)) is korean


def test_stored_completion_is_found_by_its_metadata(openai):
    made = ordered(openai)
    ordered(openai, metadata={"token": "token-2"})
    ordered(openai, metadata=None, store=False)
    query = {"metadata[token]": "token-1", "limit": "5"}
    listed = ask(openai, "GET", "/chat/completions", params=query).json()
    assert [each["id"] for each in listed["data"]] == [made]
    assert ask(openai, "GET", f"/chat/completions/{made}").json()["id"] == made


def test_lost_completion_is_found_once_it_is_listed(openai):
    openai.listing_delay = NEVER
    openai.script(Fault("lose_reply", "submit"))
    with pytest.raises(httpx.TransportError):
        order(openai)
    query = {"metadata[token]": "token-1"}
    assert ask(openai, "GET", "/chat/completions", params=query).json()["data"] == []
    openai.listing_delay = 0
    assert len(ask(openai, "GET", "/chat/completions", params=query).json()["data"]) == 1


@pytest.mark.parametrize(
    ("details", "path", "expected"),
    [
        ({"refusal": "I cannot"}, ("message", "refusal"), "I cannot"),
        ({"refusal": "I cannot"}, ("message", "content"), None),
        ({"content": ""}, ("message", "content"), ""),
        ({"finish_reason": "length"}, ("finish_reason",), "length"),
        ({"finish_reason": "content_filter"}, ("finish_reason",), "content_filter"),
    ],
)
def test_completion_is_as_told(openai, details, path, expected):
    openai.script(Fault("completion", **details))
    found = order(openai).json()["choices"][0]
    for name in path:
        found = found[name]
    assert found == expected


def test_completion_without_usage_is_charged(openai):
    openai.script(Fault("completion", usage=False))
    assert "usage" not in order(openai).json()
    assert openai.charges()[0]["cost"] > 0


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


@pytest.mark.parametrize(("model", "status"), [("gpt-4o-mini", 200), ("gpt-0", 404)])
def test_model_is_known_or_not(openai, model, status):
    assert ask(openai, "GET", f"/models/{model}").status_code == status


def test_nobody_answers_nowhere():
    with deaf() as url, pytest.raises(httpx.ConnectTimeout):
        fetched(url, timeout=QUICK)
    with pytest.raises(httpx.ConnectError):
        fetched(refusing())
