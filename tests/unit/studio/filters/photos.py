"""Two small photographs, and graphs of one node over them."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from studio.graphs import Picture, render

WIDTH, HEIGHT = 24, 16
PHOTO = np.random.default_rng(7).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
OTHER = np.random.default_rng(8).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
A, B = ["1", 0], ["2", 0]
"""The outputs of the nodes that load them."""


def graph_of(kind: str, **inputs: Any) -> dict[str, Any]:
    """Photo a (node 1) and b (node 2) into a node (3), whose picture is saved."""
    return {
        "1": node("LoadImage", image="a.png"),
        "2": node("LoadImage", image="b.png"),
        "3": node(kind, **inputs),
        "9": node("SaveImage", images=["3", 0], filename_prefix="castad"),
    }


def node(kind: str, **inputs: Any) -> dict[str, Any]:
    return {"class_type": kind, "inputs": inputs}


def rendered(
    graph: Mapping[str, Any], photos: Path, stop: threading.Event | None = None
) -> tuple[Picture, ...]:
    def quiet(done: int, whole: int, kind: str) -> None: ...

    return render(
        graph, lambda name: photos / name, photos, report=quiet, stop=stop or threading.Event()
    )


def pixels(photos: Path, kind: str, **inputs: Any) -> Any:
    """The levels of the node's picture."""
    return saved_pixels(photos, graph_of(kind, **inputs))[0]


def saved_pixels(photos: Path, graph: Mapping[str, Any]) -> list[Any]:
    """The levels of each picture that the graph saves."""
    return [
        np.asarray(Image.open(photos / each.type / each.subfolder / each.filename)).astype(int)
        for each in rendered(graph, photos)
    ]


def level(values: Any) -> Any:
    """What SaveImage writes for values in [0, 1]."""
    return np.clip(np.asarray(values, np.float64) * 255, 0, 255)


def close(seen: Any, expected: Any, by: float = 1.01) -> bool:
    """Whether no level differs by more: values are cut off, not rounded."""
    return seen.shape == expected.shape and bool(np.all(np.abs(seen - expected) <= by))
