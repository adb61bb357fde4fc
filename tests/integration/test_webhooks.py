"""Webhooks: each end of an order reaches its receiver, at least once, in order, and delays nobody else."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update
from standardwebhooks import WebhookVerificationError

from resources.delivery.engine import DeliveryLoop
from resources.delivery.webhooks import make_secret, make_webhook_loop
from resources.ledger.db.database import Database
from resources.ledger.queries.access import Scope, Secret, get_active_key
from resources.ledger.queries.status import read_clock
from resources.ledger.queries.webhooks import Webhook, list_deliveries, read_signing_secrets
from resources.ledger.rules import FailureAction
from resources.ledger.schema.tables import DeliveryStatus, webhook_deliveries
from resources.ledger.transitions.access import create_key, revoke_key, set_webhook_secret
from resources.ledger.transitions.webhooks import claim_delivery, replay_webhooks, save_delivery_try
from resources.process.settings import Settings
from sensors.event_mirror import FACTS
from tests.conftest import MakeSettings
from tests.eventually import eventually
from tests.ledger_steps import Steps
from tests.webhook_receiver import HANG, SECRET, Got, Receiver

on_one_database = pytest.mark.parametrize("db", ["sqlite"], indirect=True)
"""What the databases have to do with it is proved on both by the tests of the stores."""
ENDS = ("completed", "dead", "canceled")
Sending = Callable[..., None]


def fast(make_settings: MakeSettings, **chosen: Any) -> Settings:
    return make_settings(
        **{
            "allow_hosts": ("127.0.0.1",),
            "webhook_secret": SECRET,
            "webhook_waits": (0.001,) * 9,
            "webhook_seconds": 0.005,
            **chosen,
        }
    )


@pytest.fixture
def sending(db: Database, make_settings: MakeSettings) -> Iterator[Sending]:
    """Begin to send, with these settings; at the end nothing is under way."""
    loops: list[DeliveryLoop[Webhook]] = []

    def begin(**chosen: Any) -> None:
        loops.append(make_webhook_loop(db, fast(make_settings, **chosen), FACTS))
        loops[-1].stay_awake()

    yield begin
    for loop in loops:
        loop.rest()
    assert not [each for each in threading.enumerate() if each.name.startswith("castad-webhook")]


def all_of(db: Database) -> list[Webhook]:
    """All webhooks, the oldest first."""
    return list_deliveries(db, limit=1000)[::-1]


def statuses(db: Database) -> list[str]:
    return [each.status for each in all_of(db)]


def settled(db: Database) -> bool:
    return bool(all_of(db)) and DeliveryStatus.PENDING not in statuses(db)


def canceled(steps: Steps, task_id: str, url: str, owner: str | None = None) -> None:
    """An order that has ended at once."""
    steps.order(task_id, callback_url=url, owner=owner)
    steps.cancel(task_id)


def key_of(db: Database, owner: str, name: str | None = None) -> str:
    """A key of the owner; its webhook secret."""
    name = name or owner
    create_key(db, Secret.new(), name=name, owner=owner, scopes=[Scope.ORDER])
    secret = make_secret()
    set_webhook_secret(db, get_active_key(db, name), secret, rotate=False)
    return secret


# What is in the outbox


def end(steps: Steps, how: str) -> None:
    if how == "completed":
        steps.make_all(steps.take())
    elif how == "dead":
        steps.fail(steps.take(), action=FailureAction.DEAD_LETTER)
    else:
        steps.cancel()


@pytest.mark.parametrize("how", ENDS)
def test_end_by_a_transition_has_one_webhook_with_the_number_of_its_event(steps, how):
    steps.order(callback_url="https://Shop.example:8443?x=/y")
    end(steps, how)
    (webhook,) = all_of(steps.db)
    assert (webhook.type, webhook.seq) == (f"request.{how}", steps.last().seq)
    assert (webhook.status, webhook.attempt) == ("pending", 0)
    assert (webhook.url, webhook.host) == ("https://Shop.example:8443?x=/y", "shop.example:8443")


@pytest.mark.parametrize("how", ENDS)
def test_end_by_an_operators_sql_has_one_webhook_with_the_number_of_its_event(steps, how):
    steps.order()
    steps.edit("status = :s, callback_url = :u", s=how, u="https://shop.example/")
    (webhook,) = all_of(steps.db)
    assert (webhook.type, webhook.seq) == (f"request.{how}", steps.last().seq)
    assert webhook.url == "https://shop.example/"


def test_request_that_ends_again_has_another_webhook(steps):
    steps.order(callback_url="https://shop.example/")
    steps.cancel()
    steps.retry()
    end(steps, "completed")
    steps.redo()
    end(steps, "dead")
    assert [each.type.partition(".")[2] for each in all_of(steps.db)] == [
        *("canceled", "completed", "dead")
    ]


def test_what_is_no_end_has_no_webhook(steps):
    steps.order(callback_url="https://shop.example/")
    steps.fail(steps.take())
    steps.release(steps.take())
    steps.edit("priority = 7")
    steps.order("without")
    steps.cancel("without")
    assert all_of(steps.db) == []


def test_end_that_is_edited_but_stays_has_no_second_webhook(steps):
    canceled(steps, "r", "https://shop.example/")
    steps.edit("error_message = 'by hand', priority = 3")
    assert len(all_of(steps.db)) == 1


# Sending


@on_one_database
def test_failed_try_is_repeated_with_the_same_id_until_2xx(steps, sending):
    with Receiver(lambda call: (500, 429, 302, 204)[call.number - 1]) as receiver:
        canceled(steps, "r", receiver.url())
        sending()
        assert eventually(lambda: settled(steps.db))
    (webhook,) = all_of(steps.db)
    assert (webhook.status, webhook.attempt, webhook.last_code) == ("delivered", 4, None)
    assert len(receiver.calls) == 4
    assert len({call.id for call in receiver.calls}) == 1


@on_one_database
def test_secret_reaches_no_log_and_no_row(steps, sending, caplog):
    secret = key_of(steps.db, "shop")
    with caplog.at_level("DEBUG"), Receiver(lambda _: 500) as receiver:
        canceled(steps, "a", receiver.url(), "shop")
        canceled(steps, "b", receiver.url())
        sending(webhook_waits=(0.001,))
        assert eventually(lambda: settled(steps.db))
    seen = f"{caplog.text} {all_of(steps.db)} {steps.events('a')} {steps.events('b')}"
    assert "webhook dead" in seen
    for hidden in (secret, SECRET):
        assert hidden.removeprefix("whsec_") not in seen


@on_one_database
def test_retry_after_is_heeded(steps, sending):
    with Receiver(lambda _: 503) as receiver:
        receiver.headers["retry-after"] = "3600"
        canceled(steps, "r", receiver.url())
        sending()
        assert eventually(lambda: all_of(steps.db)[0].attempt == 1)
    (webhook,) = all_of(steps.db)
    assert webhook.due_at - read_clock(steps.db) > timedelta(minutes=50)


@on_one_database
def test_redirect_is_a_failure_and_never_followed(steps, sending):
    with Receiver() as private, Receiver(lambda _: 307) as receiver:
        receiver.headers["location"] = private.url()
        canceled(steps, "r", receiver.url())
        sending(allow_hosts=(f"127.0.0.1:{receiver.port}",), webhook_waits=(0.001,))
        assert eventually(lambda: settled(steps.db))
    (webhook,) = all_of(steps.db)
    assert (webhook.status, webhook.last_code) == ("dead", "http_307")
    assert (len(receiver.calls), private.calls) == (2, [])


@on_one_database
@pytest.mark.parametrize(
    "url", ["http://{host}/", "https://{host}/", "http://u:p@{host}/", "ftp://x/", "", "https://["]
)
def test_address_that_is_private_or_none_is_not_called(steps, sending, url):
    with Receiver() as receiver:
        steps.order(callback_url="https://shop.example/")
        steps.edit("callback_url = :u", u=url.format(host=f"127.0.0.1:{receiver.port}"))
        steps.cancel()
        sending(allow_hosts=())
        assert eventually(lambda: settled(steps.db))
    (webhook,) = all_of(steps.db)
    assert (webhook.status, webhook.last_code) == ("dead", "callback_url_refused")
    assert receiver.calls == []


@on_one_database
def test_410_disables_what_waits_for_the_address_on_behalf_of_the_same_owner(steps, sending):
    with Receiver(lambda _: 410) as gone:
        for task_id, path, owner in (("a", "/x", None), ("b", "/x", "shop"), ("c", "/y", None)):
            canceled(steps, task_id, gone.url(path), owner)
        claimed = claim_delivery(steps.db, 60)
        assert claimed is not None
        save_delivery_try(steps.db, claimed, DeliveryStatus.PENDING, wait=3600, code="http_500")
        steps.retry("b")
        steps.cancel("b")
        canceled(steps, "d", gone.url("/x"))
        sending()
        assert eventually(lambda: settled(steps.db))
    assert set(statuses(steps.db)) == {"disabled"}
    assert {each.last_code for each in all_of(steps.db)} == {"http_410"}
    assert sorted(task_id for task_id, _ in gone.told) == ["b", "c", "d"]


@on_one_database
def test_receiver_that_hangs_is_given_up_at_the_deadline(steps, sending):
    with Receiver(lambda call: HANG if call.number == 1 else 200) as receiver:
        canceled(steps, "r", receiver.url())
        sending(webhook_deadline=0.3)
        assert eventually(lambda: settled(steps.db))
    assert statuses(steps.db) == ["delivered"]
    assert len(receiver.calls) > 1


@on_one_database
def test_ends_of_a_request_arrive_in_their_order(steps, sending):
    with Receiver(lambda call: 500 if call.number < 4 else 200) as receiver:
        canceled(steps, "r", receiver.url())
        steps.retry()
        end(steps, "dead")
        steps.retry()
        end(steps, "completed")
        sending()
        assert eventually(lambda: settled(steps.db))
    heard = [kind for _, kind in receiver.told]
    assert heard == [*["request.canceled"] * 4, "request.dead", "request.completed"]


@pytest.mark.parametrize("column", ["fence", "attempt"])
def test_largest_number_in_a_webhooks_row_stops_no_sender(steps, sending, column):
    with Receiver() as receiver:
        for task_id in ("edited", "other"):
            canceled(steps, task_id, receiver.url())
        edited = all_of(steps.db)[0].id
        with steps.db.writing() as tx:
            largest = {column: 2**31 - 1 if tx.dialect.name == "postgresql" else 2**63 - 1}
            row = webhook_deliveries.c.id == edited
            tx.execute(update(webhook_deliveries).where(row).values(largest))
        sending()
        assert eventually(lambda: statuses(steps.db) == ["delivered", "delivered"])


@on_one_database
def test_order_that_is_deleted_during_a_try_takes_its_webhook_with_it(steps, sending):
    with Receiver() as receiver:
        canceled(steps, "other", receiver.url())
        canceled(steps, "r", receiver.url())

        def deleting(call: Got) -> int:
            steps.sql("DELETE FROM requests WHERE task_id = :r", r=call.told[0])
            return 500

        receiver.answer = deleting
        sending()
        assert eventually(lambda: len(receiver.calls) == 2)
        assert eventually(lambda: all_of(steps.db) == [])


# Secrets


@on_one_database
def test_webhook_without_a_secret_is_not_sent(steps, sending):
    create_key(steps.db, Secret.new(), name="shop", owner="shop", scopes=[Scope.ORDER])
    with Receiver() as receiver:
        canceled(steps, "of-nobody", receiver.url())
        canceled(steps, "of-a-key", receiver.url(), "shop")
        sending(webhook_secret=None, webhook_waits=(60, 60))
        assert eventually(lambda: settled(steps.db))
    assert {each.last_code for each in all_of(steps.db)} == {"webhook_secret_missing"}
    assert statuses(steps.db) == ["dead", "dead"]
    assert receiver.calls == []


@on_one_database
def test_owner_whose_keys_are_revoked_gets_nothing_signed_by_the_environments_secret(
    steps, sending
):
    key_of(steps.db, "shop")
    revoke_key(steps.db, get_active_key(steps.db, "shop").id)
    with Receiver() as receiver:
        canceled(steps, "r", receiver.url(), "shop")
        sending(webhook_waits=(60,))
        assert eventually(lambda: settled(steps.db))
    (webhook,) = all_of(steps.db)
    assert (webhook.status, webhook.last_code) == ("dead", "webhook_secret_missing")
    assert receiver.calls == []


@on_one_database
def test_owners_webhook_is_signed_by_the_owners_key_only(steps, sending):
    secret = key_of(steps.db, "shop")
    with Receiver() as receiver:
        canceled(steps, "r", receiver.url(), "shop")
        sending()
        assert eventually(lambda: settled(steps.db))
    (call,) = receiver.calls
    call.verify(secret)
    with pytest.raises(WebhookVerificationError):
        call.verify(SECRET)


@on_one_database
def test_rotated_secret_and_the_one_before_both_verify(steps, sending):
    old, new = key_of(steps.db, "shop"), make_secret()
    set_webhook_secret(steps.db, get_active_key(steps.db, "shop"), new, rotate=True)
    with Receiver() as receiver:
        canceled(steps, "r", receiver.url(), "shop")
        sending()
        assert eventually(lambda: settled(steps.db))
    (call,) = receiver.calls
    call.verify(old)
    call.verify(new)


def test_secret_before_a_rotation_and_that_of_a_revoked_key_sign_no_more(db):
    key_of(db, "shop")
    new, other = make_secret(), key_of(db, "shop", "second")
    set_webhook_secret(db, get_active_key(db, "shop"), new, rotate=True)
    assert set(read_signing_secrets(db, "shop", 0) or ()) == {new, other}
    revoke_key(db, get_active_key(db, "shop").id)
    assert read_signing_secrets(db, "shop", 0) == [other]
    revoke_key(db, get_active_key(db, "second").id)
    assert read_signing_secrets(db, "shop", 0) == []


# Replays


@on_one_database
def test_replayed_webhook_is_sent_as_if_for_the_first_time(steps, sending):
    with Receiver(lambda call: 410 if call.number == 1 else 200) as receiver:
        canceled(steps, "r", receiver.url())
        sending()
        assert eventually(lambda: statuses(steps.db) == ["disabled"])
        assert replay_webhooks(steps.db) == 1
        assert eventually(lambda: statuses(steps.db) == ["delivered"])
        replay_webhooks(steps.db, all_of(steps.db)[0].id)
        assert eventually(lambda: len(receiver.calls) == 3 and settled(steps.db))
    assert len({call.id for call in receiver.calls}) == 1
    assert all_of(steps.db)[0].attempt == 1
