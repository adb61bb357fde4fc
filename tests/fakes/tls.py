"""TLS as vendor.test, by an authority that lives as long as the process."""

import hashlib
import ssl
from datetime import datetime
from functools import cache
from pathlib import Path

import trustme
from cryptography import x509

VENDOR = "vendor.test"


@cache
def _authority() -> trustme.CA:
    return trustme.CA()


def server_tls(name: str = VENDOR, *, not_after: datetime | None = None) -> ssl.SSLContext:
    """What the server of this name serves with."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _authority().issue_cert(name, not_after=not_after).configure_cert(context)
    return context


def authority_in(folder: Path) -> Path:
    """A file with the authority's certificate, in a folder that OpenSSL finds it in too."""
    certificate = _authority().cert_pem.bytes()
    file = folder / "authority.pem"
    file.write_bytes(certificate)
    subject = x509.load_pem_x509_certificate(certificate).subject
    (folder / f"{_hash_of(subject)}.0").write_bytes(certificate)
    return file


def _hash_of(subject: x509.Name) -> str:
    """OpenSSL's name for a certificate in a folder, from its subject in small letters."""
    plain = [
        x509.NameAttribute(each.oid, " ".join(str(each.value).lower().split())) for each in subject
    ]
    sequence = x509.Name(plain).public_bytes()
    content = sequence[2 if sequence[1] < 0x80 else 3 :]
    return f"{int.from_bytes(hashlib.sha1(content).digest()[:4], 'little'):08x}"


def client_tls() -> ssl.SSLContext:
    """A client that trusts vendor.test's authority and nobody else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    _authority().configure_trust(context)
    return context
