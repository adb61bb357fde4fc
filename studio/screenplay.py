"""What a vendor's film is planned with: the studio's frames, shots, palettes, covers and transcripts.

The vendors' folders import this module, `words`, `syllables`, `timeline` and `genres` of the studio, and nothing
else (import-linter holds it), so that the camera behind it may change.
"""

from studio.camera.film import FRAMES
from studio.camera.palettes import Colour, Palette, palette_for
from studio.camera.pictures import MARGIN
from studio.camera.shots import FPS, Shot, left_out, plan_shots
from studio.camera.transcripts import write_transcripts
from studio.stills import try_covers

__all__ = [
    "FPS",
    "FRAMES",
    "MARGIN",
    "Colour",
    "Palette",
    "Shot",
    "left_out",
    "palette_for",
    "plan_shots",
    "try_covers",
    "write_transcripts",
]
