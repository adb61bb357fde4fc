import gzip
import http.server
import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.download import _public_address, download, is_public
from resources.providers.errors import PermanentError, ProviderError, TransientError

PICTURE = bytes(range(256)) * 1000
ROOM = 1_000_000

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
]
UNREADABLE = [
    *["", "x", "/etc/passwd", "../x", "http:", "http://", "https:///x", "//127.0.0.1/x"],
    *["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "data:,x", "ws://a/"],
    *["http://a:port/", "http://\ud800/", "http://⒈com/", "http://①②⑦.0.0.1/", "http://xn--/"],
    *["http://ⓛocalhost/", "http://a/\0", "http://" + "a" * 70_000, "javascript:alert(1)"],
]
PUBLIC = [
    *["8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "100.128.0.1", "2606:4700::1111"],
    *["2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::"],
]

Handle = Callable[[http.server.BaseHTTPRequestHandler], None]


class Site:
    """A web server of this test's own; `paths` holds what it was asked for."""

    def __init__(self, handle: Handle) -> None:
        self.paths: list[str] = []
        self.hosts: list[str | None] = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.paths.append(self.path)
                site.hosts.append(self.headers["Host"])
                handle(self)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                """A client that hangs up early is part of the game."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/picture"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> "Site":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def answer(status: int = 200, body: bytes = PICTURE, **headers: str) -> Handle:
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def handle(request: http.server.BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **named}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)

    return handle


def without_length(request: http.server.BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.end_headers()
    request.wfile.write(PICTURE)


@contextmanager
def replying(*replies: bytes) -> Iterator[str]:
    """The link of a server that sends these bytes to whoever connects, then hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for reply in replies:
                connection, _ = listener.accept()
                with connection, suppress(ConnectionError):
                    connection.recv(65536)
                    connection.sendall(reply)
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(1)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/picture"
        thread.join()


def knows_nobody(*_: Any, **__: Any) -> Any:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def fetch(url: str, folder: Path, **changed: Any) -> Path:
    into = folder / "picture"
    limits = {"max_bytes": ROOM, "allow_private": True, **changed}
    download(url, into, field="images[0]", **limits)
    return into


def refused(url: str, folder: Path, kind: type[ProviderError], **changed: Any) -> ProviderError:
    with pytest.raises(kind) as refusal:
        fetch(url, folder, **changed)
    assert refusal.value.message.startswith("images[0]: ")
    assert list(folder.iterdir()) == []
    return refusal.value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "downloads"
    made.mkdir()
    return made


def test_download_brings_the_whole_file(folder: Path) -> None:
    with Site(answer()) as site:
        assert fetch(site.url, folder).read_bytes() == PICTURE


def test_download_brings_the_whole_file_where_no_length_is_told(folder: Path) -> None:
    with Site(without_length) as site:
        assert fetch(site.url, folder).read_bytes() == PICTURE


def test_download_leaves_nothing_beside_the_file(folder: Path) -> None:
    with Site(answer()) as site:
        into = fetch(site.url, folder)
    assert list(folder.iterdir()) == [into]


def test_download_replaces_what_was_there(folder: Path) -> None:
    (folder / "picture").write_bytes(b"old")
    with Site(answer()) as site:
        assert fetch(site.url, folder).read_bytes() == PICTURE


def test_download_that_fails_leaves_what_was_there(folder: Path) -> None:
    (folder / "picture").write_bytes(b"old")
    with Site(answer(404)) as site, pytest.raises(PermanentError):
        fetch(site.url, folder)
    assert (folder / "picture").read_bytes() == b"old"


def test_download_takes_a_file_that_is_just_large_enough(folder: Path) -> None:
    with Site(answer()) as site:
        assert fetch(site.url, folder, max_bytes=len(PICTURE)).stat().st_size == len(PICTURE)


@pytest.mark.parametrize("handle", [answer(), without_length], ids=["told", "not told"])
def test_download_refuses_a_file_that_is_too_large(handle: Handle, folder: Path) -> None:
    with Site(handle) as site:
        error = refused(site.url, folder, PermanentError, max_bytes=len(PICTURE) - 1)
    assert error.code == "invalid_image"


def test_download_refuses_a_file_that_is_too_large_once_unpacked(folder: Path) -> None:
    bomb = gzip.compress(bytes(ROOM * 10))
    with Site(answer(body=bomb, Content_Encoding="gzip")) as site:
        assert refused(site.url, folder, PermanentError).code == "invalid_image"


def test_download_refuses_a_packed_body_that_cannot_be_unpacked(folder: Path) -> None:
    with Site(answer(body=b"not gzip", Content_Encoding="gzip")) as site:
        assert refused(site.url, folder, TransientError).code == "image_unreachable"


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf a pic",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Len",
        b"HTTP/1.1 2000000 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"HTTP/1.1 200 OK\r\n" + b"A: " + b"a" * 200_000 + b"\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x16\x03\x01\x00\xff\x00",
        b"",
    ],
    ids=lambda reply: ascii(reply)[2:40],
)
def test_download_comes_back_later_after_a_reply_that_is_no_whole_answer(
    reply: bytes, folder: Path
) -> None:
    with replying(reply) as url:
        assert refused(url, folder, TransientError).code == "image_unreachable"


def test_download_ends_a_trickle_at_its_deadline(folder: Path) -> None:
    reply = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\ndrip"
    with replying(reply) as url:
        error = refused(url, folder, TransientError, deadline_seconds=0)
    assert "not done in time" in error.message


@pytest.mark.parametrize("status", [201, 204, 206, 400, 401, 403, 404, 410, 418, 451])
def test_download_gives_up_on_a_status_that_will_not_change(status: int, folder: Path) -> None:
    with Site(answer(status, b"")) as site:
        assert refused(site.url, folder, PermanentError).code == "invalid_image"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_download_comes_back_later_where_the_server_is_in_trouble(
    status: int, folder: Path
) -> None:
    with Site(answer(status, b"")) as site:
        assert refused(site.url, folder, TransientError).code == "image_unreachable"


def test_download_comes_back_later_where_nobody_listens(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = refused(f"http://127.0.0.1:{port}/", folder, TransientError)
    assert error.code == "image_unreachable"


def test_download_comes_back_later_where_the_host_is_not_known(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", knows_nobody)
    error = refused("http://pictures.test/", folder, TransientError)
    assert error.code == "image_unreachable"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", ["/moved", "moved", "//127.0.0.1:{port}/moved"])
def test_download_follows_a_redirect(status: int, location: str, folder: Path) -> None:
    def handle(request: http.server.BaseHTTPRequestHandler) -> None:
        there = location.format(port=request.server.server_address[1])
        reply = answer() if request.path == "/moved" else answer(status, b"", Location=there)
        reply(request)

    with Site(handle) as site:
        assert fetch(site.url, folder).read_bytes() == PICTURE


def test_download_gives_up_on_redirects_without_end(folder: Path) -> None:
    with Site(answer(302, b"", Location="/picture")) as site:
        refused(site.url, folder, PermanentError)
    assert len(site.paths) == 4


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "gopher://127.0.0.1/", "http://", "http://[", "http://[zz]/", "https:"],
)
def test_download_refuses_a_redirect_to_what_is_no_web_link(location: str, folder: Path) -> None:
    with Site(answer(302, b"", Location=location)) as site:
        error = refused(site.url, folder, ProviderError)
    assert error.code in ("invalid_image", "image_unreachable")


def test_download_connects_to_the_address_it_looked_up_and_asks_no_second_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = socket.getaddrinfo, []

    def resolve(host: Any, *rest: Any, **named: Any) -> Any:
        asked.append(host)
        return real("127.0.0.1" if host == "pictures.test" else host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with Site(answer()) as site:
        fetch(f"http://pictures.test:{site.port}/picture", folder)
    assert asked.count("pictures.test") == 1
    assert site.hosts == [f"pictures.test:{site.port}"]


@pytest.mark.parametrize("addresses", [["8.8.8.8", "127.0.0.1"], ["8.8.8.8", "fd00::1"]])
def test_download_refuses_a_host_with_one_private_address_among_public_ones(
    addresses: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(0, socket.SOCK_STREAM, 6, "", (address, 80)) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    error = refused("http://pictures.test/", folder, PermanentError, allow_private=False)
    assert error.code == "private_address"


@pytest.mark.parametrize("host", PRIVATE)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_download_refuses_a_private_address_however_it_is_written(
    scheme: str, host: str, folder: Path
) -> None:
    error = refused(f"{scheme}://{host}/", folder, PermanentError, allow_private=False)
    assert error.code in ("private_address", "invalid_image")


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "0.0.0.0"],
)
def test_download_asks_nothing_of_a_private_address(host: str, folder: Path) -> None:
    with Site(answer()) as site:
        url = f"http://{host}:{site.port}/picture"
        refused(url, folder, PermanentError, allow_private=False)
    assert site.paths == []


@pytest.mark.parametrize("url", UNREADABLE, ids=lambda url: ascii(url)[:40])
@pytest.mark.parametrize("allow_private", [True, False])
def test_download_refuses_what_is_no_web_link(url: str, allow_private: bool, folder: Path) -> None:
    error = refused(url, folder, PermanentError, allow_private=allow_private)
    assert error.code == "invalid_image"


@given(st.text(max_size=40) | st.text(max_size=40).map("http://{}".format))
@settings(deadline=None, max_examples=50)
def test_download_meets_any_text_with_an_error_of_the_providers(url: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", knows_nobody)
        with pytest.raises(ProviderError):
            fetch(url, Path("unused"), allow_private=False)


@pytest.mark.parametrize("address", PUBLIC)
def test_is_public_knows_the_internet(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4))
@settings(deadline=None)
def test_is_public_agrees_with_the_registry_on_ipv4(ip: ipaddress.IPv4Address) -> None:
    assert is_public(str(ip)) == (ip.is_global and not ip.is_multicast)


@given(st.ip_addresses(v=6))
@settings(deadline=None)
def test_is_public_calls_no_ipv6_address_public_that_the_registry_does_not(
    ip: ipaddress.IPv6Address,
) -> None:
    assert ip.is_global or ip.ipv4_mapped or ip.sixtofour or not is_public(str(ip))


@given(
    st.ip_addresses(v=4),
    st.sampled_from(["::ffff:{}", "64:ff9b::{}", "2002:{:x}::", "::{}", "::ffff:0:{}"]),
)
@settings(deadline=None)
def test_is_public_looks_inside_ipv6_for_a_private_ipv4(
    ip: ipaddress.IPv4Address, wrapping: str
) -> None:
    high, low = divmod(int(ip), 65536)
    inner = f"{high:x}:{low:x}"
    wrapped = f"2002:{inner}::" if wrapping.startswith("2002") else wrapping.format(inner)
    assert is_public(str(ip)) or not is_public(wrapped)


@pytest.mark.parametrize("host", PRIVATE)
def test_every_hop_is_checked_by_the_same_look_up(host: str) -> None:
    """A redirect from a public host cannot be shown without one; each hop takes its address from here."""
    try:
        target = httpx.URL(f"http://{host}/")
    except httpx.InvalidURL:
        return
    with pytest.raises(PermanentError) as refusal:
        _public_address(target, "images[0]", allow_private=False)
    assert refusal.value.code == "private_address"


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1"])
def test_a_public_address_is_connected_to_as_it_is(address: str) -> None:
    assert _public_address(httpx.URL(f"https://{address}/"), "images[0]", False) == address
