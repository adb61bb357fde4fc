"""The API beside clients that open connections and never ask anything completely."""

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from castad.api.server.serve import ConnectionLimits
from tests.api_house import House, served, stream
from tests.eventually import eventually

HALF = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
WHOLE = HALF + b"\r\n"
KEPT = 12
NEVER = 3600
PATIENT = ConnectionLimits(KEPT, head_seconds=NEVER, idle_seconds=NEVER)
HASTY = ConnectionLimits(KEPT, head_seconds=0.2, idle_seconds=NEVER)


def connected(house: House, source: str = "127.0.0.1") -> socket.socket:
    host, _, port = house.url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=30, source_address=(source, 0))


def said_until_closed(client: socket.socket) -> bytes:
    """What comes in until the server closes; raises TimeoutError where it does not."""
    said = b""
    try:
        while chunk := client.recv(4096):
            said += chunk
    except ConnectionResetError:
        pass
    return said


def asked(client: socket.socket, request: bytes = WHOLE) -> bytes:
    """Return the whole answer to a request: its head and its body may come in two packets."""
    client.sendall(request)
    with client.makefile("rb") as answer:
        head = b""
        while not head.endswith(b"\r\n\r\n") and (line := answer.readline()):
            head += line
        length = re.search(rb"(?i)content-length: (\d+)", head)
        return head + answer.read(int(length[1]) if length else 0)


@contextmanager
def crowd(house: House, count: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """So many connections on which this was sent and no more."""
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(house)) for _ in range(count)]
        for client in clients:
            try:
                client.sendall(sent)
            except OSError:
                continue  # it was closed for one that came later
        yield clients


@pytest.fixture
def patient(sqlite_ledger_url: str) -> Iterator[House]:
    """Nothing is closed for being slow."""
    with served(limits=PATIENT) as house:
        yield house


@pytest.fixture
def with_short_timeouts(sqlite_ledger_url: str) -> Iterator[House]:
    """Heads have a fifth of a second."""
    with served(limits=HASTY) as house:
        yield house


UNFINISHED = [
    b"",
    b"G",
    HALF,
    b"POST /callbacks/suno/x HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{",
    b"POST /callbacks/suno/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n",
]


@pytest.mark.parametrize("sent", UNFINISHED)
def test_who_asks_completely_is_answered_through_any_number_that_do_not(patient, sent):
    with crowd(patient, 5 * KEPT, sent):
        for _ in range(3):
            with connected(patient) as client:
                assert b"200 OK" in asked(client)


def test_no_more_connections_of_one_address_are_kept_than_allowed(patient):
    with crowd(patient, 3 * KEPT, HALF) as clients:
        for given_up in clients[: 2 * KEPT]:
            # What it was told may be lost with what it went on to send.
            assert said_until_closed(given_up)[:12] in (b"HTTP/1.1 503", b"")
        assert b"200 OK" in asked(clients[-1], b"\r\n")


def test_who_is_being_answered_is_not_given_up_for_others(patient):
    patient.steps.order()
    with ExitStack() as stack:
        client = patient.admin()
        followed = [
            stack.enter_context(stream(client, "/v1/pipeline/events/r")) for _ in range(KEPT)
        ]
        first = [next(each).event for each in followed]
        with connected(patient) as late:
            assert said_until_closed(late).startswith(b"HTTP/1.1 503")
        with connected(patient, "127.0.0.2") as elsewhere:
            assert b"200 OK" in asked(elsewhere)
        patient.steps.cancel()
        assert [list(each)[-1].event for each in followed] == ["end"] * KEPT
    assert first == ["snapshot"] * KEPT


@pytest.mark.parametrize("sent", [b"", HALF])
def test_head_that_does_not_come_is_waited_for_so_long(with_short_timeouts, sent):
    with connected(with_short_timeouts) as client:
        client.sendall(sent)
        assert said_until_closed(client).startswith(b"HTTP/1.1 408")


def test_head_that_drips_gains_no_time(with_short_timeouts):
    def dripped() -> bool:
        try:
            client.sendall(b"x")
        except OSError:
            return True
        return False

    with connected(with_short_timeouts) as client:
        client.sendall(HALF)
        assert eventually(dripped)


@pytest.mark.parametrize("sent", [b"G", HALF])
def test_second_head_of_a_connection_is_waited_for_no_longer(with_short_timeouts, sent):
    with connected(with_short_timeouts) as client:
        assert b"200 OK" in asked(client)
        client.sendall(sent)
        assert said_until_closed(client) == b""


def test_body_that_nobody_waits_for_keeps_no_connection_open(with_short_timeouts):
    refused = b"POST /v1/pipeline/start HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n"
    with connected(with_short_timeouts) as client:
        assert b"401" in asked(client, refused)
        client.sendall(b"{")
        assert b"HTTP/1.1" not in said_until_closed(client)  # the rest of the refusal at most


def test_request_at_work_has_more_time_than_a_head(with_short_timeouts):
    with_short_timeouts.steps.order()
    with stream(with_short_timeouts.admin(), "/v1/pipeline/events/r") as events:
        assert next(events).event == "snapshot"
        with connected(with_short_timeouts) as slower:
            said_until_closed(slower)  # a head's time has passed
        with_short_timeouts.steps.cancel()
        assert list(events)[-1].event == "end"


def test_idle_connection_is_closed_after_a_while(sqlite_ledger_url):
    with (
        served(limits=ConnectionLimits(KEPT, head_seconds=NEVER, idle_seconds=1)) as house,
        connected(house) as client,
    ):
        client.sendall(WHOLE)
        assert b"200 OK" in said_until_closed(client)


@pytest.mark.parametrize(
    "lengths",
    [
        b"Content-Length: 2\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: chunked\r\nContent-Length: 2",
        b"transfer-encoding: Chunked\r\nCONTENT-LENGTH: 0",
        b"Transfer-Encoding: identity\r\nContent-Length: 2",
    ],
)
def test_request_of_two_lengths_is_refused_and_its_connection_closed(patient, lengths):
    smuggled = b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    with connected(patient) as client:
        client.sendall(b"POST /healthz HTTP/1.1\r\nHost: x\r\n" + lengths + b"\r\n\r\n" + smuggled)
        said = said_until_closed(client)
    assert said.startswith((b"HTTP/1.1 400", b"HTTP/1.1 501"))
    assert said.count(b"HTTP/1.1") == 1
