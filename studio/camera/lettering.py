"""How letters of a size are placed for libass, which centres lines rather than letters. Pure but for the font."""

from dataclasses import dataclass

from studio.camera.fonts import Font
from studio.camera.layout import Layout
from studio.camera.palettes import Colour

INK: Colour = (24, 10, 16)
WHITE: Colour = (255, 255, 255)


@dataclass(frozen=True)
class Lettering:
    """The tags that place text of a font in a layout; sizes are em sizes in pixels."""

    font: Font
    layout: Layout

    def sized(self, size: float) -> str:
        """The tag of a size."""
        return f"\\fs{size * self.font.line_height:.1f}"

    def baseline(self, middle: float, size: float) -> float:
        """The height for libass at which the middles of letters are at `middle`."""
        return middle - self.font.rise * size

    def at(self, middle: float, size: float) -> str:
        """The tag that centres a row across, with the middle of its letters at that height."""
        return f"\\pos({self.layout.middle:.1f},{self.baseline(middle, size):.1f})"
