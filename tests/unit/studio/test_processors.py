"""What may differ between kinds of processors: the last bits of samples, and nothing that is decided.

numpy chooses its code by what the processor can do, so another kind is had by forbidding it the newer ones. The
voice is not part of this: onnxruntime chooses its code by itself, and its integers may round otherwise.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.tables import read_beside

MOST = 2e-4
"""Of full scale: seven bits below the last of sixteen that a loud sample has."""
MADE = read_beside(__file__)["MADE"]


def newer_features() -> list[str]:
    """What numpy has code for, beyond what every processor of this kind can do, and this one can."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return [name for name in __cpu_dispatch__ if __cpu_features__[name]]


def made(target: Path, forbidden: str) -> tuple[object, np.ndarray]:
    done = subprocess.run(
        [sys.executable, "-c", MADE, str(target)],
        env={**os.environ, "NPY_DISABLE_CPU_FEATURES": forbidden},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout), np.load(target)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, np.ndarray]]:
    """The same order on this processor, and on one that lacks the newer instructions of it."""
    folder = tmp_path_factory.mktemp("processors")
    older = " ".join(newer_features())
    return [made(folder / "this.npy", ""), made(folder / "older.npy", older)]


def test_words_times_and_notes_are_the_same_on_every_processor(both):
    assert both[0][0] == both[1][0]


def test_samples_differ_between_processors_in_their_last_bits_only(both):
    assert np.abs(both[0][1] - both[1][1]).max() < MOST
