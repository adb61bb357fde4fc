"""Filters of dark photographs: what is in them is seen, and paper stays white."""

from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pipeline_defs.image.templates import load_templates
from studio.graphs import rename_inputs, render
from studio.images import stretch_levels

Pixels = Any


def picture(pixels: Pixels, folder: Path) -> Path:
    file = folder / "photo.png"
    Image.fromarray((np.clip(pixels, 0, 1) * 255).astype(np.uint8)).save(file)
    return file


def ramp(low: float, high: float) -> Pixels:
    return np.repeat(np.linspace(low, high, 200, dtype=np.float32)[None, :, None], 150, 0).repeat(
        3, 2
    )


def night() -> Pixels:
    """A dark street with one bright window."""
    pixels = ramp(0.01, 0.12)
    pixels[60:80, 90:110] = (1.0, 0.8, 0.4)
    return pixels


def grey(file: Path) -> Pixels:
    with Image.open(file) as opened:
        return np.asarray(opened.convert("L"), np.float32) / 255


def made(name: str, file: Path, folder: Path) -> Pixels:
    template = load_templates()[name]
    graph: Mapping[str, Any] = template.build_workflow(template.fill_in({}))
    stop, report = Event(), lambda *done: None
    graph = rename_inputs(graph, {"$image": "photo"})
    [saved] = render(graph, lambda _: file, folder / "out", report=report, stop=stop)
    return grey(folder / "out" / saved.type / saved.subfolder / saved.filename)


def range_of_tones(pixels: Pixels) -> float:
    """How far apart the tones are that most of a picture's upper left quarter has."""
    low, high = np.quantile(pixels[: len(pixels) // 2 - 10, : len(pixels) // 2 - 10], (0.05, 0.95))
    return float(high - low)


def test_middle_tone_of_a_dark_photograph_becomes_a_middle_one(tmp_path):
    assert stretch_levels(picture(night(), tmp_path), tmp_path / "stretched.png")
    assert 0.3 < np.median(grey(tmp_path / "stretched.png")) < 0.5


def test_flat_photograph_is_stretched_from_black_to_white(tmp_path):
    assert stretch_levels(picture(ramp(0.4, 0.6), tmp_path), tmp_path / "stretched.png")
    stretched = grey(tmp_path / "stretched.png")
    assert (stretched.min(), stretched.max()) == (0, 1)


def test_photograph_by_day_is_left_as_it_is(tmp_path):
    assert not stretch_levels(picture(ramp(0, 1), tmp_path), tmp_path / "stretched.png")
    assert not (tmp_path / "stretched.png").exists()


@pytest.mark.parametrize("pixels", [ramp(0, 0), ramp(1, 1), ramp(0.5, 0.5)])
def test_plain_picture_can_be_stretched_too(pixels, tmp_path):
    assert stretch_levels(picture(pixels, tmp_path), tmp_path / "stretched.png")


def test_transparency_is_kept(tmp_path):
    alpha = np.full((150, 200, 1), 0.5, np.float32)
    file = picture(np.concatenate([night(), alpha], axis=2), tmp_path)
    assert stretch_levels(file, tmp_path / "stretched.png")
    with Image.open(tmp_path / "stretched.png") as stretched:
        assert stretched.getchannel("A").getextrema() == (127, 127)


@pytest.mark.parametrize("name", ["poster", "pop-art"])
def test_tones_of_a_night_photograph_are_seen(name, tmp_path):
    stretch_levels(picture(night(), tmp_path), tmp_path / "stretched.png")
    before = made(name, tmp_path / "photo.png", tmp_path)
    after = made(name, tmp_path / "stretched.png", tmp_path)
    assert range_of_tones(after) > 2 * range_of_tones(before)


@pytest.mark.parametrize("tone", [0.3, 0.6, 0.9])
def test_sketch_leaves_its_paper_white(tone, tmp_path):
    assert np.median(made("sketch", picture(ramp(tone, tone), tmp_path), tmp_path)) > 0.96
