"""Whose call a proxy passes on: the address that it appended, whatever a client has written before it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from castad.api.server.protocol import TrustedProxies
from tests.tables import rows_beside

PROXY, INNER, CLIENT = "10.0.0.1", "10.0.0.2", "203.0.113.9"
TRUSTED = TrustedProxies.parse(("10.0.0.0/24", "fd00::/8"), "127.0.0.1")
FOR, FORWARDED, PROTO = b"x-forwarded-for", b"forwarded", b"x-forwarded-proto"
hostile = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=60)


def client(*headers: tuple[bytes, str], peer: str = PROXY) -> str | None:
    return TRUSTED.find_client(peer, [(name, value.encode("latin-1")) for name, value in headers])


@rows_beside
def test_client_is_the_first_address_from_the_right_that_is_no_trusted_proxy(listed, named):
    assert client((FOR, listed)) == named


@rows_beside
def test_forwarded_is_read_as_the_standard_says(listed, named):
    assert client((FORWARDED, listed)) == named


@given(st.lists(hostile, max_size=4), hostile)
def test_nothing_that_a_client_wrote_changes_who_it_is(lines, last):
    for name, appended in ((FOR, CLIENT), (FORWARDED, f"for={CLIENT}")):
        written = [(name, each) for each in lines]
        assert client(*written, (name, f"{last}, {appended}")) == CLIENT
        assert client(*written, (name, last), (name, appended)) == CLIENT


@given(st.lists(st.tuples(st.sampled_from([FOR, FORWARDED, PROTO]), hostile), max_size=5))
def test_headers_of_one_who_is_no_trusted_proxy_say_nothing(headers):
    assert client(*headers, peer=CLIENT) == CLIENT
    encoded = [(name, value.encode("latin-1")) for name, value in headers]
    assert TrustedProxies.parse(()).find_client("127.0.0.1", encoded) == "127.0.0.1"
    assert not TRUSTED.is_by_tls(CLIENT, [*encoded, (PROTO, b"https")])


@given(hostile, hostile)
def test_call_with_both_headers_is_the_proxys_own(one, other):
    assert client((FOR, one), (FORWARDED, other)) == PROXY


@pytest.mark.parametrize("peer", [PROXY, "127.0.0.1", "::ffff:10.0.0.9", "fd00::1"])
def test_those_who_are_believed_about_tls_say_so(peer):
    assert TRUSTED.is_by_tls(peer, [(PROTO, b"https")])
    assert not TRUSTED.is_by_tls(peer, [(PROTO, b"http")])
    assert not TRUSTED.is_by_tls(peer, [])


def test_many_hops_are_no_work():
    assert client((FOR, ", ".join([INNER] * 5000))) == INNER
