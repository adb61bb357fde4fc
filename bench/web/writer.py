"""Orders that go through, as a process of their own: `python -m bench.web.writer ORDERS A_SECOND`."""

import sys
import time

from bench.web.watchers import LAST
from resources.ledger.db.database import open_database
from resources.process.settings import Settings
from tests.ledger_steps import Steps


def main(orders: int, a_second: float) -> None:
    """Insert the orders and complete them at this rate, then one more that marks the end."""
    steps = Steps(open_database(Settings().ledger_url))
    began = time.perf_counter()
    for number in range(orders):
        time.sleep(max(0.0, began + number / a_second - time.perf_counter()))
        steps.completed(f"order-{number}")
    steps.order(LAST)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
