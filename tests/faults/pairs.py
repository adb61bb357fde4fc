"""On which pairs of database and broker a case is played, and that one process plays all of a pair's cases."""

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.chaos.stand import PAIRS


def on(*pairs: str) -> pytest.MarkDecorator:
    """The case is played on the stand of each of these pairs."""
    return pytest.mark.parametrize("standing", pairs, indirect=True, scope="session")


on_every_pair = on(*PAIRS)
on_postgres = on(*(pair for pair in PAIRS if pair.startswith("postgres")))
on_sqlite = on(*(pair for pair in PAIRS if pair.startswith("sqlite")))


class ByStand(LoadScopeScheduling):
    """Cases on the same stand go to the same process, every other test to whichever is free.

    `--dist=loadgroup` would do: but xdist 3.8 writes the group into a field that pytest 9.2 no longer reads.
    """

    def _split_scope(self, nodeid: str) -> str:
        pair = nodeid.rpartition("[")[2].removesuffix("]")
        return pair if pair in PAIRS else nodeid
