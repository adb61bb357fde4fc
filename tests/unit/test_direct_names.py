"""Whose a name is: an order under another's is refused, also while that is being found out."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from castad.direct.ledger_import import (
    DirectJob,
    build_import_entry,
    ensure_task_id_available,
    forget_order,
)
from pipeline_defs.catalog import get_catalog
from resources.delivery.engine import DELIVERED, Decision
from resources.delivery.spool import Spool, find_holder_of, note_holder
from resources.ledger.ledger_errors import ConflictError
from resources.ledger.schema.tables import DeliveryStatus

SCAN = get_catalog().get_pipeline("scan")
GLASS = DirectJob("s1", "shop", {"note": "소주병"})
PAPER = DirectJob("s1", "shop", {"note": "신문지"})


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    spool = Spool(tmp_path)
    spool.append([build_import_entry(SCAN, GLASS, "answer", [], None)])
    return spool


class Interrupted(Spool):
    """Another process acts once, after this one has looked into the spool for the first time."""

    def __init__(self, folder: Path, act: Callable[[], None]) -> None:
        super().__init__(folder)
        self._acts = iter([act])

    @contextmanager
    def using(self) -> Iterator[object]:  # type: ignore[override]
        with super().using() as connection:
            yield connection
        for act in self._acts:
            act()


def test_order_under_a_name_whose_answer_is_being_delivered_is_refused(spool, tmp_path):
    def deliver() -> None:
        [entry] = spool.waiting()
        with spool.writing() as tx:
            note_holder(tx, "s1", {**entry.body}, spool.now)
        spool.record(entry, DELIVERED)

    with pytest.raises(ConflictError):
        ensure_task_id_available(Interrupted(tmp_path, deliver), SCAN, PAPER)


def test_deleted_order_is_forgotten_whole_or_not_at_all(spool):
    [entry] = spool.waiting()
    spool.record(entry, Decision(DeliveryStatus.DEAD, message="refused"))
    with spool.writing() as tx:
        note_holder(tx, "s1", entry.body, spool.now)
        tx.execute(
            "CREATE TRIGGER full BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    with pytest.raises(Exception, match="full"):
        forget_order(spool, "s1")
    with spool.using() as connection:
        assert find_holder_of(connection, "s1") == entry.body
