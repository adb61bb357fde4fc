"""What can be counted of a studio's film: how often its pictures come again, and its light."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.products import Song
from pipeline_defs.song_video.stage_inputs import build_video_input
from resources.providers.studio.makers import build_film_script
from studio.camera.film import shots_of


@dataclass(frozen=True)
class Repeats:
    """How often the commonest picture of a film comes, and the commonest scene, in whatever picture."""

    picture: int
    scene: int


def count_repeats(brief: Brief, task_id: str, song: Song, photos: Sequence[Path]) -> Repeats:
    """Count the repeats in the studio's film of this song and these photos; a photo counts like a scene."""
    job_input = build_video_input(brief, task_id, {"song": song})
    script = replace(
        build_film_script(job_input, lambda artifact: Path(str(artifact))), images=tuple(photos)
    )
    shown = [shot.picture for shot in shots_of(script)]
    names = photos or script.scenes
    scenes = [names[number % len(names)] for number in shown]
    return Repeats(_count_most(shown), _count_most(scenes))


def measure_light(pictures: Sequence[Path]) -> float:
    """Return the pictures' mean luma (ITU-R BT.601), 0 to 255; each picture has the same weight."""
    means = []
    for path in pictures:
        with Image.open(path) as picture:
            means.append(float(np.asarray(picture.convert("L")).mean()))
    return sum(means) / len(means)


def _count_most(values: Sequence[Any]) -> int:
    return max(Counter(values).values(), default=0)
