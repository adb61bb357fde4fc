import ipaddress
import os
import socket
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.http.addresses import HostAllowlist, is_public
from resources.http.guarded_client import (
    CompressedBodyError,
    GuardedTransport,
    RefusedAddressError,
    RefusedSchemeError,
    TooLargeError,
    UnknownHostError,
    make_guarded_client,
)
from tests.eventually import eventually
from tests.fakes.nowhere import deaf, refusing
from tests.fakes.raw import Act, RawServer, answer, drip, flood, hang, hang_up, ignore, reset, say
from tests.fakes.tls import VENDOR, client_tls, server_tls

SOON = 0.5
LATE = 30.0
ROOM = 1_000_000
HERE = HostAllowlist(("127.0.0.1",))
NOTHING_SENT = (httpx.ConnectError, httpx.ConnectTimeout)

PRIVATE = [
    *["127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "0x7f.1", "0x7f000001", "0177.0.0.1"],
    *["2130706433", "017700000001", "0.0.0.0", "0", "localhost", "LOCALHOST", "[::1]", "[::]"],
    *["[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]"],
    *["[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::10.0.0.1]"],
    *["[2002:7f00:1::]", "[2002:a00:1::]", "[2001:0:7f00:1::]", "[fec0::1]", "[fe80::1]"],
    *["[fd00::1]", "[fc00::1]", "[ff02::1]", "[2001:db8::1]", "[100::1]", "169.254.169.254"],
    *["0xa9fea9fe", "169.254.170.2", "10.0.0.1", "10.255.255.255", "172.16.0.1", "192.168.0.1"],
    *["100.64.0.1", "192.0.2.1", "198.18.0.1", "203.0.113.1", "224.0.0.1", "240.0.0.1"],
    *["255.255.255.255", "good.example@127.0.0.1", "8.8.8.8:80@127.0.0.1", "127.0.0.1:5432"],
    *["8.8.8.8%2f@127.0.0.1", "8.8.8.8%23@127.0.0.1", "user:pass@[::1]", "127.0.0.1#@8.8.8.8"],
    *["127.0.0.1:65536", "8.8.8.8:99999"],
]
PUBLIC = [
    *["8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "100.128.0.1", "2606:4700::1111"],
    *["2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::"],
]
SILENCES: dict[str, Act] = {
    "at the headers": hang(),
    "in the headers": hang(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "in the body": hang(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf"),
    "in a body of unknown length": hang(b"HTTP/1.1 200 OK\r\n\r\nhalf"),
    "dripping headers": drip(b"HTTP/1.1 200 OK\r\nX: ", b"x"),
    "dripping lines of headers": drip(b"HTTP/1.1 200 OK\r\n", b"X: x\r\n"),
    "dripping body": drip(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"x"),
    "dripping chunks": drip(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"
    ),
    "only 100 Continue": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}
LARGE: dict[str, Act] = {
    "announced": flood(b"HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n"),
    "unannounced": flood(b"HTTP/1.1 200 OK\r\n\r\n"),
    "in chunks": flood(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"8000\r\n" + b"x" * 0x8000 + b"\r\n",
    ),
}
BROKEN = {
    "shorter than promised": answer(b"half", length=1000),
    "a chunk too few": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "chunks that are none": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n0\r\n",
    "half a header": b"HTTP/1.1 200 OK\r\nContent-Len",
    "an impossible status": b"HTTP/1.1 2000000 OK\r\n\r\n",
    "a negative length": answer(b"hello", length=-5),
    "two lengths": answer(b"hello!", "Content-Length: 5"),
    "a length of 10,000 digits": answer(b"hello", length=10**4000).replace(b"0000", b"0" * 10, 1),
    "a header without end": b"HTTP/1.1 200 OK\r\nA: " + b"a" * 200_000 + b"\r\n\r\n",
    "an unknown coding": answer(b"hello", "Transfer-Encoding: gzip"),
    "another protocol": b"SSH-2.0-OpenSSH_9.6\r\n",
    "TLS": b"\x16\x03\x01\x00\xff\x00",
    "nothing": b"",
}


def client(
    allowlist: HostAllowlist = HERE,
    *,
    seconds: float = LATE,
    most: int = ROOM,
    found: list[str] | None = None,
    **more: Any,
) -> httpx.Client:
    """A client whose names have the addresses `found`, where they are given."""
    resolve = {} if found is None else {"resolve": addresses(found)}
    guarded = GuardedTransport(
        allowlist, deadline_seconds=seconds, max_response_bytes=most, **resolve, **more
    )
    return httpx.Client(transport=guarded, trust_env=False)


def addresses(found: list[str]) -> Callable[..., list[tuple[Any, ...]]]:
    return lambda *_, **__: [(0, socket.SOCK_STREAM, 6, "", (address, 80)) for address in found]


def knows_nobody(*_: Any, **__: Any) -> Any:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def answers_nobody(*_: Any, **__: Any) -> Any:
    raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")


def failure(url: str, kind: Any, **limits: Any) -> Exception:
    """What comes of asking for this; it is of that kind."""
    with client(**limits) as asking, pytest.raises(kind) as raised:
        asking.get(url)
    return raised.value


def get(server: RawServer, **limits: Any) -> httpx.Response:
    with client(**limits) as asking:
        return asking.get(server.url)


def test_client_brings_the_answer_and_asks_for_nothing_compressed_and_keeps_no_connection():
    with (
        RawServer(say(answer(b"hello"))) as server,
        make_guarded_client(HERE, deadline_seconds=LATE, max_response_bytes=ROOM) as asking,
    ):
        assert asking.post(server.url, content=b"hi").text == "hello"
        asking.get(server.url)
    assert len(server.requests) == 2
    assert server.requests[0].endswith(b"\r\n\r\nhi")
    assert b"Accept-Encoding: identity\r\n" in server.requests[0]


def test_client_names_the_host_as_in_the_address():
    with (
        RawServer(say(answer())) as server,
        client(HostAllowlist((VENDOR,)), found=["127.0.0.1"]) as asking,
    ):
        asking.get(f"http://{VENDOR}:{server.port}/path?a=b")
    assert f"Host: {VENDOR}:{server.port}\r\n".encode() in server.requests[0]
    assert server.requests[0].startswith(b"GET /path?a=b HTTP/1.1\r\n")


def test_client_follows_no_redirect():
    with RawServer(say(answer(b"", "Location: /there", status="302 Found"))) as server:
        assert get(server).status_code == 302
    assert len(server.requests) == 1


def test_client_uses_no_proxy_of_the_environment(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setitem(os.environ, name, refusing())
    with (
        RawServer(say(answer(b"hello"))) as server,
        make_guarded_client(HERE, deadline_seconds=LATE, max_response_bytes=ROOM) as asking,
    ):
        assert asking.get(server.url).text == "hello"


@pytest.mark.parametrize("silence", SILENCES)
def test_exchange_with_a_server_that_does_not_end_it_is_given_up(silence):
    with RawServer(SILENCES[silence]) as server:
        failure(server.url, httpx.ReadTimeout, seconds=SOON)


def test_exchange_with_a_server_that_does_not_read_is_given_up():
    content = b"x" * 50_000_000
    with (
        RawServer(ignore) as server,
        client(seconds=SOON) as asking,
        pytest.raises(httpx.WriteTimeout),
    ):
        asking.post(server.url, content=content)


def test_connection_that_does_not_come_about_is_given_up():
    with deaf() as url:
        failure(url, httpx.ConnectTimeout, seconds=SOON)


def test_look_up_without_an_answer_is_given_up():
    over = threading.Event()
    failure(
        f"https://{VENDOR}/",
        httpx.ConnectTimeout,
        seconds=SOON,
        resolve=lambda *_, **__: over.wait() and (),
    )
    over.set()


def test_tls_that_does_not_come_about_is_given_up():
    with RawServer(hang()) as server:
        failure(f"https://{server.netloc}/", httpx.ConnectTimeout, seconds=SOON)


def test_exchange_after_the_deadline_sends_nothing():
    with RawServer(say(answer())) as server:
        failure(server.url, httpx.ConnectTimeout, seconds=0)
    assert server.requests == []


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_request_that_is_held_back_has_its_connection_and_sends_no_byte(tls):
    def hold_back() -> None:
        raise RuntimeError("not now")

    limits: dict[str, Any] = {"found": ["127.0.0.1"], "tls": client_tls()} if tls else {}
    with RawServer(say(answer()), tls=server_tls() if tls else None) as server:
        url = f"https://{VENDOR}:{server.port}" if tls else server.url
        allowlist = HostAllowlist((VENDOR,)) if tls else HERE
        failure(url, NOTHING_SENT, allowlist=allowlist, before_send=hold_back, **limits)
        assert eventually(lambda: server.requests == [b""])


def test_request_after_a_look_that_outlasts_the_deadline_sends_nothing():
    pause = threading.Event()
    with RawServer(say(answer())) as server:
        late = {"seconds": SOON, "before_send": lambda: pause.wait(2 * SOON)}
        failure(server.url, NOTHING_SENT, **late)
        assert eventually(lambda: server.requests == [b""])


@pytest.mark.parametrize("act", [*map(say, BROKEN.values()), reset], ids=[*BROKEN, "a reset"])
def test_answer_that_is_not_whole_is_an_error_after_sending(act):
    with RawServer(act) as server:
        error = failure(server.url, httpx.TransportError)
    assert not isinstance(error, NOTHING_SENT)


@pytest.mark.parametrize(("resolve", "is_unknown"), [(knows_nobody, True), (answers_nobody, False)])
def test_host_that_is_not_known_is_told_from_one_that_could_not_be_looked_up(resolve, is_unknown):
    error = failure(f"https://{VENDOR}/", httpx.ConnectError, resolve=resolve)
    assert isinstance(error, UnknownHostError) is is_unknown


def test_answer_just_small_enough_is_read():
    whole = answer(b"x" * ROOM, "Content-Encoding: Identity")
    with RawServer(say(whole)) as server:
        assert len(get(server).content) == ROOM


@pytest.mark.parametrize("kind", LARGE)
def test_answer_that_is_too_large_is_not_read_to_its_end(kind):
    with RawServer(LARGE[kind]) as server:
        failure(server.url, TooLargeError)
    assert server.sent < 50_000_000


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "identity, gzip", "x"])
def test_answer_that_is_compressed_is_refused(coding):
    with RawServer(say(answer(b"packed", f"Content-Encoding: {coding}"))) as server:
        failure(server.url, CompressedBodyError)


@pytest.mark.parametrize(
    ("refusal", "family"),
    [
        (RefusedAddressError, httpx.ConnectError),
        (RefusedSchemeError, httpx.ConnectError),
        (TooLargeError, httpx.ReadError),
        (CompressedBodyError, httpx.RemoteProtocolError),
    ],
)
def test_refusal_belongs_to_the_family_that_tells_whether_something_was_sent(refusal, family):
    assert issubclass(refusal, family)


@pytest.mark.parametrize("host", PRIVATE)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_private_address_is_refused_however_it_is_written(scheme, host):
    refusals = (RefusedAddressError, httpx.InvalidURL)
    failure(f"{scheme}://{host}/", refusals, allowlist=HostAllowlist(plain_http=True))


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "0.0.0.0"],
)
def test_private_address_is_not_connected_to(host):
    with RawServer(say(answer())) as server:
        url = f"http://{host}:{server.port}/"
        failure(url, RefusedAddressError, allowlist=HostAllowlist(plain_http=True))
    assert server.requests == []


@pytest.mark.parametrize("private", ["127.0.0.1", "169.254.169.254", "fd00::1"])
@pytest.mark.parametrize("first", [True, False])
def test_name_with_one_private_address_among_public_ones_is_refused(private, first):
    found = [private, "8.8.8.8"] if first else ["8.8.8.8", private]
    failure(f"https://{VENDOR}/", RefusedAddressError, allowlist=HostAllowlist(), found=found)


def test_name_is_looked_up_once_and_connected_to_by_what_was_found():
    asked = []

    def first_here_then_elsewhere(host: str, *_: Any, **__: Any) -> list[tuple[Any, ...]]:
        asked.append(host)
        return addresses(["127.0.0.1" if len(asked) == 1 else "169.254.169.254"])()

    with (
        RawServer(say(answer(b"hello"))) as server,
        client(HostAllowlist((VENDOR,)), resolve=first_here_then_elsewhere) as asking,
    ):
        assert asking.get(f"http://{VENDOR}:{server.port}/").text == "hello"
    assert asked == [VENDOR]


def test_second_address_is_tried_where_the_first_takes_no_connection():
    with (
        RawServer(say(answer(b"hello"))) as server,
        client(HostAllowlist((VENDOR,)), found=["127.0.0.2", "127.0.0.1"]) as asking,
    ):
        assert asking.post(f"http://{VENDOR}:{server.port}/", content=b"hi").text == "hello"


def test_second_address_is_not_tried_after_the_first_was_sent_something():
    twice = ["127.0.0.1", "127.0.0.1"]
    with RawServer(hang_up) as server:
        url = f"http://{VENDOR}:{server.port}/"
        failure(url, httpx.TransportError, allowlist=HostAllowlist((VENDOR,)), found=twice)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "entry",
    [
        "127.0.0.1",
        "127.0.0.1:{port}",
        "127.0.0.0/8",
        "127.0.0.1/32",
        "vendor.test",
        "vendor.test:{port}",
    ],
)
def test_private_host_that_was_named_is_reached(entry):
    with RawServer(say(answer(b"hello"))) as server:
        allowlist = HostAllowlist(("10.0.0.0/8", entry.format(port=server.port)))
        host = VENDOR if entry.startswith(VENDOR) else "127.0.0.1"
        with client(allowlist, found=["127.0.0.1"]) as asking:
            assert asking.get(f"http://{host}:{server.port}/").text == "hello"


@pytest.mark.parametrize(
    "entry", ["127.0.0.1:1", "127.0.0.2", "10.0.0.0/8", "::1", "localhost", "", "1/2/3", "vendor"]
)
def test_private_host_is_refused_where_another_was_named(entry):
    with RawServer(say(answer())) as server:
        failure(server.url, RefusedAddressError, allowlist=HostAllowlist((entry,)))


@pytest.mark.parametrize(
    ("base_url", "host", "port"),
    [
        ("https://api.vendor.test", "api.vendor.test", 443),
        ("https://API.vendor.test/v1", "api.vendor.test", 443),
        ("http://127.0.0.1:8080", "127.0.0.1", 8080),
        ("http://127.0.0.1:80/v1", "127.0.0.1", 80),
        ("http://[::1]:8080", "::1", 8080),
    ],
)
def test_reach_of_a_service_names_its_host(base_url, host, port):
    assert HostAllowlist.for_base_url(base_url).allows_name(host, port)
    assert not HostAllowlist.for_base_url(base_url).allows_name(host, 5432)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_host_is_refused_without_tls(address):
    failure(f"http://{VENDOR}/", RefusedSchemeError, allowlist=HostAllowlist(), found=[address])


def test_host_may_be_spoken_to_without_tls_where_that_was_allowed():
    allowlist = HostAllowlist(("127.0.0.0/8",), plain_http=True)
    with RawServer(say(answer(b"hello"))) as server:
        assert get(server, allowlist=allowlist).text == "hello"


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "ws://127.0.0.1/x", "file:///etc/passwd"])
def test_address_that_is_none_of_the_web_is_refused(url):
    refusals = (RefusedSchemeError, httpx.UnsupportedProtocol)
    failure(url, refusals, allowlist=HostAllowlist(("127.0.0.1",), plain_http=True))


def test_tls_is_verified_against_the_name_and_not_the_address():
    with (
        RawServer(say(answer(b"hello")), tls=server_tls()) as server,
        client(HostAllowlist((VENDOR,)), found=["127.0.0.1"], tls=client_tls()) as asking,
    ):
        assert asking.get(f"https://{VENDOR}:{server.port}/").text == "hello"
    assert server.names == [VENDOR]


def test_tls_of_another_name_is_refused_before_anything_is_sent():
    here = {
        "allowlist": HostAllowlist(("other.test",)),
        "found": ["127.0.0.1"],
        "tls": client_tls(),
    }
    with RawServer(say(answer()), tls=server_tls()) as server:
        failure(f"https://other.test:{server.port}/", httpx.ConnectError, **here)
    assert server.requests == []


def test_tls_of_an_unknown_authority_is_refused_before_anything_is_sent():
    here = {"allowlist": HostAllowlist((VENDOR,)), "found": ["127.0.0.1"]}
    with RawServer(say(answer()), tls=server_tls()) as server:
        failure(f"https://{VENDOR}:{server.port}/", httpx.ConnectError, **here)
    assert server.requests == []


@pytest.mark.parametrize("act", ["hang", "drip"])
def test_exchange_over_tls_is_given_up_too(act):
    begin = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
    acts = {"hang": hang(begin), "drip": drip(begin, b"x")}
    here = {"allowlist": HostAllowlist((VENDOR,)), "found": ["127.0.0.1"], "tls": client_tls()}
    with RawServer(acts[act], tls=server_tls()) as server:
        url = f"https://{VENDOR}:{server.port}/"
        failure(url, httpx.ReadTimeout, seconds=2 * SOON, **here)


@given(
    st.text(max_size=40)
    | st.text(max_size=40).map("http://{}".format)
    | st.text(max_size=40).map("https://{}/".format)
)
@settings(max_examples=100)
def test_any_text_as_an_address_is_an_error_of_the_client(url):
    errors = (httpx.ConnectError, httpx.UnsupportedProtocol, httpx.InvalidURL, ValueError)
    failure(url, errors, resolve=knows_nobody)


SPECIAL_IPV4 = [
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
    *("172.16.0.0/12", "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32"),
    *("192.0.0.10/32", "192.0.0.170/32", "192.0.0.171/32", "192.0.0.192/32", "192.0.2.0/24"),
    *("192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"),
    *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4"),
    *("240.0.0.0/4", "255.255.255.255/32"),
]
SPECIAL_IPV6 = [
    *("::/128", "::1/128", "::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "100::/64"),
    *("100:0:0:1::/64", "2001::/23", "2001::/32", "2001:1::1/128", "2001:1::2/128"),
    *("2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28"),
    *("2001:20::/28", "2001:30::/28", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20"),
    *("5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8", "4000::/2", "8000::/1"),
]
"""IANA's special-purpose addresses, multicast, and what is not assigned."""
ADDRESSES_IPV4 = st.ip_addresses(v=4) | st.sampled_from(SPECIAL_IPV4).flatmap(
    lambda network: st.ip_addresses(network=network)
)


def is_in(ip: Any, networks: list[str]) -> bool:
    return any(ip in ipaddress.ip_network(network) for network in networks)


@pytest.mark.parametrize("network", [*SPECIAL_IPV4, *SPECIAL_IPV6])
@given(data=st.data())
@settings(max_examples=10)
def test_is_public_holds_no_special_purpose_address(network, data):
    whole = ipaddress.ip_network(network)
    drawn = data.draw(st.ip_addresses(network=network))
    assert not any(is_public(str(each)) for each in (whole[0], whole[-1], drawn))


@given(ADDRESSES_IPV4)
def test_is_public_holds_every_other_ipv4_address(ip):
    assert is_public(str(ip)) == (not is_in(ip, SPECIAL_IPV4))


@given(st.ip_addresses(v=6) | st.ip_addresses(network="2000::/3"))
def test_is_public_holds_of_ipv6_what_is_global_unicast(ip):
    inner = ip.ipv4_mapped or ip.sixtofour
    is_unicast = ip in ipaddress.ip_network("2000::/3") and not is_in(ip, SPECIAL_IPV6)
    is_nat64 = ip in ipaddress.ip_network("64:ff9b::/96")
    assert is_nat64 or is_public(str(ip)) == (is_public(str(inner)) if inner else is_unicast)


@given(
    ADDRESSES_IPV4,
    st.sampled_from(["::ffff:{}", "64:ff9b::{}", "2002:{:x}::", "::{}", "::ffff:0:{}"]),
)
def test_is_public_looks_inside_ipv6_for_a_private_ipv4(ip, wrapping):
    high, low = divmod(int(ip), 65536)
    inner = f"{high:x}:{low:x}"
    wrapped = f"2002:{inner}::" if wrapping.startswith("2002") else wrapping.format(inner)
    assert is_public(str(ip)) or not is_public(wrapped)
