"""Which provider makes which stage. The one place that knows all of them."""

import os
from functools import lru_cache

from resources.artifacts import ArtifactStore
from resources.picture_source import PictureSource
from resources.providers.protocol import Provider
from resources.settings import Settings
from resources.studio.providers import StudioBand, StudioCamera, StudioLyricist


def artifact_store(settings: Settings) -> ArtifactStore:
    """The folder of finished files."""
    return ArtifactStore(settings.home / "artifacts")


def picture_source(settings: Settings) -> PictureSource:
    """Where the files behind an order's references are found."""
    return PictureSource(artifact_store(settings), allow_private=settings.allow_private_addresses)


@lru_cache(maxsize=8)
def provider_for(stage: str, settings: Settings) -> Provider:
    """The provider of a stage; one per process, since a studio's places are shared by its runs."""
    workdir = settings.home / "studio"
    if stage == "lyric":
        return StudioLyricist(workdir)
    if stage == "song":
        return StudioBand(workdir)
    return StudioCamera(picture_source(settings).open, workdir, places=os.cpu_count() or 1)
