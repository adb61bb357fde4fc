"""What becomes of dead letters by itself: those of a passing cause are tried once more, if that is wanted."""

from pipeline_defs.catalog import catalog
from resources.ledger.transitions.redrive import redrivable, redrive
from sensors.retention.cycle import BATCH, Cycle


def redrive_dead_letters(cycle: Cycle) -> None:
    """A batch of dead letters that died of a passing cause is pending again, each once in its life."""
    if not cycle.goes_on():
        return
    names = redrivable(cycle.db, BATCH)
    over = catalog().taking_over
    redriven = len(names) if cycle.is_dry else sum(redrive(cycle.db, name, over) for name in names)
    cycle.counts["redriven"] += redriven
