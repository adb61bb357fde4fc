"""All processes are killed while a receiver has not answered yet, and it gets its webhook from the next ones."""

import pytest

from tests.faults.breaks import kill_code_server, kill_daemon, kill_worker
from tests.faults.ends import done
from tests.faults.pairs import on_every_pair
from tests.webhook_receiver import HANG, SECRET, Receiver

pytestmark = pytest.mark.timeout(300)

_SENDING = {
    "CASTAD_WEBHOOK_SECRET": SECRET,
    "CASTAD_WEBHOOK_DEADLINE": "2",
    "CASTAD_ALLOW_HOSTS": "127.0.0.1",
}


@on_every_pair
def test_webhook_is_delivered_though_everything_is_killed_during_a_try(case):
    stand = case.stand
    with Receiver(lambda call: HANG if call.number == 1 else 200) as receiver:
        kill_code_server(stand)
        stand.start_code_server(**_SENDING)
        case.order_calling(receiver.url())
        case.until(lambda: receiver.calls, "the webhook is tried")
        kill_daemon(stand)
        kill_code_server(stand)
        kill_worker(stand, "one")
        stand.start_code_server(**_SENDING)
        stand.start_daemon()
        stand.start_worker("one")
        case.until(lambda: len(receiver.calls) > 1, "the webhook is tried again")
        assert case.end() == done()
    first, *later = receiver.calls
    assert {call.id for call in later} == {first.id}
    later[-1].verify()
