"""No key shuts others out: not at its address, not behind a proxy, and never the probes and the log-in."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from castad.api.server.serve import ConnectionLimits
from castad.web.app import WITH_ROOM
from resources.process.settings import settings
from tests.api_house import House, served, stream
from tests.eventually import eventually

PER_ADDRESS = 1000
LIMITS = ConnectionLimits(PER_ADDRESS, with_room=WITH_ROOM)
BEHIND_PROXY = ConnectionLimits(40, with_room=WITH_ROOM, trusted_proxies=("127.0.0.0/8",))


@dataclass
class Crowd:
    """Sockets that ask for the same and leave open what is answered."""

    house: House
    sockets: list[socket.socket] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)

    def asks(self, path: str, key: str, count: int, headers: str = "") -> list[str]:
        """Ask so many times, each on a connection of its own; return the statuses."""
        host, _, port = self.house.url.removeprefix("http://").partition(":")
        asked = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n{headers}\r\n"
        statuses = []
        for _ in range(count):
            client = socket.create_connection((host, int(port)), timeout=30)
            self.sockets.append(client)
            client.sendall(asked.encode())
            statuses.append(client.recv(4096)[9:12].decode())
        return statuses


@contextmanager
def crowd_at(house: House) -> Iterator[Crowd]:
    crowd = Crowd(house)
    try:
        yield crowd
    finally:
        for each in crowd.sockets:
            each.close()


def status_of(house: House, path: str, key: str | None = None) -> int:
    """What a new connection is answered."""
    return house.client(key).get(path).status_code


def assert_open(house: House, admin: str) -> None:
    """Probes and the log-in are answered."""
    assert status_of(house, "/healthz") == 200
    assert status_of(house, "/readyz") == 200
    assert status_of(house, "/login") == 200
    assert status_of(house, "/metrics", admin) == 200
    with house.client(None) as client:
        assert client.post("/v1/session", json={"key": admin}).status_code == 204


@pytest.fixture
def house(sqlite_ledger_url: str) -> Iterator[House]:
    with served(limits=LIMITS) as house:
        yield house


def test_thousand_streams_of_one_key_leave_room_for_all_others(house):
    shop, other, admin = house.key("shop"), house.key("other"), house.key("admin", "admin")
    with crowd_at(house) as crowd:
        statuses = crowd.asks("/v1/pipeline/events", shop, PER_ADDRESS)
        most = settings().streams_per_key
        assert (statuses.count("200"), statuses.count("429")) == (most, PER_ADDRESS - most)
        assert_open(house, admin)
        with stream(house.client(other), "/v1/pipeline/events") as frames:
            assert next(frames).event == "begun"


def test_streams_of_many_keys_leave_room_for_probes_and_the_log_in(sqlite_ledger_url):
    with (
        served(limits=ConnectionLimits(60, with_room=WITH_ROOM)) as house,
        crowd_at(house) as crowd,
    ):
        admin = house.key("admin", "admin")
        asked = [house.key(f"shop-{number}") for number in range(3)]
        statuses = [each for key in asked for each in crowd.asks("/v1/pipeline/events", key, 25)]
        assert (statuses.count("200"), statuses.count("503")) == (60, 15)
        assert_open(house, admin)


def test_stream_that_has_ended_makes_room_for_another_of_its_key(house):
    house.app.state.api.open_reads.most = 2
    key = house.key("shop")
    with crowd_at(house) as crowd:
        assert crowd.asks("/v1/pipeline/events", key, 3) == ["200", "200", "429"]
        refused = house.client(key).get("/v1/pipeline/events")
        assert (refused.json()["code"], refused.headers["Retry-After"]) == ("too_many_streams", "2")
        crowd.sockets[0].close()
        assert eventually(lambda: crowd.asks("/v1/pipeline", key, 1) == ["200"])
    assert eventually(lambda: not house.app.state.api.open_reads._open)


@pytest.mark.parametrize("path", ["/v1/pipeline", "/nowhere", "/v1/pipeline/status/none"])
def test_call_that_is_over_no_longer_counts(house, path):
    key = house.key("shop")
    for _ in range(3):
        status_of(house, path, key)
    assert eventually(lambda: not house.app.state.api.open_reads._open)


def test_clients_of_a_trusted_proxy_are_told_apart(sqlite_ledger_url):
    with served(limits=BEHIND_PROXY) as house, crowd_at(house) as crowd:
        keys = [house.key(f"shop-{number}") for number in range(5)]
        one, other = (f"X-Forwarded-For: 8.8.8.8, 203.0.113.{n}\r\n" for n in (1, 2))
        statuses = [
            each for key in keys for each in crowd.asks("/v1/pipeline/events", key, 12, one)
        ]
        assert (statuses.count("200"), statuses.count("503")) == (40, 20)
        assert crowd.asks("/v1/pipeline/events", keys[0], 1, other) == ["200"]
        assert crowd.asks("/healthz", keys[0], 1, one) == ["200"]


def test_wrong_keys_of_one_client_of_a_proxy_lock_no_other_out(sqlite_ledger_url):
    with served(limits=BEHIND_PROXY) as house, house.client(None) as client:

        def try_from(address: str) -> int:
            headers = {"X-Forwarded-For": f"9.9.9.9, {address}"}
            return client.post("/v1/session", json={"key": "x"}, headers=headers).status_code

        assert {try_from("203.0.113.1") for _ in range(12)} == {401, 429}
        assert try_from("203.0.113.2") == 401


def test_address_that_a_client_says_by_itself_is_not_believed(house):
    with house.client(None) as client:

        def try_as(number: int) -> int:
            headers = {"X-Forwarded-For": f"203.0.113.{number}"}
            return client.post("/v1/session", json={"key": "x"}, headers=headers).status_code

        assert [try_as(number) for number in range(12)][-1] == 429


def test_connection_of_a_proxy_counts_for_each_client_in_turn(sqlite_ledger_url):
    with served(limits=BEHIND_PROXY) as house, crowd_at(house) as crowd:
        keys = [house.key(f"shop-{number}") for number in range(4)]
        full, other = (f"X-Forwarded-For: 203.0.113.{n}\r\n" for n in (1, 2))
        for key in keys:
            crowd.asks("/v1/pipeline/events", key, 10, full)
        with house.client(keys[0]) as proxy:
            asked = [
                proxy.get("/v1/pipeline", headers={"X-Forwarded-For": f"203.0.113.{number}"})
                for number in (2, 1, 2)
            ]
        assert [each.status_code for each in asked] == [200, 503, 200]
        assert crowd.asks("/v1/pipeline", keys[0], 1, other) == ["200"]
