"""Picture files: what is read of them, and what is written."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from studio.errors import GraphError
from studio.filters.nodes import load, load_mask, save
from studio.graphs import Picture
from tests.unit.studio.filters.photos import (
    HEIGHT,
    OTHER,
    PHOTO,
    WIDTH,
    A,
    close,
    graph_of,
    rendered,
)


def check() -> None: ...


def written(picture: Image.Image, form: str, **options: Any) -> bytes:
    content = io.BytesIO()
    picture.save(content, form, **options)
    return content.getvalue()


def test_loaded_picture_is_upright(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(PHOTO).save(tmp_path / "a.png", exif=exif)
    image, mask = load(tmp_path / "a.png")
    assert image.shape == (1, WIDTH, HEIGHT, 3)
    assert close(image[0] * 255, np.rot90(PHOTO, -1), by=0.01)
    assert not mask.any()


@pytest.mark.parametrize("form", ["PNG", "WEBP"])
def test_mask_is_what_is_transparent(tmp_path, form):
    alpha = Image.fromarray(np.array([[0, 51, 255]], np.uint8))
    picture = Image.new("RGB", (3, 1))
    picture.putalpha(alpha)
    (tmp_path / "a").write_bytes(written(picture, form, lossless=True))
    assert np.allclose(load(tmp_path / "a")[1], [[[1, 0.8, 0]]])
    assert np.allclose(load_mask(tmp_path / "a", "alpha"), [[[1, 0.8, 0]]])


def test_mask_of_a_palette_is_its_transparent_colour(tmp_path):
    picture = Image.fromarray(np.array([[0, 1]], np.uint8)).convert("P")
    picture.save(tmp_path / "a.png", transparency=1)
    assert np.allclose(load(tmp_path / "a.png")[1], [[[0, 1]]])


def test_frames_are_a_batch_and_views_of_a_camera_are_not(tmp_path):
    frames = [Image.fromarray(each) for each in (PHOTO, OTHER)]
    frames[0].save(tmp_path / "a.png", save_all=True, append_images=frames[1:])
    image, _ = load(tmp_path / "a.png")
    assert close(image * 255, np.stack([PHOTO, OTHER]), by=0.01)
    frames[0].save(tmp_path / "a.mpo", save_all=True, append_images=frames[1:])
    assert len(load(tmp_path / "a.mpo")[0]) == 1


def test_16_bits_of_grey_keep_their_brightness(tmp_path):
    levels = np.array([[0, 0x4000, 0x8000, 0xFFFF]], np.uint16)
    Image.fromarray(levels).save(tmp_path / "a.png")
    assert np.allclose(load(tmp_path / "a.png")[0][0, 0, :, 1], [0, 0.25, 0.5, 1], atol=0.01)
    assert np.allclose(load_mask(tmp_path / "a.png", "red"), [[[0, 0.25, 0.5, 1]]], atol=0.01)


def test_saved_pictures_have_no_metadata_and_the_next_free_numbers(tmp_path):
    (tmp_path / "b").mkdir()
    for taken in ("x_00007_.png", "x_notes_.png", "xy_00050_.png"):
        (tmp_path / "b" / taken).touch()
    two = np.stack([PHOTO, OTHER]).astype(np.float32) / 255
    assert save(two, "b/x", tmp_path, check) == [("b", "x_00008_.png"), ("b", "x_00009_.png")]
    with Image.open(tmp_path / "b" / "x_00009_.png") as seen:
        assert seen.info == {}
        assert np.array_equal(np.asarray(seen), OTHER)


@pytest.mark.parametrize("prefix", ["../x", "/x", "a/../../x", "..\\x", "", "a/..", "x\0"])
def test_prefix_that_leaves_the_folder_is_refused(photos, prefix):
    graph = graph_of("ImageInvert", image=A)
    graph["9"]["inputs"]["filename_prefix"] = prefix
    with pytest.raises(GraphError, match="filename_prefix"):
        rendered(graph, photos)


FILES = [
    written(Image.fromarray(PHOTO), "JPEG"),
    written(Image.fromarray(PHOTO), "PNG", save_all=True, append_images=[Image.fromarray(OTHER)]),
    written(Image.fromarray(PHOTO).convert("P"), "PNG", transparency=3),
    written(Image.fromarray(PHOTO).convert("RGBA"), "WEBP", lossless=True),
]


def rendered_or_refused(graph: dict[str, Any], photos: Path) -> tuple[Picture, ...] | str:
    try:
        return rendered(graph, photos)
    except GraphError as error:
        return error.node


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.sampled_from(FILES),
    changes=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=6),
    length=st.integers(0, 4000),
)
def test_damaged_file_is_read_or_its_node_is_named(photos, content, changes, length):
    damaged = bytearray(content)
    for place, value in changes:
        damaged[place % len(damaged)] = value
    (photos / "a.png").write_bytes(damaged[:length])
    done = rendered_or_refused(graph_of("ImageInvert", image=A), photos)
    assert done == "1" or [each for each in done if isinstance(each, Picture)]


def test_file_that_is_no_picture_names_its_node(photos):
    (photos / "a.png").write_text("no picture")
    with pytest.raises(GraphError, match=r"node 1 \(LoadImage\) failed: expected a JPEG"):
        rendered(graph_of("ImageInvert", image=A), photos)
