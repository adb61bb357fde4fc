import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.contract.errors import PermanentError, ProviderError, TransientError
from resources.http.addresses import HostAllowlist
from resources.http.download import ExpiredLinkError, download, probe_link
from tests.fakes.nowhere import refusing
from tests.fakes.raw import Act, RawServer, answer, drip, flood, hang, hang_up, say

FILE = bytes(range(256)) * 1000
ROOM = 1_000_000
SOON = 0.5
LATE = 30.0
HERE = HostAllowlist(("127.0.0.1",))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"

UNREADABLE = [
    *["", "x", "/etc/passwd", "../x", "http:", "http://", "https:///x", "//127.0.0.1/x"],
    *["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "data:,x", "ws://a/"],
    *["http://a:port/", "http://\ud800/", "http://⒈com/", "http://①②⑦.0.0.1/", "http://xn--/"],
    *["http://ⓛocalhost/", "http://a/\0", "http://" + "a" * 70_000, "javascript:alert(1)"],
]
UNFINISHED: dict[str, Act] = {"hang at the headers": hang(), "dripping body": drip(HEAD, b"x")}
BROKEN: dict[str, Act] = {
    "hung up": hang_up,
    "nothing": say(b""),
    "half of it": say(answer(FILE, length=2 * len(FILE))),
    "a chunk too few": say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
    "half a header": say(b"HTTP/1.1 200 OK\r\nContent-Len"),
    "another protocol": say(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "a redirect to no address": say(answer(b"", "Location: https://[zz]/", status="302 Found")),
}
OVERSIZED: dict[str, Act] = {
    "announced": flood(b"HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n"),
    "endless": flood(b"HTTP/1.1 200 OK\r\n\r\n"),
}
WRONG: dict[str, Act] = {
    **OVERSIZED,
    "zero bytes": say(answer(b"")),
    "packed": say(answer(gzip.compress(bytes(ROOM * 10)), "Content-Encoding: gzip")),
    "a redirect without a target": say(answer(b"", status="302 Found")),
    "no content": say(b"HTTP/1.1 204 No Content\r\n\r\n"),
    "a part of it": say(answer(FILE, status="206 Partial Content")),
    "a teapot": say(answer(b"", status="418 Teapot")),
}


def fetch(url: str, folder: Path, **changed: Any) -> Path:
    """A vendor's file, as long as nothing is changed."""
    destination = folder / "song.mp3"
    usual: dict[str, Any] = {
        "field": "suno: the song",
        "max_bytes": ROOM,
        "allowlist": HERE,
        "deadline_seconds": LATE,
        "code": "bad_download",
    }
    download(url, destination, **{**usual, **changed})
    return destination


def fetch_picture(url: str, folder: Path, **changed: Any) -> Path:
    """A picture of a brief."""
    codes = {"code": "image_unreachable", "refused": "invalid_image"}
    allowlist = HostAllowlist(("127.0.0.1",), plain_http=True)
    return fetch(url, folder, **{"field": "images[0]", "allowlist": allowlist, **codes, **changed})


def failure(url: str, folder: Path, kind: type[ProviderError], **changed: Any) -> ProviderError:
    """What comes of fetching this; it names the field, and nothing is left in the folder."""
    with pytest.raises(kind) as raised:
        fetch(url, folder, **changed)
    assert raised.value.message.startswith(changed.get("field", "suno: the song") + ": ")
    assert list(folder.iterdir()) == []
    return raised.value


def to(location: str, status: int = 302) -> Act:
    return say(answer(b"", f"Location: {location}", status=f"{status} Moved"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "downloads"
    made.mkdir()
    return made


WHOLE = {
    "with its length": answer(FILE),
    "without its length": b"HTTP/1.1 200 OK\r\n\r\n" + FILE,
    "in chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"%x\r\n%b\r\n0\r\n\r\n" % (len(FILE), FILE),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_download_brings_the_whole_file(kind, folder):
    with RawServer(say(WHOLE[kind])) as server:
        (folder / "song.mp3").write_bytes(b"old")
        destination = fetch(server.url, folder)
    assert destination.read_bytes() == FILE
    assert list(folder.iterdir()) == [destination]


@pytest.mark.parametrize("case", BROKEN)
def test_download_that_fails_leaves_what_was_there(case, folder):
    (folder / "song.mp3").write_bytes(b"old")
    with RawServer(BROKEN[case]) as server, pytest.raises(ProviderError):
        fetch(server.url, folder)
    assert [file.read_bytes() for file in folder.iterdir()] == [b"old"]


def test_download_takes_a_file_that_is_just_small_enough(folder):
    with RawServer(say(answer(FILE))) as server:
        assert fetch(server.url, folder, max_bytes=len(FILE)).stat().st_size == len(FILE)


@pytest.mark.parametrize("case", OVERSIZED)
def test_download_reads_no_more_than_it_may_keep(case, folder):
    with RawServer(OVERSIZED[case]) as server:
        failure(server.url, folder, TransientError)
    assert server.sent < 50_000_000


@pytest.mark.parametrize("case", UNFINISHED)
def test_download_is_given_up_at_its_deadline(case, folder):
    with RawServer(UNFINISHED[case]) as server:
        error = failure(server.url, folder, TransientError, deadline_seconds=SOON)
    assert "did not finish in time" in error.message


def test_download_from_nobody_may_work_later(folder):
    assert failure(refusing(), folder, TransientError).code == "bad_download"


@pytest.mark.parametrize("case", BROKEN | WRONG)
def test_download_of_a_vendors_file_that_goes_wrong_may_work_later(case, folder):
    with RawServer((BROKEN | WRONG)[case]) as server:
        assert failure(server.url, folder, TransientError).code == "bad_download"


@pytest.mark.parametrize("case", BROKEN)
def test_download_of_a_picture_that_is_cut_off_may_work_later(case, folder):
    with RawServer(BROKEN[case]) as server, pytest.raises(TransientError) as raised:
        fetch_picture(server.url, folder)
    assert raised.value.code == "image_unreachable"


@pytest.mark.parametrize("case", WRONG)
def test_download_of_a_picture_that_cannot_be_used_is_given_up(case, folder):
    with RawServer(WRONG[case]) as server, pytest.raises(PermanentError) as raised:
        fetch_picture(server.url, folder)
    assert raised.value.code == "invalid_image"


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_download_tells_a_link_that_has_expired(status, folder):
    with RawServer(say(answer(b"<Error/>", status=f"{status} No"))) as server:
        error = failure(server.url, folder, ExpiredLinkError)
    assert (error.code, str(status) in error.message) == ("link_expired", True)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_download_comes_back_later_where_the_server_is_in_trouble(status, folder):
    with RawServer(say(answer(b"", "Retry-After: 7", status=f"{status} Later"))) as server:
        error = failure(
            server.url, folder, TransientError, code="image_unreachable", refused="invalid_image"
        )
    assert isinstance(error, TransientError)
    assert (error.code, error.retry_after) == ("image_unreachable", 7.0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", ["/moved", "moved", "//{netloc}/moved", "{url}/moved#part"])
def test_download_follows_a_redirect(status, location, folder):
    def redirect(server: RawServer, connection: Any) -> None:
        to(location.format(url=server.url, netloc=server.netloc), status)(server, connection)

    with RawServer(redirect, say(answer(FILE))) as server:
        assert fetch(f"{server.url}/song", folder).read_bytes() == FILE
    assert server.requests[1].startswith(b"GET /moved HTTP/1.1\r\n")


def test_download_follows_three_redirects(folder):
    hops = [to(f"/{number}") for number in range(3)]
    with RawServer(*hops, say(answer(FILE))) as server:
        assert fetch(server.url, folder).read_bytes() == FILE


def test_download_gives_up_after_three_redirects(folder):
    with RawServer(*[to(f"/{number}") for number in range(10)]) as server:
        failure(server.url, folder, TransientError)
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    "location",
    [
        *["http://127.0.0.1:1/", "http://127.0.0.2/", "http://169.254.169.254/latest/meta-data/"],
        *["https://169.254.169.254/", "http://localhost/", "http://[::1]/", "http://0x7f.1/"],
        *["//10.0.0.1/x", "https://[::ffff:127.0.0.1]/", "http://2852039166/"],
    ],
)
@pytest.mark.parametrize("brings", [fetch, fetch_picture])
def test_download_refuses_a_redirect_to_a_private_address(brings, location, folder):
    with RawServer(to(location)) as server:
        allowlist = HostAllowlist((server.netloc,), plain_http=brings is fetch_picture)
        with pytest.raises(PermanentError) as raised:
            brings(server.url, folder, allowlist=allowlist)
    assert raised.value.code == "private_address"


@pytest.mark.parametrize("location", ["file:///etc/passwd", "gopher://127.0.0.1/", "ftp://a/x"])
def test_download_refuses_a_redirect_to_what_is_no_web_link(location, folder):
    with RawServer(to(location)) as server, pytest.raises(PermanentError) as raised:
        fetch_picture(server.url, folder)
    assert raised.value.code == "invalid_image"


def test_download_refuses_a_redirect_to_a_public_host_without_tls(folder):
    with RawServer(to("http://8.8.8.8/song.mp3")) as server:
        error = failure(server.url, folder, TransientError)
    assert "https://" in error.message


@pytest.mark.parametrize("url", UNREADABLE, ids=lambda url: ascii(url)[:40])
def test_download_refuses_what_is_no_web_link(url, folder):
    with pytest.raises(ProviderError) as raised:
        fetch_picture(url, folder, allowlist=HostAllowlist(plain_http=True))
    assert raised.value.code in ("invalid_image", "private_address")


@given(st.text(max_size=40))
@settings(max_examples=50)
def test_download_meets_any_text_with_an_error_of_the_providers(url):
    with pytest.raises(ProviderError):
        fetch(url, Path("unused"))


def test_download_onto_a_disk_that_refuses_is_an_error_of_the_disk(tmp_path):
    with RawServer(say(answer(FILE))) as server, pytest.raises(TransientError) as raised:
        fetch(server.url, tmp_path / "no such folder")
    assert raised.value.code == "disk_error"


def test_download_repeats_nothing_that_the_server_said(folder):
    secret = "sk-canary-0123456789"
    status = f"403 {secret}"
    with RawServer(say(answer(secret.encode(), f"X: {secret}", status=status))) as server:
        error = failure(server.url, folder, PermanentError)
    assert secret not in error.message
    assert error.__suppress_context__ or error.__context__ is None


# A link that is only tried


def tried(url: str, kind: type[ProviderError], **changed: Any) -> ProviderError:
    """What comes of trying a link that leads nowhere; it names the field and has its own code."""
    with pytest.raises(kind) as raised:
        probe_link(
            url, **{"field": "images[2]", "allowlist": HERE, "deadline_seconds": LATE, **changed}
        )
    assert type(raised.value) is kind
    assert raised.value.message.startswith("images[2]: ")
    assert raised.value.code == "source_unreachable"
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
    return raised.value


@pytest.mark.parametrize("kind", WHOLE)
def test_probe_of_a_file_is_content(kind):
    with RawServer(say(WHOLE[kind])) as server:
        probe_link(server.url, field="images[2]", allowlist=HERE, deadline_seconds=LATE)


@pytest.mark.parametrize("case", OVERSIZED)
def test_probe_reads_the_beginning_of_the_longest_file_and_no_more(case):
    with RawServer(OVERSIZED[case]) as server:
        probe_link(server.url, field="images[2]", allowlist=HERE, deadline_seconds=LATE)
    assert server.sent < 20_000_000


def test_probe_does_not_wait_for_the_rest():
    with RawServer(hang(HEAD + b"half")) as server:
        probe_link(server.url, field="images[2]", allowlist=HERE, deadline_seconds=LATE)


@pytest.mark.parametrize("status", [204, 206, 400, 401, 403, 404, 410, 418])
def test_probe_of_what_is_no_file_is_final(status):
    with RawServer(say(answer(b"", status=f"{status} No"))) as server:
        assert str(status) in tried(server.url, PermanentError).message


@pytest.mark.parametrize("location", ["http://169.254.169.254/", "http://127.0.0.2/", "ftp://a/"])
def test_probe_that_is_led_to_a_private_place_is_final(location):
    with RawServer(to(location)) as server:
        tried(
            server.url, PermanentError, allowlist=HostAllowlist((server.netloc,), plain_http=True)
        )


@pytest.mark.parametrize("status", [408, 425, 429, 500, 503])
def test_probe_of_a_server_in_trouble_may_work_later(status):
    with RawServer(say(answer(b"", "Retry-After: 7", status=f"{status} Later"))) as server:
        error = tried(server.url, TransientError)
    assert isinstance(error, TransientError)
    assert error.retry_after == 7.0


def test_probe_of_nobody_may_work_later():
    tried(refusing(), TransientError)


@pytest.mark.parametrize("case", ["hang at the headers"])
def test_probe_is_given_up_at_its_deadline(case):
    with RawServer(UNFINISHED[case]) as server:
        assert "in time" in tried(server.url, TransientError, deadline_seconds=SOON).message
