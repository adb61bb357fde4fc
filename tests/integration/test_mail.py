"""E-mail about orders: each piece of news reaches its address, by a real SMTP server on loopback."""

import logging
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from hypothesis import given
from hypothesis import strategies as st

from castad.orders.order_fields import check_order_options
from castad.stack.processes import find_free_port
from resources.contract.errors import InvalidInputError
from resources.delivery.webhooks import make_webhook_loop
from resources.ledger.db.database import Database
from resources.ledger.queries.webhooks import Webhook, list_deliveries
from resources.ledger.rules import FailureAction
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.webhooks import replay_webhooks
from resources.process.setting_types import MAIL_ADDRESS
from sensors.event_mirror import FACTS
from tests.conftest import MakeSettings
from tests.eventually import eventually
from tests.ledger_steps import Steps

OWNER = "Owner+film@Shop.example"
BRIEF = {"customer_name": "봄날 베이커리", "region": "전주", "language": "Korean"}
Sending = Callable[..., None]
on_one_database = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


class Mailbox:
    """What an SMTP server accepts; `answer` is what it says to the next mails' recipients."""

    def __init__(self) -> None:
        self.answer = "250 OK"
        self.farewell = "221 Bye"
        self.mails: list[Message] = []
        self.asked = 0

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.asked += 1
        if self.answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.answer

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content
        assert isinstance(content, bytes)
        self.mails.append(message_from_bytes(content))
        return "250 OK"

    async def handle_QUIT(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        return self.farewell

    @property
    def subjects(self) -> list[str]:
        return [str(make_header(decode_header(mail["Subject"]))) for mail in self.mails]


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture
def server(mailbox: Mailbox) -> Iterator[Controller]:
    server = Controller(mailbox, hostname="127.0.0.1", port=find_free_port())
    server.start()
    yield server
    server.stop()


def url_of(server: Controller) -> str:
    return f"smtp://127.0.0.1:{server.port}?from=castad@house.example"


@pytest.fixture
def sending(db: Database, make_settings: MakeSettings) -> Iterator[Sending]:
    """Begin to send, with these settings; at the end nothing is under way."""
    loops = []

    def begin(**chosen: Any) -> None:
        fast = {"webhook_waits": (0.001,) * 20, "webhook_seconds": 0.005, **chosen}
        loops.append(make_webhook_loop(db, make_settings(**fast), FACTS))
        loops[-1].stay_awake()

    yield begin
    for loop in loops:
        loop.rest()


def all_of(db: Database) -> list[Webhook]:
    return list_deliveries(db)[::-1]


def ordered(steps: Steps, **chosen: Any) -> None:
    steps.order("shop-1", dict(BRIEF), callback_url=f"mailto:{OWNER}", **chosen)


# What is in the outbox


def test_approval_that_is_waited_for_has_a_mail_and_no_webhook(steps):
    ordered(steps, hold="lyric")
    steps.order("other", dict(BRIEF), callback_url="https://shop.example/", hold="lyric")
    for name in ("shop-1", "other"):
        lease = steps.take(name)
        steps.complete(lease, steps.begin(lease, "lyric"))
        steps.meets_hold(lease, "song")
    (mail,) = all_of(steps.db)
    assert (mail.type, mail.task_id, mail.seq) == (
        "request.held",
        "shop-1",
        steps.last("shop-1").seq,
    )
    assert (mail.url, mail.host) == (f"mailto:{OWNER}", "shop.example")


def test_order_whose_wait_was_edited_by_sql_still_ends(steps):
    ordered(steps)
    for wait in ("'approval:lyric'", "NULL", "'approval:lyric'"):
        steps.edit(f"waits_for = {wait}", "shop-1")
    steps.cancel("shop-1")
    assert [each.type for each in all_of(steps.db)] == ["request.canceled"]


@pytest.mark.parametrize("how", ["completed", "dead", "canceled"])
def test_end_has_a_mail(steps, how):
    ordered(steps)
    if how == "completed":
        steps.make_all(steps.take("shop-1"))
    elif how == "dead":
        steps.fail(steps.take("shop-1"), action=FailureAction.DEAD_LETTER)
    else:
        steps.cancel("shop-1")
    assert [each.type for each in all_of(steps.db)] == [f"request.{how}"]


# What is sent


@on_one_database
def test_mail_has_the_shops_name_and_the_link_to_its_page(steps, sending, server, mailbox):
    ordered(steps)
    steps.cancel("shop-1")
    sending(mail_url=url_of(server), public_url="https://house.example")
    assert eventually(lambda: len(mailbox.mails) == 1)
    (mail,) = mailbox.mails
    text = mail.get_payload(decode=True)
    assert isinstance(text, bytes)
    assert "봄날 베이커리" in mailbox.subjects[0]
    assert "https://house.example/works/shop-1" in text.decode()
    assert (mail["To"], mail["From"]) == (OWNER, "castad@house.example")


@on_one_database
def test_mail_of_an_english_order_is_english(steps, sending, server, mailbox):
    brief = {"customer_name": "Blue Harbor", "region": "Busan", "language": "English"}
    steps.order("shop-1", brief, callback_url=f"mailto:{OWNER}")
    steps.cancel("shop-1")
    sending(mail_url=url_of(server))
    assert eventually(
        lambda: [subject.endswith("canceled") for subject in mailbox.subjects] == [True]
    )


@on_one_database
def test_hostile_name_stays_in_the_subject(steps, sending, server, mailbox):
    name = "A\r\nBcc: everybody@shop.example\r\n\r\nhello"
    steps.order("shop-1", {**BRIEF, "customer_name": name}, callback_url=f"mailto:{OWNER}")
    steps.cancel("shop-1")
    sending(mail_url=url_of(server))
    assert eventually(lambda: len(mailbox.mails) == 1)
    assert mailbox.mails[0]["Bcc"] is None


@on_one_database
def test_approval_that_was_given_meanwhile_is_not_mailed(steps, sending, server, mailbox):
    ordered(steps, hold="lyric")
    lease = steps.take("shop-1")
    steps.complete(lease, steps.begin(lease, "lyric"))
    steps.meets_hold(lease, "song")
    steps.edit("waits_for = NULL", "shop-1")
    sending(mail_url=url_of(server))
    assert eventually(lambda: [each.status for each in all_of(steps.db)] == ["delivered"])
    assert mailbox.asked == 0


@on_one_database
def test_server_that_does_not_accept_now_is_tried_until_it_does(steps, sending, server, mailbox):
    mailbox.answer = "451 later"
    ordered(steps)
    steps.cancel("shop-1")
    sending(mail_url=url_of(server))
    assert eventually(lambda: mailbox.asked > 1)
    mailbox.answer = "250 OK"
    assert eventually(lambda: [each.status for each in all_of(steps.db)] == ["delivered"])
    assert len(mailbox.mails) == 1


@on_one_database
def test_mail_has_the_same_id_at_every_try(steps, sending, server, mailbox):
    ordered(steps)
    steps.cancel("shop-1")
    sending(mail_url=url_of(server))
    assert eventually(lambda: len(mailbox.mails) == 1)
    replay_webhooks(steps.db, all_of(steps.db)[0].id)
    assert eventually(lambda: len(mailbox.mails) == 2)
    assert len({mail["Message-ID"] for mail in mailbox.mails}) == 1


@on_one_database
def test_refusal_for_good_ends_the_mail(steps, sending, server, mailbox):
    mailbox.answer = "550 no such user"
    ordered(steps)
    steps.cancel("shop-1")
    sending(mail_url=url_of(server))
    assert eventually(lambda: [each.status for each in all_of(steps.db)] == [DeliveryStatus.DEAD])
    (mail,) = all_of(steps.db)
    assert (mail.last_code, mailbox.asked) == ("mail_refused", 1)


@on_one_database
def test_mail_ends_where_no_server_is_set(steps, sending):
    ordered(steps)
    steps.cancel("shop-1")
    sending()
    assert eventually(lambda: [each.last_code for each in all_of(steps.db)] == ["mail_off"])


@on_one_database
def test_address_and_password_reach_no_log_and_no_error(steps, sending, server, mailbox, caplog):
    caplog.set_level(logging.DEBUG, "castad")
    mailbox.answer = f"550 {OWNER} is unknown"
    ordered(steps)
    steps.cancel("shop-1")
    sending(mail_url=url_of(server).replace("://", "://user:hunter22@"))
    assert eventually(lambda: all_of(steps.db)[0].last_error is not None)
    said = caplog.text + str(all_of(steps.db)[0].last_error)
    assert not [each for each in (OWNER, OWNER.lower(), "hunter22") if each in said]


# What an order may say


def test_address_is_refused_where_no_mail_is_sent():
    with pytest.raises(InvalidInputError) as refused:
        check_order_options({"notify": OWNER})
    assert (refused.value.code, refused.value.field) == ("mail_off", "notify")


@pytest.mark.parametrize(
    "given",
    [
        "",
        "a",
        "a@b",
        "=?utf-8?q?v=40w.kr?=@x.kr",
        "a@b.kr,c@d.kr",
        "a@b.kr\nBcc: c@d.kr",
        5,
        ["a@b.kr"],
    ],
)
def test_what_is_no_address_is_refused(given):
    with pytest.raises(InvalidInputError) as refused:
        check_order_options({"notify": given})
    assert (refused.value.code, refused.value.field) == ("invalid_input", "notify")


@given(st.text(max_size=40))
def test_address_has_one_at_and_no_blank(text):
    if MAIL_ADDRESS.fullmatch(text):
        assert text.count("@") == 1
        assert text.isascii()
        assert not set(text) & set(' \r\n\t,;:<>"')


def test_address_is_told_beside_no_webhook(monkeypatch):
    monkeypatch.setenv("CASTAD_MAIL_URL", "smtp://mail.example?from=castad@house.example")
    from resources.process.settings import settings

    settings.cache_clear()
    with pytest.raises(InvalidInputError) as refused:
        check_order_options({"notify": OWNER, "callback_url": "https://shop.example/"})
    settings.cache_clear()
    assert refused.value.field == "notify"


@pytest.mark.parametrize(
    "url",
    [
        "http://mail.example?from=a@b.kr",
        "smtp://mail.example",
        "smtp://?from=a@b.kr",
        "smtp://m?from=a",
    ],
)
def test_setting_that_names_no_server_or_sender_is_refused(make_settings, url):
    with pytest.raises(ValueError, match="expected smtp://"):
        make_settings(mail_url=url)


@on_one_database
def test_mail_is_delivered_whatever_the_server_says_to_the_farewell(
    steps, sending, server, mailbox
):
    mailbox.farewell = "421 overloaded"
    ordered(steps)
    steps.cancel("shop-1")
    sending(mail_url=url_of(server))
    assert eventually(lambda: [each.status for each in all_of(steps.db)] == ["delivered"])
    assert len(mailbox.mails) == 1
