"""The programs on the page that verify webhooks, as they are pasted: each takes a real delivery and no other."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
import standardwebhooks

from castad.web.reference import read_example
from resources.delivery.webhooks import make_webhook_loop
from resources.ledger.db.database import Database
from sensors.event_mirror import FACTS
from tests.conftest import MakeSettings
from tests.eventually import eventually
from tests.ledger_steps import Steps
from tests.webhook_receiver import SECRET, Got, Receiver

PROGRAMS = {
    "verify_webhook.py": sys.executable,
    "verify_webhook.mjs": "node",
    "VerifyWebhook.java": "java",
}
OLD = timedelta(minutes=6)


@pytest.fixture(params=PROGRAMS)
def receiver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address at which the program listens."""
    if shutil.which(PROGRAMS[request.param]) is None:
        pytest.skip(f"this machine has no {PROGRAMS[request.param]}")
    file = tmp_path / request.param
    file.write_text(read_example(request.param), "utf-8")
    with subprocess.Popen(
        [PROGRAMS[request.param], str(file)],
        env={**os.environ, "PORT": "0", "WEBHOOK_SECRET": SECRET},
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        yield f"http://127.0.0.1:{int(program.stdout.readline())}"
        program.kill()


@pytest.fixture
def delivery(db: Database, make_settings: MakeSettings) -> Got:
    """What castad has sent of an order that ended."""
    config = make_settings(allow_hosts=("127.0.0.1",), webhook_secret=SECRET)
    with Receiver() as real:
        steps = Steps(db)
        steps.order("r", callback_url=real.url())
        steps.completed("r")
        loop = make_webhook_loop(db, config, FACTS)
        loop.stay_awake()
        eventually(lambda: real.calls)
        loop.rest()
    return real.calls[0]


def send(receiver: str, delivery: Got, body: bytes | None = None, **headers: str) -> int:
    """The status that the program answers to this message, changed as said."""
    signed = {name: delivery.headers[name] for name in delivery.headers if "webhook-" in name}
    changed = {**signed, **{name.replace("_", "-"): value for name, value in headers.items()}}
    content = delivery.raw if body is None else body
    return httpx.post(receiver, content=content, headers=changed, trust_env=False).status_code


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_program_takes_what_castad_has_sent_and_nothing_forged_or_old(receiver, delivery):
    old = datetime.now(UTC) - OLD
    signature = standardwebhooks.Webhook(SECRET).sign(delivery.id, old, delivery.raw.decode())
    after_rotation = f"v1,{'A' * 43}= {delivery.headers['webhook-signature']}"
    statuses = {
        "real": send(receiver, delivery),
        "signed twice": send(receiver, delivery, webhook_signature=after_rotation),
        "other body": send(receiver, delivery, delivery.raw.replace(b"completed", b"cancelled")),
        "other id": send(receiver, delivery, webhook_id="msg_other"),
        "no signature": send(receiver, delivery, webhook_signature=""),
        "old": send(
            receiver,
            delivery,
            webhook_timestamp=str(int(old.timestamp())),
            webhook_signature=signature,
        ),
    }
    assert statuses == {
        **{"real": 204, "signed twice": 204},
        **dict.fromkeys(["other body", "other id", "no signature", "old"], 401),
    }
