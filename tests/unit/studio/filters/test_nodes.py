"""Each node against an expectation that is computed by other means."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFilter

from studio.filters import arrays
from studio.filters.nodes import read_nodes
from tests.unit.studio.filters.photos import (
    HEIGHT,
    OTHER,
    PHOTO,
    WIDTH,
    A,
    B,
    close,
    graph_of,
    level,
    node,
    pixels,
    rendered,
    saved_pixels,
)

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
def test_node_makes_what_an_independent_computation_makes(photos, case):
    kind, inputs, expected = SIMPLE[case]
    assert close(pixels(photos, kind, **inputs), np.asarray(expected))


def test_bilinear_of_twice_the_size_lies_between_its_neighbours(photos):
    seen = pixels(photos, "ImageScaleBy", image=A, upscale_method="bilinear", scale_by=2.0)
    expected = PHOTO[0, 0] * 0.75 + PHOTO[0, 1] * 0.25
    assert np.all(np.abs(seen[0, 1] - expected) <= 1)


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "area", "nearest-exact", "lanczos"])
def test_scaling_keeps_a_plain_picture_plain(photos, method):
    Image.new("RGB", (13, 7), (10, 200, 90)).save(photos / "a.png")
    chosen = {"upscale_method": method, "width": 31, "height": 5, "crop": "center"}
    seen = pixels(photos, "ImageScale", image=A, **chosen)
    assert close(seen, np.full((5, 31, 3), (10, 200, 90)))


def test_blur_is_the_convolution_with_a_gaussian_over_its_window(photos):
    seen = pixels(photos, "ImageBlur", image=A, blur_radius=1, sigma=1.0)
    window = np.exp(-(np.array([-1, 0, 1.0]) ** 2) / 2)
    kernel = np.outer(window, window)
    flat = [float(each) for each in kernel.ravel()]
    pillow = ImageFilter.Kernel((3, 3), flat, scale=sum(flat))
    expected = np.asarray(Image.fromarray(PHOTO).filter(pillow)).astype(int)
    assert close(seen[1:-1, 1:-1], expected[1:-1, 1:-1])


def test_sharpening_is_what_a_blur_takes_away_added(photos):
    blurred = pixels(photos, "ImageBlur", image=A, blur_radius=1, sigma=1.0)
    seen = pixels(photos, "ImageSharpen", image=A, sharpen_radius=1, sigma=1.0, alpha=0.1)
    expected = np.clip(PHOTO * 2.0 - blurred, 0, 255)
    assert close(seen, expected, by=2)


@pytest.mark.parametrize("dither", ["none", "floyd-steinberg", "bayer-4"])
def test_quantized_picture_has_so_many_colours(photos, dither):
    seen = pixels(photos, "ImageQuantize", image=A, colors=5, dither=dither)
    assert len(np.unique(seen.reshape(-1, 3), axis=0)) <= 5


def test_batch_is_saved_picture_by_picture(photos):
    saved = rendered(graph_of("ImageBatch", image1=A, image2=B), photos)
    names = [picture.filename for picture in saved]
    assert names == ["castad_00001_.png", "castad_00002_.png"]
    [first, second] = (np.asarray(Image.open(photos / "output" / name)) for name in names)
    assert np.array_equal(first, PHOTO)
    assert np.array_equal(second, OTHER)


def test_masks_choose_colours_and_channels(photos):
    colour = node("EmptyImage", width=2, height=2, batch_size=1, color=0x123456)
    for chosen, expected in ((0x123456, 255), (0x123457, 0)):
        graph = {
            **graph_of("MaskToImage", mask=["4", 0]),
            "4": node("ImageColorToMask", image=["5", 0], color=chosen),
            "5": colour,
        }
        [seen] = saved_pixels(photos, graph)
        assert np.array_equal(seen, np.full((2, 2, 3), expected))


@pytest.mark.parametrize(("number", "channel"), enumerate(["red", "green", "blue"]))
def test_channel_of_a_picture_is_a_mask(photos, number, channel):
    of_file = node("LoadImageMask", image="a.png", channel=channel)
    of_image = node("ImageToMask", image=A, channel=channel)
    for mask in (of_file, of_image):
        [seen] = saved_pixels(photos, {**graph_of("MaskToImage", mask=["4", 0]), "4": mask})
        assert np.array_equal(seen, np.repeat(PHOTO[..., number : number + 1], 3, -1))


def test_alpha_of_a_loaded_picture_is_no_channel(photos):
    with pytest.raises(ValueError, match="red, green or blue"):
        arrays.take_channel(PHOTO[None] / 255, "alpha")


def test_masks_are_made_inverted_and_cut_at_a_threshold(photos):
    graph = {
        **graph_of("MaskToImage", mask=["5", 0]),
        "4": node("SolidMask", value=0.25, width=3, height=2),
        "5": node("InvertMask", mask=["4", 0]),
    }
    [inverted] = saved_pixels(photos, graph)
    assert close(inverted, level(np.full((2, 3, 3), 0.75)))
    for threshold, expected in ((0.2, 255), (0.25, 0)):
        graph["5"] = node("ThresholdMask", mask=["4", 0], value=threshold)
        [cut] = saved_pixels(photos, graph)
        assert np.array_equal(cut, np.full((2, 3, 3), expected))


def test_mask_says_how_much_of_the_source_is_laid_on(photos):
    graph = {
        **graph_of(
            "ImageCompositeMasked",
            destination=A,
            source=B,
            x=0,
            y=0,
            resize_source=True,
            mask=["4", 0],
        ),
        "4": node("SolidMask", value=0.25, width=5, height=5),
    }
    [seen] = saved_pixels(photos, graph)
    assert close(seen, OTHER * 0.25 + PHOTO * 0.75)


def test_soft_light_of_a_plain_half_changes_nothing_and_of_white_lightens(photos):
    chosen = {"image1": A, "image2": ["4", 0], "blend_factor": 1.0, "blend_mode": "soft_light"}
    grey = {"width": WIDTH, "height": HEIGHT, "batch_size": 1}
    graph = {**graph_of("ImageBlend", **chosen), "4": node("EmptyImage", **grey, color=0x808080)}
    [half] = saved_pixels(photos, graph)
    assert close(half, PHOTO.astype(int), by=2)
    graph["4"] = node("EmptyImage", **grey, color=0xFFFFFF)
    [white] = saved_pixels(photos, graph)
    curve = np.where(UNIT <= 0.25, 16 * UNIT**3 - 12 * UNIT**2 + 4 * UNIT, np.sqrt(UNIT))
    assert close(white, level(curve))


def test_batches_are_repeated_and_taken_apart(photos):
    graph = {
        **graph_of("ImageFromBatch", image=["4", 0], batch_index=1, length=9),
        "4": node("RepeatImageBatch", image=["5", 0], amount=2),
        "5": node("ImageBatch", image1=A, image2=B),
    }
    seen = saved_pixels(photos, graph)
    assert [np.array_equal(each, PHOTO) for each in seen] == [False, True, False]
    assert [np.array_equal(each, OTHER) for each in seen] == [True, False, True]


def test_second_of_a_batch_takes_the_first_ones_size_by_its_middle(photos):
    wide = np.concatenate([OTHER[:, :4] * 0, OTHER, OTHER[:, :4] * 0], axis=1)
    Image.fromarray(wide).save(photos / "b.png")
    [_, second] = saved_pixels(photos, graph_of("ImageBatch", image1=A, image2=B))
    assert np.array_equal(second, OTHER)


def test_shorter_batch_is_stitched_with_its_last_picture():
    one, two = np.zeros((1, 2, 2, 3), np.float32), np.ones((2, 2, 3, 3), np.float32)
    seen = arrays.stitch(one, "left", False, 0, "white", two)
    assert seen.shape == (2, 2, 5, 3)
    assert np.array_equal(seen, np.concatenate([two, np.concatenate([one, one])], axis=2))


def test_stitched_pictures_of_other_heights_match_or_are_padded():
    small, large = np.zeros((1, 2, 2, 3), np.float32), np.ones((1, 4, 6, 3), np.float32)
    matched = arrays.stitch(small, "right", True, 1, "green", large)
    assert matched.shape == (1, 2, 2 + 2 + 3, 3)
    assert np.array_equal(matched[0, 0, 2:4], [[0, 1, 0], [0, 1, 0]])
    padded = arrays.stitch(small, "right", False, 0, "white", large)
    assert np.array_equal(padded[0, :, 0, 0], [1, 0, 0, 1])


def means(levels: Any) -> Any:
    """The mean of each block of 8 by 16 pixels of a ramp."""
    return levels.reshape(8, 8, 16, 16, 3).mean((1, 3))


def test_dithered_ramp_is_nearer_to_itself_from_afar(photos):
    ramp = np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 64, 0).repeat(3, 2)
    Image.fromarray(ramp).save(photos / "a.png")
    seen = {
        dither: pixels(photos, "ImageQuantize", image=A, colors=8, dither=dither)
        for dither in ("none", "bayer-8", "floyd-steinberg")
    }
    off = {dither: np.abs(means(each) - means(ramp)).mean() for dither, each in seen.items()}
    assert off["floyd-steinberg"] < off["none"]
    assert off["bayer-8"] < off["none"]


def test_noise_has_its_strength_and_its_seed(photos):
    Image.new("RGB", (100, 100), (128, 128, 128)).save(photos / "a.png")
    first, same, other = (
        pixels(photos, "ImageAddNoise", image=A, seed=seed, strength=0.1) for seed in (1, 1, 2)
    )
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)
    assert abs(first.mean() - 128) < 1
    assert abs(first.std() - 25.5) < 1


def test_number_of_another_node_is_taken_as_its_own_would_be(photos):
    graph = {
        **graph_of("ImageBlur", image=A, blur_radius=["4", 0], sigma=["5", 0]),
        "4": node("PrimitiveInt", value=2),
        "5": node("PrimitiveFloat", value="0.5"),
    }
    [seen] = saved_pixels(photos, graph)
    assert np.array_equal(seen, pixels(photos, "ImageBlur", image=A, blur_radius=2, sigma=0.5))


def test_previews_are_kept_apart_from_outputs(photos):
    graph = {**graph_of("ImageInvert", image=A), "8": node("PreviewImage", images=A)}
    assert {each.node: each.type for each in rendered(graph, photos)} == {
        "8": "temp",
        "9": "output",
    }


def test_every_node_is_described_with_inputs_that_it_has():
    for kind, each in read_nodes().items():
        assert each.is_output != bool(each.outputs), kind
        for about in each.inputs.values():
            assert (
                about.kind not in ("INT", "FLOAT")
                or about.minimum <= about.default <= about.maximum
            )
