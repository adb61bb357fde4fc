"""A canary in every secret is found nowhere: not in a table, an event, a file, a log or a command's output."""

import base64
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import pytest

from resources.files.artifacts import get_signed_links
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from resources.providers.vendor import may_call_back
from tests.api_house import described, served
from tests.canary import CORE, KEYS, Evidence, ask, asked, leaks
from tests.command_line import castad
from tests.fakes.faults import Fault
from tests.fakes.nowhere import refusing
from tests.fakes.reply import ECHO
from tests.fakes.server import FakeVendor
from tests.integration.vendor_house import TASK_ID, House, open_house, set_environment
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.processes


class Ear(logging.Handler):
    """Keeps every log line of this process, with the errors that go with it.

    What HTTP libraries tell for debugging them holds whole headers of answers and is nobody's log.
    """

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter("%(name)s %(message)s"))
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(self.format(record))


@contextmanager
def listening() -> Iterator[Ear]:
    ear, root = Ear(), logging.getLogger()
    level = root.level
    root.addHandler(ear)
    root.setLevel(logging.INFO)
    try:
        yield ear
    finally:
        root.removeHandler(ear)
        root.setLevel(level)


def ask_every_route(house: House, evidence: Evidence) -> None:
    """The API has been asked for everything it describes, by an admin and by nobody, while nothing is scripted.

    Only the client without a key asks to delete: what is left behind is searched afterwards.
    """
    with served() as api:
        key = api.key("admin", "admin")
        evidence.api_keys += [key, get_signed_links(settings()).secret.decode()]
        jobs = house.steps.jobs(TASK_ID)
        evidence.tokens += [job.token for job in jobs if may_call_back(job.provider)]
        clients = (api.client(key), api.client(None))
        for route in described(api.app.openapi()["paths"]):
            for client in clients[route.method == "DELETE" :]:
                answer = route.ask(client, TASK_ID)
                text = answer.text if answer.is_stream_consumed else ""
                evidence.answered += [text, str(answer.headers), str(answer.url)]


# In every way a vendor can quote it


def openai_echoes(key: str) -> list[Fault]:
    error = {"error": {"message": f"no: {key}", "type": key, "param": key, "code": key}}
    named = {"x-request-id": key}
    sung = (
        f"Title: {key}\n[Verse]\n{key} is what we sing all day\n[Chorus]\nCome and stay with {key}"
    )
    return [
        Fault("refused_key", "submit", echo=True),
        Fault("status", "submit", code=400, body=error, headers=named),
        Fault("status", "submit", code=404, body=f"<html>{key}</html>".encode()),
        Fault("completion", "submit", refusal=f"I will not sing of {key}"),
        Fault("completion", "submit", content=key),
        Fault("status", "submit", code=500, body=error, headers=named),
        Fault("completion", "submit", content=sung, model=f"model-{key}"),
    ]


def suno_echoes(key: str) -> list[Fault]:
    failed = {"status": "GENERATE_AUDIO_FAILED", "error_message": key, "error_code": key}
    return [
        Fault("refused_key", "submit", echo=True),
        Fault("envelope", "submit", code=400, msg=f"bad {key}"),
        Fault("envelope", "submit", code=429, msg=f"no credits for {key}"),
        Fault("envelope", "submit", code=500, msg=f"broken {key}"),
        Fault("status", "submit", code=502, body=f"<html>Bearer {key}</html>".encode()),
        Fault("final_status", "submit", **failed),
        Fault(
            "final_status", "submit", status="SENSITIVE_WORD_ERROR", error_message=f"{key} is rude"
        ),
    ]


def creatomate_echoes(key: str) -> list[Fault]:
    return [
        Fault("refused_key", "dry_run", echo=True),
        Fault("status", "dry_run", code=400, body={"hint": f"bad {key}"}),
        Fault("answer", "dry_run", errors=[{"path": key, "message": f"wrong {key}"}, key, [key]]),
        Fault("status", "dry_run", code=500, body={"hint": key}),
        Fault("status", "submit", code=402, body={"hint": f"no credits for {key}"}),
        Fault("status", "submit", code=500, body={"hint": key}),
        Fault("final_status", "submit", status="failed", error_message=f"could not fetch {key}"),
        Fault("answer", "submit", warnings=[f"careful {key}", {"message": key}, [key]]),
    ]


ECHOES = {"openai": openai_echoes, "suno": suno_echoes, "creatomate": creatomate_echoes}


def echoes_of(fake: FakeVendor) -> list[Fault]:
    """Who calls back quotes the submission's token as well."""
    named = f"{fake.key} of /callbacks/{ECHO} and {ECHO}"
    quoted = named if may_call_back(fake.name) else fake.key
    return ECHOES[fake.name](quoted)


def make_after_echoes(house: House, evidence: Evidence, most: int) -> None:
    """Each vendor quotes the key in its ways; a person helps the order on whenever it stands."""
    for fake in house.vendors.all:
        fake.script(*echoes_of(fake)[:most])
    house.order()
    while house.request.status is not Status.COMPLETED:
        house.work()
        ask(evidence, ("status", TASK_ID), ("dead",))
        help_on(house, evidence)
    asked(house.vendors, TASK_ID, evidence)


def help_on(house: House, evidence: Evidence) -> None:
    status, code = house.state
    seen = ("--attempt", str(house.request.attempt))
    if status is Status.PENDING:
        evidence.hears(castad("resume"))
    elif code == "submission_unknown":
        evidence.hears(castad("resolve", TASK_ID, "--resubmit", *seen))
    elif status is Status.DEAD:
        evidence.hears(castad("retry", TASK_ID, *seen))


ALL = 100
ENOUGH = {"sqlite": ALL, "postgres": 2}
"""How many of its ways each vendor uses: they differ by what is said, and the databases by where it is kept."""


@pytest.fixture(scope="module", params=ENOUGH)
def evidence(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Evidence]:
    """What one order left behind whose vendors quoted their keys in every way, and which was made in the end."""
    url = None
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres_server")
        url = server.create("secrets")
    folder = tmp_path_factory.mktemp("secrets")
    found = Evidence(folder / "home", url)
    with (
        listening() as ear,
        open_house(folder, keeps_history=True, database_url=url, keys=KEYS) as house,
    ):
        make_after_echoes(house, found, ENOUGH[request.param])
        found.logged = ear.heard
        assert [fault for fake in house.vendors.all for fault in fake.unused()] == []
        found.said += [repr(settings()), str(settings())]
        ask_every_route(house, found)
        yield found
    if url is not None:
        server.drop("secrets")


def test_secret_is_found_wherever_it_is_written_down():
    text = f"key={quote(KEYS['suno'])}"
    hidden = [
        text.encode(),
        *(base64.b64encode(b"x" * shift + text.encode()) for shift in range(3)),
    ]
    assert all(leaks(CORE, place) for place in hidden)


def test_orders_left_something_to_search(evidence):
    left = (evidence.files(), evidence.said, evidence.answered, evidence.logged, evidence.tokens)
    assert all((list(evidence.values()), *left))


def test_no_secret_is_in_any_table_of_ledger_and_dagster(evidence):
    values = list(evidence.values())
    assert [leak for secret in evidence.secrets for leak in leaks(secret, *values)] == []


def test_no_secret_is_in_any_file_of_the_state(evidence):
    own = "link.key"
    contents = [file.read_bytes() for file in evidence.files() if file.name != own]
    assert [leak for secret in evidence.secrets for leak in leaks(secret, *contents)] == []


def test_no_secret_is_in_what_commands_say(evidence):
    said = [text.encode() for text in evidence.said]
    assert [leak for secret in evidence.secrets for leak in leaks(secret, *said)] == []


def test_no_secret_and_no_token_is_in_what_the_api_answers(evidence):
    answered = [text.encode() for text in evidence.answered]
    hidden = [*evidence.secrets, *evidence.tokens]
    assert [leak for secret in hidden for leak in leaks(secret, *answered)] == []


def test_no_token_is_in_a_table_but_where_it_is_kept(evidence):
    values = list(evidence.values())
    assert [leaks(token, *values) for token in evidence.tokens] == [
        [token.encode()] for token in evidence.tokens
    ]


def test_no_token_is_in_what_commands_say(evidence):
    said = [text.encode() for text in evidence.said]
    assert [leak for token in evidence.tokens for leak in leaks(token, *said)] == []


def test_no_token_is_in_the_log(evidence):
    logged = [line.encode() for line in evidence.logged]
    assert [leak for token in evidence.tokens for leak in leaks(token, *logged)] == []


def test_no_secret_is_in_the_log(evidence):
    logged = [line.encode() for line in evidence.logged]
    assert [leak for secret in evidence.secrets for leak in leaks(secret, *logged)] == []


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://castad:{CORE}@{refusing().removeprefix('http://')}/castad",
        f"postgresql://castad:{CORE}@127.0.0.1:port/castad",
        f"mysql://castad:{CORE}@127.0.0.1/castad",
    ],
    ids=["nobody there", "no port", "another database"],
)
@pytest.mark.parametrize("command", [("status", TASK_ID), ("doctor",), ("dead", "--json")])
def test_no_command_repeats_the_databases_password(monkeypatch, url, command):
    set_environment(monkeypatch, {"CASTAD_DATABASE_URL": url})
    done = castad(*command)
    assert done.returncode != 0
    assert leaks(CORE, done.stdout.encode(), done.stderr.encode()) == []
