"""The engine of graphs: each node against an independent expectation, and any graph against its verdict."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFilter

from studio.errors import GraphError, StoppedError
from studio.filters.nodes import NODES
from studio.filters.values import MOST_PIXELS
from studio.filters.verdict import MOST_NODES
from studio.graphs import (
    Picture,
    inputs_of,
    object_info,
    render,
    saved_under,
    verdict_on,
    with_inputs,
)

WIDTH, HEIGHT = 24, 16
PHOTO = np.random.default_rng(7).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
OTHER = np.random.default_rng(8).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    Image.fromarray(PHOTO).save(tmp_path / "a.png")
    Image.fromarray(OTHER).save(tmp_path / "b.png")
    return tmp_path


def graph_of(kind: str, **inputs: Any) -> dict[str, Any]:
    """Photo a (node 1) and b (node 2) into a node, whose picture is saved."""
    return {
        "1": {"class_type": "LoadImage", "inputs": {"image": "a.png"}},
        "2": {"class_type": "LoadImage", "inputs": {"image": "b.png"}},
        "3": {"class_type": kind, "inputs": inputs},
        "9": {
            "class_type": "SaveImage",
            "inputs": {"images": ["3", 0], "filename_prefix": "castad"},
        },
    }


def rendered(graph: Mapping[str, Any], photos: Path) -> tuple[Picture, ...]:
    def quiet(done: int, whole: int, kind: str) -> None: ...

    return render(graph, lambda name: photos / name, photos, report=quiet, stop=threading.Event())


def pixels(photos: Path, kind: str, **inputs: Any) -> Any:
    """The levels of the node's picture."""
    [picture] = rendered(graph_of(kind, **inputs), photos)
    return np.asarray(Image.open(photos / picture.type / picture.filename)).astype(int)


def level(values: Any) -> Any:
    """What SaveImage writes for values in [0, 1]."""
    return np.clip(np.asarray(values, np.float64) * 255, 0, 255)


def close(seen: Any, expected: Any, by: float = 1.01) -> bool:
    """Whether no level differs by more: values are cut off, not rounded."""
    return seen.shape == expected.shape and bool(np.all(np.abs(seen - expected) <= by))


A, B = ["1", 0], ["2", 0]
UNIT, OTHER_UNIT = PHOTO / 255, OTHER / 255
BLENDS = {
    "normal": OTHER_UNIT,
    "multiply": UNIT * OTHER_UNIT,
    "screen": 1 - (1 - UNIT) * (1 - OTHER_UNIT),
    "difference": UNIT - OTHER_UNIT,
    "overlay": np.where(UNIT <= 0.5, 2 * UNIT * OTHER_UNIT, 1 - 2 * (1 - UNIT) * (1 - OTHER_UNIT)),
}
SIMPLE: Mapping[str, tuple[str, Mapping[str, Any], Any]] = {
    "invert": ("ImageInvert", {"image": A}, 255 - PHOTO.astype(int)),
    "flip": ("ImageFlip", {"image": A, "flip_method": "y-axis: horizontally"}, PHOTO[:, ::-1]),
    "flip down": ("ImageFlip", {"image": A, "flip_method": "x-axis: vertically"}, PHOTO[::-1]),
    "rotate": (
        "ImageRotate",
        {"image": A, "rotation": "90 degrees"},
        np.asarray(Image.fromarray(PHOTO).transpose(Image.Transpose.ROTATE_270)),
    ),
    "crop": ("ImageCrop", {"image": A, "width": 5, "height": 4, "x": 3, "y": 2}, PHOTO[2:6, 3:8]),
    "crop at the edge": (
        "ImageCrop",
        {"image": A, "width": 99, "height": 99, "x": 20, "y": 99},
        PHOTO[15:, 20:],
    ),
    "empty": (
        "EmptyImage",
        {"width": 3, "height": 2, "batch_size": 1, "color": 0x10C0FF},
        np.full((2, 3, 3), (0x10, 0xC0, 0xFF)),
    ),
    "nearest": (
        "ImageScale",
        {
            "image": A,
            "upscale_method": "nearest-exact",
            "width": 48,
            "height": 32,
            "crop": "disabled",
        },
        PHOTO.repeat(2, 0).repeat(2, 1),
    ),
    "area": (
        "ImageScaleBy",
        {"image": A, "upscale_method": "area", "scale_by": 0.5},
        PHOTO.reshape(8, 2, 12, 2, 3).mean((1, 3)),
    ),
    "lanczos": (
        "ImageScale",
        {"image": A, "upscale_method": "lanczos", "width": 10, "height": 0, "crop": "disabled"},
        np.asarray(Image.fromarray(PHOTO).resize((10, 7), Image.Resampling.LANCZOS)),
    ),
    "stitch": (
        "ImageStitch",
        {
            "image1": A,
            "image2": B,
            "direction": "down",
            "match_image_size": False,
            "spacing_width": 3,
            "spacing_color": "red",
        },
        np.concatenate([PHOTO, np.full((4, WIDTH, 3), (255, 0, 0)), OTHER]),
    ),
    "pad": (
        "ResizeAndPadImage",
        {
            "image": A,
            "target_width": WIDTH,
            "target_height": HEIGHT + 4,
            "padding_color": "white",
            "interpolation": "nearest-exact",
        },
        np.concatenate([np.full((2, WIDTH, 3), 255), PHOTO, np.full((2, WIDTH, 3), 255)]),
    ),
    "composite": (
        "ImageCompositeMasked",
        {"destination": A, "source": B, "x": 20, "y": 10, "resize_source": False},
        np.concatenate([PHOTO[:10], np.concatenate([PHOTO[10:, :20], OTHER[:6, :4]], 1)]),
    ),
    **{
        f"blend {mode}": (
            "ImageBlend",
            {"image1": A, "image2": B, "blend_factor": 0.5, "blend_mode": mode},
            level(np.clip(UNIT * 0.5 + mixed * 0.5, 0, 1)),
        )
        for mode, mixed in BLENDS.items()
    },
}


@pytest.mark.parametrize("case", SIMPLE)
def test_node_makes_what_an_independent_computation_makes(photos: Path, case: str) -> None:
    kind, inputs, expected = SIMPLE[case]
    assert close(pixels(photos, kind, **inputs), np.asarray(expected))


def test_bilinear_of_twice_the_size_lies_between_its_neighbours(photos: Path) -> None:
    seen = pixels(photos, "ImageScaleBy", image=A, upscale_method="bilinear", scale_by=2.0)
    expected = PHOTO[0, 0] * 0.75 + PHOTO[0, 1] * 0.25
    assert np.all(np.abs(seen[0, 1] - expected) <= 1)


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "area", "nearest-exact", "lanczos"])
def test_scaling_keeps_a_plain_picture_plain(photos: Path, method: str) -> None:
    Image.new("RGB", (13, 7), (10, 200, 90)).save(photos / "a.png")
    chosen = {"upscale_method": method, "width": 31, "height": 5, "crop": "center"}
    seen = pixels(photos, "ImageScale", image=A, **chosen)
    assert close(seen, np.full((5, 31, 3), (10, 200, 90)))


def test_blur_is_the_convolution_with_a_gaussian_over_its_window(photos: Path) -> None:
    seen = pixels(photos, "ImageBlur", image=A, blur_radius=1, sigma=1.0)
    window = np.exp(-(np.array([-1, 0, 1.0]) ** 2) / 2)
    kernel = np.outer(window, window)
    flat = [float(each) for each in kernel.ravel()]
    pillow = ImageFilter.Kernel((3, 3), flat, scale=sum(flat))
    expected = np.asarray(Image.fromarray(PHOTO).filter(pillow)).astype(int)
    assert close(seen[1:-1, 1:-1], expected[1:-1, 1:-1])


def test_sharpening_is_what_a_blur_takes_away_added(photos: Path) -> None:
    blurred = pixels(photos, "ImageBlur", image=A, blur_radius=1, sigma=1.0)
    seen = pixels(photos, "ImageSharpen", image=A, sharpen_radius=1, sigma=1.0, alpha=0.1)
    expected = np.clip(PHOTO * 2.0 - blurred, 0, 255)
    assert close(seen, expected, by=2)


@pytest.mark.parametrize("dither", ["none", "floyd-steinberg", "bayer-4"])
def test_quantized_picture_has_so_many_colours(photos: Path, dither: str) -> None:
    seen = pixels(photos, "ImageQuantize", image=A, colors=5, dither=dither)
    assert len(np.unique(seen.reshape(-1, 3), axis=0)) <= 5


def test_batch_is_saved_picture_by_picture(photos: Path) -> None:
    saved = rendered(graph_of("ImageBatch", image1=A, image2=B), photos)
    names = [picture.filename for picture in saved]
    assert names == ["castad_00001_.png", "castad_00002_.png"]
    [first, second] = (np.asarray(Image.open(photos / "output" / name)) for name in names)
    assert np.array_equal(first, PHOTO)
    assert np.array_equal(second, OTHER)


def test_loaded_picture_is_upright_and_its_mask_is_what_is_transparent(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(PHOTO).save(tmp_path / "a.png", exif=exif)
    see_through = Image.new("RGBA", (4, 4), (0, 0, 0, 0))
    see_through.save(tmp_path / "b.png")
    upright = pixels(tmp_path, "ImageFlip", image=A, flip_method="x-axis: vertically")
    assert upright.shape == (WIDTH, HEIGHT, 3)
    mask = pixels(tmp_path, "MaskToImage", mask=["2", 1])
    assert close(mask, np.full((4, 4, 3), 255), by=0)


def test_masks_choose_colours_and_channels(photos: Path) -> None:
    graph = graph_of("MaskToImage", mask=["4", 0])
    graph["5"] = {
        "class_type": "EmptyImage",
        "inputs": {"width": 2, "height": 2, "batch_size": 1, "color": 0x123456},
    }
    graph["4"] = {
        "class_type": "ImageColorToMask",
        "inputs": {"image": ["5", 0], "color": 0x123456},
    }
    [picture] = rendered(graph, photos)
    seen = np.asarray(Image.open(photos / "output" / picture.filename))
    assert np.array_equal(seen, np.full((2, 2, 3), 255))


def test_same_graph_makes_the_same_bytes(photos: Path) -> None:
    graph = graph_of("ImageAddNoise", image=A, seed=3, strength=0.4)
    [first], [second] = rendered(graph, photos), rendered(graph, photos)
    folder = photos / "output"
    assert first.filename != second.filename
    assert (folder / first.filename).read_bytes() == (folder / second.filename).read_bytes()


def test_saved_picture_has_no_metadata(photos: Path) -> None:
    [picture] = rendered(graph_of("ImageInvert", image=A), photos)
    with Image.open(photos / "output" / picture.filename) as seen:
        assert seen.info == {}


@pytest.mark.parametrize("prefix", ["../x", "/x", "a/../../x", "", "a/.."])
def test_prefix_that_leaves_the_folder_is_refused(photos: Path, prefix: str) -> None:
    graph = graph_of("ImageInvert", image=A)
    graph["9"]["inputs"]["filename_prefix"] = prefix
    with pytest.raises(GraphError, match="filename_prefix"):
        rendered(graph, photos)


def test_picture_that_is_too_large_is_refused_before_it_is_made(photos: Path) -> None:
    side = {"width": 16_384, "height": 16_384}
    graph = graph_of("EmptyImage", **side, batch_size=4096, color=0)
    with pytest.raises(GraphError, match=rf"node 3 \(EmptyImage\).*{MOST_PIXELS // 1_000_000}"):
        rendered(graph, photos)


def test_file_that_is_no_picture_names_its_node(photos: Path) -> None:
    (photos / "a.png").write_text("no picture")
    with pytest.raises(GraphError, match=r"node 1 \(LoadImage\) failed: expected a JPEG"):
        rendered(graph_of("ImageInvert", image=A), photos)


def test_stopped_graph_ends(photos: Path) -> None:
    stop = threading.Event()

    def stop_at_once(done: int, whole: int, kind: str) -> None:
        stop.set()

    with pytest.raises(StoppedError):
        render(
            graph_of("ImageInvert", image=A),
            lambda name: photos / name,
            photos,
            report=stop_at_once,
            stop=stop,
        )


# The verdict

WRONG: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "missing": ({"image": A}, "required_input_missing"),
    "no link": ({"image": "1", "blur_radius": 1, "sigma": 1.0}, "invalid_input_type"),
    "half a link": ({"image": ["1"], "blur_radius": 1, "sigma": 1.0}, "bad_linked_input"),
    "no such node": (
        {"image": ["7", 0], "blur_radius": 1, "sigma": 1.0},
        "exception_during_inner_validation",
    ),
    "no such output": (
        {"image": ["1", 5], "blur_radius": 1, "sigma": 1.0},
        "exception_during_inner_validation",
    ),
    "a mask": ({"image": ["1", 1], "blur_radius": 1, "sigma": 1.0}, "return_type_mismatch"),
    "no number": ({"image": A, "blur_radius": "many", "sigma": 1.0}, "invalid_input_type"),
    "too little": ({"image": A, "blur_radius": 0, "sigma": 1.0}, "value_smaller_than_min"),
    "too much": ({"image": A, "blur_radius": 32, "sigma": 1.0}, "value_bigger_than_max"),
    "not a number": (
        {"image": A, "blur_radius": 1, "sigma": float("nan")},
        "value_smaller_than_min",
    ),
    "itself": ({"image": ["3", 0], "blur_radius": 1, "sigma": 1.0}, "dependency_cycle"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_named_by_comfyuis_own_type(case: str) -> None:
    inputs, kind = WRONG[case]
    verdict = verdict_on(graph_of("ImageBlur", **inputs), lambda name: True)
    assert verdict.error is not None
    assert verdict.error["type"] == "prompt_outputs_failed_validation"
    assert verdict.node_errors["3"]["errors"][0]["type"] == kind
    assert verdict.node_errors["3"]["dependent_outputs"] == ["9"]


@pytest.mark.parametrize(
    ("graph", "kind"),
    [
        (None, "no_prompt"),
        ({}, "prompt_no_outputs"),
        ({"1": {}}, "invalid_prompt"),
        ({"1": {"class_type": "KSampler", "inputs": {}}}, "invalid_prompt"),
        ({"1": {"class_type": "ImageInvert", "inputs": {}}}, "prompt_no_outputs"),
        ({str(each): {} for each in range(MOST_NODES + 1)}, "invalid_prompt"),
    ],
)
def test_graph_that_is_none_is_refused_as_a_whole(graph: Any, kind: str) -> None:
    verdict = verdict_on(graph, lambda name: True)
    assert verdict.error is not None
    assert verdict.error["type"] == kind


def test_valid_output_beside_an_invalid_one_is_executed(photos: Path) -> None:
    graph = graph_of("ImageInvert", image=A)
    graph["8"] = {"class_type": "PreviewImage", "inputs": {"images": ["3", 4]}}
    verdict = verdict_on(graph, lambda name: True)
    assert (verdict.error, verdict.outputs, [*verdict.node_errors]) == (None, ("9",), ["8"])
    assert len(rendered(graph, photos)) == 1


def test_picture_that_is_not_there_fails_custom_validation() -> None:
    verdict = verdict_on(graph_of("ImageInvert", image=A), lambda name: False)
    assert verdict.node_errors["1"]["errors"][0]["type"] == "custom_validation_failed"


def test_long_chain_needs_no_recursion(photos: Path) -> None:
    chain: dict[str, Any] = {"1": {"class_type": "LoadImage", "inputs": {"image": "a.png"}}}
    for number in range(2, MOST_NODES):
        inputs = {"image": [str(number - 1), 0]}
        chain[str(number)] = {"class_type": "ImageInvert", "inputs": inputs}
    last = {"images": [str(MOST_NODES - 1), 0], "filename_prefix": "castad"}
    chain["save"] = {"class_type": "SaveImage", "inputs": last}
    assert len(rendered(chain, photos)) == 1


def test_object_info_describes_every_node_as_comfyui_does() -> None:
    info = object_info()
    assert info.keys() == NODES.keys()
    assert info["ImageBlur"]["input"]["required"]["sigma"] == [
        "FLOAT",
        {"default": 1.0, "min": 0.1, "max": 10.0},
    ]
    assert info["SaveImage"]["output_node"] is True


def test_copies_of_a_graph_load_and_save_under_other_names() -> None:
    graph = graph_of("ImageInvert", image=A)
    named = saved_under(with_inputs(graph, {"a.png": "c.png"}), "castad/x")
    assert inputs_of(named) == ("c.png", "b.png")
    assert named["9"]["inputs"]["filename_prefix"] == "castad/x-9"
    assert inputs_of(graph) == ("a.png", "b.png")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
VALUE = JSON | st.tuples(st.sampled_from(["1", "2", "3"]), st.integers(-1, 3)).map(list)
NODE = st.sampled_from([*NODES]).flatmap(
    lambda kind: st.fixed_dictionaries(
        {
            "class_type": st.just(kind),
            "inputs": st.fixed_dictionaries(
                {},
                optional={
                    name: VALUE | st.just(about.default)
                    for name, about in NODES[kind].inputs.items()
                },
            ),
        }
    )
)


@given(JSON | st.dictionaries(st.sampled_from(["1", "2", "3"]), NODE | JSON, max_size=3))
def test_any_json_gets_a_verdict(graph: Any) -> None:
    verdict = verdict_on(graph, lambda name: True)
    assert (verdict.error is None) == bool(verdict.outputs)


def saved_or_failed(graph: Mapping[str, Any], photos: Path) -> set[str]:
    """The nodes that saved pictures, or the one that failed."""
    try:
        return {picture.node for picture in rendered(graph, photos)}
    except GraphError as error:
        return {error.node}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(nodes=st.lists(NODE, min_size=1, max_size=2))
def test_graph_that_passes_renders_or_names_the_node_that_failed(
    photos: Path, nodes: list[dict[str, Any]]
) -> None:
    graph = {
        **graph_of("ImageInvert", image=A),
        **{str(number): node for number, node in enumerate(nodes, start=2)},
    }
    if verdict_on(graph, lambda name: name == "a.png").error is not None:
        return
    assert saved_or_failed(graph, photos) <= graph.keys()
