"""Colours that several things share. Pure."""

from studio.camera.palettes import Colour

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
BRASS: Colour = (206, 164, 92)
GOLD: Colour = (216, 176, 96)
ELM: Colour = (150, 102, 66)
OAK: Colour = (146, 98, 62)
CHERRY: Colour = (150, 92, 54)
WALNUT: Colour = (128, 86, 54)
HERB: Colour = (76, 140, 70)
IVY: Colour = (76, 130, 84)
LAMP: Colour = (255, 214, 150)
VERMILION: Colour = (206, 62, 42)
SCARLET: Colour = (204, 60, 52)
BLUE: Colour = (58, 110, 170)
COFFEE: Colour = (84, 48, 30)


def read_paints(text: str) -> tuple[Colour, ...]:
    """Return colours that are written as in CSS, "#ce5448 #4a7ca0"."""
    numbers = (int(word.removeprefix("#"), 16) for word in text.split())
    return tuple((number >> 16, number >> 8 & 255, number & 255) for number in numbers)
