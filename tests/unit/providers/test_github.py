import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.contract.errors import (
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    TransientError,
)
from resources.http.vendor_client import VendorResponse
from resources.providers.github.answers import (
    LONGEST_PAUSE,
    SECONDARY_PAUSE,
    build_refusal_error,
    check_redirect,
    compute_pause,
    list_archive_hosts,
    read_calls_left,
    read_etag,
    read_full_name,
    read_sha,
)
from resources.providers.github.rest_client import GitHubClient
from resources.providers.github.vendor import make_github_client
from tests.conftest import MakeSettings
from tests.fakes.faults import GARBAGE, Fault
from tests.fakes.github import FakeGitHub
from tests.tables import rows_beside

API = "https://api.github.com"
FILES = {"a.py": b"A = 1\n"}
DATE = "Mon, 01 Jan 2024 00:00:00 GMT"
SECONDS_AT_DATE = 1_704_067_200
HEADERS = st.dictionaries(
    st.sampled_from(
        ["retry-after", "x-ratelimit-remaining", "x-ratelimit-reset", "date", "etag", "location"]
    ),
    st.text(max_size=30) | st.integers().map(str) | st.just(DATE) | st.just("0"),
)


def answer_of(status: int, headers: Mapping[str, str], text: str) -> VendorResponse:
    return VendorResponse(status, None, text, headers, text)


ANSWERS = st.builds(answer_of, st.integers(100, 599), HEADERS, st.text(max_size=300))


@pytest.fixture
def github(tmp_path: Path) -> Iterator[FakeGitHub]:
    with FakeGitHub(tmp_path) as fake:
        yield fake


@pytest.fixture
def client_of(
    github: FakeGitHub, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., GitHubClient]:
    def make(token: str = "") -> GitHubClient:
        monkeypatch.setenv("GITHUB_API_URL", github.url)
        monkeypatch.setenv("GITHUB_TOKEN", token)
        return make_github_client(make_settings())

    return make


def go_on() -> None:
    """Nothing stops the download."""


@pytest.mark.parametrize(
    ("status", "headers", "text", "pause"),
    [
        (403, {"retry-after": "30"}, "", 30),
        (429, {"retry-after": "30", "x-ratelimit-remaining": "0"}, "", 30),
        (403, {"retry-after": "0"}, "", 1),
        (
            403,
            {
                "x-ratelimit-remaining": "0",
                "x-ratelimit-reset": f"{SECONDS_AT_DATE + 600}",
                "date": DATE,
            },
            "",
            600,
        ),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1e400", "date": DATE}, "", 60),
        (
            403,
            {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "99" * 9, "date": DATE},
            "",
            3_900,
        ),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "7", "date": DATE}, "", 1),
        (429, {}, "", SECONDARY_PAUSE),
        (403, {}, "You have exceeded a secondary rate limit", SECONDARY_PAUSE),
        (403, {"x-ratelimit-remaining": "12"}, "Repository access blocked", None),
        (404, {"x-ratelimit-remaining": "0"}, "", None),
    ],
)
def test_pause_is_the_one_that_github_demands(status, headers, text, pause):
    assert compute_pause(answer_of(status, headers, text)) == pause


@given(ANSWERS)
def test_any_answer_is_an_error_of_providers_with_a_bounded_pause(answer):
    error = build_refusal_error(answer, "o/n", "the-token-of-castad")
    assert isinstance(error, ProviderError)
    pause = compute_pause(answer)
    assert pause is None or 1 <= pause <= LONGEST_PAUSE


@given(ANSWERS)
def test_any_answer_leads_nowhere_else(answer):
    hosts = list_archive_hosts(API)
    target = f"https://{hosts[0]}"
    with suppress(PermanentError):
        target = check_redirect(answer, f"{API}/repos", hosts)
    assert target.startswith(tuple(f"https://{host}" for host in hosts))


@rows_beside
def test_redirect_to_another_host_scheme_or_port_is_refused(location):
    answer = answer_of(302, {"location": location}, "")
    with pytest.raises(PermanentError, match="redirects elsewhere"):
        check_redirect(answer, f"{API}/repos", list_archive_hosts(API))


@pytest.mark.parametrize("text", ["", "main", "A" * 40, "0" * 41, "0" * 39 + "\u0660"])
def test_answer_that_is_no_sha_is_no_commit(text):
    with pytest.raises(TransientError):
        read_sha(answer_of(200, {}, text))


@given(st.recursive(st.none() | st.text() | st.integers(), lambda inner: st.lists(inner)))
def test_any_full_name_is_usable_or_none(name):
    found = read_full_name({"full_name": name})
    assert found is None or "/".join(found) == name


@pytest.mark.parametrize("etag", ['"a\r\nX: y"', "é", '"' + "a" * 300])
def test_etag_that_no_header_can_hold_is_none(etag):
    assert read_etag(answer_of(200, {"etag": etag}, "")) == ""


def test_commit_of_a_ref_is_found_by_one_call_without_a_token(github, client_of):
    sha = github.add("shop", "till").push(FILES, "feature/x")
    commit = client_of().resolve("shop", "till", "feature/x")
    assert (commit.sha, commit.is_private) == (sha, False)
    assert [call.route for call in github.calls] == ["commit"]


def test_token_tells_whether_the_repository_is_private(github, client_of):
    github.add("shop", "till", is_private=True).push(FILES, "main")
    commit = client_of(github.key).resolve("SHOP", "Till", "main")
    assert (commit.owner, commit.name, commit.is_private) == ("shop", "till", True)


def test_unchanged_ref_answers_its_etag_with_nothing(github, client_of):
    repository = github.add("shop", "till")
    repository.push(FILES, "main")
    client = client_of()
    first = client.resolve("shop", "till", "main")
    assert client.resolve_changed("shop", "till", "main", first.etag) is None
    repository.push({"b.py": b""}, "main")
    changed = client.resolve_changed("shop", "till", "main", first.etag)
    assert changed is not None
    assert changed.sha != first.sha


def test_archive_is_fetched_without_the_token(github, client_of, tmp_path):
    repository = github.add("shop", "till")
    sha = repository.push(FILES, "main")
    file = tmp_path / "archive"
    client_of(github.key).download("shop", "till", sha, file, go_on, 1_000_000)
    assert file.read_bytes() == repository.archives[sha]
    sent = {call.route: "authorization" in call.headers for call in github.calls}
    assert sent == {"tarball": True, "archive": False}


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1:1/archive", "https://codeload.github.com/x"]
)
def test_archive_elsewhere_is_not_fetched(github, client_of, tmp_path, location):
    sha = github.add("shop", "till").push(FILES, "main")
    github.script(Fault("redirect", "tarball", location=location))
    with pytest.raises(PermanentError, match="redirects elsewhere"):
        client_of().download("shop", "till", sha, tmp_path / "archive", go_on, 1_000_000)


def test_archive_that_is_too_large_leaves_no_file(github, client_of, tmp_path):
    sha = github.add("shop", "till").push(FILES, "main")
    with pytest.raises(PermanentError) as refused:
        client_of().download("shop", "till", sha, tmp_path / "archive", go_on, 10)
    assert refused.value.code == "archive_refused"
    assert list(tmp_path.glob("archive*")) == []


def test_archive_whose_attempt_stops_is_fetched_no_further(github, client_of, tmp_path):
    class StopError(Exception):
        pass

    def stop() -> None:
        raise StopError

    sha = github.add("shop", "till").push(FILES, "main")
    with pytest.raises(StopError):
        client_of().download("shop", "till", sha, tmp_path / "archive", stop, 1_000_000)
    assert list(tmp_path.glob("archive*")) == []


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_an_answer_to_ask_for_again(github, client_of, name):
    github.add("shop", "till").push(FILES, "main")
    github.script(Fault("garbage_after", "commit", raw=GARBAGE[name]))
    with pytest.raises(TransientError):
        client_of().resolve("shop", "till", "main")


def test_token_is_in_no_error(github, client_of):
    github.script(Fault("refused_key", "commit", echo=True))
    with pytest.raises(ProviderError) as refused:
        client_of(github.key).resolve("shop", "till", "main")
    assert github.key not in json.dumps([refused.value.message, str(refused.value)])


def test_ref_and_names_are_one_part_of_the_address_each(github, client_of):
    with pytest.raises(ProviderError):
        client_of().resolve("shop", "till", "a/../b?c#d")
    assert [call.path for call in github.calls] == ["/repos/shop/till/commits/a%2F..%2Fb%3Fc%23d"]


def test_account_is_asked_about_only_with_a_token(github, client_of):
    assert client_of().account_status().startswith("no GITHUB_TOKEN: 60 calls an hour")
    assert github.calls == []
    told = client_of(github.key).account_status()
    assert told == "the token is accepted, 4999 of 5000 calls an hour are left"
    with pytest.raises(OutOfCreditsError, match="check GITHUB_TOKEN"):
        client_of("another").account_status()


@given(left=st.text(), of=st.text())
def test_calls_left_are_told_in_digits_or_not_at_all(left, of):
    headers = {"x-ratelimit-remaining": left, "x-ratelimit-limit": of}
    told = read_calls_left(answer_of(200, headers, ""))
    is_digits = all(re.fullmatch("[0-9]{1,9}", each) for each in (left, of))
    assert is_digits or told == "it does not say how many calls"


def test_github_that_cannot_be_reached_is_told_with_its_setting(client_of, github):
    client = client_of()
    github.close()
    with pytest.raises(TransientError, match="check the network and GITHUB_API_URL"):
        client.resolve("shop", "till", "main")
