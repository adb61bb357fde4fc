"""Python runs this at its start where this folder is on PYTHONPATH: every process then has the planted bug."""

import os

from tests.chaos.planted import PLANTS

PLANTS[os.environ["CHAOS_BUG"]]()
