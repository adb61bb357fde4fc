"""The colours of each kind of music. Pure."""

import random
from dataclasses import dataclass

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Palette:
    """Colours of one mood: the sky from top to horizon, the ground from far to near, the light.

    `accent` is the colour of words when they are sung: a light one, or pictures had to be dark behind it.
    """

    sky: tuple[Colour, ...]
    ground: tuple[Colour, Colour]
    light: Colour
    accent: Colour


PALETTES: dict[str, tuple[Palette, ...]] = {
    "pop": (
        Palette(
            sky=((64, 84, 178), (226, 112, 160), (255, 190, 150)),
            ground=((176, 92, 140), (46, 26, 74)),
            light=(255, 226, 176), accent=(255, 209, 102),
        ),
        Palette(
            sky=((36, 120, 190), (110, 196, 214), (255, 226, 178)),
            ground=((84, 150, 150), (18, 54, 84)),
            light=(255, 240, 200), accent=(255, 192, 112),
        ),
    ),
    "ballad": (
        Palette(
            sky=((28, 30, 78), (112, 66, 124), (242, 150, 110)),
            ground=((104, 66, 104), (20, 16, 44)),
            light=(255, 204, 150), accent=(255, 186, 146),
        ),
        Palette(
            sky=((22, 46, 88), (70, 110, 158), (232, 190, 170)),
            ground=((78, 98, 130), (14, 24, 48)),
            light=(255, 228, 200), accent=(255, 190, 138),
        ),
    ),
    "edm": (
        Palette(
            sky=((14, 8, 52), (92, 18, 150), (236, 56, 178)),
            ground=((74, 22, 128), (8, 4, 32)),
            light=(110, 226, 255), accent=(96, 232, 255),
        ),
        Palette(
            sky=((6, 14, 56), (18, 66, 168), (40, 206, 214)),
            ground=((20, 62, 128), (4, 8, 34)),
            light=(255, 120, 214), accent=(255, 162, 230),
        ),
    ),
    "rock": (
        Palette(
            sky=((26, 12, 24), (134, 30, 38), (250, 138, 62)),
            ground=((110, 36, 40), (16, 8, 14)),
            light=(255, 206, 128), accent=(255, 186, 84),
        ),
        Palette(
            sky=((18, 22, 34), (86, 62, 78), (244, 164, 92)),
            ground=((86, 62, 66), (12, 12, 18)),
            light=(255, 220, 160), accent=(255, 200, 96),
        ),
    ),
    "ambient": (
        Palette(
            sky=((14, 50, 76), (44, 128, 138), (190, 230, 206)),
            ground=((60, 122, 124), (8, 34, 46)),
            light=(236, 255, 230), accent=(112, 238, 184),
        ),
        Palette(
            sky=((40, 44, 92), (112, 128, 186), (236, 206, 222)),
            ground=((104, 110, 158), (20, 22, 54)),
            light=(255, 238, 244), accent=(178, 198, 255),
        ),
    ),
}  # fmt: skip


def palette_for(genre: str, seed: str) -> Palette:
    """One of the genre's palettes, chosen by the seed."""
    return random.Random(f"palette {seed}").choice(PALETTES[genre])  # noqa: S311
