from typing import Any

import pytest

from resources.contract.errors import PermanentError, ProviderError, TransientError
from resources.providers.creatomate.render_script import SourceChecker
from tests.fakes.nowhere import refusing
from tests.fakes.raw import Act, RawServer, answer, hang_up, say

THERE = say(answer(b"a file"))
GONE = say(answer(b"", status="404 Not Found"))
PATH = "/artifacts/task-1/song.mp3"
UPLOAD = {"name": "images[0]", "where": ".uploads/front"}
TROUBLE: dict[str, Act] = {
    "hangs up": hang_up,
    "is down": say(answer(b"", "Retry-After: 7", status="503 Later")),
}
REFUSED: dict[str, Act] = {
    **{str(code): say(answer(b"", status=f"{code} No")) for code in (401, 403, 404, 410, 418)},
    "empty": say(answer(b"")),
    "led to a private place": say(
        answer(b"", "Location: http://169.254.169.254/", status="302 Found")
    ),
}


def sources(public_url: str | None = None, **changes: Any) -> SourceChecker:
    """Files lie on this machine; so may pictures, on the hosts that `allow_hosts` names."""
    usual = {
        "fetched": lambda image: ".fetched/front",
        "ours": ("127.0.0.1",),
        "allow_hosts": (),
        "deadline_seconds": 20.0,
    }
    link_to = public_url and (lambda where: f"{public_url}/artifacts/{where}")
    return SourceChecker(link_to=link_to, **{**usual, **changes})


def job_input(song_url: str | None, *pictures: str) -> dict[str, Any]:
    images = [{"name": f"images[{at}]", "url": url} for at, url in enumerate(pictures)]
    song = {"name": "song.mp3", "where": "task-1/song.mp3"}
    return {"song": song, "song_url": song_url, "images": images}


def refused(tried: SourceChecker, content: dict[str, Any], kind: type[ProviderError]) -> str:
    """What is told of sources that cannot be fetched."""
    with pytest.raises(kind) as refusal:
        tried.check_links(content)
    assert type(refusal.value) is kind
    assert refusal.value.code == "source_unreachable"
    assert refusal.value.message.startswith("creatomate: ")
    assert refusal.value.__suppress_context__
    return refusal.value.message


# Pictures


def test_sources_that_are_there_are_passed_on():
    with RawServer(THERE) as server:
        tried = sources(allow_hosts=(server.netloc,))
        links = tried.check_links(
            job_input(f"{server.url}/song", f"{server.url}/a", f"{server.url}/b")
        )
    assert (links.song, links.images) == (
        f"{server.url}/song",
        (f"{server.url}/a", f"{server.url}/b"),
    )


@pytest.mark.parametrize("case", REFUSED)
def test_picture_that_cannot_be_fetched_is_named_with_what_to_do(case):
    with RawServer(THERE, REFUSED[case]) as server:
        tried = sources(allow_hosts=(server.netloc,))
        told = refused(tried, job_input(server.url, server.url, server.url), PermanentError)
    assert told.startswith("creatomate: images[1]: ")
    assert told.endswith(
        "order again with a link that leads to the picture, or with the picture as a file"
    )


@pytest.mark.parametrize("case", TROUBLE)
def test_picture_whose_server_is_in_trouble_is_tried_again(case):
    with RawServer(TROUBLE[case]) as server:
        tried = sources(allow_hosts=(server.netloc,))
        assert "images[0]" in refused(tried, job_input(server.url, server.url), TransientError)


def test_picture_is_not_looked_for_where_only_castads_own_files_lie():
    with RawServer(THERE) as server:
        told = refused(sources(), job_input(server.url, server.url), PermanentError)
    assert "images[0]: the link leads to a private address" in told
    assert server.requests == []


def test_uploaded_picture_is_looked_for_under_the_public_address():
    with RawServer(THERE) as server:
        content = {**job_input(server.url), "images": [UPLOAD]}
        links = sources(server.url).check_links(content)
    assert links.images == (f"{server.url}/artifacts/.uploads/front",)


def test_uploaded_picture_that_nobody_serves_is_told_with_the_setting():
    with RawServer(GONE) as server:
        told = refused(sources(server.url), {**job_input(None), "images": [UPLOAD]}, PermanentError)
    assert "images[0]" in told
    assert "CASTAD_PUBLIC_URL" in told


def test_linked_picture_is_taken_from_the_copy_that_was_checked():
    with RawServer(GONE) as site, RawServer(THERE) as ours:
        links = sources(ours.url).check_links(job_input(ours.url, site.url))
    assert links.images == (f"{ours.url}/artifacts/.fetched/front",)
    assert site.requests == []


def test_linked_picture_is_taken_from_its_own_link_where_nobody_serves_the_copy():
    with RawServer(THERE) as site:
        tried = sources(refusing(), allow_hosts=(site.netloc,))
        links = tried.check_links(job_input(site.url, site.url))
    assert links.images == (site.url,)


# The song


def test_song_that_is_gone_is_told_with_what_to_do():
    with RawServer(GONE) as server:
        told = refused(sources(), job_input(server.url), PermanentError)
    assert told.startswith("creatomate: the song: the link answers with HTTP status 404")
    assert "CASTAD_PUBLIC_URL" in told
    assert "redo TASK_ID --from song" in told


def test_song_that_is_gone_is_fetched_from_the_kept_file():
    with RawServer(GONE) as vendor, RawServer(THERE) as ours:
        links = sources(ours.url).check_links(job_input(vendor.url))
    assert links.song == f"{ours.url}{PATH}"


def test_song_that_is_there_is_fetched_from_its_vendor():
    with RawServer(THERE) as vendor, RawServer(THERE) as ours:
        links = sources(ours.url).check_links(job_input(vendor.url))
    assert (links.song, ours.requests) == (vendor.url, [])


@pytest.mark.parametrize("song_url", [None, "https://127.0.0.1:1/gone.mp3"])
def test_kept_song_that_nobody_serves_yet_is_tried_again(song_url):
    told = refused(sources(refusing()), job_input(song_url), TransientError)
    assert "the song" in told
    assert "CASTAD_PUBLIC_URL" in told


@pytest.mark.parametrize("case", TROUBLE)
def test_song_in_trouble_is_fetched_from_the_kept_file(case):
    with RawServer(TROUBLE[case]) as vendor, RawServer(THERE) as ours:
        links = sources(ours.url).check_links(job_input(vendor.url))
    assert links.song == f"{ours.url}{PATH}"


@pytest.mark.parametrize("case", TROUBLE)
def test_song_in_trouble_is_not_given_up_where_the_kept_file_is_not_served(case):
    with RawServer(TROUBLE[case]) as vendor, RawServer(GONE) as ours:
        refused(sources(ours.url), job_input(vendor.url), TransientError)


@pytest.mark.parametrize("case", ["kept alone", "gone at its vendor"])
def test_kept_song_that_is_not_served_is_told_with_the_setting(case):
    with RawServer(GONE) as vendor, RawServer(GONE) as ours:
        song_url = None if case == "kept alone" else vendor.url
        told = refused(sources(ours.url), job_input(song_url), PermanentError)
    assert "make sure that CASTAD_PUBLIC_URL serves" in told


def test_song_in_a_private_place_that_nobody_trusts_is_not_asked_for():
    with RawServer(THERE) as server:
        told = refused(sources(ours=()), job_input(server.url), PermanentError)
    assert "private address" in told
    assert server.requests == []


def test_song_of_a_vendor_that_asks_to_wait_is_waited_for():
    with RawServer(TROUBLE["is down"]) as server, pytest.raises(TransientError) as trouble:
        sources().check_links(job_input(server.url))
    assert trouble.value.retry_after == 7.0
