import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from studio.errors import PictureError
from studio.sight import (
    ENOUGH,
    MARGIN,
    SEEN_BY,
    SIDE,
    Network,
    Seen,
    find_weights,
    judge,
    read_pixels,
    read_things,
    read_weights,
    see,
)
from studio.waste import UNKNOWN
from tests.unit.studio.noise import noise

OFFICER = Path(matplotlib.get_data_path(), "sample_data", "grace_hopper.jpg")
GOWN, UNIFORM, GRADUATION_CAP = 400, 652, 667


@pytest.fixture(scope="module")
def network() -> Network:
    return Network(read_weights(find_weights()))


def probabilities(**of: float) -> list[float]:
    """These of ImageNet's classes, by index; the rest is spread over what is no waste."""
    spread = 1 - sum(of.values())
    others = [index for index in range(1000) if index not in read_things()]
    made = [0.0] * 1000
    for index in others:
        made[index] = spread / len(others)
    for name, probability in of.items():
        made[int(name[1:])] = probability
    return made


def saved(picture: Image.Image, folder: Path, kind: str = "PNG", **options: object) -> Path:
    path = folder / f"picture.{kind.lower()}"
    picture.save(path, kind, **options)
    return path


def test_the_portrait_of_an_officer_shows_gown_cap_and_uniform(network):
    likely = network.classify(read_pixels(OFFICER))
    assert set(np.argsort(likely)[-3:].tolist()) == {GOWN, UNIFORM, GRADUATION_CAP}
    assert likely[[GOWN, UNIFORM, GRADUATION_CAP]].sum() > 0.5
    assert likely.sum() == pytest.approx(1)
    assert see(OFFICER) == Seen(UNKNOWN, UNKNOWN, None, see(OFFICER).confidence, SEEN_BY)


def test_colours_are_scaled_as_the_weights_were_trained():
    """What the first batch norm remembers of ImageNet tells the scale: another one is four times off."""
    weights = read_weights(find_weights())
    pixels = read_pixels(OFFICER)
    patches = np.lib.stride_tricks.sliding_window_view(pixels, (3, 3), axis=(1, 2))[:, ::2, ::2]
    measured = np.einsum("ocij,cyxij->oyx", weights["_conv_stem.weight"], patches).var((1, 2))
    remembered = weights["_bn0.running_var"]
    used = remembered > 0.01
    assert 0.5 < np.median(measured[used] / remembered[used]) < 2


@given(st.dictionaries(st.integers(0, 999), st.floats(0.01, 1), min_size=1, max_size=12))
def test_a_class_is_told_where_its_things_are_enough_and_ahead_of_all_others(weights):
    likely = [weights.get(index, 0.0) / sum(weights.values()) for index in range(1000)]
    sums: dict[str, float] = {}
    for index, probability in enumerate(likely):
        name = read_things()[index].middle if index in read_things() else f"no waste {index}"
        sums[name] = sums.get(name, 0.0) + probability
    seen = judge(likely)
    if seen.middle == UNKNOWN:
        assert seen.minor is None
    else:
        others = [total for name, total in sums.items() if name != seen.middle]
        assert sums[seen.middle] >= ENOUGH
        assert sums[seen.middle] - max(others, default=0) >= MARGIN - 1e-9
        assert seen.confidence == pytest.approx(sums[seen.middle], abs=0.001)


@pytest.mark.parametrize(
    ("likely", "middle", "minor", "confidence"),
    [
        ({"c440": 0.35, "c907": 0.11}, "유리병", "맥주병", 0.46),
        ({"c620": 0.3, "c681": 0.2, "c527": 0.1}, "전기전자제품", "노트북", 0.6),
        ({"c620": 0.2, "c673": 0.2, "c527": 0.2}, "전기전자제품", None, 0.6),
        ({"c954": 0.45}, "음식물류폐기물", "바나나", 0.45),
        ({"c440": 0.3, "c907": 0.14}, UNKNOWN, None, 0.44),
        ({"c620": 0.5, "c440": 0.45}, UNKNOWN, None, 0.5),
        ({"c620": 0.5, "c281": 0.45}, UNKNOWN, None, 0.5),
        ({"c737": 1.0}, UNKNOWN, None, 0.0),
        ({"c281": 1.0}, UNKNOWN, None, 0.0),
    ],
)
def test_probabilities_are_summed_per_class_of_waste(likely, middle, minor, confidence):
    seen = judge(probabilities(**likely))
    assert (seen.middle, seen.minor, seen.confidence) == (middle, minor, confidence)
    majors = {thing.middle: thing.major for thing in read_things().values()} | {UNKNOWN: UNKNOWN}
    assert seen.major == majors[middle]


def test_the_same_picture_is_seen_the_same_by_all_threads(tmp_path):
    pictures = [OFFICER, saved(noise((300, 200), 60), tmp_path)]
    alone = [see(picture) for picture in pictures]
    start = Barrier(8)

    def together(number: int) -> Seen:
        start.wait()
        return see(pictures[number % 2])

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(together, range(8))) == alone * 4


def test_threads_that_come_first_load_the_network_once():
    """In a process of its own, for the network stays."""
    program = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
opened = []
sys.addaudithook(lambda event, args: event == "open" and str(args[0]).endswith(".pth") and opened.append(1))
from studio.sight import see
assert not opened
start = Barrier(4)
def together(_):
    start.wait()
    return see(Path(sys.argv[1]))
with ThreadPoolExecutor(4) as threads:
    assert len(set(threads.map(together, range(4)))) == 1
print(len(opened))
"""
    command = [sys.executable, "-c", program, str(OFFICER)]
    assert subprocess.run(command, capture_output=True, check=True, text=True).stdout == "1\n"


@pytest.mark.parametrize("turn", range(1, 9))
def test_a_picture_is_looked_at_upright(turn, tmp_path):
    exif = Image.Exif()
    exif[0x0112] = turn
    as_taken = noise((300, 200), 60)
    undone = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    turned = as_taken.transpose(undone[turn]) if turn in undone else as_taken
    upright = read_pixels(saved(as_taken, tmp_path))
    assert np.array_equal(read_pixels(saved(turned, tmp_path, exif=exif)), upright)


@pytest.mark.parametrize(
    ("kind", "mode"),
    [("PNG", "L"), ("PNG", "LA"), ("PNG", "1"), ("PNG", "P"), ("PNG", "I;16"), ("JPEG", "CMYK")],
)
def test_pictures_of_every_kind_of_colour_are_seen(kind, mode, tmp_path):
    grey = noise((300, 200), 60).convert("L")
    picture = grey.convert("I").convert("I;16") if mode == "I;16" else grey.convert(mode)
    pixels = read_pixels(saved(picture, tmp_path, kind))
    assert pixels.shape == (3, SIDE, SIDE)
    assert np.abs(pixels).max() <= 1
    assert 0 <= see(saved(picture, tmp_path, kind)).confidence <= 1


def test_what_is_see_through_is_white(tmp_path):
    hidden = Image.new("RGBA", (50, 40), (200, 0, 0, 0))
    assert np.all(read_pixels(saved(hidden, tmp_path)) == 1)


@pytest.mark.parametrize("size", [(1, 1), (1, 900), (4000, 3), (225, 223)])
def test_a_picture_of_any_size_is_seen(size, tmp_path):
    path = saved(Image.new("RGB", size, (127, 127, 127)), tmp_path)
    assert np.all(read_pixels(path) == 0)
    assert see(path) == see(path)


def test_a_large_jpeg_shows_what_it_shows_at_its_full_size(tmp_path):
    small = Image.open(OFFICER)
    large = saved(small.resize((small.width * 6, small.height * 6)), tmp_path, "JPEG", quality=95)
    difference = np.abs(read_pixels(large) - read_pixels(OFFICER))
    assert difference.mean() < 0.02


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"<svg/>", b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_picture_is_refused(data, tmp_path):
    (tmp_path / "picture").write_bytes(data)
    with pytest.raises(PictureError, match="picture: expected a JPEG, PNG or WebP picture"):
        see(tmp_path / "picture")
