"""The colours of each kind of music. Pure."""

import random
from dataclasses import dataclass

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Palette:
    """Colours of one mood: the sky from top to horizon, the ground from far to near, the light.

    `accent` is the colour of words when they are sung: a light one, or pictures had to be dark behind it; `button`
    that of the button, where it is another.
    """

    sky: tuple[Colour, ...]
    ground: tuple[Colour, Colour]
    light: Colour
    accent: Colour
    button: Colour | None = None


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
    "trot": (
        Palette(
            sky=((96, 18, 76), (204, 36, 92), (255, 168, 84)),
            ground=((150, 34, 84), (48, 8, 38)),
            light=(255, 232, 150), accent=(255, 214, 74),
        ),
        Palette(
            sky=((24, 52, 150), (136, 66, 190), (255, 150, 170)),
            ground=((112, 60, 150), (22, 16, 60)),
            light=(255, 236, 170), accent=(255, 220, 92),
        ),
    ),
    "jazz": (
        Palette(
            sky=((10, 16, 40), (32, 48, 92), (172, 112, 72)),
            ground=((52, 50, 78), (8, 10, 22)),
            light=(255, 198, 120), accent=(240, 190, 108),
        ),
        Palette(
            sky=((30, 10, 22), (92, 30, 50), (206, 130, 82)),
            ground=((82, 34, 46), (16, 6, 12)),
            light=(255, 208, 140), accent=(246, 196, 122),
        ),
    ),
    "hiphop": (
        Palette(
            sky=((20, 20, 24), (62, 58, 66), (232, 168, 44)),
            ground=((72, 66, 62), (12, 12, 14)),
            light=(255, 214, 92), accent=(255, 204, 40),
        ),
        Palette(
            sky=((16, 12, 40), (66, 40, 110), (238, 94, 70)),
            ground=((70, 40, 84), (10, 8, 22)),
            light=(255, 172, 110), accent=(186, 236, 84),
        ),
    ),
    "bossa": (
        Palette(
            sky=((18, 108, 132), (84, 184, 170), (255, 214, 150)),
            ground=((150, 156, 118), (20, 66, 70)),
            light=(255, 244, 196), accent=(255, 206, 120),
        ),
        Palette(
            sky=((66, 58, 112), (226, 124, 112), (255, 206, 140)),
            ground=((170, 104, 100), (42, 32, 62)),
            light=(255, 232, 178), accent=(255, 198, 130),
        ),
    ),
    "acoustic": (
        Palette(
            sky=((92, 128, 134), (186, 190, 148), (250, 222, 158)),
            ground=((134, 124, 72), (42, 48, 28)),
            light=(255, 242, 198), accent=(250, 206, 112),
        ),
        Palette(
            sky=((70, 62, 58), (176, 122, 84), (248, 204, 140)),
            ground=((122, 92, 58), (34, 26, 20)),
            light=(255, 234, 184), accent=(246, 200, 128),
        ),
    ),
}  # fmt: skip


def colour_of(text: str) -> Colour:
    """The colour that is written `#rrggbb`."""
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red, green, blue


def palette_for(genre: str, seed: str) -> Palette:
    """One of the genre's palettes, chosen by the seed."""
    return random.Random(f"palette {seed}").choice(PALETTES[genre])  # noqa: S311
