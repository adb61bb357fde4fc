"""Links that lead to private places, in every form that a client may try."""

from collections.abc import Iterator

import httpx
import pytest

from resources.contract.errors import InvalidInputError
from resources.http.addresses import HostAllowlist, Resolver
from resources.http.guarded_client import GuardedTransport
from resources.process.settings import settings
from tests.api_house import BRIEF, House, served
from tests.song_video import accept

LITERAL = [
    *["127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "0x7f.1", "0x7f000001", "0177.0.0.1"],
    *["2130706433", "017700000001", "0.0.0.0", "0", "10.0.0.1", "172.16.0.1", "192.168.1.1"],
    *["169.254.169.254", "100.64.0.1", "198.18.0.1", "192.0.2.1", "224.0.0.1", "255.255.255.255"],
    *["[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[fe80::1]"],
    *["[fc00::1]", "[fd12:3456::1]", "[fec0::1]", "[ff02::1]", "[64:ff9b::7f00:1]"],
    *["[2002:7f00:1::]", "localhost", "LOCALHOST", "localhost.", "shop.localhost"],
]
"""Private by what is written."""
NAMED = {
    "127.0.0.1.nip.io": ["127.0.0.1"],
    "metadata.example": ["169.254.169.254"],
    "one-of-two.example": ["93.184.216.34", "10.0.0.1"],
    "ula.example": ["fd12:3456::1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "castad.example": ["127.0.0.1"],
}
"""Private by what the resolver says."""
UNUSABLE = [
    *["gopher://shop.example/", "file:///etc/passwd", "ftp://shop.example/x", "//shop.example/x"],
    *["https://good@127.0.0.1/", "https://127.0.0.1@shop.example/", "https://", "https://:443/"],
    *["https://shop.example:0/", "https://shop.example:99999/", "javascript:alert(1)", "data:,x"],
    *["https://shop.example/a b", "https://shop.example/\nx", "https://[::1", "https://sh op/"],
]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    home = tmp_path_factory.mktemp("addresses")
    with served(settings().model_copy(update={"home": home})) as house:
        yield house


@pytest.fixture(scope="module")
def client(house: House) -> httpx.Client:
    return house.as_("shop")


def refused(client: httpx.Client, **fields: object) -> tuple[int, str | None]:
    answer = client.post("/v1/pipeline/start", json={**BRIEF, **fields})
    return answer.status_code, answer.json().get("field")


@pytest.mark.parametrize("host", LITERAL)
def test_private_address_is_refused_when_it_is_ordered(client, host):
    found = [
        refused(client, callback_url=f"https://{host}/x"),
        refused(client, images=[f"https://{host}:8443/x.png"]),
    ]
    assert found == [(422, "callback_url"), (422, "images[0]")]


@pytest.mark.parametrize("url", UNUSABLE)
def test_link_that_is_none_is_refused_when_it_is_ordered(client, url):
    found = [refused(client, callback_url=url), refused(client, images=[url])]
    assert found == [(422, "callback_url"), (422, "images[0]")]


def lookup(addresses: list[str]) -> Resolver:
    return lambda host, port, **_: [(0, 0, 0, "", (address, port)) for address in addresses]


@pytest.mark.parametrize("name", NAMED)
def test_name_of_a_private_address_is_refused_when_it_is_connected_to(name):
    transport = GuardedTransport(
        HostAllowlist(plain_http=True),
        deadline_seconds=5,
        max_response_bytes=1,
        resolve=lookup(NAMED[name]),
    )
    with pytest.raises(httpx.ConnectError), httpx.Client(transport=transport) as asking:
        asking.get(f"https://{name}/x.png")


def test_name_is_looked_up_once_so_that_it_cannot_change_its_mind():
    asked: list[str] = []

    def rebinding(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        asked.append(host)
        return [(0, 0, 0, "", ("127.0.0.1" if len(asked) > 1 else "192.0.2.1", port))]

    transport = GuardedTransport(
        HostAllowlist(("192.0.2.0/24",)),
        deadline_seconds=0.2,
        max_response_bytes=1,
        resolve=rebinding,
    )
    with pytest.raises(httpx.TransportError), httpx.Client(transport=transport) as asking:
        asking.get("https://rebinding.example/")
    assert asked == ["rebinding.example"]


@pytest.mark.parametrize("entry", ["10.0.0.0/8", "10.1.2.3", "10.1.2.3:8443"])
def test_private_address_that_is_allowed_can_be_ordered(monkeypatch, entry):
    monkeypatch.setenv("CASTAD_ALLOW_HOSTS", entry)
    settings.cache_clear()
    assert accept({**BRIEF, "images": ["https://10.1.2.3:8443/x.png"]})["images"]


def test_allowed_address_allows_no_other(monkeypatch, tmp_path):
    monkeypatch.setenv("CASTAD_ALLOW_HOSTS", "10.1.2.3")
    settings.cache_clear()
    with pytest.raises(InvalidInputError):
        accept({**BRIEF, "images": ["https://10.1.2.4/x.png"]})
