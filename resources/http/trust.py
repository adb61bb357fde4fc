"""Whose certificates are trusted: those of SSL_CERT_FILE and SSL_CERT_DIR, else of the package `certifi`.

The two variables are OpenSSL's; a network that opens TLS connections has its own authority there.
"""

import os
import ssl
from functools import lru_cache
from pathlib import Path

import httpx

FILE, FOLDER = "SSL_CERT_FILE", "SSL_CERT_DIR"
_EXPIRED, _NOT_YET_VALID, _OTHER_HOST = 10, 9, 62
_OTHER_NAMES = (_OTHER_HOST, 63, 64)
"""OpenSSL's numbers of a wrong host, e-mail or IP address."""


class TrustError(ValueError):
    """The certificates of the environment cannot be read; the message names the variable."""


def client_context() -> ssl.SSLContext:
    """Return what a client verifies servers with. Raises TrustError."""
    return _context(os.environ.get(FILE, ""), os.environ.get(FOLDER, ""))


@lru_cache(maxsize=4)
def _context(file: str, folder: str) -> ssl.SSLContext:
    """Return one context for the process: loading certificates takes longer than many exchanges."""
    if not file and not folder:
        return httpx.create_ssl_context(trust_env=False)
    if folder and not any(Path(each).is_dir() for each in folder.split(os.pathsep)):
        raise TrustError(f"{FOLDER}: expected a folder of certificates (made by `openssl rehash`)")
    try:
        return ssl.create_default_context(cafile=file or None, capath=folder or None)
    except (OSError, ValueError):
        raise TrustError(f"{FILE}: expected a file with certificates in PEM") from None


def trust_problem(error: BaseException | None) -> str | None:
    """Return why a server is not trusted and what helps, in one sentence; None for an error of another kind."""
    while error is not None:
        if isinstance(error, TrustError):
            return str(error)
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted ({error.verify_message}): {_remedy(error)}"
        error = error.__cause__ or error.__context__
    return None


def _remedy(error: ssl.SSLCertVerificationError) -> str:
    if error.verify_code in (_EXPIRED, _NOT_YET_VALID):
        return "check this machine's clock, or ask whoever runs the server for a new one"
    if error.verify_code in _OTHER_NAMES:
        return "check the address: the server there has another name"
    return f"if your network or server has its own authority, set {FILE} to a file with its certificate"
