"""Wait for one of the places of a stage, where CASTAD_PLACES_… limits how many are at work at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from resources.ledger.lease import Attempt
from resources.ledger.moves.core import Lease
from resources.ledger.moves.places import Line, take_place
from resources.ledger.moves.stages import StageEntry


@contextmanager
def place(
    attempt: Attempt, lease: Lease, entry: StageEntry, say: Callable[[str], None]
) -> Iterator[None]:
    """The stage has a place for the block, waited for in line; without a limit this is nothing at all.

    The ledger gives the place back with the stage itself. Raises as `Attempt.check` does.
    """
    places = attempt.settings.places(entry.stage)
    if places is None:
        yield
        return
    if not take_place(attempt.db, lease, entry, places):
        say(f"{entry.stage}: waiting for a place ({places} of {places} taken)")
        attempt.wait_in(Line(entry.stage, places))
        while not take_place(attempt.db, lease, entry, places):
            attempt.wait_in(Line(entry.stage, places))
    yield
    attempt.look_again()
