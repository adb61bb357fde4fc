"""Nothing is said to a broker that cannot prove who it is, and nobody is told its password."""

import socket
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest
import trustme
from kombu.exceptions import OperationalError
from pydantic import ValidationError

from castad.engine.app import build_broker_options, get_broker_name, make_app, publish
from resources.contract.errors import InvalidInputError
from resources.process.settings import Settings

BROKERS = [("rediss", b"*"), ("amqps", b"A")]
"""What a client of each says first."""
PATIENCE = 10
PIECE = "hunter2"
UNUSABLE = [
    f"redis://castad:{PIECE}/x@broker/0",
    f"redis://castad:12/{PIECE}@broker/0",
    f"amqp://castad:12?{PIECE}@broker/castad",
    f"amqp://castad:12#{PIECE}@broker/castad",
    f"rediss://broker/0?{PIECE}=1",
    f"amqps://broker/castad?ssl_cert_reqs={PIECE}",
    f"redis://broker/0?ssl_ca_certs={PIECE}",
]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def authority_file(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tls") / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    return file


@pytest.fixture
def settings_of(tmp_path: Path) -> Callable[[str], Settings]:
    return lambda url: Settings(home=tmp_path, broker_url=url)


def first_word(settings_of: Callable[[str], Settings], server: ssl.SSLContext, url: str) -> bytes:
    """What a run's delivery says to a broker that listens with `server` where `url` has its port."""

    def serve(listener: socket.socket) -> bytes:
        with listener.accept()[0] as taken, suppress(OSError):
            taken.settimeout(PATIENCE)
            with server.wrap_socket(taken, server_side=True) as connection:
                return connection.recv(1)
        return b""

    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as thread:
        listener.settimeout(PATIENCE)
        heard = thread.submit(serve, listener)
        heard.add_done_callback(lambda _: listener.close())
        app = make_app(settings_of(url.replace("PORT", str(listener.getsockname()[1]))))
        with pytest.raises((OperationalError, OSError)):
            publish(app, "a-run")
        return heard.result()


def served_by(authority: trustme.CA, host: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(context)
    return context


@pytest.mark.parametrize(("scheme", "greeting"), BROKERS)
def test_broker_of_the_authority_named_in_the_url_is_spoken_to(
    scheme, greeting, authority, authority_file, settings_of
):
    url = f"{scheme}://castad:pw@localhost:PORT/0?ssl_ca_certs={quote(str(authority_file))}"
    assert first_word(settings_of, served_by(authority, "localhost"), url) == greeting


@pytest.mark.parametrize("scheme", ["rediss", "amqps"])
def test_broker_of_another_authority_hears_nothing(scheme, authority, settings_of):
    url = f"{scheme}://castad:pw@localhost:PORT/0"
    assert first_word(settings_of, served_by(authority, "localhost"), url) == b""


@pytest.mark.parametrize("scheme", ["rediss", "amqps"])
def test_broker_with_the_certificate_of_another_host_hears_nothing(
    scheme, authority, authority_file, settings_of
):
    url = f"{scheme}://castad:pw@localhost:PORT/0?ssl_ca_certs={quote(str(authority_file))}"
    assert first_word(settings_of, served_by(authority, "elsewhere.test"), url) == b""


@pytest.mark.parametrize(("scheme", "greeting"), BROKERS)
def test_certificate_is_not_checked_only_where_the_url_says_so(
    scheme, greeting, authority, settings_of
):
    url = f"{scheme}://castad:pw@localhost:PORT/0?ssl_cert_reqs=none"
    assert first_word(settings_of, served_by(authority, "elsewhere.test"), url) == greeting


@pytest.mark.parametrize("url", UNUSABLE)
def test_unusable_url_is_refused_without_a_piece_of_it(url, settings_of):
    with pytest.raises((InvalidInputError, ValidationError)) as refusal:
        build_broker_options(settings_of(url))
    told = refusal.value
    said = told.message if isinstance(told, InvalidInputError) else told.errors()[0]["msg"]
    assert PIECE not in said


def test_encoded_password_reaches_the_broker_as_it_is(settings_of):
    password = "p@ss:/?#%&+ x"
    url = f"amqps://castad:{quote(password, safe='')}@broker/castad"
    assert make_app(settings_of(url)).connection().password == password


def test_name_of_a_broker_leaves_out_user_password_and_options(settings_of):
    url = "rediss://castad:pw@broker:6380/0?ssl_ca_certs=/etc/castad/ca.pem"
    assert get_broker_name(settings_of(url)) == "rediss://broker:6380/0"
