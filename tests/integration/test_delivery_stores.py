"""What both stores of deliveries keep: the ledger's webhooks, in each database, and the spool's file."""

from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from resources.delivery.engine import DeliveryFailure, Schedule, Store
from resources.delivery.spool import Entry, Spool, SpoolStore
from resources.delivery.webhooks import LedgerStore
from resources.ledger.db.database import Database
from resources.ledger.queries.webhooks import list_deliveries
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.webhooks import replay_webhooks
from tests.ledger_steps import Steps

AWAY = DeliveryFailure("it is away", "http_500")
REFUSED = DeliveryFailure("it is refused", "http_400", DeliveryStatus.DEAD)
WAIT = 3600.0


class LedgerStand:
    """The ledger's webhooks, by their orders."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def put(self, name: str, target: str) -> None:
        self._steps.order(name, callback_url=f"https://{target}/")
        self._steps.cancel(name)

    def open(self) -> Store[Any]:
        return LedgerStore(self._steps.db, Schedule((WAIT,) * 3), 60)

    def name_of(self, delivery: Any) -> str:
        return str(delivery.task_id)

    def listed(self, *, is_dead: bool) -> dict[str, tuple[int, str | None]]:
        """What is tried, or tried no more, with the number of its tries and its last error."""
        status = DeliveryStatus.DEAD if is_dead else DeliveryStatus.PENDING
        found = list_deliveries(self._steps.db, statuses=[status])
        return {each.task_id: (each.attempt, each.last_error) for each in found}

    def replay(self, name: str) -> None:
        [found] = list_deliveries(self._steps.db, task_id=name)
        replay_webhooks(self._steps.db, found.id)

    def wait(self) -> None:
        self._steps.sql("UPDATE webhook_deliveries SET due_at = '2020-01-01 00:00:00.000'")


class SpoolStand:
    """The spool's entries, by their keys."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._now = folder, 1_000_000.0
        self._spool = self._open()

    def _open(self) -> Spool:
        return Spool(self._folder, lambda: self._now)

    def put(self, name: str, target: str) -> None:
        self._spool.append([Entry(target, name, {"n": 1})])
        self._now += 0.001

    def open(self) -> Store[Any]:
        return SpoolStore(self._open(), ["x", "y", "z"])

    def name_of(self, delivery: Any) -> str:
        return str(delivery.key)

    def listed(self, *, is_dead: bool) -> dict[str, tuple[int, str | None]]:
        found = self._spool.dead() if is_dead else self._spool.waiting()
        return {each.key: (each.attempts, each.last_error) for each in found}

    def replay(self, name: str) -> None:
        [found] = [each for each in self._spool.dead() if each.key == name]
        assert self._spool.replay(found.id) == 1

    def wait(self) -> None:
        self._now += WAIT


Stand = LedgerStand | SpoolStand


@pytest.fixture(params=["spool", "sqlite", "postgres"])
def stand(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stand]:
    if request.param == "spool":
        yield SpoolStand(tmp_path / "spool")
        return
    with closing(Database(request.getfixturevalue(f"{request.param}_ledger_url"))) as db:
        yield LedgerStand(Steps(db))


def take(stand: Stand, store: Store[Any], busy: Collection[str] = ()) -> list[str]:
    """Claim, and name what was claimed."""
    return [stand.name_of(each) for each in store.claim(busy)]


def tried(stand: Stand, failure: DeliveryFailure | None) -> Store[Any]:
    """A store with `a` and `b` for one target, after a try of `a`."""
    stand.put("a", "x")
    stand.put("b", "x")
    store = stand.open()
    store.record(store.claim(())[0], failure)
    store.release("x")
    return store


def test_oldest_that_is_due_is_claimed_for_a_target_that_is_not_busy(stand):
    for name, target in (("a", "x"), ("b", "x"), ("c", "y")):
        stand.put(name, target)
    assert take(stand, stand.open(), ["x", "z"]) == ["c"]
    assert take(stand, stand.open())[0] == "a"
    assert take(stand, stand.open(), ["x", "y"]) == []


def test_what_one_process_has_claimed_is_claimed_by_no_other(stand):
    stand.put("a", "x")
    first = stand.open()
    [mine] = first.claim(())
    assert take(stand, stand.open()) == []
    first.record(mine, None)
    first.release("x")
    stand.put("b", "x")
    assert take(stand, stand.open()) == ["b"]


def test_delivered_is_tried_no_more(stand):
    store = tried(stand, None)
    stand.wait()
    assert take(stand, store) == ["b"]
    assert stand.listed(is_dead=False).keys() == {"b"}
    assert stand.listed(is_dead=True) == {}


def test_failed_is_due_after_its_wait(stand):
    store = tried(stand, AWAY)
    assert stand.listed(is_dead=False) == {"a": (1, "it is away"), "b": (0, None)}
    assert take(stand, store) == ["b"]
    store.release("x")
    stand.wait()
    assert "a" in take(stand, store)


def test_refused_is_dead_with_its_reason_and_due_again_by_a_replay(stand):
    store = tried(stand, REFUSED)
    stand.wait()
    assert stand.listed(is_dead=True) == {"a": (1, "it is refused")}
    assert stand.listed(is_dead=False).keys() == {"b"}
    stand.replay("a")
    assert stand.listed(is_dead=False)["a"][0] == 0
    assert stand.listed(is_dead=True) == {}
    assert "a" in [*take(stand, store), *take(stand, store)]
