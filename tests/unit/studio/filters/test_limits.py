"""What a graph may use: refused before any memory is taken, and stopped wherever it is."""

import struct
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from studio.errors import GraphError, StoppedError
from studio.filters import arrays
from studio.filters.arrays import MOST_PIXELS, SizeError, ensure_held
from studio.filters.nodes import load
from studio.graphs import MOST_NODES, render
from tests.unit.studio.filters.photos import A, graph_of, node, rendered

MEGABYTE = 1_000_000


def plain(*shape: int) -> Any:
    """A batch of black pictures that takes no memory."""
    return np.broadcast_to(np.float32(0), (*shape, 3))


def most_memory(make: Callable[[], Any]) -> int:
    """How many bytes there were at most during the call."""
    tracemalloc.start()
    try:
        make()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


WHOLE = (1, 5000, 5000)
TOO_LARGE: dict[str, Callable[[], Any]] = {
    "empty": lambda: arrays.fill(4096, 16_384, 16_384, (0, 0, 0)),
    "repeated": lambda: arrays.repeat_batch(plain(*WHOLE), 2),
    "batched": lambda: arrays.join_batches(plain(*WHOLE), plain(*WHOLE)),
    "stitched with many": lambda: arrays.stitch(
        plain(*WHOLE), "up", False, 0, "red", plain(9, 1, 1)
    ),
    "laid on many": lambda: arrays.composite(plain(9, 1, 1), plain(*WHOLE), 0, 0, False, None),
    "scaled": lambda: arrays.scale_by(plain(1, 1000, 1000), "bicubic", 8.0),
    "scaled by way of more": lambda: arrays.scale(plain(1, 16_384, 1), 16_384, 1, "lanczos"),
    "framed": lambda: arrays.fit(plain(1, 9, 9), 16_384, 16_384, "white", "area"),
    "mask": lambda: arrays.make_mask(1.0, 16_384, 16_384),
}


@pytest.mark.parametrize("case", TOO_LARGE)
def test_what_is_too_large_is_refused_before_it_is_made(case):
    def refused() -> None:
        with pytest.raises(SizeError, match=f"at most {MOST_PIXELS // 1_000_000} million"):
            TOO_LARGE[case]()

    assert most_memory(refused) < MEGABYTE


def test_large_file_is_refused_before_it_is_decoded(tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    content = bytearray((tmp_path / "a.png").read_bytes())
    content[16:24] = struct.pack(">II", 6_000, 6_000)
    content[29:33] = struct.pack(">I", zlib.crc32(content[12:29]))
    (tmp_path / "a.png").write_bytes(content)

    def refused() -> None:
        with pytest.raises(SizeError):
            load(tmp_path / "a.png")

    assert most_memory(refused) < MEGABYTE


@pytest.mark.parametrize("method", ["nearest-exact", "bilinear", "bicubic", "area"])
def test_long_strip_is_turned_without_the_square_between(method):
    strip = np.ones((1, 1, 16_384, 3), np.float32)
    assert most_memory(lambda: arrays.scale(strip, 1, 16_384, method)) < 20 * MEGABYTE


def test_pictures_that_wait_for_other_nodes_are_limited():
    held = [np.empty((1, 5000, 5000, 3), np.float32) for _ in range(5)]
    ensure_held([*held[:4], *held[:4], 7])
    with pytest.raises(SizeError, match="wait for other nodes"):
        ensure_held(held)
    with pytest.raises(SizeError):
        ensure_held([each[:, :1, :1] for each in held])


def test_graph_of_the_most_nodes_is_rendered_and_of_one_more_is_not(photos):
    chain = {"1": node("LoadImage", image="a.png")}
    for number in range(2, MOST_NODES):
        chain[str(number)] = node("ImageInvert", image=[str(number - 1), 0])
    chain["save"] = node("SaveImage", images=[str(MOST_NODES - 1), 0], filename_prefix="x")
    assert len(rendered(chain, photos)) == 1
    chain["more"] = chain["save"]
    with pytest.raises(GraphError, match=f"more than {MOST_NODES} nodes"):
        rendered(chain, photos)


class SetAfter(threading.Event):
    """Is set once it has been asked so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.asked = 0
        self._times = times

    def is_set(self) -> bool:
        self.asked += 1
        return self.asked > self._times


@pytest.mark.parametrize(
    ("kind", "inputs"),
    [
        ("ImageBlur", {"blur_radius": 2, "sigma": 1.0}),
        ("ImageSharpen", {"sharpen_radius": 1, "sigma": 1.0, "alpha": 1.0}),
        ("ImageQuantize", {"colors": 3, "dither": "none"}),
    ],
)
def test_graph_ends_wherever_it_is_stopped(photos, kind, inputs):
    graph = graph_of(kind, image=A, **inputs)
    never = SetAfter(1000)
    rendered(graph, photos, never)
    assert never.asked > len({"1", "3", "9"}) + 1
    for times in range(never.asked):
        with pytest.raises(StoppedError):
            rendered(graph, photos, SetAfter(times))


def test_nodes_are_reported_before_they_begin(photos):
    seen: list[tuple[int, int, str]] = []
    graph = graph_of("ImageInvert", image=A)
    render(
        graph,
        lambda name: photos / name,
        photos,
        report=lambda *about: seen.append(about),
        stop=threading.Event(),
    )
    assert seen == [(0, 3, "LoadImage"), (1, 3, "ImageInvert"), (2, 3, "SaveImage")]


def test_failure_of_the_disk_tells_no_path(photos):
    (photos / "output").write_text("a file where a folder is expected")
    with pytest.raises(GraphError, match=r"node 9 \(SaveImage\) failed: ") as failed:
        rendered(graph_of("ImageInvert", image=A), photos)
    assert str(photos) not in failed.value.message


@pytest.mark.parametrize(("value", "limits"), [(0, "from 1 to 31"), (2**63 - 1, "from 1 to 31")])
def test_number_of_another_node_has_to_be_within_the_limits(photos, value, limits):
    graph = graph_of("ImageBlur", image=A, blur_radius=["4", 0], sigma=1.0)
    graph["4"] = node("PrimitiveInt", value=value)
    with pytest.raises(GraphError, match=rf"node 3 \(ImageBlur\).*blur_radius: {value}.*{limits}"):
        rendered(graph, photos)
