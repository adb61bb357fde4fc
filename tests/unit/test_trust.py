"""Whose certificates are trusted, by every client that asks something outside."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from resources.contract.errors import ProviderError
from resources.contract.protocol import allow_send
from resources.delivery.webhooks import SignedMessage, post
from resources.http.addresses import HostAllowlist
from resources.http.download import download
from resources.http.vendor_client import NotSentError, VendorClient
from resources.providers.github.rest_client import GitHubClient
from tests.fakes.raw import RawServer, answer, say
from tests.fakes.tls import authority_in, server_tls

HERE = "127.0.0.1"
HOSTS = HostAllowlist((HERE,))
SENTENCE = "its certificate is not trusted ("
REMEDY = "set SSL_CERT_FILE to a file with its certificate"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
Ask = Callable[[str, Path], str]
"""Asks the server at this address; returns "" where it answered, else why it was not asked."""


def ask_vendor(url: str, folder: Path) -> str:
    client = VendorClient("vendor", url, "key", gate=lambda: None, deadline_seconds=20)
    return error_of(lambda: client.post_paid("/jobs", {}, allow_send))


def ask_github(url: str, folder: Path) -> str:
    client = GitHubClient(url, "token", deadline_seconds=20, download_seconds=20)
    return error_of(client.account_status)


def fetch(url: str, folder: Path) -> str:
    where = {"field": "picture", "max_bytes": 9_000, "allowlist": HOSTS}
    return error_of(
        lambda: download(url, folder / "file", code="bad_download", deadline_seconds=20, **where)
    )


def call_back(url: str, folder: Path) -> str:
    message = SignedMessage(b"{}", {"Content-Type": "application/json"})
    failure = post(url, message, HOSTS, 20)
    return "" if failure is None else failure.message


def error_of(call: Callable[[], object]) -> str:
    try:
        call()
    except ProviderError as error:
        return error.message
    return ""


ASKING = [ask_vendor, ask_github, fetch, call_back]


@pytest.fixture(autouse=True)
def no_authority(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)


def told(ask: Ask, folder: Path, name: str = HERE, not_after: datetime | None = None) -> str:
    content = answer(b'{"resources": {}}')
    with RawServer(say(content), tls=server_tls(name, not_after=not_after)) as server:
        return ask(f"https://{server.netloc}", folder)


@pytest.mark.parametrize("ask", ASKING)
@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_authority_of_the_environment_is_trusted_by_every_client(
    ask, variable, tmp_path, monkeypatch
):
    file = authority_in(tmp_path)
    monkeypatch.setenv(variable, str(file if variable == "SSL_CERT_FILE" else tmp_path))
    assert told(ask, tmp_path) == ""


@pytest.mark.parametrize("ask", ASKING)
def test_unknown_authority_is_told_with_its_remedy_by_every_client(ask, tmp_path):
    sentence = told(ask, tmp_path)
    assert SENTENCE in sentence
    assert REMEDY in sentence


@pytest.mark.parametrize(
    ("name", "not_after", "remedy"),
    [("other.test", None, "check the address"), (HERE, LONG_AGO, "check this machine's clock")],
)
def test_other_faults_of_a_certificate_have_remedies_of_their_own(
    name, not_after, remedy, tmp_path, monkeypatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority_in(tmp_path)))
    sentence = told(ask_vendor, tmp_path, name, not_after)
    assert SENTENCE in sentence
    assert remedy in sentence
    assert REMEDY not in sentence


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SSL_CERT_FILE", "/nowhere/authority.pem"),
        ("SSL_CERT_FILE", "/"),
        ("SSL_CERT_FILE", __file__),
        ("SSL_CERT_DIR", "/nowhere"),
    ],
)
@pytest.mark.parametrize("ask", ASKING)
def test_certificates_that_cannot_be_read_are_told_by_their_variable(
    ask, variable, value, tmp_path, monkeypatch
):
    monkeypatch.setenv(variable, value)
    assert f"{variable}: expected a " in told(ask, tmp_path)


def test_submission_over_an_untrusted_connection_was_not_sent(tmp_path):
    with RawServer(say(answer()), tls=server_tls(HERE)) as server:
        client = VendorClient(
            "vendor", f"https://{server.netloc}", "key", gate=lambda: None, deadline_seconds=20
        )
        with pytest.raises(NotSentError):
            client.post_paid("/jobs", {}, allow_send)
    assert server.requests == []


def test_server_without_tls_needs_no_certificates(tmp_path, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/authority.pem")
    with RawServer(say(answer())) as server:
        assert ask_vendor(f"http://{server.netloc}", tmp_path) == ""


def test_webhook_to_an_untrusted_receiver_is_tried_again():
    message = SignedMessage(b"{}", {})
    with RawServer(say(answer()), tls=server_tls(HERE)) as server:
        failure = post(f"https://{server.netloc}/", message, HOSTS, 20)
    assert failure is not None
    assert (failure.code, failure.ends) == ("unreachable", None)
