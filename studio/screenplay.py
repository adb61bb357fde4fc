"""What a vendor's film is planned with: the studio's frames, shots, palettes, codes, covers and transcripts.

The vendors' folders import this module, `words`, `syllables`, `timeline` and `genres` of the studio, and nothing
else (import-linter holds it), so that the camera behind it may change.
"""

from studio.camera.brand_colours import brand_palette
from studio.camera.film import FRAMES
from studio.camera.palettes import Colour, Palette, colour_of
from studio.camera.pictures import MARGIN
from studio.camera.shots import FPS, Shot, left_out, plan_shots
from studio.camera.transcripts import write_transcripts
from studio.qr_code import QUIET, dark_runs, squares
from studio.stills import try_covers

__all__ = [
    "FPS",
    "FRAMES",
    "MARGIN",
    "QUIET",
    "Colour",
    "Palette",
    "Shot",
    "brand_palette",
    "colour_of",
    "dark_runs",
    "left_out",
    "plan_shots",
    "squares",
    "try_covers",
    "write_transcripts",
]
