"""Tell an order's news by e-mail: a plain text with the link to the order's page."""

import hashlib
import re
import smtplib
import socket
import ssl
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from resources.delivery.engine import DeliveryFailure
from resources.ledger.queries.webhooks import Webhook
from resources.ledger.request import Request
from resources.ledger.schema.tables import DeliveryStatus
from resources.process.settings import Settings

SCHEME = "mailto:"
"""What the `callback_url` of an order begins with whose news go to an e-mail address."""
MAIL_OFF = "mail_off"
_REFUSED = "mail_refused"
_UNREACHABLE = "mail_unreachable"
_PAGE = "http://127.0.0.1:8000"
_LONGEST_SUBJECT = 100
_EXCHANGES = 5
"""A mail takes some ten exchanges with the server; together they end within the delivery's lease."""
_HANGUL = re.compile(r"[가-힣]")


class UnencryptedError(smtplib.SMTPException):
    """The server would have got the password as plain text, over a network."""


@dataclass(frozen=True)
class MailServer:
    """The server that accepts castad's mail, and the address it comes from."""

    host: str
    port: int
    is_tls: bool
    user: str
    password: str
    sender: str

    @classmethod
    def parse(cls, url: str) -> "MailServer":
        """Parse CASTAD_MAIL_URL, which the settings have checked."""
        parts = urlsplit(url)
        is_tls = parts.scheme == "smtps"
        return cls(
            host=parts.hostname or "",
            port=parts.port or (465 if is_tls else 587),
            is_tls=is_tls,
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
            sender=parse_qs(parts.query)["from"][0],
        )

    def connect(self, seconds: float) -> smtplib.SMTP:
        """Connect, encrypt where the server offers it, and log in where there is a user.

        Raises smtplib.SMTPException, OSError.
        """
        trust = ssl.create_default_context()
        if self.is_tls:
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, timeout=seconds, context=trust
            )
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=seconds)
        try:
            server.ehlo()
            if not self.is_tls and server.has_extn("starttls"):
                server.starttls(context=trust)
                server.ehlo()
            if self.user:
                _ensure_private(server, self.host)
                server.login(self.user, self.password)
        except BaseException:
            server.close()
            raise
        return server


def build_mail(delivery: Webhook, order: Request, about: str, config: Settings) -> EmailMessage:
    """Build the mail of this delivery; `about` is the order in one line for people.

    The language is that of the order: Korean where it says so or has Hangul in it. The same delivery has the same
    Message-ID at every try.
    """
    payload = order.order() or {}
    written = payload.get("language") or about
    language = "ko" if written == "Korean" or _HANGUL.search(str(written)) else "en"
    subject, text = _read_texts()[delivery.type.partition(".")[2]][language]
    page = config.public_url or _PAGE
    values = {
        "about": " ".join(about.split())[:_LONGEST_SUBJECT],
        "link": f"{page}/works/{quote(order.task_id, safe='')}",
    }
    sender = _get_server(config).sender
    mail = EmailMessage()
    mail["Subject"] = subject.format(**values)
    mail["From"] = sender
    mail["To"] = delivery.url.removeprefix(SCHEME)
    identity = f"{delivery.task_id} {delivery.seq} {delivery.created_at.isoformat()}"
    digest = hashlib.sha256(identity.encode(errors="surrogatepass")).hexdigest()[:32]
    mail["Message-ID"] = f"<{digest}@{sender.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(text.format(**values))
    return mail


def send_mail(mail: EmailMessage, config: Settings) -> DeliveryFailure | None:
    """Hand the mail to the server; return None once it has accepted it, else the failure.

    A refusal for good (5xx of SMTP) ends the delivery. The failure never repeats the server's text, which may hold
    the address.
    """
    try:
        server = open_mail_server(config)
        try:
            server.send_message(mail)
        finally:
            # The mail is accepted or refused by now, whatever is said to the farewell.
            with suppress(smtplib.SMTPException, OSError):
                server.quit()
            server.close()
    except UnencryptedError:
        sentence = "the mail server offers no encryption, so castad did not log in"
        return DeliveryFailure(sentence, _UNREACHABLE)
    except smtplib.SMTPAuthenticationError:
        return DeliveryFailure(
            "the mail server refuses the log-in of CASTAD_MAIL_URL", _UNREACHABLE
        )
    except smtplib.SMTPRecipientsRefused as error:
        return _judge_status(max(status for status, _ in error.recipients.values()))
    except smtplib.SMTPResponseException as error:
        return _judge_status(error.smtp_code)
    except (smtplib.SMTPException, OSError) as error:
        kind = "timeout" if isinstance(error, socket.timeout) else type(error).__name__
        return DeliveryFailure(f"the mail server cannot be reached ({kind})", _UNREACHABLE)
    return None


def _ensure_private(server: smtplib.SMTP, host: str) -> None:
    """Raise UnencryptedError if what is sent to the server could be read on its way."""
    try:
        is_here = ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost"
    if not is_here and not isinstance(server.sock, ssl.SSLSocket):
        raise UnencryptedError


def _judge_status(status: int) -> DeliveryFailure:
    sentence = f"the mail server answers {status}"
    if status >= 500:
        return DeliveryFailure(f"{sentence}: it refuses this mail", _REFUSED, DeliveryStatus.DEAD)
    return DeliveryFailure(f"{sentence}: not now", _UNREACHABLE)


def make_mail_off_failure() -> DeliveryFailure:
    """Make the final failure of a mail where CASTAD_MAIL_URL is unset."""
    return DeliveryFailure(
        "CASTAD_MAIL_URL is unset; set it, then replay", MAIL_OFF, DeliveryStatus.DEAD
    )


def open_mail_server(config: Settings) -> smtplib.SMTP:
    """Connect to the server of CASTAD_MAIL_URL and log in; raise smtplib.SMTPException or OSError."""
    return _get_server(config).connect(config.webhook_deadline / _EXCHANGES)


def _get_server(config: Settings) -> MailServer:
    if config.mail_url is None:
        raise ValueError("CASTAD_MAIL_URL is unset")
    return MailServer.parse(config.mail_url.get_secret_value())


@cache
def _read_texts() -> Mapping[str, Any]:
    """Read subject and text by event and language."""
    return tomllib.loads(Path(__file__).with_name("mail.toml").read_text("utf-8"))
