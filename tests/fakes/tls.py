"""TLS as vendor.test, by an authority that lives as long as the process."""

import ssl
from functools import cache

import trustme

VENDOR = "vendor.test"


@cache
def _authority() -> trustme.CA:
    return trustme.CA()


def server_tls() -> ssl.SSLContext:
    """What vendor.test serves with."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _authority().issue_cert(VENDOR).configure_cert(context)
    return context


def client_tls() -> ssl.SSLContext:
    """A client that trusts vendor.test's authority and nobody else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    _authority().configure_trust(context)
    return context
